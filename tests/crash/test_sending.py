"""A handful of the kills of `make test-crash`, of workers while they send coupons."""

import random
from pathlib import Path

import pytest

from checkpoints.embedded import EmbeddedPostgres
from tests.crash.sending import Campaign, Sending
from tests.crash.servers import Nursery
from tests.crash.setting import setting


@pytest.mark.timeout(180)
async def test_killed_workers_send_every_coupon_once(
    postgres: EmbeddedPostgres, nursery: Nursery, tmp_path: Path
) -> None:
    async with setting(postgres, nursery, "sending", tmp_path) as around:
        report = await Sending(Campaign(trials=3, most_s=30), around, random.Random(4)).run()
    assert report.verdict.problems == []
    assert report.verdict.is_clean
    assert report.verdict.effects == 500 * report.verdict.turns > 0
    assert report.trials > 0
    assert report.taken_up >= report.trials
