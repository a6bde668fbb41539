"""Readers of a run: how many they are, when they come and when they leave changes nothing."""

import asyncio
from typing import Any, cast

import pytest

from errors import NotFound, StaleThread
from graphs.run import Run
from graphs.turn_result import TurnResult

RESULT = cast("TurnResult", {"thread_id": "t", "run_id": "r", "status": "completed"})


def told(run: Run) -> list[tuple[int, str]]:
    return [(event.id, event.kind) for event in run._events]


async def everything(run: Run, after: int = 0) -> list[int]:
    seen: list[int] = []
    while events := await run.after(seen[-1] if seen else after, wait_s=5):
        seen += [event.id for event in events]
    return seen


async def test_ids_grow_by_one_and_every_event_names_thread_and_run() -> None:
    run = Run("t", "r")
    run.tell("turn", {})
    run.tell("token", {"content": "hi"})
    run.finish(RESULT)
    assert told(run) == [(1, "turn"), (2, "token"), (3, "result")]
    assert all((event.data["thread_id"], event.data["run_id"]) == ("t", "r") for event in await run.after(0, wait_s=0))


async def test_an_early_a_late_and_a_leaving_reader_do_not_disturb_each_other() -> None:
    run = Run("t", "r")
    early, leaving = asyncio.create_task(everything(run)), asyncio.create_task(everything(run))
    run.tell("turn", {})
    await asyncio.sleep(0)
    leaving.cancel()
    run.tell("token", {})
    await asyncio.sleep(0)
    run.finish(RESULT)
    assert await early == [1, 2, 3]
    assert await everything(run) == [1, 2, 3]
    assert await everything(run, after=2) == [3]
    assert await run.result() == RESULT


async def test_silence_is_told_by_an_empty_answer() -> None:
    run = Run("t", "r")
    assert await run.after(0, wait_s=0.01) == []
    assert not run.over


async def test_a_refusal_reaches_whoever_waits_for_the_start() -> None:
    run = Run("t", "r")
    waiting = asyncio.create_task(run.accepted())
    await asyncio.sleep(0)
    run.fail(NotFound())
    with pytest.raises(NotFound):
        await waiting


async def test_the_first_reason_for_an_end_counts() -> None:
    run = Run("t", "r")
    run.accept()
    waiting = asyncio.create_task(run.result())
    await asyncio.sleep(0)
    run.fail(StaleThread())
    run.fail(NotFound())
    with pytest.raises(StaleThread):
        await waiting
    after: list[Any] = await run.after(0, wait_s=5)
    assert after == []
