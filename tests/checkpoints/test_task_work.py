"""A background task is taken up by one worker at a time, and what a late one still does comes to nothing."""

import asyncio
from collections.abc import Awaitable, Callable

import psycopg
import pytest

from checkpoints.database import Connection, Pool
from checkpoints.task import Task
from checkpoints.task_work import TaskWork
from checkpoints.tasks import Tasks
from tests.checkpoints.asking import change, count
from tests.checkpoints.working import accept, again, job_of, silent


@pytest.fixture
async def work(pool: Pool) -> TaskWork:
    await change(pool, "CREATE TABLE IF NOT EXISTS effects (task bigint, at int)")
    return TaskWork(pool)


async def taken(pool: Pool, work: TaskWork) -> Task:
    task = await accept(pool)
    claimed = await work.claim(task.task_id, await job_of(pool, task.task_id))
    assert claimed is not None
    return claimed


async def move(
    work: TaskWork, task: Task, at: int, then: Callable[[Connection], Awaitable[object]] | None = None
) -> bool:
    """One step with an effect; False: it was not ours to make. `then`: what happens before it is over."""
    async with work.step(task.task_id, task.attempt) as step:
        if step is None:
            return False
        await step.connection.execute("INSERT INTO effects VALUES (%s, %s)", (task.task_id, at))
        step.reached(stage="packing", done=at, total=9, resume={"at": at})
        if then is not None:
            await then(step.connection)
    return True


async def effects_of(pool: Pool, task: Task) -> int:
    return await count(pool, f"effects WHERE task = {task.task_id}")


async def test_one_of_several_workers_gets_it(pool: Pool, work: TaskWork) -> None:
    task = await accept(pool)
    job = await job_of(pool, task.task_id)
    claims = await asyncio.gather(*(work.claim(task.task_id, job) for _ in range(4)))
    (claimed,) = [one for one in claims if one is not None]
    assert (claimed.status, claimed.attempt, claimed.tries, claimed.resume) == ("running", 1, 1, {})
    assert claimed.started_at is not None


async def test_a_job_that_is_not_the_tasks_own_takes_nothing_up(pool: Pool, work: TaskWork) -> None:
    task = await accept(pool)
    assert await work.claim(task.task_id, await job_of(pool, task.task_id) + 1) is None
    assert await work.claim(task.task_id + 10_000, 1) is None


async def test_effect_and_place_come_about_together(pool: Pool, work: TaskWork) -> None:
    task = await taken(pool, work)
    assert await move(work, task, 3)
    now = await again(pool, task)
    assert (now.stage, now.done, now.total, now.resume, now.tries) == ("packing", 3, 9, {"at": 3}, 0)

    async def fail(_: Connection) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await move(work, task, 6, fail)
    assert (await again(pool, task)).resume == {"at": 3}
    assert await effects_of(pool, task) == 1


async def test_what_a_step_does_not_say_stays(pool: Pool, work: TaskWork) -> None:
    task = await taken(pool, work)
    await move(work, task, 3)
    async with work.step(task.task_id, task.attempt) as step:
        assert step is not None
        step.reached(done=4)
    now = await again(pool, task)
    assert (now.stage, now.done, now.total, now.resume) == ("packing", 4, 9, {"at": 3})


async def test_a_late_worker_does_nothing_more(pool: Pool, work: TaskWork) -> None:
    late = await taken(pool, work)
    await move(work, late, 1)
    await silent(pool, late.task_id, 60)
    assert late.task_id in await work.sweep(30)
    now = await work.claim(late.task_id, await job_of(pool, late.task_id))
    assert now is not None
    assert (now.attempt, now.resume) == (2, {"at": 1})
    assert await move(work, late, 2) is False
    assert await work.beat(late.task_id, late.attempt) is False
    assert await work.finish(late.task_id, late.attempt, status="done", result={}) is False
    await work.hand_back(late.task_id, late.attempt)
    assert await move(work, now, 2) is True
    assert await work.finish(now.task_id, now.attempt, status="done", result={"summary": "packed"})
    assert await effects_of(pool, late) == 2
    over = await again(pool, late)
    assert (over.status, over.result, over.stage) == ("done", {"summary": "packed"}, "")


async def test_a_step_that_began_in_time_is_waited_for_and_counts(pool: Pool, work: TaskWork) -> None:
    """It holds the task: nobody takes it up between the effect and the word that it was."""
    task = await taken(pool, work)
    await silent(pool, task.task_id, 60)
    async with work.step(task.task_id, task.attempt) as step:
        assert step is not None
        assert task.task_id not in await work.sweep(30)
        await step.connection.execute("INSERT INTO effects VALUES (%s, 1)", (task.task_id,))
        step.reached(resume={"at": 1})
    assert task.task_id not in await work.sweep(30)
    assert (await again(pool, task)).resume == {"at": 1}


async def test_what_is_worked_on_or_waits_in_the_queue_is_not_swept(pool: Pool, work: TaskWork) -> None:
    waits, runs = await accept(pool), await taken(pool, work)
    await silent(pool, waits.task_id, 600)
    assert await work.beat(runs.task_id, runs.attempt)
    assert {waits.task_id, runs.task_id}.isdisjoint(await work.sweep(30))


@pytest.mark.parametrize(
    "fate", ["DELETE FROM {} ", "UPDATE {} SET status = 'doing'", "UPDATE {} SET status = 'failed'"]
)
async def test_a_task_whose_job_is_lost_is_put_in_again(pool: Pool, work: TaskWork, fate: str) -> None:
    task = await accept(pool)
    job = await job_of(pool, task.task_id)
    await change(pool, f"{fate.format('frontdesk_queue.procrastinate_jobs')} WHERE id = %s", job)
    await silent(pool, task.task_id, 60)
    assert task.task_id in await work.sweep(30)
    assert await work.claim(task.task_id, job) is None
    assert await work.claim(task.task_id, await job_of(pool, task.task_id)) is not None


async def test_an_abandoned_task_that_was_to_be_stopped_is_stopped(pool: Pool, work: TaskWork) -> None:
    task = await taken(pool, work)
    await Tasks(pool).cancel(task.task_id, "acme", "alex")
    await silent(pool, task.task_id, 60)
    assert task.task_id in await work.sweep(30)
    assert (await again(pool, task)).status == "cancelled"


async def test_several_that_sweep_at_once_put_a_task_in_once(pool: Pool, work: TaskWork) -> None:
    task = await taken(pool, work)
    await silent(pool, task.task_id, 60)
    swept = await asyncio.gather(*(work.sweep(30) for _ in range(4)))
    assert sum(task.task_id in one for one in swept) == 1
    jobs = f"frontdesk_queue.procrastinate_jobs WHERE (args->>'task_id')::bigint = {task.task_id}"
    assert await count(pool, jobs) == 1


async def test_what_is_handed_back_goes_on_elsewhere(pool: Pool, work: TaskWork) -> None:
    task = await taken(pool, work)
    await move(work, task, 5)
    await work.hand_back(task.task_id, task.attempt, forgiven=True)
    waiting = await again(pool, task)
    assert (waiting.status, waiting.tries, waiting.done) == ("queued", 0, 5)
    now = await work.claim(task.task_id, await job_of(pool, task.task_id))
    assert now is not None
    assert (now.attempt, now.tries, now.resume) == (2, 1, {"at": 5})
    await work.hand_back(now.task_id, now.attempt, after_s=60)
    assert (await again(pool, task)).tries == 1
    jobs = f"frontdesk_queue.procrastinate_jobs WHERE id = {await job_of(pool, task.task_id)} AND scheduled_at > now()"
    assert await count(pool, jobs) == 1


async def test_a_deleted_task_is_lost_to_its_worker(pool: Pool, work: TaskWork) -> None:
    task = await taken(pool, work)
    await change(pool, "DELETE FROM frontdesk.tasks WHERE task_id = %s", task.task_id)
    assert await move(work, task, 1) is False
    assert await work.beat(task.task_id, task.attempt) is False


async def test_a_lost_connection_takes_the_step_back(pool: Pool, work: TaskWork) -> None:
    task = await taken(pool, work)

    async def cut(connection: Connection) -> None:
        await change(pool, "SELECT pg_terminate_backend(%s)", connection.info.backend_pid)

    with pytest.raises(psycopg.OperationalError):
        await move(work, task, 1, cut)
    assert ((await again(pool, task)).resume, await effects_of(pool, task)) == ({}, 0)
