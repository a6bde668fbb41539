"""What is older than it is to be kept goes; the newest checkpoint, open questions and what is in flight stay."""

import asyncio
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.checkpoint.base.id import uuid6
from langgraph.types import Command

from checkpoints.database import Pool
from checkpoints.leases import Leases
from checkpoints.ledger import LedgerStore
from checkpoints.retention import Keep, Pruned, checkpoint_id_at, prune
from checkpoints.run import Run
from checkpoints.runs import Runs
from checkpoints.saver import TurnSaver
from checkpoints.tasks import Tasks
from checkpoints.threads import Threads
from errors import NotFound
from tests.checkpoints.asking import again, ask, change, checkpoints_of, count, end, play, thread_of
from tests.checkpoints.small_graph import Graph, at, build, said
from tests.checkpoints.working import accept

NOW = Keep(checkpoints_days=0)
EVERYTHING_OF_A_DAY = Keep(checkpoints_days=1, transcripts_days=1, audit_days=1, threads_days=1)


@pytest.fixture
def pool(fresh_pool: Pool) -> Pool:
    """A database of the test's own, all of which is pruned."""
    return fresh_pool


@pytest.fixture
async def graph(saver: TurnSaver) -> Graph:
    return build(saver)


async def rows(pool: Pool, run: Run, table: str) -> int:
    return sum(row[0] == table for row in await checkpoints_of(pool, run.thread_id))


async def test_of_old_steps_the_newest_stays_with_all_it_shows(
    pool: Pool, saver: TurnSaver, graph: Graph, runs: Runs, leases: Leases
) -> None:
    run = (await ask(runs, start=leases)).run
    await play(runs, saver, graph, leases, run, given={"asked": "one"})
    before = await rows(pool, run, "checkpoints")
    assert await prune(pool, Keep(checkpoints_days=1)) == Pruned()
    assert await prune(pool, NOW) == Pruned(checkpoints=before - 1)
    assert await rows(pool, run, "checkpoints") == 1
    assert await rows(pool, run, "checkpoint_writes") == 0
    (kept,) = [row for row in await checkpoints_of(pool, run.thread_id) if row[0] == "checkpoints"]
    assert await rows(pool, run, "checkpoint_blobs") <= str(kept).count("channel_versions") * 10
    assert await said(graph, str(run.thread_id)) == ["one", "did one"]
    assert await prune(pool, NOW) == Pruned()
    second = (await ask(runs, run.thread_id, start=leases)).run
    await play(runs, saver, graph, leases, second, given={"asked": "two"})
    assert await said(graph, str(run.thread_id)) == ["one", "did one", "two", "did two"]


async def test_a_question_can_still_be_answered_after_pruning(
    pool: Pool, saver: TurnSaver, graph: Graph, runs: Runs, leases: Leases
) -> None:
    run = (await ask(runs, start=leases)).run
    await play(runs, saver, graph, leases, run, given={"asked": "pay??"})
    one, two = (await graph.aget_state(at(str(run.thread_id)))).interrupts
    await graph.ainvoke(Command(resume={one.id: "first"}), at(str(run.thread_id)))
    assert (await prune(pool, NOW)).checkpoints > 0
    await graph.ainvoke(Command(resume={two.id: "second"}), at(str(run.thread_id)))
    assert set(await said(graph, str(run.thread_id))) == {"pay??", "first", "second"}


async def test_a_thread_with_something_in_flight_keeps_what_a_rollback_needs(
    pool: Pool, saver: TurnSaver, graph: Graph, runs: Runs, leases: Leases
) -> None:
    first = (await ask(runs, start=leases)).run
    await play(runs, saver, graph, leases, first, given={"asked": "one"})
    before = await checkpoints_of(pool, first.thread_id)
    await ask(runs, first.thread_id, start=leases)
    assert await prune(pool, NOW) == Pruned()
    assert await checkpoints_of(pool, first.thread_id) == before


async def test_turns_beside_a_pruning_lose_nothing(
    pool: Pool, saver: TurnSaver, graph: Graph, runs: Runs, leases: Leases
) -> None:
    async def talk() -> Run:
        run = (await ask(runs, start=leases)).run
        await play(runs, saver, graph, leases, run, given={"asked": "0"})
        for n in range(1, 8):
            next_one = (await ask(runs, run.thread_id, start=leases)).run
            await play(runs, saver, graph, leases, next_one, given={"asked": str(n)})
        return run

    async def prune_until(over: asyncio.Event) -> None:
        while not over.is_set():
            await prune(pool, NOW)

    over = asyncio.Event()
    pruning = asyncio.gather(*(prune_until(over) for _ in range(2)))
    talked = await asyncio.gather(*(talk() for _ in range(4)))
    over.set()
    await pruning
    for run in talked:
        words = [word for n in range(8) for word in (str(n), f"did {n}")]
        assert await said(graph, str(run.thread_id)) == words
        await prune(pool, NOW)
        assert await rows(pool, run, "checkpoints") == 1


async def finished(pool: Pool, runs: Runs, leases: Leases, *, days_ago: float) -> Run:
    run = (await ask(runs, start=leases, idempotency_key=str(uuid.uuid4()))).run
    error = {"error": "ValueError", "message": "no"}
    await end(pool, runs, run, "here", result={"reply": "张三"}, transcript={"calls": []}, error=error)
    past = "UPDATE frontdesk.runs SET finished_at = finished_at - make_interval(secs => %s) WHERE run_id = %s"
    await change(pool, past, days_ago * 86400, run.run_id)
    return await again(runs, run)


async def test_old_transcripts_are_emptied_and_their_runs_still_counted(pool: Pool, runs: Runs, leases: Leases) -> None:
    old, new = [await finished(pool, runs, leases, days_ago=days) for days in (3, 0.5)]
    waiting = (await ask(runs)).run
    assert await prune(pool, Keep(transcripts_days=1)) == Pruned(transcripts=1)
    emptied = await again(runs, old)
    assert (emptied.input, emptied.context, emptied.kwargs) == ({}, {}, {})
    assert (emptied.result, emptied.transcript, emptied.error, emptied.idempotency_key) == (None, None, None, None)
    assert (emptied.status, emptied.turn_id, emptied.finished_at) == ("success", old.turn_id, old.finished_at)
    assert [await again(runs, run) for run in (new, waiting)] == [new, waiting]
    assert await prune(pool, Keep(transcripts_days=1)) == Pruned()


async def idle(pool: Pool, run: Run, *, days: float) -> None:
    past = "UPDATE frontdesk.threads SET updated_at = updated_at - make_interval(secs => %s) WHERE thread_id = %s"
    await change(pool, past, days * 86400, run.thread_id)


async def test_threads_that_nobody_uses_go_with_all_they_own(
    pool: Pool, saver: TurnSaver, graph: Graph, runs: Runs, leases: Leases
) -> None:
    old, new, busy = [(await ask(runs, start=leases)).run for _ in range(3)]
    for run in (old, new):
        await play(runs, saver, graph, leases, run, given={"asked": "one"})
    replay = await Threads(pool).create("acme", "alex", metadata={"replay_of": str(old.thread_id)})
    for run in (old, busy):
        await idle(pool, run, days=3)
    assert await prune(pool, Keep(threads_days=1)) == Pruned(threads=2)
    for thread_id in (old.thread_id, replay.thread_id):
        with pytest.raises(NotFound):
            await Threads(pool).get(thread_id, "acme", "alex")
    assert await checkpoints_of(pool, old.thread_id) == []
    assert {(await thread_of(pool, run)).status for run in (new, busy)} == {"idle", "busy"}


async def test_the_ledger_forgets_what_is_settled_and_old_but_never_what_is_unknown(
    pool: Pool, saver: TurnSaver
) -> None:
    ledger, ids = LedgerStore(pool, saver), []
    for n in range(4):
        entry: dict[str, Any] = {"effect_key": str(n), "business_key": None, "tenant": "acme", "user": "alex"}
        entry |= {"thread_id": "", "turn_id": "t", "run_id": "", "tool": "add_todo", "arguments": {}}
        ids.append((await ledger.begin(**entry)).id)
    await ledger.settle(ids[0], "done", {})
    await ledger.settle(ids[1], "failed", {})
    await ledger.settle(ids[2], "done", {})
    past = "UPDATE frontdesk.ledger SET started_at = started_at - interval '3 days', "
    past += "finished_at = finished_at - interval '3 days' WHERE id <> %s"
    await change(pool, past, ids[2])
    assert await prune(pool, Keep(audit_days=1)) == Pruned(audit=2)
    async with pool.connection() as connection:
        left = await (await connection.execute("SELECT id FROM frontdesk.ledger ORDER BY id")).fetchall()
    assert [row["id"] for row in left] == ids[2:]


async def test_a_dry_run_counts_and_changes_nothing(
    pool: Pool, saver: TurnSaver, graph: Graph, runs: Runs, leases: Leases
) -> None:
    run = (await ask(runs, start=leases)).run
    await play(runs, saver, graph, leases, run, given={"asked": "one"})
    old = await finished(pool, runs, leases, days_ago=3)
    await idle(pool, old, days=3)
    keep = Keep(checkpoints_days=0, tasks_days=1, transcripts_days=1, audit_days=1, threads_days=1)
    counted = await prune(pool, keep, dry_run=True)
    assert counted == Pruned(threads=1, checkpoints=await rows(pool, run, "checkpoints") - 1, transcripts=1, audit=0)
    assert await prune(pool, keep, dry_run=True) == counted
    assert await again(runs, old) == old


async def test_with_nothing_to_forget_nothing_goes(pool: Pool, runs: Runs, leases: Leases) -> None:
    await finished(pool, runs, leases, days_ago=3000)
    assert await prune(pool, Keep()) == Pruned()
    assert await prune(pool, Keep(), dry_run=True) == Pruned()
    assert await count(pool, "frontdesk.runs") == 1


async def test_more_than_a_batch_goes_too(pool: Pool, runs: Runs) -> None:
    await change(
        pool,
        "INSERT INTO frontdesk.threads (thread_id, tenant_id, user_id, updated_at) "
        "SELECT gen_random_uuid(), 'acme', 'alex', now() - interval '2 days' FROM generate_series(1, 450)",
    )
    assert (await prune(pool, EVERYTHING_OF_A_DAY)).threads == 450
    assert await count(pool, "frontdesk.threads") == 0


@given(st.datetimes(min_value=datetime(2000, 1, 1), max_value=datetime(2100, 1, 1)))
def test_the_id_of_a_moment_is_one_of_version_6_and_ordered(moment: datetime) -> None:
    first, later = (checkpoint_id_at(each.replace(tzinfo=UTC)) for each in (moment, moment + timedelta(microseconds=1)))
    assert first < later
    assert str(uuid.UUID(first)) == first
    assert first[14] == "6"


def test_the_id_of_now_lies_between_those_that_langgraph_makes() -> None:
    before, now, after = str(uuid6()), datetime.now(UTC), str(uuid6())
    assert before < checkpoint_id_at(now + timedelta(seconds=1))
    assert checkpoint_id_at(now - timedelta(milliseconds=1)) < after
    assert before[14] == after[14] == "6"


async def test_tasks_that_are_over_go_and_open_ones_stay(pool: Pool) -> None:
    over, fresh, waiting = [await accept(pool) for _ in range(3)]
    for task in (over, fresh):
        await Tasks(pool).cancel(task.task_id, "acme", "alex")
    past = "UPDATE frontdesk.tasks SET finished_at = now() - interval '3 days' WHERE task_id = %s"
    await change(pool, past, over.task_id)
    await change(pool, "UPDATE frontdesk.tasks SET created_at = now() - interval '9 days'")
    assert await prune(pool, Keep(tasks_days=1), dry_run=True) == Pruned(tasks=1)
    assert await prune(pool, Keep(tasks_days=1)) == Pruned(tasks=1)
    assert await prune(pool, Keep(tasks_days=1)) == Pruned()
    left, _ = await Tasks(pool).search("acme", "alex")
    assert [task.task_id for task in left] == [waiting.task_id, fresh.task_id]
