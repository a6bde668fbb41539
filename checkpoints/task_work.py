"""Background tasks as workers do them: taken up by one at a time, moved on step by step, handed back, and swept."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from checkpoints.database import Connection, Pool
from checkpoints.jsonb import lenient
from checkpoints.queue import enqueue
from checkpoints.queue_schema import SCHEMA
from checkpoints.task import COLUMNS, HAS_JOB, Task

BATCH = 50

MINE = "task_id = %(task_id)s AND attempt = %(attempt)s AND status = 'running'"
CLAIM = f"""
UPDATE frontdesk.tasks SET status = 'running', attempt = attempt + 1, tries = tries + 1, beat_at = clock_timestamp(),
    updated_at = clock_timestamp(), started_at = coalesce(started_at, clock_timestamp())
WHERE task_id = %(task_id)s AND job_id = %(job)s AND status = 'queued' RETURNING {COLUMNS}"""  # noqa: S608
# First in the step's transaction: whoever else wants to go on with the task waits here, and then finds it moved on.
HOLD = f"SELECT cancel_requested FROM frontdesk.tasks WHERE {MINE} FOR UPDATE"  # noqa: S608
REACHED = f"""
UPDATE frontdesk.tasks SET stage = coalesce(%(stage)s, stage), done = coalesce(%(done)s, done),
    total = coalesce(%(total)s, total), resume = coalesce(%(resume)s, resume), tries = 0,
    beat_at = clock_timestamp(), updated_at = clock_timestamp()
WHERE {MINE}"""  # noqa: S608
BEAT = f"UPDATE frontdesk.tasks SET beat_at = clock_timestamp() WHERE {MINE} RETURNING 1"  # noqa: S608
FINISH = f"""
UPDATE frontdesk.tasks SET status = %(status)s, result = %(result)s, finished_at = clock_timestamp(),
    updated_at = clock_timestamp(), stage = CASE WHEN %(status)s = 'done' THEN '' ELSE stage END
WHERE {MINE}"""  # noqa: S608
BACK = f"""
UPDATE frontdesk.tasks SET status = 'queued', tries = greatest(tries - %(forgiven)s, 0), beat_at = clock_timestamp(),
    updated_at = clock_timestamp()
WHERE {MINE} RETURNING task_id"""  # noqa: S608
# Nobody works on it any more, or the job by which somebody would is lost. What waits in the queue is not looked for.
ABANDONED = f"""
SELECT t.task_id, t.cancel_requested, t.job_id FROM frontdesk.tasks t
WHERE t.status IN ('queued', 'running') AND t.beat_at < clock_timestamp() - make_interval(secs => %(stalled_s)s)
    AND (t.status = 'running' OR NOT EXISTS (
        SELECT 1 FROM {SCHEMA}.procrastinate_jobs j WHERE j.id = t.job_id AND j.status = 'todo'))
ORDER BY t.beat_at LIMIT %(limit)s FOR UPDATE OF t SKIP LOCKED"""  # noqa: S608
DROP_JOB = f"DELETE FROM {SCHEMA}.procrastinate_jobs WHERE id = %(job_id)s"  # noqa: S608
STOP = """
UPDATE frontdesk.tasks SET status = 'cancelled', finished_at = clock_timestamp(), updated_at = clock_timestamp()
WHERE task_id = %(task_id)s"""
AGAIN = """
UPDATE frontdesk.tasks SET status = 'queued', job_id = %(job)s, beat_at = clock_timestamp()
WHERE task_id = %(task_id)s"""


@dataclass(kw_only=True)
class Step:
    """A transaction of a task. What is done on `connection` and what `reached` says come about together, or neither."""

    connection: Connection
    cancel_requested: bool
    place: dict[str, Any] = field(default_factory=lambda: dict.fromkeys(("stage", "done", "total", "resume")))

    def reached(
        self,
        *,
        stage: str | None = None,
        done: int | None = None,
        total: int | None = None,
        resume: Mapping[str, Any] | None = None,
    ) -> None:
        """What is left out stays as it is."""
        kept = None if resume is None else lenient(dict(resume))
        given = {"stage": stage, "done": done, "total": total, "resume": kept}
        self.place |= {name: value for name, value in given.items() if value is not None}


class TaskWork:
    """The table of background tasks, for workers. An attempt that is not the task's latest one writes nothing."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def claim(self, task_id: int, job: int) -> Task | None:
        """Take it up; None where this job is not the one by which it waits: it is over, gone, or somebody else's."""
        async with self._pool.connection() as connection:
            row = await (await connection.execute(CLAIM, {"task_id": task_id, "job": job})).fetchone()
        return Task(**row) if row else None

    @asynccontextmanager
    async def step(self, task_id: int, attempt: int) -> AsyncIterator[Step | None]:
        """A transaction that commits at the end; None, with nothing to commit, where another attempt has the task."""
        mine = {"task_id": task_id, "attempt": attempt}
        async with self._pool.connection() as connection, connection.transaction():
            row = await (await connection.execute(HOLD, mine)).fetchone()
            if row is None:
                yield None
                return
            step = Step(connection=connection, cancel_requested=row["cancel_requested"])
            yield step
            await connection.execute(REACHED, {**mine, **step.place})

    async def beat(self, task_id: int, attempt: int) -> bool:
        """Say that it is worked on; False: it is not ours any more."""
        async with self._pool.connection() as connection:
            beaten = await connection.execute(BEAT, {"task_id": task_id, "attempt": attempt})
            return await beaten.fetchone() is not None

    async def finish(
        self,
        task_id: int,
        attempt: int,
        *,
        status: Literal["done", "failed", "cancelled"],
        result: Mapping[str, Any],
    ) -> bool:
        """Its end; False: another attempt has it. Raises where the database does not answer."""
        values = {"task_id": task_id, "attempt": attempt, "status": status, "result": lenient(dict(result))}
        async with self._pool.connection() as connection:
            return (await connection.execute(FINISH, values)).rowcount > 0

    async def hand_back(self, task_id: int, attempt: int, *, after_s: float = 0.0, forgiven: bool = False) -> None:
        """Put it into the queue again, for whoever comes first. `forgiven`: this try does not count."""
        values = {"task_id": task_id, "attempt": attempt, "forgiven": int(forgiven)}
        at = datetime.now(UTC) + timedelta(seconds=after_s) if after_s else None
        async with self._pool.connection() as connection, connection.transaction():
            if await (await connection.execute(BACK, values)).fetchone() is not None:
                job = await enqueue(connection, task_id, at=at)
                await connection.execute(HAS_JOB, {"task_id": task_id, "job": job})

    async def sweep(self, stalled_s: float) -> list[int]:
        """Put what nobody has worked on for that long into the queue again; the numbers of these tasks.

        Safe beside others that sweep, and beside a worker that was only late: its next step finds the task moved on.
        """
        async with self._pool.connection() as connection, connection.transaction():
            values = {"stalled_s": stalled_s, "limit": BATCH}
            rows = await (await connection.execute(ABANDONED, values)).fetchall()
            for row in rows:
                await connection.execute(DROP_JOB, row)
                if row["cancel_requested"]:
                    await connection.execute(STOP, row)
                else:
                    job = await enqueue(connection, row["task_id"])
                    await connection.execute(AGAIN, {**row, "job": job})
        return [row["task_id"] for row in rows]
