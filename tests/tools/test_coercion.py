"""Arguments as models write them: what is understood, and what is refused with a sentence for the planner."""

import json
import math
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tools.samples import NOW, search, set_status
from tools.coercion import Coerced, coerce
from tools.tool import Locale, Tool

SQL = "'; DROP TABLE orders; --"


def read(tool: Tool = search, locale: Locale = "en", /, **arguments: Any) -> Coerced:
    return coerce(tool, arguments, now=NOW, locale=locale)


def value(name: str, given: Any) -> Any:
    """The value as read; a list of problems if it was refused."""
    coerced = coerce(search, {name: given}, now=NOW, locale="en")
    if coerced.values is None:
        return list(coerced.problems)
    assert not coerced.problems
    return coerced.arguments.get(name)


def refused(name: str, given: Any) -> bool:
    found = value(name, given)
    return isinstance(found, list) and bool(found) and all(isinstance(one, str) for one in found)


@pytest.mark.parametrize(
    "key", ["order_no", "orderNo", "OrderNo", "order-no", "ORDER_NO", "Order No", "ｏrder_no", "编号", "Number"]
)
def test_names_are_known_in_any_style_and_by_alias(key: str) -> None:
    assert coerce(search, {key: "1"}, now=NOW, locale="en").arguments == {"order_no": "1"}


def test_one_argument_given_under_two_names_must_agree() -> None:
    assert read(order_no="1", orderNo="1").arguments == {"order_no": "1"}
    assert read(order_no="1", orderNo=None).arguments == {"order_no": "1"}
    assert read(order_no="1", orderNo="2").problems == ("order_no: given twice with different values",)


@pytest.mark.parametrize(
    ("given", "is_read_as"),
    [
        (3, 3), ("3", 3), (" 3 ", 3), ("３", 3), ("三", 3), ("十二", 12), ("two", 2), (3.0, 3), ("3.0", 3),
        ("1e1", None), ([3], 3), ([["3"]], None), ("+7", 7), (100_000, 100), ("100,000", 100), ("１，０００", 100),
        (10**30, 100), (1e300, 100), (True, None), (False, None), ("true", None), (2.5, None), ("2.5", None),
        (-1, None), (0, None), ("-1", None), (math.nan, None), (math.inf, None), ("NaN", None), ("Infinity", None),
        ([3, 4], None), ({"n": 3}, None), ("some", None), (10**50, None), ("1,0", None), ("0x10", None),
        ("1_000", None),
    ],
)  # fmt: skip
def test_whole_numbers(given: Any, is_read_as: int | None) -> None:
    assert refused("limit", given) if is_read_as is None else value("limit", given) == is_read_as


@pytest.mark.parametrize(
    ("given", "is_read_as"),
    [
        (9.5, 9.5), ("9.5", 9.5), (9, 9.0), ("９．５", 9.5), ("1,000.5", 1000.5), (".5", 0.5), ("三", 3.0),
        (True, None), ("1e999", None), (math.inf, None), (-math.inf, None), (math.nan, None), (".", None),
        ("e5", None), ("nan", None),
    ],
)  # fmt: skip
def test_real_numbers(given: Any, is_read_as: float | None) -> None:
    assert refused("price", given) if is_read_as is None else value("price", given) == is_read_as


@pytest.mark.parametrize(
    ("given", "is_read_as"),
    [
        ("9.50", "9.50"),
        (9.5, "9.5"),
        ("１,000", "1000"),
        (True, None),
        ("Infinity", None),
        ("sNaN", None),
        ("x", None),
        ("1e50", None),
    ],
)
def test_decimals(given: Any, is_read_as: str | None) -> None:
    assert refused("amount", given) if is_read_as is None else value("amount", given) == is_read_as


@pytest.mark.parametrize(
    ("given", "is_read_as"),
    [
        (True, True), ("false", False), ("YES", True), ("否", False), ("是", True), (1, True), (0, False), (2, None),
        ("maybe", None), (0.5, None), ({}, None),
    ],
)  # fmt: skip
def test_truths(given: Any, is_read_as: bool | None) -> None:
    assert refused("paid", given) if is_read_as is None else value("paid", given) is is_read_as


@pytest.mark.parametrize(
    ("given", "is_read_as"),
    [
        ("shipped", "shipped"), ("SHIPPED", "shipped"), ("To_Ship", "to_ship"), ("toShip", "to_ship"),
        ("to ship", "to_ship"), ("已发货", "shipped"), (" 待发货 ", "to_ship"), ("Waiting", "to_ship"),
        (["shipped"], "shipped"), ("sent", None), (1, None), (True, None), (["shipped", "to_ship"], None),
    ],
)  # fmt: skip
def test_members_of_an_enum(given: Any, is_read_as: str | None) -> None:
    assert refused("status", given) if is_read_as is None else value("status", given) == is_read_as


def test_members_of_a_literal_and_what_the_choices_are() -> None:
    assert value("order", "Newest") == "newest"
    assert value("order", "best") == ["order: must be one of newest, oldest"]


@pytest.mark.parametrize(
    ("given", "is_read_as"),
    [
        ("2026-11-30", "2026-11-30"), ("2026/11/30", "2026-11-30"), ("2026.1.5", "2026-01-05"),
        ("20261130", "2026-11-30"), (20261130, "2026-11-30"), ("2026年11月30日", "2026-11-30"),
        ("2026年1月5日", "2026-01-05"), ("２０２６-１１-３０", "2026-11-30"),
        ("2026-11-30T08:00:00+08:00", "2026-11-30"), ("2026-11-30 08:00", "2026-11-30"), ("today", "2026-11-30"),
        ("今天", "2026-11-30"), (" Today ", "2026-11-30"), ("昨天", "2026-11-29"), ("本周", None),
        ("2026-02-30", None), ("0000-01-01", None), ("20261399", None), (True, None), (1.5, None), ("soon", None),
        ("2026", None), ("2026-11-30T99:00", None),
    ],
)  # fmt: skip
def test_days(given: Any, is_read_as: str | None) -> None:
    assert refused("start_date", given) if is_read_as is None else value("start_date", given) == is_read_as


@pytest.mark.parametrize(
    ("given", "is_read_as"),
    [
        ("2026-11-30T08:00:00+08:00", "2026-11-30T08:00:00+08:00"), ("2026-11-30 08:00", "2026-11-30T08:00:00+08:00"),
        ("2026-11-30", "2026-11-30T00:00:00+08:00"), ("today", "2026-11-30T00:00:00+08:00"), ("once", None),
        (True, None),
    ],
)  # fmt: skip
def test_dates_with_a_time(given: Any, is_read_as: str | None) -> None:
    assert refused("moment", given) if is_read_as is None else value("moment", given) == is_read_as


@pytest.mark.parametrize(
    ("given", "is_read_as"),
    [
        ("  20261130001\u3000", "20261130001"), (20261130001, "20261130001"), (20261130001.0, "20261130001"),
        ("２０２６", "2026"), (["20261130001"], "20261130001"), ("张三，你好", "张三，你好"), (SQL, SQL),
        ("a\0b", None), (True, None), (1.5, None), ({"a": 1}, None), (["1", "2"], None),
    ],
)  # fmt: skip
def test_texts(given: Any, is_read_as: str | None) -> None:
    assert refused("order_no", given) if is_read_as is None else value("order_no", given) == is_read_as


def test_what_is_too_long_or_cannot_be_stored_is_refused() -> None:
    assert value("order_no", "x" * 4_000) == "x" * 4_000
    assert value("order_no", "x" * 4_001) == ["order_no: too long, at most 4000"]
    assert value("order_no", "\ud800") == ["order_no: holds characters that are not allowed"]
    assert refused("limit", 10**5_000)
    assert refused("limit", "9" * 3_000)
    assert refused("start_date", "1" * 300)


@pytest.mark.parametrize("given", [None, "", "  ", "\u200b\u3000", [], [""], [None]])
def test_null_and_blank_are_absent(given: Any) -> None:
    coerced = read(limit=given, status=given, order_no=given)
    assert coerced.values is not None
    assert coerced.arguments == {}
    assert read(set_status, order_no=given, status="shipped").missing == ("order_no",)


def test_what_is_missing_is_named_once_and_makes_no_problem() -> None:
    coerced = read(set_status)
    assert (coerced.values, coerced.missing, coerced.problems) == (None, ("order_no", "status"), ())


def test_lists_take_one_value_and_each_element_is_read() -> None:
    assert value("tags", [1, "2", "三"]) == [1, 2, 3]
    assert value("tags", "7") == [7]
    assert refused("tags", [1, True])
    assert refused("tags", list(range(1_001)))


def test_nested_values_are_validated_and_cleaned() -> None:
    assert value("lines", [{"sku": " a ", "count": 1}]) == [{"sku": "a", "count": 1}]
    assert refused("lines", [{"sku": "a", "count": True}])
    assert refused("lines", [{"sku": "a", "count": 0}])
    assert refused("lines", [{"sku": "\ud800", "count": 1}])
    deep: Any = "x"
    for _ in range(5_000):
        deep = [deep]
    assert refused("lines", deep)
    assert refused("order_no", deep)


def test_a_constraint_of_the_type_refuses_where_nothing_clamps() -> None:
    assert value("floor", "-5") == -5
    assert value("floor", 51) == ["floor: not a fitting value (floor, e.g. 3)"]


def test_strange_arguments_are_refused_unless_null() -> None:
    assert read(limit=3, verbose=None).arguments == {"limit": 3}
    problem = read(limit=3, verbose=True).problems[0]
    assert "'verbose'" in problem
    assert "order_no, limit" in problem
    assert refused("\ud800" * 500, 1)


def test_problems_come_in_the_callers_language_all_at_once() -> None:
    coerced = read(search, "zh", limit=True, status="gone")
    assert coerced.problems == ("limit：须为整数，例如 5", "status：须为以下之一：待发货、已发货")


def test_the_validated_model_has_defaults_and_python_types() -> None:
    values = read(status="已发货", start_date="today").values
    assert values is not None
    assert values.model_dump()["limit"] == 10
    assert values.model_dump()["start_date"] == NOW.date()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(alphabet=st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)
names = st.sampled_from([*search.args, "orderNo", "other", ""])


@given(st.dictionaries(names, json_values, max_size=5))
def test_whatever_comes_either_fits_or_is_explained(arguments: Mapping[str, Any]) -> None:
    coerced = coerce(search, arguments, now=NOW, locale="zh")
    assert (coerced.values is not None) == (not coerced.problems)
    json.dumps(coerced.arguments, allow_nan=False, ensure_ascii=False).encode()
    for problem in coerced.problems:
        problem.encode()
    if coerced.values is not None:
        again = coerce(search, coerced.arguments, now=NOW, locale="zh")
        assert again.arguments == coerced.arguments


@given(st.integers(min_value=1, max_value=100), st.sampled_from(["{}", " {} ", "{}.0", "+{}"]), st.booleans())
def test_a_count_is_the_same_in_every_spelling(count: int, spelling: str, wide: bool) -> None:
    text = spelling.format(count)
    text = text.translate({code: code + 0xFEE0 for code in range(0x21, 0x7F)}) if wide else text
    assert value("limit", text) == count


@given(st.integers())
def test_a_count_is_never_passed_on_out_of_its_bounds(count: int) -> None:
    found = value("limit", count)
    assert refused("limit", count) if count < 1 else found == min(count, 100)


@given(st.dates(), st.sampled_from(["%Y-%m-%d", "%Y/%m/%d", "%Y%m%d", "%Y年%m月%d日"]))
def test_a_day_is_the_same_in_every_spelling(day: Any, spelling: str) -> None:
    text = spelling.replace("%Y", f"{day.year:04}").replace("%m", f"{day.month:02}").replace("%d", f"{day.day:02}")
    assert value("start_date", text) == day.isoformat()
