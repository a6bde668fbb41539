"""Runs: stored before they begin, in order, once for each idempotency key, and ended together with their thread."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from checkpoints.database import Pool, open_pool
from checkpoints.leases import Leases
from checkpoints.run import Strategy, Submitted
from checkpoints.runs import Runs
from checkpoints.threads import Thread, Threads
from errors import Conflict, NotFound, ThreadBusy
from tests.checkpoints.asking import again, ask, change, count, end, thread_of


@pytest.fixture
def leases(pool: Pool) -> Leases:
    return Leases(pool, "here", 10)


@pytest.fixture
async def rival(database_url: str) -> AsyncIterator[Pool]:
    """Connections of another process."""
    opened = await open_pool(database_url, 4)
    yield opened
    await opened.close()


async def test_a_first_message_makes_a_busy_thread_with_a_title_and_a_run_that_waits(runs: Runs, pool: Pool) -> None:
    made = await ask(runs, message="查一下\n今天的订单", labels={"graph_id": "frontdesk"}, metadata={"a": 1})
    thread = await thread_of(pool, made.run)
    assert (thread.status, thread.title, thread.metadata) == ("busy", "查一下 今天的订单", {"graph_id": "frontdesk"})
    assert (made.created, made.dropped, made.cancelling) == (True, (), None)
    run = made.run
    assert (run.status, run.attempt, run.lease_owner, run.lease_until) == ("pending", 0, None, None)
    assert (run.input["message"], run.metadata, run.multitask_strategy) == ("查一下\n今天的订单", {"a": 1}, "enqueue")
    assert run == await again(runs, run)
    assert not run.is_over


async def test_the_first_question_becomes_the_title_and_stays(runs: Runs, pool: Pool) -> None:
    thread = await Threads(pool).create("acme", "alex", metadata={"a": 1})
    run = (await ask(runs, thread.thread_id, message="  查一下\n今天的订单  ", labels={"b": 2})).run
    await ask(runs, thread.thread_id, message="昨天的呢")
    busy = await thread_of(pool, run)
    assert (busy.title, busy.status, busy.metadata) == ("查一下 今天的订单", "busy", {"a": 1, "b": 2})
    assert busy.updated_at > thread.updated_at
    assert busy.state_updated_at == thread.state_updated_at


async def test_what_checks_a_thread_may_refuse_the_run_unless_it_waits_its_turn(
    runs: Runs, leases: Leases, pool: Pool
) -> None:
    def refuse(thread: Thread) -> None:
        raise Conflict(thread.status)

    first = (await ask(runs, start=leases)).run
    waiting = (await ask(runs, first.thread_id, check=refuse)).run
    assert waiting.status == "pending"
    with pytest.raises(Conflict, match="busy"):
        await ask(runs, first.thread_id, check=refuse, strategy="reject")
    await runs.cancel_any(waiting.run_id, "interrupt")
    await end(pool, runs, first, "here", thread_status="interrupted")
    with pytest.raises(Conflict, match="interrupted"):
        await ask(runs, first.thread_id, check=refuse, start=leases)
    assert (await thread_of(pool, first)).status == "interrupted"
    assert len(await runs.of_thread(first.thread_id, "acme", "alex")) == 2


async def test_a_turn_may_turn_out_to_go_on_with_an_older_one(runs: Runs, leases: Leases, pool: Pool) -> None:
    run = (await ask(runs, start=leases)).run
    await end(pool, runs, run, "here", turn_id="older")
    assert (await again(runs, run)).turn_id == "older"


async def test_where_runs_are_is_told_for_many_at_once(runs: Runs, leases: Leases) -> None:
    running, waiting = (await ask(runs, start=leases)).run, (await ask(runs)).run
    assert await runs.statuses([running.run_id, waiting.run_id, uuid4()]) == {
        running.run_id: "running",
        waiting.run_id: "pending",
    }
    assert await runs.statuses([]) == {}
    assert await runs.get(running.run_id, None, "acme", "alex") == running


async def test_with_nothing_in_flight_it_runs_at_once(runs: Runs, leases: Leases, pool: Pool) -> None:
    first = (await ask(runs, start=leases)).run
    assert (first.status, first.attempt, first.lease_owner) == ("running", 1, "here")
    assert first.lease_until is not None
    assert first.started_at is not None
    assert 9 < (first.lease_until - first.started_at).total_seconds() <= 10.1
    second = (await ask(runs, first.thread_id, start=leases)).run
    assert (second.status, second.lease_owner) == ("pending", None)
    assert await end(pool, runs, first, "here")
    assert (await thread_of(pool, first)).status == "busy"
    third = (await ask(runs, first.thread_id, start=leases)).run
    assert third.status == "pending"
    claimed = await leases.claim(first.thread_id)
    assert claimed is not None
    assert claimed.run_id == second.run_id


async def test_a_submission_is_one_commit_also_when_it_starts(runs: Runs, leases: Leases, pool: Pool) -> None:
    thread = (await ask(runs, start=leases)).run
    async with pool.connection() as connection:
        row = await (
            await connection.execute(
                "SELECT (SELECT xmin FROM frontdesk.threads WHERE thread_id = %(id)s) = "
                "(SELECT xmin FROM frontdesk.runs WHERE thread_id = %(id)s) AS same",
                {"id": thread.thread_id},
            )
        ).fetchone()
    assert row == {"same": True}


@pytest.mark.parametrize(("tenant", "user"), [("acme", "kim"), ("globex", "alex")])
async def test_a_thread_of_somebody_else_is_not_found(runs: Runs, tenant: str, user: str) -> None:
    run = (await ask(runs)).run
    with pytest.raises(NotFound, match=f"Thread with ID {run.thread_id} not found"):
        await ask(runs, run.thread_id, tenant=tenant, user=user)
    with pytest.raises(NotFound):
        await runs.get(run.run_id, run.thread_id, tenant, user)
    with pytest.raises(NotFound):
        await runs.cancel(run.run_id, run.thread_id, tenant, user, "interrupt")
    assert await runs.of_thread(run.thread_id, tenant, user) == []
    assert await runs.turns_of(run.thread_id, tenant, user) == []


async def test_a_run_is_not_found_under_another_thread_of_the_same_caller(runs: Runs) -> None:
    one, other = (await ask(runs)).run, (await ask(runs)).run
    with pytest.raises(NotFound):
        await runs.get(one.run_id, other.thread_id, "acme", "alex")
    with pytest.raises(NotFound):
        await ask(runs, uuid4())


async def test_two_first_messages_with_one_key_at_once_make_one_run(pool: Pool, rival: Pool) -> None:
    threads_before = await count(pool, "frontdesk.threads")
    for _ in range(10):
        key = str(uuid4())
        made: list[Submitted] = await asyncio.gather(
            *(ask(Runs(one), idempotency_key=key) for one in (pool, rival, pool, rival))
        )
        assert sorted(each.created for each in made) == [False, False, False, True]
        assert len({each.run.run_id for each in made}) == 1
    assert await count(pool, "frontdesk.threads") == threads_before + 10


async def test_a_key_gives_its_run_back_on_the_thread_too_however_busy_that_is(runs: Runs, leases: Leases) -> None:
    first = await ask(runs, idempotency_key="k1", start=leases)
    for strategy in ("enqueue", "reject", "interrupt", "rollback"):
        repeated = await ask(runs, first.run.thread_id, idempotency_key="k1", strategy=strategy)
        assert (repeated.run.run_id, repeated.created, repeated.cancelling) == (first.run.run_id, False, None)
    assert (await again(runs, first.run)).cancel_action is None
    assert (await ask(runs, idempotency_key="k1")).run.run_id == first.run.run_id


async def test_keys_belong_to_their_caller(runs: Runs) -> None:
    mine = await ask(runs, idempotency_key="shared")
    theirs = await ask(runs, idempotency_key="shared", user="kim")
    assert theirs.created
    found = await runs.find("acme", "kim", "shared")
    assert found == theirs.run
    assert found.run_id != mine.run.run_id
    assert await runs.find("globex", "alex", "shared") is None


async def test_a_message_to_a_busy_thread_can_be_refused(runs: Runs, leases: Leases) -> None:
    running = (await ask(runs, start=leases)).run
    with pytest.raises(ThreadBusy, match="Thread is already running a task"):
        await ask(runs, running.thread_id, strategy="reject")
    waiting = (await ask(runs)).run
    with pytest.raises(ThreadBusy):
        await ask(runs, waiting.thread_id, strategy="reject")
    assert len(await runs.of_thread(running.thread_id, "acme", "alex")) == 1


@pytest.mark.parametrize("strategy", ["interrupt", "rollback"])
async def test_a_message_can_take_the_place_of_what_is_in_flight(
    runs: Runs, leases: Leases, pool: Pool, strategy: Strategy
) -> None:
    running = (await ask(runs, start=leases)).run
    waiting = [(await ask(runs, running.thread_id)).run for _ in range(2)]
    new = await ask(runs, running.thread_id, strategy=strategy, start=leases)
    assert (new.run.status, new.cancelling) == ("pending", running.run_id)
    assert set(new.dropped) == {run.run_id for run in waiting}
    assert (await again(runs, running)).cancel_action == strategy
    dropped = await again(runs, waiting[0])
    assert (dropped.status, dropped.is_over) == ("interrupted", True)
    assert (dropped.error or {})["error"] == {"interrupt": "UserInterrupt", "rollback": "UserRollback"}[strategy]
    assert await leases.claim(running.thread_id) is None
    await end(pool, runs, running, "here", status="interrupted")
    claimed = await leases.claim(running.thread_id)
    assert claimed is not None
    assert claimed.run_id == new.run.run_id


async def test_with_only_waiting_ones_in_its_way_an_interrupting_message_starts_at_once(
    runs: Runs, leases: Leases
) -> None:
    waiting = (await ask(runs)).run
    new = await ask(runs, waiting.thread_id, strategy="interrupt", start=leases)
    assert (new.run.status, new.dropped, new.cancelling) == ("running", (waiting.run_id,), None)


async def test_an_interrupt_does_not_soften_a_rollback(runs: Runs, leases: Leases) -> None:
    running = (await ask(runs, start=leases)).run
    await ask(runs, running.thread_id, strategy="rollback")
    await ask(runs, running.thread_id, strategy="interrupt")
    assert (await again(runs, running)).cancel_action == "rollback"


async def test_any_submissions_at_once_leave_one_running_and_an_order(pool: Pool, rival: Pool) -> None:
    owners = [Leases(one, name, 10) for one, name in ((pool, "one"), (rival, "two"))]
    strategies: list[Strategy] = ["enqueue", "reject", "interrupt", "rollback"]
    for _ in range(5):
        thread = await Threads(pool).create("acme", "alex")
        made = await asyncio.gather(
            *(
                ask(Runs(one), thread.thread_id, strategy=strategy, start=lease)
                for strategy in strategies
                for one, lease in zip((pool, rival), owners, strict=True)
            ),
            return_exceptions=True,
        )
        assert all(isinstance(each, Submitted | ThreadBusy) for each in made), made
        stored = await Runs(pool).of_thread(thread.thread_id, "acme", "alex", limit=100)
        assert len(stored) == sum(isinstance(each, Submitted) for each in made)
        assert [run.status for run in stored].count("running") == 1
        assert [run.created_at for run in stored] == sorted({run.created_at for run in stored}, reverse=True)
        running = next(run for run in stored if run.status == "running")
        dropped = {run_id for each in made if isinstance(each, Submitted) for run_id in each.dropped}
        assert dropped == {run.run_id for run in stored if run.status == "interrupted"}
        told = {each.cancelling for each in made if isinstance(each, Submitted)} - {None}
        assert told <= {running.run_id}
        assert bool(told) == (running.cancel_action is not None)


async def test_runs_keep_their_order_though_the_clock_goes_backwards(runs: Runs, leases: Leases, pool: Pool) -> None:
    first = (await ask(runs)).run
    future = "UPDATE frontdesk.runs SET created_at = created_at + interval '1 hour' WHERE run_id = %s"
    await change(pool, future, first.run_id)
    second = (await ask(runs, first.thread_id)).run
    assert second.created_at > (await again(runs, first)).created_at
    claimed = await leases.claim(first.thread_id)
    assert claimed is not None
    assert claimed.run_id == first.run_id


async def test_the_end_of_a_run_is_the_end_of_its_thread(runs: Runs, leases: Leases, pool: Pool) -> None:
    run = (await ask(runs, start=leases)).run
    asked = {"task": [{"id": "1", "value": {}}]}
    ending: dict[str, Any] = {
        "thread_status": "interrupted",
        "values": {"messages": ["m\x00"]},
        "interrupts": asked,
        "result": {"reply": "好的"},
        "transcript": {"calls": []},
        "usage": {"model_calls": 2},
        "agents": {"business": "abc"},
        "model": "m1",
    }
    assert await end(pool, runs, run, "here", **ending)
    ended, thread = await again(runs, run), await thread_of(pool, run)
    assert (ended.status, ended.result, ended.transcript) == (
        "success", {"reply": "好的"}, {"answer": "好的", "calls": []},
    )  # fmt: skip
    assert (ended.usage, ended.agents, ended.model) == ({"model_calls": 2}, {"business": "abc"}, "m1")
    assert ended.lease_until is None
    assert ended.finished_at is not None
    assert (thread.status, thread.values, thread.interrupts) == ("interrupted", {"messages": ["m\ufffd"]}, asked)
    assert thread.state_updated_at > thread.created_at


async def test_a_failure_leaves_the_values_of_before(runs: Runs, leases: Leases, pool: Pool) -> None:
    run = (await ask(runs, start=leases)).run
    await end(pool, runs, run, "here", values={"messages": ["one"]})
    second = (await ask(runs, run.thread_id, start=leases)).run
    failure = {"error": "TimeoutError", "message": "too long"}
    await end(pool, runs, second, "here", values=None, status="error", thread_status="error", thread_error=failure)
    thread = await thread_of(pool, run)
    assert (thread.status, thread.values, thread.error) == ("error", {"messages": ["one"]}, failure)
    await ask(runs, run.thread_id)
    busy = await thread_of(pool, run)
    assert (busy.status, busy.error) == ("busy", None)


async def test_only_its_holder_ends_a_run_and_only_once(runs: Runs, leases: Leases, pool: Pool) -> None:
    run = (await ask(runs, start=leases)).run
    assert not await end(pool, runs, run, "elsewhere")
    assert (await again(runs, run)).status == "running"
    assert await end(pool, runs, run, "here")
    assert not await end(pool, runs, run, "here")


async def test_the_end_says_who_waits(runs: Runs, leases: Leases, pool: Pool) -> None:
    first = (await ask(runs, start=leases)).run
    waiting = [(await ask(runs, first.thread_id)).run for _ in range(2)]
    async with pool.connection() as connection, connection.transaction():
        closed = await runs.finish(connection, first.run_id, "here", status="success", thread_status="idle")
    assert closed is not None
    assert closed.waiting == waiting[0].run_id


async def test_an_end_and_a_submission_at_once_never_leave_an_idle_thread_with_a_run_that_waits(
    leases: Leases, pool: Pool, rival: Pool
) -> None:
    for _ in range(30):
        run = (await ask(Runs(pool), start=leases)).run
        await asyncio.gather(end(pool, Runs(pool), run, "here"), ask(Runs(rival), run.thread_id))
        assert (await thread_of(pool, run)).status == "busy"


async def test_one_that_waits_is_cancelled_at_once(runs: Runs, pool: Pool) -> None:
    run = (await ask(runs)).run
    cancelled = await runs.cancel(run.run_id, run.thread_id, "acme", "alex", "interrupt")
    assert (cancelled.status, cancelled.error) == (
        "interrupted",
        {"error": "UserInterrupt", "message": "interrupt requested"},
    )
    assert (await thread_of(pool, run)).status == "idle"
    with pytest.raises(Conflict, match=r"^No runs found to cancel\.$"):
        await runs.cancel(run.run_id, run.thread_id, "acme", "alex", "interrupt")
    rolled_back = (await ask(runs, run.thread_id)).run
    await runs.cancel(rolled_back.run_id, run.thread_id, "acme", "alex", "rollback")
    with pytest.raises(NotFound):
        await again(runs, rolled_back)


async def test_a_thread_with_an_open_question_is_interrupted_again_when_nothing_waits_any_more(
    runs: Runs, leases: Leases, pool: Pool
) -> None:
    run = (await ask(runs, start=leases)).run
    await end(pool, runs, run, "here", thread_status="interrupted", interrupts={"task": []})
    waiting = (await ask(runs, run.thread_id)).run
    await runs.cancel(waiting.run_id, run.thread_id, "acme", "alex", "interrupt")
    assert (await thread_of(pool, run)).status == "interrupted"


async def test_one_that_runs_is_told(runs: Runs, leases: Leases, pool: Pool) -> None:
    run = (await ask(runs, start=leases)).run
    told = await runs.cancel(run.run_id, run.thread_id, "acme", "alex", "rollback")
    assert (told.status, told.cancel_action) == ("running", "rollback")
    assert (await thread_of(pool, run)).status == "busy"
    with pytest.raises(NotFound):
        await runs.cancel_any(uuid4(), "interrupt")


async def test_a_claim_and_a_cancellation_at_once_have_one_outcome(runs: Runs, leases: Leases, rival: Pool) -> None:
    for _ in range(20):
        run = (await ask(runs)).run
        claimed, cancelled = await asyncio.gather(
            leases.claim(run.thread_id), Runs(rival).cancel_any(run.run_id, "interrupt")
        )
        now = await again(runs, run)
        assert (now.status, cancelled.status) == (("running", "running") if claimed else ("interrupted", "interrupted"))


async def test_a_thread_cannot_have_two_running_runs(runs: Runs, leases: Leases, pool: Pool) -> None:
    running = (await ask(runs, start=leases)).run
    waiting = (await ask(runs, running.thread_id)).run
    force = "UPDATE frontdesk.runs SET status = 'running', lease_until = now() WHERE run_id = %s"
    with pytest.raises(psycopg.errors.UniqueViolation, match="one_running_per_thread"):
        await change(pool, force, waiting.run_id)
    with pytest.raises(psycopg.errors.CheckViolation, match="leased_while_running"):
        await change(pool, "UPDATE frontdesk.runs SET lease_until = NULL WHERE run_id = %s", running.run_id)


async def test_turns_are_read_in_order_with_their_resumes(runs: Runs, leases: Leases, pool: Pool) -> None:
    asked = (await ask(runs, message="one", start=leases)).run
    await end(pool, runs, asked, "here", thread_status="interrupted")
    other = (await ask(runs, asked.thread_id, message="two", start=leases)).run
    await end(pool, runs, other, "here")
    answer = {"resume": {"interrupt_id": "i", "decisions": [{"type": "approve"}]}}
    resumed = (await ask(runs, asked.thread_id, input=answer, turn_id=asked.turn_id, question=None)).run
    turns = await runs.turns_of(asked.thread_id, "acme", "alex")
    assert [[run.run_id for run in turn] for turn in turns] == [[asked.run_id, resumed.run_id], [other.run_id]]
    newest = await runs.turns_of(asked.thread_id, "acme", "alex", newest_first=True, limit=1)
    assert [turn[0].turn_id for turn in newest] == [other.turn_id]
    second = await runs.turns_of(asked.thread_id, "acme", "alex", limit=1, offset=1)
    assert [turn[0].turn_id for turn in second] == [other.turn_id]
    of_thread = await runs.of_thread(asked.thread_id, "acme", "alex")
    assert [run.run_id for run in of_thread] == [resumed.run_id, other.run_id, asked.run_id]
    assert await runs.of_thread(asked.thread_id, "acme", "alex", status="success", limit=1, offset=1) == [
        await again(runs, asked)
    ]


async def test_an_operator_sees_what_takes_too_long(runs: Runs, leases: Leases, pool: Pool) -> None:
    old, new = (await ask(runs)).run, (await ask(runs, start=leases)).run
    past = "UPDATE frontdesk.runs SET created_at = created_at - interval '1 hour' WHERE run_id = %s"
    await change(pool, past, old.run_id)
    assert [run.run_id for run in await runs.stuck(3000)] == [old.run_id]
    assert {old.run_id, new.run_id} <= {run.run_id for run in await runs.stuck(0, limit=1000)}
