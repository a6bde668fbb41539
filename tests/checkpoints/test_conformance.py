"""LangGraph's published conformance tests for savers, outside a turn, and inside one in both extremes."""

from collections.abc import AsyncGenerator, Sequence
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.capabilities import ALL_CAPABILITIES

from checkpoints.database import Pool
from checkpoints.saver import TurnSaver


class FlushingSaver(TurnSaver):
    """Commits after every put."""

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        after = await super().aput(config, checkpoint, metadata, new_versions)
        await self.flush()
        return after

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        await super().aput_writes(config, writes, task_id, task_path)
        await self.flush()


async def _empty(pool: Pool) -> None:
    async with pool.connection() as connection:
        await connection.execute("TRUNCATE checkpoints, checkpoint_blobs, checkpoint_writes")


@pytest.mark.parametrize("place", ["outside a turn", "in a turn, flushed", "in a turn, unflushed"])
@pytest.mark.parametrize("capability", sorted(capability.value for capability in ALL_CAPABILITIES))
async def test_every_capability_passes(pool: Pool, place: str, capability: str) -> None:
    @checkpointer_test(name=place)
    async def factory() -> AsyncGenerator[BaseCheckpointSaver[str], None]:
        await _empty(pool)
        if place == "outside a turn":
            yield TurnSaver(pool)
            return
        saver = FlushingSaver(pool) if place == "in a turn, flushed" else TurnSaver(pool)
        async with saver.turn(every_s=None):
            yield saver

    report = await validate(factory, capabilities={capability})
    result = report.results[capability]
    assert result.detected
    assert result.failures == []
    assert result.tests_passed >= 5
