"""What the executor adds to a call is measured over the same calls."""

import random
from pathlib import Path

from bench.calls import BARE, Measured, calls, measured, shown
from bench.measure import Sample


def test_ratios_are_over_the_bare_call() -> None:
    samples = {BARE: Sample(seconds=[0.01] * 4, wall_s=0.04), "executor": Sample(seconds=[0.012] * 4, wall_s=0.05)}
    rows = measured("list_orders", 1, samples)
    assert [(row.how, row.p50_ms, row.per_second, row.ratio) for row in rows] == [
        (BARE, 10.0, 100.0, 1.0),
        ("executor", 12.0, 80.0, 1.2),
    ]
    assert "x of bare" in shown({"calls": rows})


async def test_a_reading_call_and_a_writing_one_are_made_in_every_way(tmp_path: Path) -> None:
    found = (await calls(tmp_path, each=2, limit_s=30, chance=random.Random(1)))["calls"]
    assert all(isinstance(row, Measured) for row in found)
    assert {(row.call, row.at_once) for row in found} == {
        ("list_orders", 1), ("list_orders", 20), ("add_todo", 1), ("add_todo", 20),
    }  # fmt: skip
    assert [row.how for row in found if row.call == "add_todo" and row.at_once == 1] == [
        BARE, "executor without ledger", "executor with ledger",
    ]  # fmt: skip
