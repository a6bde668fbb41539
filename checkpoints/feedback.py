"""What users thought of an answer, one verdict for each run."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from checkpoints.database import Pool
from errors import Conflict, NotFound

Verdict = Literal["up", "down"]
# Of a run that is the caller's; `over` tells one that still runs from one that is not there.
GIVE = """
WITH own AS (
    SELECT run_id, finished_at IS NOT NULL AS over FROM frontdesk.runs
    WHERE run_id = %(run)s AND thread_id = %(thread)s AND tenant_id = %(tenant)s AND user_id = %(user)s
), given AS (
    INSERT INTO frontdesk.feedback AS f (run_id, verdict, comment)
    SELECT run_id, %(verdict)s, %(comment)s FROM own WHERE over
    ON CONFLICT (run_id) DO UPDATE SET verdict = excluded.verdict, comment = excluded.comment, updated_at = now()
    RETURNING run_id, verdict, comment, created_at, updated_at
)
SELECT own.over, given.* FROM own LEFT JOIN given USING (run_id)"""


@dataclass(frozen=True, kw_only=True)
class Feedback:
    run_id: UUID
    verdict: Verdict
    comment: str | None
    created_at: datetime
    updated_at: datetime


class FeedbackStore:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def give(
        self, run_id: UUID, thread_id: UUID, tenant: str, user: str, *, verdict: Verdict, comment: str | None
    ) -> Feedback:
        """Given again, it takes the place of the first. Raises NotFound, and Conflict for a run that is not over."""
        given = {
            "run": run_id, "thread": thread_id, "tenant": tenant, "user": user, "verdict": verdict, "comment": comment,
        }  # fmt: skip
        async with self._pool.connection() as connection:
            row = await (await connection.execute(GIVE, given)).fetchone()
        if row is None:
            raise NotFound("there is no such run")
        if not row.pop("over"):
            raise Conflict("this run is not over yet; there is no answer to judge")
        return Feedback(**row)
