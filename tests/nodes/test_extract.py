"""What requests take from a sentence and from a model, and what they still have to ask for."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from config.catalogue import Catalogue
from language.normalise import normalise
from nodes.classify import schema
from nodes.extract import carried_slots, with_entities
from nodes.reading import Rules, read, reader_of
from nodes.routing import by_keywords
from nodes.state import Request

NOW = datetime(2026, 11, 30, 10, 0, tzinfo=ZoneInfo("Asia/Shanghai"))


@pytest.fixture(scope="module")
def rules(catalogue: Catalogue) -> Rules:
    return Rules(catalogue=catalogue, reader=reader_of(catalogue), now=NOW, allowed=frozenset(catalogue.intents))


def requests(text: str, rules: Rules, **remembered: Any) -> list[Request]:
    reading = read(text, remembered, rules.catalogue)
    return with_entities(by_keywords(reading, rules).requests, reading.text, {}, rules)


@pytest.mark.parametrize(
    ("text", "waits_for"),
    [
        ("查他的订单", ["person"]),
        ("his orders", ["person"]),
        ("该客户的评价", ["person"]),
        ("这个订单到哪了", ["order_no"]),
        ("把这个订单改成已发货", ["order_no"]),
        ("2月30日的订单", ["period"]),
        ("除了已取消的订单", ["order_status"]),
    ],
)
def test_what_a_request_points_to_without_saying_it_is_asked_for(rules: Rules, text: str, waits_for: list[str]) -> None:
    assert [r.get("unresolved") for r in requests(text, rules)] == [waits_for]


@pytest.mark.parametrize(
    "text",
    ["我的订单", "其他订单", "张三和他的订单", "这个订单20261130001到哪了", "查用户和他们的订单", "this month's orders",
     "how many orders is it", "看看他的日程"],
)  # fmt: skip
def test_nothing_is_asked_where_all_is_said_or_nothing_could_be_filled(rules: Rules, text: str) -> None:
    assert not any("unresolved" in request for request in requests(text, rules))


def test_a_pronoun_with_somebody_spoken_of_waits_for_nobody(rules: Rules) -> None:
    (request,) = requests("查他的订单", rules, person="李四")
    assert request["entities"]["person"] == "李四"
    assert "unresolved" not in request


@pytest.mark.parametrize(
    ("said", "limit"),
    [(3, 3), ("3", 3), ("三", 3), (True, None), (2.5, None), (-1, None), (0, None), ("many", None), ([3], None)],
)
def test_a_models_count_is_a_whole_number(rules: Rules, said: object, limit: int | None) -> None:
    assert carried_slots({"limit": said}, normalise("前三个"), rules).get("limit") == limit


def test_a_model_may_say_how_many(catalogue: Catalogue) -> None:
    slots = schema(["order"], catalogue)["parameters"]["properties"]["slots"]["properties"]
    assert slots["limit"]["type"] == "integer"
