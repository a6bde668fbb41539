"""A better summary comes after the answer, and never at the cost of a turn."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import cast

import pytest
from langchain_core.messages import AnyMessage, RemoveMessage

from checkpoints.database import Pool
from nodes.state import State
from tests.graphs import toy
from tests.graphs.process import Process, until

BETTER: State = {"summary": "what it was about"}


def summarising(change: State | None, gate: asyncio.Event | None = None) -> Callable[[State], Awaitable[State | None]]:
    async def summarise(_: State) -> State | None:
        if gate is not None:
            await gate.wait()
        return change

    return summarise


def summary_of(one: Process, thread_id: str) -> Callable[[], Awaitable[bool]]:
    async def there() -> bool:
        state = await one.graph.aget_state({"configurable": {"thread_id": thread_id}})
        return state.values.get("summary") == BETTER["summary"]

    return there


async def test_the_summary_is_written_into_state_and_row_after_the_answer(pool: Pool) -> None:
    gate = asyncio.Event()
    async with Process(pool, summarise=summarising(BETTER, gate)) as one:
        result = await one.say("hello")
        assert "summary" not in ((await one.row(result)).values or {})
        gate.set()
        await until(summary_of(one, result["thread_id"]))
        row = await one.row(result)
        assert row.values is not None
        assert (row.status, row.values["summary"]) == ("idle", "what it was about")
        state = await one.graph.aget_state({"configurable": {"thread_id": result["thread_id"]}})
        assert (state.next, "run_id" in (state.metadata or {})) == ((), False)
        assert (await one.say("again", result["thread_id"]))["reply"] == "heard again"


async def test_messages_that_it_stands_for_may_go(pool: Pool) -> None:
    async def summarise(state: State) -> State | None:
        first = state["messages"][:2]
        gone = cast("list[AnyMessage]", [RemoveMessage(id=str(m.id)) for m in first])  # as an update
        return {"summary": "what it was about", "messages": gone} if len(state["messages"]) > 2 else None

    async with Process(pool, summarise=summarise) as one:
        thread_id = (await one.say("one"))["thread_id"]
        result = await one.say("two", thread_id)
        await until(summary_of(one, thread_id))
        row = await one.row(result)
        assert row.values is not None
        assert [m["content"] for m in row.values["messages"]] == ["two", "heard two"]


async def test_a_message_that_comes_meanwhile_is_not_disturbed(pool: Pool) -> None:
    toy.gate.clear()
    toy.planned_for.clear()
    gate = asyncio.Event()

    async def running() -> bool:
        return "wait" in toy.planned_for

    async with Process(pool, summarise=summarising(BETTER, gate)) as one:
        result = await one.say("hello")
        run = await one.start("wait", result["thread_id"])
        await until(running)
        gate.set()
        await asyncio.sleep(0.2)
        toy.gate.set()
        assert (await run.result())["reply"] == "heard wait"
        assert (await one.stored(run)).attempt == 1
        assert toy.planned_for == ["hello", "wait"]


@pytest.mark.parametrize("message", ["change 1", "fail"])
async def test_a_turn_that_was_not_completed_is_not_summarised(pool: Pool, message: str) -> None:
    async with Process(pool, summarise=summarising(BETTER)) as one:
        result = await one.say(message)
        await asyncio.sleep(0.2)
        assert not await summary_of(one, result["thread_id"])()
