"""A small version of the load of `make test-crash`."""

import random
from pathlib import Path

import pytest

from checkpoints.embedded import EmbeddedPostgres
from tests.crash.servers import Nursery
from tests.crash.setting import USUAL, setting
from tests.load.load import load


@pytest.mark.timeout(120)
async def test_threads_that_ask_at_once_are_each_answered_in_order(
    postgres: EmbeddedPostgres, nursery: Nursery, tmp_path: Path
) -> None:
    async with setting(postgres, nursery, "loaded", tmp_path, leases=USUAL, slow_s=0.02) as around:
        report = await load(around, servers=2, threads=10, turns=6, chance=random.Random(1))
    assert report.verdict.problems == []
    assert report.verdict.is_clean
    assert report.verdict.turns == 60
