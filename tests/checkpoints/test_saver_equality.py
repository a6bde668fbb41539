"""The same turns through LangGraph's own saver and ours leave the same history, step by step."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

from checkpoints.database import Pool
from checkpoints.saver import TurnSaver
from tests.checkpoints.scenario import Scenario, Turn


def _gathered(saver: TurnSaver) -> Turn:
    return lambda: saver.turn(every_s=None)


def _on_a_timer(saver: TurnSaver) -> Turn:
    return lambda: saver.turn(every_s=0.005)


def _written_through(saver: TurnSaver) -> Turn:
    return nullcontext


@pytest.fixture(scope="module")
async def expected(pool: Pool) -> list[str]:
    stock = Scenario(AsyncPostgresSaver(pool), nullcontext)
    return await stock.record(await stock.play("saver0"))


async def test_the_comparison_itself_is_repeatable(pool: Pool, expected: list[str]) -> None:
    again = Scenario(AsyncPostgresSaver(pool), nullcontext)
    assert await again.record(await again.play("saver1")) == expected
    assert len(expected) > 200


@pytest.mark.parametrize("turn", [_gathered, _on_a_timer, _written_through])
async def test_history_is_equal(pool: Pool, expected: list[str], turn: Callable[[TurnSaver], Turn]) -> None:
    saver = TurnSaver(pool)
    ours = Scenario(saver, turn(saver))
    record = await ours.record(await ours.play(f"saver{turn.__name__}"))
    for ours_is, theirs in zip(record, expected, strict=False):
        assert ours_is == theirs
    assert len(record) == len(expected)


class ForgetfulSaver(TurnSaver):
    """Loses what a node wrote, which its checkpoint already shows."""

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        kept = [write for write in writes if write[0].startswith("__")]
        if kept:
            await super().aput_writes(config, kept, task_id, task_path)


async def test_a_saver_that_loses_writes_would_be_found_out(pool: Pool, expected: list[str]) -> None:
    saver = ForgetfulSaver(pool)
    forgetful = Scenario(saver, lambda: saver.turn(every_s=None))
    assert await forgetful.record(await forgetful.play("saver2")) != expected
