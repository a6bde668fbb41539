"""One background task, as it is in the table."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

Json = dict[str, Any]
TaskStatus = Literal["queued", "running", "done", "failed", "cancelled"]
COLUMNS = (
    "task_id, effect_key, tenant_id, user_id, roles, agent, thread_id, turn_id, run_id, tool, title, arguments, extra, "
    "locale, status, stage, done, total, resume, cancel_requested, attempt, tries, result, created_at, started_at, "
    "updated_at, finished_at"
)
# By which job it waits in the queue.
HAS_JOB = "UPDATE frontdesk.tasks SET job_id = %(job)s WHERE task_id = %(task_id)s"


@dataclass(frozen=True, kw_only=True)
class Task:
    """One row, as it was when it was read.

    `title`, `stage`: in the language `locale`. `done` of `total`: how far it is; None where it cannot be counted.
    `resume`: what its last step left for the next one. `attempt`: how often it was taken up; `tries`: how often since
    it last got on. `result`: what it came to, None as long as it is open.
    """

    task_id: int
    effect_key: str
    tenant_id: str
    user_id: str
    roles: list[str]
    agent: str
    thread_id: str | None
    turn_id: str | None
    run_id: str | None
    tool: str
    title: str
    arguments: Json
    extra: Json
    locale: Literal["zh", "en"]
    status: TaskStatus
    stage: str
    done: int | None
    total: int | None
    resume: Json
    cancel_requested: bool
    attempt: int
    tries: int
    result: Json | None
    created_at: datetime
    started_at: datetime | None
    updated_at: datetime
    finished_at: datetime | None

    @property
    def is_over(self) -> bool:
        return self.status not in ("queued", "running")
