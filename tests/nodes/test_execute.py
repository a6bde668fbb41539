"""One call within what is left of its turn."""

import asyncio
from typing import Any

import pytest
from langchain_core.messages.tool import tool_call
from langgraph.runtime import Runtime

from config.catalogue import Catalogue
from nodes.context import Context
from nodes.execute import execute
from nodes.state import State, Task
from tools.executor import Executor
from tools.registry import Registry
from tools.tool import ToolContext, ToolResult, tool

LONG_S = 60.0


@tool(group="business", permission="order:read", timeout_s=LONG_S)
async def tell(ctx: ToolContext) -> ToolResult:
    """Tell how long there is."""
    return ToolResult(content=str(ctx.deadline_s))


@tool(group="business", permission="order:read", timeout_s=LONG_S)
async def hang(ctx: ToolContext) -> ToolResult:
    """Never answer."""
    await asyncio.sleep(LONG_S)
    raise AssertionError


async def called(catalogue: Catalogue, name: str, ends_in_s: float | None, deadline_s: float = 30.0) -> dict[str, Any]:
    now = asyncio.get_running_loop().time()
    context = Context(ends_at=None if ends_in_s is None else now + ends_in_s)
    task = Task(
        call=tool_call(name=name, args={}, id="c"),
        agent="business",
        confirmation=None,
        recorded=None,
        locale="en",
        turn_id="t",
        source="keyword",
        stopped=False,
    )
    executor = Executor(Registry([tell, hang]), {}, {})
    runtime: Runtime[Context] = Runtime(context=context)
    after: State = await execute(task, runtime, executor=executor, catalogue=catalogue, deadline_s=deadline_s)
    (message,) = after["messages"]
    return dict(message.artifact)  # type: ignore[union-attr]  # an answer to a call


async def test_a_call_has_what_is_left_of_the_turn(catalogue: Catalogue) -> None:
    assert 4 < float((await called(catalogue, "tell", 5.0))["summary"]) <= 5
    assert float((await called(catalogue, "tell", None))["summary"]) == pytest.approx(30, abs=1)
    assert float((await called(catalogue, "tell", 500.0))["summary"]) == pytest.approx(30, abs=1)


async def test_a_tool_that_hangs_leaves_the_turn_the_time_to_say_so(catalogue: Catalogue) -> None:
    async with asyncio.timeout(LONG_S / 2):
        answer = await called(catalogue, "hang", 0.05)
    assert (answer["status"], answer["reason"]) == ("failed", "timeout")


@pytest.mark.parametrize("ends_in_s", [0.0, -5.0])
async def test_a_turn_whose_time_is_over_calls_nothing_more(catalogue: Catalogue, ends_in_s: float) -> None:
    answer = await called(catalogue, "tell", ends_in_s)
    assert (answer["status"], answer["reason"]) == ("failed", "no_time")
