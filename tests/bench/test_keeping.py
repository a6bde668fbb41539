"""What is compared is the same turn, kept in different ways."""

import random

import pytest

from bench import seven
from bench.costs import Cost, cost
from bench.growth import growth
from bench.keeping import Kept, kept, shown
from bench.measure import Sample, Size, compare
from bench.savers import SAVERS, Subject, contenders
from bench.whole import commits, desk_with_a_vault
from checkpoints.database import Pool
from checkpoints.embedded import EmbeddedPostgres
from tests.graphs.process import Process

SEVEN = Subject(build=seven.build, given=seven.given)


def test_ratios_are_over_the_stock_saver_in_async() -> None:
    samples = {
        "stock async": Sample(seconds=[0.02, 0.02], wall_s=0.04),
        "ours": Sample(seconds=[0.01, 0.01], wall_s=0.01),
    }
    rows = kept(samples, "seven steps", "fast", 1)
    assert [(row.saver, row.per_second, row.p50_ms, row.ratio) for row in rows] == [
        ("stock async", 50.0, 20.0, 1.0),
        ("ours", 200.0, 10.0, 4.0),
    ]
    table = shown({"speed": rows})
    assert len({len(line) for line in table.splitlines()}) == 1
    assert "x of stock async" in table


async def test_every_saver_plays_the_same_turn(postgres: EmbeddedPostgres) -> None:
    async with contenders(postgres, SEVEN, slow_disk=True) as found:
        size = Size(at_once=2, turns=2, batches=1, limit_s=30)
        samples = await compare([each.layer for each in found], "", size, random.Random(1))
    assert {name: len(sample.seconds) for name, sample in samples.items()} == dict.fromkeys(SAVERS, 2)


@pytest.fixture(scope="module")
async def costs(postgres: EmbeddedPostgres) -> dict[str, Cost]:
    return {name: await cost(postgres, SEVEN, name, 10) for name in ("stock sync", "ours")}


async def test_a_turn_commits_once_and_keeps_every_row(costs: dict[str, Cost]) -> None:
    ours, stock = costs["ours"], costs["stock sync"]
    assert ours.rows == stock.rows
    assert stock.commits > 15
    assert ours.commits <= 2.5


async def test_a_whole_turn_commits_twice_and_once_more_for_each_effect(postgres: EmbeddedPostgres) -> None:
    async with desk_with_a_vault(postgres, "bench_whole") as (runner, pool):
        found = await commits(runner, pool, 10)
    for row in found:
        assert row.commits <= 2.5 + row.effects, row


async def test_a_growing_thread_is_measured_in_time_and_bytes(pool: Pool) -> None:
    async with Process(pool) as one:
        rows = await growth(one.runner, pool, "hello", around=(10, 20))
    assert [(row.at, row.x_ms > 0, row.kb > 1) for row in rows] == [(10, True, True), (20, True, True)]
    assert (rows[0].x_ms, rows[0].x_kb) == (1.0, 1.0)


def test_a_row_shows_all_of_its_columns() -> None:
    row = Kept(graph="desk", disk="fast", at_once=1, saver="ours", turns=3, per_second=1.5, p50_ms=2.5, ratio=1.0)
    assert "| desk  | fast |       1 | ours  |     3 |" in shown({"speed": [row]})
