"""Turns run to their end, one at a time on a thread, and tell what became of them, whatever goes wrong."""

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from auth.principal import Principal
from checkpoints.database import Pool, open_pool
from errors import Conflict, ExpiredInterrupt, InvalidInput, NoInterrupt, NotFound, StaleInterrupt, Unavailable
from graphs.resuming import Resume
from graphs.run import Run
from graphs.runner import Asked
from nodes.context import Context
from tests.graphs import toy
from tests.graphs.process import APPROVE, REJECT, Process, told, until


@pytest.fixture
async def caller(pool: Pool) -> AsyncIterator[Process]:
    toy.done.clear()
    toy.gate.clear()
    async with Process(pool) as one:
        yield one


async def events(run: Run) -> list[tuple[str, dict[str, Any]]]:
    return [(event.kind, event.data) for event in await told(run)]


async def test_a_turn_is_answered_and_its_thread_is_idle_again(caller: Process) -> None:
    result = await caller.say("  hello\nthere ")
    assert (result["status"], result["reply"]) == ("completed", "heard   hello\nthere ")
    assert (result["agent"], result["intents"]) == ("business", ["order"])
    assert result["entities"] == {"period": None, "limit": 3, "person": None, "order_no": ["1"]}
    assert result["requests"] == [{"agent": "business", "intent": "order", "entities": result["entities"]}]
    assert [d["level"] for d in result["decisions"]] == ["route", "intent"]
    assert result["usage"] == {"model_calls": 1, "input_tokens": 2, "output_tokens": 3}
    assert (result["interrupt"], result["question"], result["task_id"]) == (None, None, None)
    row = await caller.row(result)
    assert (row.status, row.title, row.error, row.interrupts) == ("idle", "hello there", None, {})
    assert [m["type"] for m in (await caller.values(result))["messages"]] == ["human", "ai"]
    assert row.metadata["graph_id"] == "frontdesk"


async def test_a_thread_goes_on_with_new_ids_and_what_it_remembers(caller: Process) -> None:
    first = await caller.say("one")
    second = await caller.say("two", first["thread_id"])
    assert second["thread_id"] == first["thread_id"]
    assert second["run_id"] != first["run_id"]
    assert second["reply"] == "heard two"
    assert (await caller.row(second)).title == "one"
    state = await caller.graph.aget_state({"configurable": {"thread_id": first["thread_id"]}})
    assert len(state.values["messages"]) == 4
    assert state.metadata is not None
    assert state.metadata["run_id"] == second["run_id"]


async def test_the_events_of_a_turn_come_in_order(caller: Process) -> None:
    run = await caller.start("hello")
    told = await events(run)
    assert [kind for kind, _ in told] == ["turn", "decision", "decision", "token", "result"]
    assert told[3][1]["content"] == "heard hello"
    assert told[3][1]["status"] == "REPLYING"
    assert told[-1][1] == await run.result()
    assert {data["run_id"] for _, data in told} == {run.run_id}


async def test_a_call_and_its_card_are_told_and_shown(caller: Process) -> None:
    waiting = await caller.say("change 1")
    assert waiting["interrupt"] is not None
    resume = Resume(interrupt_id=waiting["interrupt"]["id"], decisions=[APPROVE])
    run = await caller.start(thread_id=waiting["thread_id"], resume=resume)
    told = await events(run)
    assert [kind for kind, _ in told] == ["turn", "tool_call", "tool_call", "card", "token", "result"]
    assert (told[1][1]["phase"], told[1][1]["tool"], told[1][1]["arguments"]) == ("started", "change", {"n": 0})
    assert (told[2][1]["phase"], told[2][1]["status"], told[2][1]["elapsed_ms"]) == ("finished", "done", 1.2)
    card = {"type": "thing", "design": {"title": "Thing"}, "data": {"n": 1}}
    assert card.items() <= told[3][1].items()
    assert told[3][1]["status"] == "COMPLETED"
    result = await run.result()
    assert result["cards"] == [card]
    assert result["tool_calls"][0] == {
        "id": "change-0",
        "tool": "change",
        "arguments": {"n": 0},
        "summary": "did it",
        "elapsed_ms": 1.2,
        "status": "done",
    }


async def test_a_question_for_a_yes_interrupts_and_is_told(caller: Process) -> None:
    run = await caller.start("change 2")
    told = await events(run)
    result = await run.result()
    assert result["status"] == "interrupted"
    assert result["reply"] == "Change change-0?\nChange change-1?"
    assert [c["status"] for c in result["tool_calls"]] == ["awaiting", "awaiting"]
    interrupt = result["interrupt"]
    assert interrupt is not None
    assert [a["name"] for a in interrupt["action_requests"]] == ["change", "change"]
    assert interrupt["expires_at"] is not None
    assert ("confirmation", {"thread_id": run.thread_id, "run_id": run.run_id, **interrupt}) in told
    row = await caller.row(run)
    assert row.status == "interrupted"
    assert [i["id"] for found in row.interrupts.values() for i in found] == [interrupt["id"]]
    assert not toy.done


async def test_approve_and_reject_do_what_they_say(caller: Process) -> None:
    result = await caller.answer(await caller.say("change 2"), APPROVE, REJECT)
    assert result["status"] == "completed"
    assert [c["status"] for c in result["tool_calls"]] == ["done", "rejected"]
    assert toy.done == ["change-0"]
    assert (await caller.row(result)).status == "idle"


async def test_an_answer_is_taken_once(caller: Process) -> None:
    waiting = await caller.say("change 1")
    tries = [caller.answer(waiting, APPROVE) for _ in range(5)]
    outcomes = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(isinstance(outcome, Conflict) for outcome in outcomes) == 4
    assert toy.done == ["change-0"]


async def test_an_answer_to_an_older_question_or_another_thread_s_is_stale(caller: Process) -> None:
    first = await caller.say("change 1")
    second = await caller.say("change 1", first["thread_id"])
    other = await caller.say("change 1")
    with pytest.raises(StaleInterrupt):
        await caller.answer({**first, "thread_id": second["thread_id"]}, APPROVE)
    with pytest.raises(StaleInterrupt):
        await caller.answer({**other, "thread_id": second["thread_id"]}, APPROVE)
    assert not toy.done
    assert (await caller.answer(second, APPROVE))["status"] == "completed"


async def test_a_refused_answer_leaves_the_question_open(caller: Process) -> None:
    waiting = await caller.say("change 2")
    before = await caller.row(waiting)
    for decisions in ([], [APPROVE], [APPROVE] * 3, [APPROVE, {"type": "perhaps"}]):
        with pytest.raises(InvalidInput):
            await caller.answer(waiting, *decisions)
    with pytest.raises(ExpiredInterrupt):
        await caller.answer(waiting, APPROVE, APPROVE, clock=datetime.now(UTC) + timedelta(minutes=toy.MINUTES))
    assert await caller.row(waiting) == before
    assert (await caller.answer(waiting, REJECT, REJECT))["status"] == "completed"


async def test_where_nothing_waits_an_answer_is_refused(caller: Process) -> None:
    result = await caller.say("hello")
    with pytest.raises(NoInterrupt):
        await caller.start(thread_id=result["thread_id"], resume=Resume(interrupt_id="x", decisions=[APPROVE]))


@pytest.mark.parametrize(("word", "status"), [("yes please", "done"), ("好的！", "done"), ("取消", "rejected")])
async def test_a_plain_word_answers_every_action(caller: Process, word: str, status: str) -> None:
    waiting = await caller.say("change 2")
    result = await caller.say(word, waiting["thread_id"])
    assert [c["status"] for c in result["tool_calls"]] == [status, status]
    assert len(toy.done) == (2 if status == "done" else 0)


async def test_a_plain_yes_after_the_time_is_up_does_nothing_and_says_so(caller: Process) -> None:
    waiting = await caller.say("change 1")
    late = datetime.now(UTC) + timedelta(minutes=toy.MINUTES)
    result = await caller.say("yes", waiting["thread_id"], clock=late)
    assert (result["status"], result["reply"]) == ("completed", "too late")
    assert not toy.done


async def test_a_plain_word_where_nothing_waits_is_a_message(caller: Process) -> None:
    assert (await caller.say("yes"))["reply"] == "heard yes"


async def test_another_message_declines_what_waits(caller: Process) -> None:
    waiting = await caller.say("change 1")
    result = await caller.say("hello", waiting["thread_id"])
    assert result["status"] == "completed"
    assert not toy.done
    row = await caller.row(result)
    assert (row.status, row.interrupts) == ("idle", {})
    with pytest.raises(NoInterrupt):
        await caller.answer(waiting, APPROVE)


async def test_a_turn_that_fails_says_sorry_and_nothing_of_the_error(
    caller: Process, caplog: pytest.LogCaptureFixture
) -> None:
    run = await caller.start("fail")
    result = await run.result()
    assert result["status"] == "failed"
    assert result["reply"].startswith("Sorry")
    assert "secret" not in str(await events(run))
    row = await caller.row(result)
    assert row.status == "error"
    assert row.error is not None
    assert row.error["error"] == "RuntimeError"
    assert "secret" not in str(row)
    assert "a secret of the house" in caplog.text
    assert (await caller.say("hello", result["thread_id"]))["reply"] == "heard hello"
    assert (await caller.row(result)).status == "idle"


async def test_the_apology_is_in_the_caller_s_language(caller: Process) -> None:
    broken = replace(Context(), locale="zh")
    run = await caller.runner.start(Asked(context=broken, message="fail"))
    assert (await run.result())["reply"].startswith("Sorry")  # the turn was opened in English by the graph
    async with Process(caller.pool, turn_timeout_s=0.000001) as slow:
        assert (await slow.say("你好"))["reply"].startswith("抱歉")


async def test_what_was_done_before_a_failure_is_reported(caller: Process) -> None:
    result = await caller.say("half")
    assert result["status"] == "failed"
    assert [(c["tool"], c["status"]) for c in result["tool_calls"]] == [("done", "done"), ("blow", "unknown")]
    assert len(result["cards"]) == 1


async def test_a_turn_that_never_ends_is_stopped(pool: Pool) -> None:
    async with Process(pool, turn_timeout_s=0.3) as caller:
        result = await caller.say("sleep")
        assert (result["status"], result["elapsed_ms"] < 3000) == ("failed", True)
        assert "too long" in result["reply"]
        assert (await caller.stored(result)).status == "timeout"
        assert (await caller.say("hello", result["thread_id"]))["status"] == "completed"


async def test_a_graph_that_goes_round_in_circles_is_stopped(caller: Process) -> None:
    result = await caller.say("loop")
    assert result["status"] == "failed"
    assert "too many steps" in result["reply"]


async def test_of_a_failed_turn_on_an_old_thread_nothing_old_is_shown(caller: Process) -> None:
    first = await caller.say("hello")
    async with Process(caller.pool, turn_timeout_s=0.000001) as impatient:
        failed = await impatient.say("again", first["thread_id"])
    assert failed["status"] == "failed"
    assert (failed["intents"], failed["decisions"], failed["agent"]) == ([], [], None)
    assert failed["entities"] == {"period": None, "limit": None, "person": None}


async def test_messages_to_one_thread_wait_for_each_other(caller: Process) -> None:
    first = await caller.say("zero")
    runs = [await caller.start(f"m{n}", first["thread_id"]) for n in range(5)]
    results = [await run.result() for run in runs]
    assert [r["reply"] for r in results] == [f"heard m{n}" for n in range(5)]
    assert len((await caller.values(first))["messages"]) == 12


async def test_threads_do_not_wait_for_each_other(caller: Process) -> None:
    slow = await caller.start("wait")
    assert (await caller.say("hello"))["status"] == "completed"
    assert (await caller.stored(slow)).status == "running"
    toy.gate.set()
    assert (await slow.result())["status"] == "completed"


async def test_the_turn_goes_on_when_whoever_asked_has_gone(caller: Process) -> None:
    thread = await caller.say("hello")
    begun = asyncio.Event()

    async def ask() -> None:
        run = await caller.start("change 1", thread["thread_id"])
        begun.set()
        await run.result()

    asking = asyncio.create_task(ask())
    await begun.wait()
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)

    async def is_settled() -> bool:
        return (await caller.row(thread)).status != "busy"

    await until(is_settled)
    assert (await caller.row(thread)).status == "interrupted"


async def test_a_thread_of_nobody_or_of_somebody_else_is_not_found(caller: Process) -> None:
    with pytest.raises(NotFound):
        await caller.say("hello", str(uuid4()))
    mine = await caller.say("hello")
    for other in (Principal(user="eve"), Principal(tenant="globex")):
        with pytest.raises(NotFound):
            await caller.say("hello", mine["thread_id"], principal=other)


async def test_while_a_turn_runs_its_thread_is_busy_and_its_input_is_stored(caller: Process) -> None:
    run = await caller.start("wait for it")
    assert (await caller.row(run)).status == "busy"
    stored = await caller.stored(run)
    assert (stored.status, stored.input["message"], stored.attempt) == ("running", "wait for it", 1)
    toy.gate.set()
    await run.result()
    assert (await caller.row(run)).status == "idle"


async def test_an_ended_run_keeps_its_result_and_its_transcript(caller: Process) -> None:
    waiting = await caller.say("change 2")
    done = await caller.answer(waiting, APPROVE, {"type": "reject", "message": "not this one"})
    first, second = await caller.stored(waiting), await caller.stored(done)
    assert (first.status, second.status) == ("success", "success")
    assert first.turn_id == second.turn_id == first.input["message_id"]
    assert (first.result, second.result) == (waiting, done)
    assert (first.agents, first.usage) == ({"business": "abc"}, waiting["usage"])
    told_first, told_second = first.transcript, second.transcript
    assert told_first is not None
    assert told_second is not None
    assert (told_first["question"], told_first["answer"]) == ("change 2", waiting["reply"])
    assert told_second["question"] is None
    assert waiting["interrupt"] is not None
    assert told_second["resume"]["interrupt_id"] == waiting["interrupt"]["id"]
    assert [(c["id"], c["status"], c["confirmation"]["type"]) for c in told_second["calls"]] == [
        ("change-0", "done", "approve"),
        ("change-1", "rejected", "reject"),
    ]
    assert told_second["calls"][0]["card"] == {"type": "thing", "design": {"title": "Thing"}, "data": {"n": 1}}
    assert datetime.fromisoformat(told_second["clock"]).tzinfo is not None
    assert (told_second["time_zone"], told_second["agents"]) == ("Asia/Shanghai", {"business": "abc"})


async def test_a_plain_yes_belongs_to_the_turn_that_it_answers(caller: Process) -> None:
    waiting = await caller.say("change 1")
    done = await caller.say("yes", waiting["thread_id"])
    assert (await caller.stored(done)).turn_id == (await caller.stored(waiting)).turn_id


async def test_the_clock_of_a_turn_is_fixed_when_it_is_asked(caller: Process) -> None:
    run = await caller.start("hello")
    await run.result()
    stored = await caller.stored(run)
    clock = datetime.fromisoformat(stored.context["clock"])
    assert abs((clock - stored.created_at).total_seconds()) < 1
    assert clock.utcoffset() == timedelta(hours=8)


async def test_a_runner_that_closes_takes_nothing_new(caller: Process) -> None:
    await caller.runner.close()
    with pytest.raises(Unavailable):
        await caller.say("hello")


async def test_without_a_database_there_is_no_run(fresh_database_url: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)
    pool = await open_pool(fresh_database_url, 2)
    caller = Process(pool)
    await pool.close()
    with pytest.raises(Exception, match="closed"):
        await caller.say("hello")
