"""A piece of work is held to its time and to itself, whatever it does."""

import asyncio
from collections.abc import Callable

import pytest

from tests.fakes.ledger import MemoryLedger
from tests.tools.samples import answering, caller
from tools.call import Call, Outcome
from tools.executor import Executor
from tools.faults import Overstepped
from tools.limit import contained, within
from tools.registry import Registry
from tools.tool import Tool, ToolResult

LEAVING = [SystemExit(3), KeyboardInterrupt(), GeneratorExit(), BaseExceptionGroup("g", [KeyboardInterrupt()])]


async def run(tool: Tool, turn: str = "t1") -> Outcome:
    on = Executor(Registry([tool]), {}, {}, ledger=MemoryLedger())
    call = Call(id="c", name=tool.name, arguments={})
    return await on.run(call, caller(turn_id=turn), confirmation=None, deadline_s=5)


def cancel_oneself() -> ToolResult:
    own = asyncio.current_task()
    assert own is not None
    own.cancel()
    return ToolResult(content="not yet")


async def on_a_cancelled_task() -> ToolResult:
    other = asyncio.create_task(asyncio.sleep(60))
    other.cancel()
    await other
    return ToolResult(content="never")


@pytest.mark.parametrize("error", LEAVING, ids=lambda error: type(error).__name__)
async def test_a_tool_that_would_end_the_process_ends_its_call_alone(error: BaseException) -> None:
    """In a task of its own SystemExit would go through the event loop, and end everybody's turns with it."""
    outcome = await run(answering(error))
    assert (outcome.status, outcome.reason.partition(" ")[0]) == ("failed", "error")
    assert (await run(answering(ToolResult(content="still there")))).content == "still there"


@pytest.mark.parametrize("work", [on_a_cancelled_task, asyncio.CancelledError()], ids=["another task", "raised"])
async def test_a_tool_that_says_it_was_cancelled_has_failed_and_nobody_else_is_cancelled(
    work: Callable[[], object] | BaseException,
) -> None:
    outcome = await run(answering(work))
    assert (outcome.status, outcome.reason.partition(" ")[0]) == ("failed", "error")


async def test_a_tool_that_cancels_its_own_task_has_failed() -> None:
    async def work() -> ToolResult:
        cancel_oneself()
        await asyncio.sleep(0)
        return ToolResult(content="never")

    assert (await run(answering(work))).status == "failed"


@pytest.mark.parametrize("error", [*LEAVING, asyncio.CancelledError()], ids=lambda error: type(error).__name__)
async def test_whether_its_effect_came_about_nobody_knows(error: BaseException) -> None:
    outcome = await run(answering(error, effect=True))
    assert outcome.status == "unknown"
    assert (await run(answering(error, effect=True, idempotent=True))).status == "failed"


async def test_who_is_cancelled_from_outside_is_cancelled() -> None:
    begun = asyncio.Event()

    async def work() -> None:
        begun.set()
        await asyncio.Event().wait()

    running = asyncio.create_task(within(60, contained(work())))
    await begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_a_time_limit_around_it_is_a_time_limit() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await contained(asyncio.sleep(60))
    with pytest.raises(Overstepped):
        await contained(on_a_cancelled_task())
