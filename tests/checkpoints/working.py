"""Background tasks as callers ask for them, with all that a test does not care about filled in."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

from checkpoints.database import Pool
from checkpoints.queue import open_worker_pool
from checkpoints.task import Task
from checkpoints.tasks import Tasks


async def accept(pool: Pool, **more: Any) -> Task:
    """A task of alex's; its key is new."""
    asked: dict[str, Any] = {
        "effect_key": uuid4().hex,
        "tenant": "acme",
        "user": "alex",
        "roles": ["operator"],
        "agent": "shop",
        "thread_id": "",
        "turn_id": "",
        "run_id": "",
        "tool": "pack",
        "title": "packing",
        "arguments": {"number": 3},
        "extra": {},
        "locale": "en",
    }
    return await Tasks(pool).accept(**{**asked, **more})


async def job_of(pool: Pool, task_id: int) -> int:
    """The job by which it waits."""
    async with pool.connection() as connection:
        row = await (
            await connection.execute("SELECT job_id FROM frontdesk.tasks WHERE task_id = %s", (task_id,))
        ).fetchone()
    assert row is not None
    return int(row["job_id"])


async def again(pool: Pool, task: Task) -> Task:
    """The task as it is now."""
    return await Tasks(pool).get(task.task_id, task.tenant_id, task.user_id)


async def silent(pool: Pool, task_id: int, seconds: float) -> None:
    """As if nobody had worked on it for that long."""
    async with pool.connection() as connection:
        await connection.execute(
            "UPDATE frontdesk.tasks SET beat_at = clock_timestamp() - make_interval(secs => %s) WHERE task_id = %s",
            (seconds, task_id),
        )


@asynccontextmanager
async def worker_pool(url: str) -> AsyncIterator[Pool]:
    opened = await open_worker_pool(url, 4)
    try:
        yield opened
    finally:
        await opened.close()
