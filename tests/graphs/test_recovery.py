"""Runs whose process is lost are finished by another, once, from wherever they had come to."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from langchain_core.messages import HumanMessage
from langgraph.types import Command

from auth.principal import DEV_PERMISSIONS
from checkpoints.database import Pool, open_pool
from checkpoints.leases import Leases
from checkpoints.run import Run as Row
from errors import Unavailable
from graphs.conductor import MOST_ATTEMPTS
from graphs.live import Live, stored
from graphs.run_events import InProcessEvents
from nodes.context import Context
from tests.graphs import toy
from tests.graphs.process import APPROVE, ME, Process, expire, kinds, told, until

DEAD = "a process that is gone"


@pytest.fixture(autouse=True)
def _nothing_done() -> None:
    toy.done.clear()
    toy.planned_for.clear()
    toy.gate.clear()


@pytest.fixture
async def open_gate() -> AsyncIterator[None]:
    yield
    toy.gate.set()


async def submitted(one: Process, **given: Any) -> Row:
    """A run that its process began, and did not end."""
    turn_id = str(uuid4())
    given = given or {"message": "hello"}
    if "message" in given:
        given["message_id"] = turn_id
    sub = await one.runs.submit(
        thread_id=given.pop("thread_id", None),
        tenant=ME.tenant,
        user=ME.user,
        turn_id=turn_id,
        input=given,
        context=stored(Context(), datetime.now(UTC)),
        question=given.get("message"),
        start=Leases(one.pool, DEAD, 60),
    )
    return sub.run


async def played_by_the_dead(one: Process, run: Row, *, until_node: str | None = None) -> None:
    """What its process had committed of the graph when it was lost: all of it, or what came before a node."""
    live = Live(run, InProcessEvents(kept_s=60), lambda _: DEV_PERMISSIONS)
    given: Any = {"messages": [HumanMessage(run.input["message"], id=run.turn_id)]} if "message" in run.input else None
    if given is None:
        resume = run.input["resume"]
        given = Command(resume={resume["interrupt_id"]: {"decisions": resume["decisions"]}})
    async with one.saver.turn():
        await one.graph.ainvoke(
            given,
            live.config,
            context=live.context,
            durability="sync",
            interrupt_before=[until_node] if until_node else None,
        )


async def taken_over(one: Process, run: Row) -> Row:
    """The run as it is after another process came."""
    async with one.pool.connection() as connection:
        await connection.execute("UPDATE frontdesk.runs SET lease_until = now() WHERE run_id = %s", (run.run_id,))

    async def over() -> bool:
        return (await one.runs.get(run.run_id, None, ME.tenant, ME.user)).is_over

    async with one:
        await until(over)
    return await one.runs.get(run.run_id, None, ME.tenant, ME.user)


async def test_a_run_of_which_nothing_was_saved_begins_again_from_its_stored_input(pool: Pool) -> None:
    one = Process(pool)
    run = await taken_over(one, await submitted(one))
    assert (run.status, run.attempt, run.lease_owner) == ("success", 2, one.leases.owner)
    assert run.result is not None
    assert run.result["reply"] == "heard hello"
    thread = await one.threads.get(run.thread_id, ME.tenant, ME.user)
    assert thread.status == "idle"
    assert thread.values is not None
    assert [m["type"] for m in thread.values["messages"]] == ["human", "ai"]


async def test_a_run_goes_on_from_its_last_step(pool: Pool) -> None:
    one = Process(pool)
    run = await submitted(one, message="hello")
    await played_by_the_dead(one, run, until_node="reply")
    assert toy.planned_for == ["hello"]
    run = await taken_over(one, run)
    assert (run.status, toy.planned_for) == ("success", ["hello"])
    assert run.result is not None
    assert run.result["reply"] == "heard hello"
    assert run.result["decisions"][0]["level"] == "route"


async def test_a_run_that_was_cut_off_at_its_input_is_a_turn_of_its_own(pool: Pool) -> None:
    one = Process(pool)
    first = await taken_over(one, await submitted(one, message="before"))
    one = Process(pool)
    run = await submitted(one, message="hello", thread_id=first.thread_id)
    await played_by_the_dead(one, run, until_node="reply")
    async with pool.connection() as connection:  # as it stood when only the first checkpoint was committed
        await connection.execute(
            "DELETE FROM checkpoints WHERE metadata ->> 'run_id' = %s AND metadata ->> 'source' <> 'input'",
            (str(run.run_id),),
        )
        await connection.execute("DELETE FROM checkpoint_writes WHERE thread_id = %s", (str(run.thread_id),))
    run = await taken_over(one, run)
    assert run.result is not None
    assert run.result["reply"] == "heard hello"
    assert (first.turn_id, run.turn_id) == (first.input["message_id"], run.input["message_id"])


async def test_a_run_that_was_done_but_not_closed_is_closed(pool: Pool) -> None:
    one = Process(pool)
    run = await submitted(one, message="hello")
    await played_by_the_dead(one, run)
    run = await taken_over(one, run)
    assert (run.status, toy.planned_for) == ("success", ["hello"])
    assert run.result is not None
    assert (run.result["status"], run.result["reply"]) == ("completed", "heard hello")


async def test_a_question_that_was_asked_but_not_closed_stays_open_under_its_id(pool: Pool) -> None:
    one = Process(pool)
    run = await submitted(one, message="change 1")
    await played_by_the_dead(one, run)
    run = await taken_over(one, run)
    assert run.result is not None
    assert (run.status, run.result["status"]) == ("success", "interrupted")
    thread = await one.threads.get(run.thread_id, ME.tenant, ME.user)
    assert thread.status == "interrupted"
    assert [i["id"] for found in thread.interrupts.values() for i in found] == [run.result["interrupt"]["id"]]
    async with Process(pool) as other:
        done = await other.answer(run.result, APPROVE)  # type: ignore[arg-type]  # it is one, read back
    assert (done["status"], toy.done) == ("completed", ["change-0"])


@pytest.mark.parametrize("until_node", [None, "execute", "reply"])
@pytest.mark.parametrize("words", [True, False])
async def test_an_answer_is_carried_out_once_wherever_its_process_was_lost(
    pool: Pool, until_node: str | None, words: bool
) -> None:
    one = Process(pool)
    async with Process(pool) as before:
        waiting = await before.say("change 1")
    assert waiting["interrupt"] is not None
    thread_id = UUID(waiting["thread_id"])
    resume = {"interrupt_id": waiting["interrupt"]["id"], "decisions": [APPROVE]}
    given = {"message": "yes"} if words else {"resume": resume}
    run = await submitted(one, thread_id=thread_id, **given)
    if words:
        answered = Row(**{**vars(run), "input": {"resume": resume}})
        await played_by_the_dead(one, answered, until_node=until_node)
    else:
        await played_by_the_dead(one, run, until_node=until_node)
    run = await taken_over(one, run)
    assert run.result is not None
    assert (run.status, run.result["status"], run.result["reply"]) == ("success", "completed", "did it")
    assert toy.done == ["change-0"]
    assert run.turn_id == (await one.stored(waiting)).turn_id


async def test_an_answer_of_which_only_the_first_write_was_saved_is_taken_again(pool: Pool) -> None:
    """The decision lies on the older run's checkpoint, and no checkpoint of this run is there yet."""
    one = Process(pool)
    async with Process(pool) as before:
        waiting = await before.say("change 1")
    assert waiting["interrupt"] is not None
    resume = {"interrupt_id": waiting["interrupt"]["id"], "decisions": [APPROVE]}
    run = await submitted(one, thread_id=UUID(waiting["thread_id"]), resume=resume)
    await played_by_the_dead(one, run)
    async with pool.connection() as connection:
        mine = {"thread": waiting["thread_id"], "run": str(run.run_id)}
        await connection.execute(
            "DELETE FROM checkpoints WHERE thread_id = %(thread)s AND metadata ->> 'run_id' = %(run)s", mine
        )
    toy.done.clear()
    run = await taken_over(one, run)
    assert run.result is not None
    assert (run.result["status"], toy.done) == ("completed", ["change-0"])


async def test_results_that_were_saved_but_not_taken_into_the_state_are_not_the_end(pool: Pool) -> None:
    """The process was lost between the commit of a call's result and the next step."""
    one = Process(pool)
    async with Process(pool) as before:
        waiting = await before.say("change 2")
    assert waiting["interrupt"] is not None
    resume = {"interrupt_id": waiting["interrupt"]["id"], "decisions": [APPROVE, APPROVE]}
    run = await submitted(one, thread_id=UUID(waiting["thread_id"]), resume=resume)
    await played_by_the_dead(one, run, until_node="reply")
    async with pool.connection() as connection:
        mine = {"thread": waiting["thread_id"], "run": str(run.run_id)}
        newest = """DELETE FROM checkpoints WHERE thread_id = %(thread)s AND metadata ->> 'run_id' = %(run)s
            AND checkpoint_id = (SELECT max(checkpoint_id) FROM checkpoints WHERE thread_id = %(thread)s)"""
        await connection.execute(newest, mine)
    state = await one.graph.aget_state({"configurable": {"thread_id": waiting["thread_id"]}})
    assert (state.next, [task.name for task in state.tasks]) == ((), ["execute", "execute"])
    run = await taken_over(one, run)
    assert run.result is not None
    assert (run.result["reply"], [c["status"] for c in run.result["tool_calls"]]) == ("did it", ["done", "done"])
    assert toy.done == ["change-0", "change-1"]


async def test_a_run_that_was_to_be_stopped_when_its_process_was_lost_tells_what_was_done(pool: Pool) -> None:
    one = Process(pool)
    async with Process(pool) as before:
        waiting = await before.say("change 2")
    assert waiting["interrupt"] is not None
    resume = {"interrupt_id": waiting["interrupt"]["id"], "decisions": [APPROVE, APPROVE]}
    run = await submitted(one, thread_id=UUID(waiting["thread_id"]), resume=resume)
    await played_by_the_dead(one, run, until_node="reply")
    await one.runs.cancel(run.run_id, run.thread_id, ME.tenant, ME.user, "interrupt")
    run = await taken_over(one, run)
    assert run.result is not None
    assert (run.status, run.result["status"]) == ("interrupted", "failed")
    assert [c["status"] for c in run.result["tool_calls"]] == ["done", "done"]
    assert run.turn_id == (await one.stored(waiting)).turn_id


async def test_what_waited_behind_a_dead_process_is_served_in_order(pool: Pool) -> None:
    one = Process(pool)
    first = await submitted(one, message="hello")
    async with Process(pool, sweep_s=0.2) as other:
        runs = [await other.start(f"m{n}", str(first.thread_id)) for n in range(3)]
        await expire(pool, await other.runner.follow(first.run_id, ME))
        replies = [(await run.result())["reply"] for run in runs]
        values = (await other.row(runs[0])).values
    assert replies == ["heard m0", "heard m1", "heard m2"]
    assert values is not None
    assert [m["content"] for m in values["messages"] if m["type"] == "human"] == ["hello", "m0", "m1", "m2"]


async def test_a_run_that_waits_where_nothing_runs_is_found(pool: Pool) -> None:
    """Its process was lost between two runs."""
    async with Process(pool) as before:
        thread_id = (await before.say("hello"))["thread_id"]
    one = Process(pool)
    sub = await one.runs.submit(
        thread_id=UUID(thread_id),
        tenant=ME.tenant,
        user=ME.user,
        turn_id="t",
        input={"message": "again", "message_id": "t"},
        context=stored(Context(), datetime.now(UTC)),
    )
    assert sub.run.status == "pending"
    async with one:
        run = await one.runner.follow(sub.run.run_id, ME)
        assert (await run.result())["reply"] == "heard again"


async def test_a_process_that_is_killed_in_a_turn_is_followed_by_another(pool: Pool, open_gate: None) -> None:
    one, other = Process(pool), Process(pool, sweep_s=0.1)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(one)
        run = await one.start("wait")
        waiting = await one.start("hello", run.thread_id)
        await until(_planned("wait"))
        await one.die()
        await expire(pool, run)
        toy.gate.set()
        await stack.enter_async_context(other)
        again = await other.runner.follow(UUID(run.run_id), ME)
        assert (await again.result())["reply"] == "heard wait"
        second = await other.runner.follow(UUID(waiting.run_id), ME)
        assert (await second.result())["reply"] == "heard hello"
    assert (await other.stored(run)).attempt == 2


async def test_a_process_that_lost_its_lease_stops_and_its_reader_gets_the_other_s_answer(
    pool: Pool, open_gate: None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)
    async with Process(pool, renew_s=0.2) as one, Process(pool, sweep_s=0.1) as other:
        run = await one.start("wait")
        await until(_planned("wait"))
        await expire(pool, run)
        await until(_planned("wait", times=2))
        await asyncio.sleep(0.4)
        assert not one.runner._lives.plays(UUID(run.run_id))
        toy.gate.set()
        assert (await run.result())["reply"] == "heard wait"
        stored_run = await one.stored(run)
        values = (await one.row(run)).values
    assert (stored_run.lease_owner, stored_run.attempt) == (other.leases.owner, 2)
    assert values is not None
    assert [m["content"] for m in values["messages"]] == ["wait", "heard wait"]


async def test_a_process_that_slept_through_its_lease_writes_nothing(pool: Pool, open_gate: None) -> None:
    """It never renews, so nobody tells it; only its commits are refused."""
    async with Process(pool, renew_s=60) as one, Process(pool, sweep_s=0.1) as other:
        run = await one.start("wait")
        await until(_planned("wait"))
        await expire(pool, run)
        await until(_planned("wait", times=2))
        toy.gate.set()
        result = await run.result()
        again = await (await other.runner.follow(UUID(run.run_id), ME)).result()
        values = (await one.row(run)).values
    assert result == again
    assert values is not None
    assert [m["content"] for m in values["messages"]] == ["wait", "heard wait"]


async def test_closing_hands_over_what_does_not_end_in_time(pool: Pool, open_gate: None) -> None:
    async with Process(pool, sweep_s=0.1) as other:
        async with Process(pool, drain_s=0.1) as one:
            run = await one.start("wait")
            await until(_planned("wait"))
            closing = asyncio.create_task(one.runner.close())
            with pytest.raises(Unavailable, match="shutting down"):
                await run.result()
            await closing
        toy.gate.set()
        again = await other.runner.follow(UUID(run.run_id), ME)
        assert (await again.result())["reply"] == "heard wait"
        row = await other.stored(run)
    assert (row.attempt, row.lease_owner) == (2, other.leases.owner)


async def test_closing_stops_at_a_step_and_the_next_process_goes_on_from_there(pool: Pool, open_gate: None) -> None:
    async with Process(pool, drain_s=0) as one:
        run = await one.start("wait")
        await until(_planned("wait"))
        closing = asyncio.create_task(one.runner.close())
        await asyncio.sleep(0.1)
        toy.gate.set()
        await closing
    assert (await one.stored(run)).status == "running"
    async with Process(pool) as other:
        again = await other.runner.follow(UUID(run.run_id), ME)
        assert (await again.result())["reply"] == "heard wait"
    assert toy.planned_for == ["wait"]


async def test_closing_waits_for_what_ends_in_time(pool: Pool, open_gate: None) -> None:
    async with Process(pool) as one:
        run = await one.start("wait")
        asyncio.get_running_loop().call_later(0.2, toy.gate.set)
        await one.runner.close()
        assert (await run.result())["status"] == "completed"


async def test_a_database_that_goes_away_in_a_turn_is_a_clear_answer_and_the_turn_is_finished_later(
    pool: Pool, fresh_database_url: str, open_gate: None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    mine = await open_pool(fresh_database_url, 2)
    async with Process(mine) as one:
        run = await one.start("wait")
        await until(_planned("wait"))
        await mine.close()
        toy.gate.set()
        with pytest.raises(Unavailable, match="database"):
            await run.result()
        assert (await kinds(run))[-1] == "error"
    again = await open_pool(fresh_database_url, 2)
    async with Process(again) as other:
        await expire(again, run)
        other.runner._sweeper.hurry.now()
        found = await other.runner.follow(UUID(run.run_id), ME)
        assert (await found.result())["reply"] == "heard wait"
        assert (await other.say("hello", run.thread_id))["status"] == "completed"
    await again.close()


async def test_a_run_over_which_one_process_after_another_is_lost_is_given_up(
    pool: Pool, caplog: pytest.LogCaptureFixture
) -> None:
    one = Process(pool)
    run = await submitted(one, message="hello")
    async with pool.connection() as connection:
        await connection.execute(
            "UPDATE frontdesk.runs SET attempt = %s WHERE run_id = %s", (MOST_ATTEMPTS, run.run_id)
        )
    run = await taken_over(one, run)
    assert run.result is not None
    assert (run.status, run.result["status"], toy.planned_for) == ("error", "failed", [])
    async with Process(pool) as other:
        assert (await other.say("hello", str(run.thread_id)))["status"] == "completed"


async def test_a_thread_that_somebody_else_moved_on_is_looked_at_again(pool: Pool, open_gate: None) -> None:
    """As Studio does it: the checkpoint is written past the runs."""
    async with Process(pool) as one:
        first = await one.say("hello")
        run = await one.start("wait", first["thread_id"])
        await until(_planned("wait"))
        config: Any = {"configurable": {"thread_id": first["thread_id"]}}
        await one.graph.aupdate_state(config, {"summary": "written from elsewhere"}, as_node="reply")
        toy.gate.set()
        assert (await run.result())["reply"] == "heard wait"
        row = await one.row(run)
    assert row.values is not None
    assert row.values["summary"] == "written from elsewhere"
    assert [m["content"] for m in row.values["messages"]] == ["hello", "heard hello", "wait", "heard wait"]


def _planned(text: str, *, times: int = 1) -> Any:
    async def seen() -> bool:
        return toy.planned_for.count(text) >= times

    return seen


async def test_a_reader_who_saw_more_of_the_lost_attempt_than_the_next_one_tells_still_gets_the_result(
    pool: Pool, open_gate: None
) -> None:
    one, other = Process(pool), Process(pool, sweep_s=0.1)
    async with one:
        run = await one.start("wait")
        await until(_planned("wait"))
        await one.die()
        await expire(pool, run)
    toy.gate.set()
    async with other:
        again = await other.runner.follow(UUID(run.run_id), ME)
        found = await told(again, after=50)
        late = await told(await other.runner.follow(UUID(run.run_id), ME), after=50)
    assert [event.kind for event in found] == ["turn", "decision", "decision", "token", "result"]
    assert late == found
