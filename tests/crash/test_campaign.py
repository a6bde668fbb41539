"""A handful of the kills of `make test-crash`."""

import random
from pathlib import Path

import pytest

from checkpoints.embedded import EmbeddedPostgres
from tests.crash.campaign import Campaign, Plan
from tests.crash.servers import Nursery
from tests.crash.setting import setting


@pytest.mark.timeout(180)
async def test_killed_servers_lose_nothing_and_do_nothing_twice(
    postgres: EmbeddedPostgres, nursery: Nursery, tmp_path: Path
) -> None:
    plan = Plan(servers=2, trials=5, threads=6, turns=8, cold=False)
    async with setting(postgres, nursery, "killed", tmp_path, slow_s=0.06) as around:
        report = await Campaign(plan, around, random.Random(1)).run()
    assert report.verdict.problems == []
    assert report.verdict.is_clean
    assert report.trials >= plan.trials
    assert report.hit >= report.trials
    assert report.verdict.effects > 0
