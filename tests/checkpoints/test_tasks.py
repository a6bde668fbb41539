"""Background tasks are accepted once, and nobody but their owner sees or stops them."""

import asyncio
from typing import Any

import pytest

from checkpoints.database import Pool
from checkpoints.leases import Leases
from checkpoints.runs import Runs
from checkpoints.task_work import TaskWork
from checkpoints.tasks import Tasks
from checkpoints.threads import Threads
from errors import NotFound, StaleThread
from tests.checkpoints.asking import ask, count
from tests.checkpoints.working import accept, again, job_of

NOBODY = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def tasks(pool: Pool) -> Tasks:
    return Tasks(pool)


async def jobs_of(pool: Pool, task_id: int) -> int:
    return await count(pool, f"frontdesk_queue.procrastinate_jobs WHERE (args->>'task_id')::bigint = {task_id}")


async def test_a_task_is_stored_and_put_into_the_queue(pool: Pool, tasks: Tasks) -> None:
    task = await accept(pool, extra={"channel": "web"})
    assert task.task_id > 1000
    assert (task.status, task.arguments, task.extra, task.is_over) == (
        "queued",
        {"number": 3},
        {"channel": "web"},
        False,
    )
    assert await tasks.get(task.task_id, "acme", "alex") == task
    assert await jobs_of(pool, task.task_id) == 1


async def test_the_same_key_a_second_time_is_no_second_task(pool: Pool) -> None:
    several = await asyncio.gather(*(accept(pool, effect_key="same") for _ in range(5)))
    assert len({task.task_id for task in several}) == 1
    assert await count(pool, "frontdesk.tasks WHERE effect_key = 'same'") == 1
    assert await jobs_of(pool, several[0].task_id) == 1


async def test_what_jsonb_cannot_hold_is_replaced(pool: Pool) -> None:
    task = await accept(pool, arguments={"text": "a\0b\ud800", "number": float("nan")})
    assert task.arguments == {"text": "a\ufffdb\ufffd", "number": None}


@pytest.mark.parametrize(("tenant", "user"), [("acme", "kim"), ("globex", "alex")])
async def test_somebody_elses_task_does_not_exist(pool: Pool, tasks: Tasks, tenant: str, user: str) -> None:
    task = await accept(pool)
    for act in (tasks.get, tasks.cancel):
        with pytest.raises(NotFound, match=f"Task {task.task_id} not found"):
            await act(task.task_id, tenant, user)
    assert task not in await tasks.latest(tenant, user, "", limit=10)
    assert task not in (await tasks.search(tenant, user, limit=100))[0]
    assert (await again(pool, task)).cancel_requested is False


@pytest.mark.parametrize("number", [0, -1, 999, 2**63 - 1, 2**63, 10**30])
async def test_a_number_that_nobody_has_is_not_found(tasks: Tasks, number: int) -> None:
    with pytest.raises(NotFound):
        await tasks.get(number, "acme", "alex")
    with pytest.raises(NotFound):
        await tasks.cancel(number, "acme", "alex")


async def test_tasks_come_in_pages_the_newest_first(pool: Pool, tasks: Tasks) -> None:
    made = [await accept(pool, user="pages", thread_id=thread) for thread in ("a", "b", "a")]
    page, total = await tasks.search("acme", "pages", limit=2)
    assert ([task.task_id for task in page], total) == ([made[2].task_id, made[1].task_id], 3)
    rest, total = await tasks.search("acme", "pages", limit=2, offset=2)
    assert ([task.task_id for task in rest], total) == ([made[0].task_id], 3)
    assert (await tasks.search("acme", "pages", thread_id="a"))[1] == 2
    await tasks.cancel(made[0].task_id, "acme", "pages")
    assert [task.task_id for task in (await tasks.search("acme", "pages", status="cancelled"))[0]] == [made[0].task_id]


async def test_the_latest_are_the_open_ones_of_the_thread_then_its_last_then_those_of_others(
    pool: Pool, tasks: Tasks
) -> None:
    async def latest(thread: str) -> list[int]:
        return [task.task_id for task in await tasks.latest("acme", "late", thread, limit=5)]

    assert await latest("here") == []
    elsewhere = await accept(pool, user="late", thread_id="elsewhere")
    assert await latest("here") == [elsewhere.task_id]
    first, second = [await accept(pool, user="late", thread_id="here") for _ in range(2)]
    assert await latest("here") == [second.task_id, first.task_id]
    assert await latest("elsewhere") == [elsewhere.task_id]
    await tasks.cancel(second.task_id, "acme", "late")
    assert await latest("here") == [first.task_id]
    await tasks.cancel(first.task_id, "acme", "late")
    assert await latest("here") == [second.task_id]


async def test_what_waits_is_cancelled_at_once_and_never_taken_up(pool: Pool, tasks: Tasks) -> None:
    task = await accept(pool)
    cancelled = await tasks.cancel(task.task_id, "acme", "alex")
    assert (cancelled.status, cancelled.is_over) == ("cancelled", True)
    assert await tasks.cancel(task.task_id, "acme", "alex") == cancelled
    assert await TaskWork(pool).claim(task.task_id, await job_of(pool, task.task_id)) is None


async def test_what_runs_is_only_asked_to_stop(pool: Pool, tasks: Tasks) -> None:
    task = await accept(pool)
    await TaskWork(pool).claim(task.task_id, await job_of(pool, task.task_id))
    asked = await tasks.cancel(task.task_id, "acme", "alex")
    assert (asked.status, asked.cancel_requested, asked.finished_at) == ("running", True, None)


async def test_a_deleted_run_accepts_nothing_more(pool: Pool) -> None:
    run = (await ask(Runs(pool), start=Leases(pool, "here", 60))).run
    there: dict[str, Any] = {"thread_id": str(run.thread_id), "run_id": str(run.run_id)}
    task = await accept(pool, **there)
    await Threads(pool).delete(run.thread_id, "acme", "alex")
    with pytest.raises(NotFound):
        await again(pool, task)
    with pytest.raises(StaleThread):
        await accept(pool, **there)
    with pytest.raises(StaleThread):
        await accept(pool, run_id=NOBODY)
