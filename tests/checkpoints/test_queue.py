"""The queue over a real database: what is put in is taken out, once, also after an outage, until it is closed."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import psycopg
import pytest

from checkpoints.database import Pool, migrate, open_pool
from checkpoints.queue import QueueWorker, open_worker_pool
from checkpoints.queue_schema import apply_queue_schema, migration_files
from checkpoints.task_work import TaskWork
from errors import Unavailable
from tests.checkpoints.asking import change, count
from tests.checkpoints.working import accept, again, worker_pool

WAIT_S = 20.0
JOBS = "frontdesk_queue.procrastinate_jobs"


class Seen:
    """Takes tasks up and notes their numbers; `during`: what it does then."""

    def __init__(self, pool: Pool, during: Callable[[], Awaitable[object]] | None = None) -> None:
        self.work = TaskWork(pool)
        self.numbers: list[int] = []
        self._during = during

    async def perform(self, task_id: int, job: int) -> None:
        task = await self.work.claim(task_id, job)
        if task is None:
            return
        self.numbers.append(task_id)
        if self._during is not None:
            await self._during()
        await self.work.finish(task_id, task.attempt, status="done", result={})

    async def until(self, *numbers: int) -> None:
        async with asyncio.timeout(WAIT_S):
            while not set(numbers) <= set(self.numbers):  # noqa: ASYNC110  it is told by nobody
                await asyncio.sleep(0.02)


@asynccontextmanager
async def working(pool: Pool, seen: Seen, *, concurrency: int = 2, drain_s: float = 5.0) -> AsyncIterator[QueueWorker]:
    worker = QueueWorker(pool, seen.perform, concurrency=concurrency, polling_s=0.5, drain_s=drain_s)
    worker.start()
    try:
        yield worker
    finally:
        await worker.close()


async def test_each_task_is_done_once_by_whichever_worker(pool: Pool, database_url: str) -> None:
    async with worker_pool(database_url) as one, worker_pool(database_url) as two:
        seen = [Seen(one), Seen(two)]
        async with working(one, seen[0]), working(two, seen[1]):
            tasks = [await accept(pool) for _ in range(20)]
            async with asyncio.timeout(WAIT_S):
                while sum(len(one.numbers) for one in seen) < len(tasks):  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
    assert sorted(seen[0].numbers + seen[1].numbers) == [task.task_id for task in tasks]
    assert {(await again(pool, task)).status for task in tasks} == {"done"}


async def test_finished_jobs_leave_nothing_in_the_queue(pool: Pool, database_url: str) -> None:
    async with worker_pool(database_url) as own:
        seen = Seen(own)
        async with working(own, seen):
            task = await accept(pool)
            await seen.until(task.task_id)
    assert await count(pool, f"{JOBS} WHERE (args->>'task_id')::bigint = {task.task_id}") == 0


async def test_it_goes_on_after_its_connections_were_cut(fresh_database_url: str, fresh_pool: Pool) -> None:
    async with worker_pool(fresh_database_url) as own:
        seen = Seen(own)
        async with working(own, seen):
            first = await accept(fresh_pool)
            await seen.until(first.task_id)
            with psycopg.connect(fresh_database_url, autocommit=True) as admin:
                admin.execute(
                    "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
            second = await accept(fresh_pool)
            await seen.until(second.task_id)


async def test_closing_waits_for_what_runs_and_takes_nothing_more(pool: Pool, database_url: str) -> None:
    go_on, begun = asyncio.Event(), asyncio.Event()

    async def during() -> None:
        begun.set()
        await go_on.wait()

    async with worker_pool(database_url) as own:
        seen = Seen(own, during)
        worker = QueueWorker(own, seen.perform, concurrency=1, polling_s=0.5, drain_s=10)
        worker.start()
        first, second = await accept(pool), await accept(pool)
        await asyncio.wait_for(begun.wait(), WAIT_S)
        closing = asyncio.create_task(worker.close())
        go_on.set()
        await asyncio.wait_for(closing, WAIT_S)
    assert ((await again(pool, first)).status, (await again(pool, second)).status) == ("done", "queued")


async def test_what_does_not_end_in_time_is_cancelled(pool: Pool, database_url: str) -> None:
    begun = asyncio.Event()

    async def for_ever() -> None:
        begun.set()
        await asyncio.Event().wait()

    async with worker_pool(database_url) as own:
        seen = Seen(own, for_ever)
        worker = QueueWorker(own, seen.perform, concurrency=1, polling_s=0.5, drain_s=0.05)
        worker.start()
        await accept(pool)
        await asyncio.wait_for(begun.wait(), WAIT_S)
        await asyncio.wait_for(worker.close(), WAIT_S)


async def test_a_worker_that_never_began_can_be_closed(pool: Pool) -> None:
    await QueueWorker(pool, Seen(pool).perform, concurrency=1, polling_s=1, drain_s=1).close()


async def test_the_schema_is_applied_once_and_its_new_migrations_one_by_one(empty_database_url: str) -> None:
    pool = await open_pool(empty_database_url, 2)
    await migrate(pool)
    files = migration_files()
    async with pool.connection() as connection:
        assert await apply_queue_schema(connection, files) == ()
        more = {**files, "99.99.99_01_more.sql": "CREATE TABLE more (a int); INSERT INTO more VALUES (7);"}
        assert await apply_queue_schema(connection, more) == ("99.99.99_01_more.sql",)
        assert await apply_queue_schema(connection, more) == ()
        row = await (await connection.execute("SELECT a FROM frontdesk_queue.more")).fetchone()
        assert row == {"a": 7}
    assert await count(pool, "frontdesk.queue_migrations") == len(files)
    await pool.close()


async def test_the_queue_stays_out_of_the_way_of_another_one_in_public(empty_database_url: str) -> None:
    """A foreign database may have the same queue already, for somebody else."""
    with psycopg.connect(empty_database_url, autocommit=True) as theirs:
        theirs.execute(migration_files()[""].encode(), prepare=False)
    pool = await open_pool(empty_database_url, 2)
    await migrate(pool)
    await accept(pool)
    assert (await count(pool, JOBS), await count(pool, "public.procrastinate_jobs")) == (1, 0)
    await pool.close()


async def test_anybody_can_change_the_queue_by_hand(pool: Pool) -> None:
    """Its triggers find their tables whatever the session's search path is."""
    await accept(pool)
    await change(pool, f"UPDATE {JOBS} SET status = 'doing' WHERE status = 'todo'")
    await change(pool, f"DELETE FROM {JOBS}")


async def test_a_worker_without_a_database_does_not_start() -> None:
    with pytest.raises(Unavailable):
        await open_worker_pool("postgresql://me@127.0.0.1:1/x", 2, timeout_s=0.3)
