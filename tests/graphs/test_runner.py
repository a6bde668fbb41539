"""Turns run to their end, one at a time on a thread, and tell what became of them, whatever goes wrong."""

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from auth.principal import Principal
from checkpoints.database import Pool, open_pool
from checkpoints.saver import TurnSaver
from checkpoints.threads import Threads
from errors import ExpiredInterrupt, InvalidInput, NoInterrupt, NotFound, StaleInterrupt, StaleThread, Unavailable
from graphs.plain_words import PlainWords
from graphs.resuming import Resume
from graphs.run import Run
from graphs.runner import Asked, Runner
from graphs.turn_result import TurnResult
from nodes.context import Context
from tests.graphs import toy

APPROVE, REJECT = {"type": "approve"}, {"type": "reject"}
WORDS = PlainWords(approvals=("yes", "好的"), rejections=("no", "取消"), particles=("please",))
ME = Principal()


class Caller:
    """Somebody who asks a runner, thread by thread."""

    def __init__(self, pool: Pool, *, turn_timeout_s: float = 10) -> None:
        self.threads = Threads(pool)
        self.saver = TurnSaver(pool)
        self.graph = toy.toy().compile(checkpointer=self.saver)
        self.runner = Runner(self.graph, self.saver, self.threads, WORDS, turn_timeout_s=turn_timeout_s)

    async def start(
        self, message: str | None = None, thread_id: str | None = None, resume: Resume | None = None, **context: Any
    ) -> Run:
        asked = Asked(
            context=Context(**context),
            thread_id=UUID(thread_id) if thread_id else None,
            message=message,
            resume=resume,
        )
        return await self.runner.start(asked)

    async def say(self, message: str, thread_id: str | None = None, **context: Any) -> TurnResult:
        return await (await self.start(message, thread_id, **context)).result()

    async def answer(self, waiting: TurnResult, *decisions: dict[str, Any], **context: Any) -> TurnResult:
        assert waiting["interrupt"] is not None
        resume = Resume(interrupt_id=waiting["interrupt"]["id"], decisions=decisions)
        return await (await self.start(thread_id=waiting["thread_id"], resume=resume, **context)).result()

    async def row(self, result: TurnResult | Run) -> Any:
        key = result.thread_id if isinstance(result, Run) else result["thread_id"]
        return await self.threads.get(UUID(key), ME.tenant, ME.user)


@pytest.fixture
async def caller(pool: Pool) -> AsyncIterator[Caller]:
    toy.done.clear()
    one = Caller(pool)
    yield one
    await one.runner.close(5)


async def events(run: Run) -> list[tuple[str, dict[str, Any]]]:
    await run.result()
    return [(event.kind, event.data) for event in await run.after(0, wait_s=1)]


async def test_a_turn_is_answered_and_its_thread_is_idle_again(caller: Caller) -> None:
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
    assert [m["type"] for m in row.values["messages"]] == ["human", "ai"]
    assert row.metadata["graph_id"] == "frontdesk"


async def test_a_thread_goes_on_with_new_ids_and_what_it_remembers(caller: Caller) -> None:
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


async def test_the_events_of_a_turn_come_in_order(caller: Caller) -> None:
    run = await caller.start("hello")
    told = await events(run)
    assert [kind for kind, _ in told] == ["turn", "decision", "decision", "token", "result"]
    assert told[3][1]["content"] == "heard hello"
    assert told[3][1]["status"] == "REPLYING"
    assert told[-1][1] == await run.result()
    assert {data["run_id"] for _, data in told} == {run.run_id}


async def test_a_call_and_its_card_are_told_and_shown(caller: Caller) -> None:
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


async def test_a_question_for_a_yes_interrupts_and_is_told(caller: Caller) -> None:
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


async def test_approve_and_reject_do_what_they_say(caller: Caller) -> None:
    result = await caller.answer(await caller.say("change 2"), APPROVE, REJECT)
    assert result["status"] == "completed"
    assert [c["status"] for c in result["tool_calls"]] == ["done", "rejected"]
    assert toy.done == ["change-0"]
    assert (await caller.row(result)).status == "idle"


async def test_an_answer_is_taken_once(caller: Caller) -> None:
    waiting = await caller.say("change 1")
    tries = [caller.answer(waiting, APPROVE) for _ in range(5)]
    outcomes = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(isinstance(outcome, NoInterrupt) for outcome in outcomes) == 4
    assert toy.done == ["change-0"]


async def test_an_answer_to_an_older_question_or_another_thread_s_is_stale(caller: Caller) -> None:
    first = await caller.say("change 1")
    second = await caller.say("change 1", first["thread_id"])
    other = await caller.say("change 1")
    with pytest.raises(StaleInterrupt):
        await caller.answer({**first, "thread_id": second["thread_id"]}, APPROVE)
    with pytest.raises(StaleInterrupt):
        await caller.answer({**other, "thread_id": second["thread_id"]}, APPROVE)
    assert not toy.done
    assert (await caller.answer(second, APPROVE))["status"] == "completed"


async def test_a_refused_answer_leaves_the_question_open(caller: Caller) -> None:
    waiting = await caller.say("change 2")
    before = await caller.row(waiting)
    for decisions in ([], [APPROVE], [APPROVE] * 3, [APPROVE, {"type": "perhaps"}]):
        with pytest.raises(InvalidInput):
            await caller.answer(waiting, *decisions)
    with pytest.raises(ExpiredInterrupt):
        await caller.answer(waiting, APPROVE, APPROVE, clock=datetime.now(UTC) + timedelta(minutes=toy.MINUTES))
    assert await caller.row(waiting) == before
    assert (await caller.answer(waiting, REJECT, REJECT))["status"] == "completed"


async def test_where_nothing_waits_an_answer_is_refused(caller: Caller) -> None:
    result = await caller.say("hello")
    with pytest.raises(NoInterrupt):
        await caller.start(thread_id=result["thread_id"], resume=Resume(interrupt_id="x", decisions=[APPROVE]))


@pytest.mark.parametrize(("word", "status"), [("yes please", "done"), ("好的！", "done"), ("取消", "rejected")])
async def test_a_plain_word_answers_every_action(caller: Caller, word: str, status: str) -> None:
    waiting = await caller.say("change 2")
    result = await caller.say(word, waiting["thread_id"])
    assert [c["status"] for c in result["tool_calls"]] == [status, status]
    assert len(toy.done) == (2 if status == "done" else 0)


async def test_a_plain_yes_after_the_time_is_up_does_nothing_and_says_so(caller: Caller) -> None:
    waiting = await caller.say("change 1")
    late = datetime.now(UTC) + timedelta(minutes=toy.MINUTES)
    result = await caller.say("yes", waiting["thread_id"], clock=late)
    assert (result["status"], result["reply"]) == ("completed", "the confirmation has expired")
    assert not toy.done


async def test_a_plain_word_where_nothing_waits_is_a_message(caller: Caller) -> None:
    assert (await caller.say("yes"))["reply"] == "heard yes"


async def test_another_message_declines_what_waits(caller: Caller) -> None:
    waiting = await caller.say("change 1")
    result = await caller.say("hello", waiting["thread_id"])
    assert result["status"] == "completed"
    assert not toy.done
    row = await caller.row(result)
    assert (row.status, row.interrupts) == ("idle", {})
    with pytest.raises(NoInterrupt):
        await caller.answer(waiting, APPROVE)


async def test_a_turn_that_fails_says_sorry_and_nothing_of_the_error(
    caller: Caller, caplog: pytest.LogCaptureFixture
) -> None:
    run = await caller.start("fail")
    result = await run.result()
    assert result["status"] == "failed"
    assert result["reply"].startswith("Sorry")
    assert "secret" not in str(await events(run))
    row = await caller.row(result)
    assert row.status == "error"
    assert row.error["error"] == "RuntimeError"
    assert "secret" not in str(row)
    assert "a secret of the house" in caplog.text
    assert (await caller.say("hello", result["thread_id"]))["reply"] == "heard hello"
    assert (await caller.row(result)).status == "idle"


async def test_the_apology_is_in_the_caller_s_language(caller: Caller) -> None:
    broken = replace(Context(), locale="zh")
    run = await caller.runner.start(Asked(context=broken, message="fail"))
    assert (await run.result())["reply"].startswith("Sorry")  # the turn was opened in English by the graph
    slow = Caller(caller.threads._pool, turn_timeout_s=0.000001)
    assert (await slow.say("你好"))["reply"].startswith("抱歉")


async def test_what_was_done_before_a_failure_is_reported(caller: Caller) -> None:
    result = await caller.say("half")
    assert result["status"] == "failed"
    assert [(c["tool"], c["status"]) for c in result["tool_calls"]] == [("done", "done"), ("blow", "unknown")]
    assert len(result["cards"]) == 1


async def test_a_turn_that_never_ends_is_stopped(pool: Pool) -> None:
    caller = Caller(pool, turn_timeout_s=0.3)
    result = await caller.say("sleep")
    assert (result["status"], result["elapsed_ms"] < 3000) == ("failed", True)
    assert "too long" in result["reply"]
    assert (await caller.say("hello", result["thread_id"]))["status"] == "completed"


async def test_a_graph_that_goes_round_in_circles_is_stopped(caller: Caller) -> None:
    result = await caller.say("loop")
    assert result["status"] == "failed"
    assert "too many steps" in result["reply"]


async def test_of_a_failed_turn_on_an_old_thread_nothing_old_is_shown(caller: Caller) -> None:
    first = await caller.say("hello")
    impatient = Caller(caller.threads._pool, turn_timeout_s=0.000001)
    failed = await impatient.say("again", first["thread_id"])
    assert failed["status"] == "failed"
    assert (failed["intents"], failed["decisions"], failed["agent"]) == ([], [], None)
    assert failed["entities"] == {"period": None, "limit": None, "person": None}


async def test_messages_to_one_thread_wait_for_each_other(caller: Caller) -> None:
    first = await caller.say("zero")
    runs = [await caller.start(f"m{n}", first["thread_id"]) for n in range(5)]
    results = [await run.result() for run in runs]
    assert [r["reply"] for r in results] == [f"heard m{n}" for n in range(5)]
    assert len((await caller.row(first)).values["messages"]) == 12


async def test_threads_do_not_wait_for_each_other(caller: Caller) -> None:
    slow = await caller.start("sleep")
    assert (await caller.say("hello"))["status"] == "completed"
    assert not slow.over
    await caller.runner.close(0)
    assert (await slow.result())["status"] == "failed"


async def test_the_turn_goes_on_when_whoever_asked_has_gone(caller: Caller) -> None:
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
    await asyncio.wait(caller.runner._runs)
    assert (await caller.row(thread)).status == "interrupted"


async def test_a_thread_of_nobody_or_of_somebody_else_is_not_found(caller: Caller) -> None:
    with pytest.raises(NotFound):
        await caller.say("hello", str(uuid4()))
    mine = await caller.say("hello")
    for other in (Principal(user="eve"), Principal(tenant="globex")):
        with pytest.raises(NotFound):
            await caller.say("hello", mine["thread_id"], principal=other)


async def test_while_a_turn_runs_its_thread_is_busy(caller: Caller) -> None:
    run = await caller.start("sleep")
    await run.after(0, wait_s=5)
    assert (await caller.row(run)).status == "busy"
    await caller.runner.close(0)
    assert (await caller.row(run)).status == "error"


async def test_two_runners_on_one_thread_do_not_lose_a_message(pool: Pool) -> None:
    """Two processes, each with its own locks: the saver's fence lets one of them win."""
    one, other = Caller(pool), Caller(pool)
    thread = (await one.say("zero"))["thread_id"]
    outcomes = await asyncio.gather(one.say("a", thread), other.say("b", thread), return_exceptions=True)
    lost = [outcome for outcome in outcomes if isinstance(outcome, StaleThread)]
    won = [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]
    assert len(lost) + len(won) == 2
    row = await one.threads.get(UUID(thread), ME.tenant, ME.user)
    assert row.status == "idle"
    assert row.values is not None
    assert len(row.values["messages"]) == 2 + 2 * len(won)


async def test_a_runner_that_closes_takes_nothing_new(caller: Caller) -> None:
    await caller.runner.close(1)
    with pytest.raises(Unavailable):
        await caller.say("hello")


async def test_without_a_database_there_is_no_run(fresh_database_url: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)
    pool = await open_pool(fresh_database_url, 2)
    caller = Caller(pool)
    await pool.close()
    with pytest.raises(Exception, match="closed"):
        await caller.say("hello")
