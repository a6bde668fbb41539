"""What is exported carries nobody's details, and what is merged is labelled and new."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from checkpoints.finished import Finished
from errors import ConfigurationError
from evals.cases import Case, as_line
from evals.labelling import line_of, merge
from tests.evals.conftest import ORDER, case, lines

AT = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)


def turn(message: str, **more: Any) -> Finished:
    result = {"agent": "business", "intents": ["order"], "entities": {}, "tool_calls": [], "decisions": [], **more}
    return Finished(
        run_id=uuid4(), thread_id=uuid4(), created_at=AT, context={"time_zone": "Asia/Shanghai"}, message=message,
        transcript={"locale": "zh", "degraded": more.get("degraded", [])}, result=result,
        verdict=more.get("verdict"), comment=more.get("comment"),
    )  # fmt: skip


def test_names_numbers_and_addresses_become_made_up_ones_of_the_same_kind() -> None:
    asked = turn(
        "查韩梅梅的订单，电话13912345678，邮箱han.mm@mail.test，身份证11010119900307123X，密码是hunter2",
        entities={"person": "韩梅梅", "phone": "13912345678"},
        requests=[{"agent": "business", "intent": "order", "entities": {"person": "韩梅梅"}}],
        tool_calls=[{"tool": "list_orders", "arguments": {"customer": "韩梅梅", "limit": None}}],
    )
    later = turn("韩梅梅的评价呢")
    line = line_of([asked, later])
    said = str(line)
    for secret in ("韩梅梅", "13912345678", "han.mm", "110101", "hunter2"):
        assert secret not in said
    first, second = line["turns"]
    assert first["expect"]["entities"] == {"person": "安小宁", "phone": "13800000000"}
    assert first["expect"]["calls"] == [{"tool": "list_orders", "arguments": {"customer": "安小宁"}}]
    assert "安小宁" in first["say"]
    assert second["say"] == "安小宁的评价呢"


def test_order_numbers_stay_and_a_range_is_its_days() -> None:
    week = {"name": "lastWeek", "start": "2026-11-23", "end": "2026-11-29"}
    line = line_of([turn("上周的订单20261130001", entities={"period": week, "limit": None})])
    assert line["turns"][0]["say"] == "上周的订单20261130001"
    assert line["turns"][0]["expect"]["entities"] == {"period": {"start": "2026-11-23", "end": "2026-11-29"}}
    assert line["clock"] == "2026-11-30T10:00:00+08:00"


def test_a_line_says_why_it_is_worth_a_look() -> None:
    unsure = {"level": "route", "value": "business", "source": "similarity", "confidence": 0.41, "reason": "like"}
    told = turn("x", decisions=[unsure], degraded=["classify: timeout"], verdict="down", comment="13912345678 不对")
    assert line_of([told])["why"] == [
        "lowest confidence 0.41",
        "decided by similarity",
        "degraded: classify: timeout",
        "thumbs down: 13800000000 不对",
    ]


def test_a_line_becomes_a_case_when_it_is_labelled(tmp_path: Path) -> None:
    line = line_of([turn("查一下上周的订单", question={"slot": "order_no"})])
    unlabelled = merge((), (), lines(tmp_path / "a.jsonl", line))
    assert (unlabelled.added, unlabelled.unlabelled) == (0, 1)
    merged = merge((), (), lines(tmp_path / "b.jsonl", {**line, "labelled": True}))
    (made,) = merged.cases
    assert (merged.added, made.kind, made.turns[0].expect.question) == (1, "production", "order_no")
    assert Case.model_validate_json(as_line(made)) == made


def test_what_is_there_already_in_either_half_is_left_out(tmp_path: Path) -> None:
    ours, theirs = case({"say": "查 一下订单"}, id="w-1"), case({"say": "Show orders"}, id="m-1")
    rows = [
        {"id": f"p-{n}", "locale": "zh", "kind": "k", "turns": [{"say": say, "expect": ORDER}], "labelled": True}
        for n, say in enumerate(["查一下订单", "show ORDERS", "新的一句", "新的一句"])
    ]
    merged = merge([ours], [theirs], lines(tmp_path / "f.jsonl", *rows))
    assert (merged.added, merged.twice, [one.id for one in merged.cases]) == (1, 3, ["w-1", "p-2"])


def test_an_id_that_is_taken_gets_a_number(tmp_path: Path) -> None:
    row = {"id": "w-1", "locale": "zh", "kind": "k", "turns": [{"say": "新", "expect": ORDER}], "labelled": True}
    merged = merge([case({"say": "旧"}, id="w-1")], (), lines(tmp_path / "f.jsonl", row))
    assert [one.id for one in merged.cases] == ["w-1", "w-1-2"]


@pytest.mark.parametrize("row", ["{", {"labelled": True, "id": "a"}])
def test_a_line_that_is_wrong_is_named_and_nothing_is_merged(tmp_path: Path, row: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"f\.jsonl:1"):
        merge((), (), lines(tmp_path / "f.jsonl", row))
    with pytest.raises(ConfigurationError, match=r"none\.jsonl"):
        merge((), (), tmp_path / "none.jsonl")
