"""Bounds of money, and what is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.amounts import find_amounts
from language.normalise import normalise


@pytest.mark.parametrize(
    ("raw", "bounds"),
    [
        ("金额超过500的订单", {"min": 500}),
        ("500元以上的订单", {"min": 500}),
        ("大于１０００块的", {"min": 1000}),
        ("不到一百元的订单", {"max": 100}),
        ("金额不超过300", {"max": 300}),
        ("100到200元之间的订单", {"min": 100, "max": 200}),
        ("金额在100-200之间", {"min": 100, "max": 200}),
        ("1万元以上", {"min": 10000}),
        ("至少五百块", {"min": 500}),
        ("orders over 500 yuan", {"min": 500}),
        ("orders above ¥300", {"min": 300}),
        ("orders under 99.5 yuan", {"max": 99.5}),
        ("between 100 and 200 yuan", {"min": 100, "max": 200}),
        ("amount of 300 or more", {"min": 300}),
        ("with a total below 80", {"max": 80}),
    ],
)
def test_bounds_of_money(raw: str, bounds: dict[str, float]) -> None:
    assert [found.value for found in find_amounts(normalise(raw).text)] == [bounds]


@pytest.mark.parametrize(
    "raw",
    [
        "超过3天的订单",
        "最多5条",
        "at most 4 rows",
        "发500张20元的券",
        "more than 3 orders",
        "20元的优惠券",
        "订单20261130001",
        "第500个",
        "up to 10",
        "5月到6月",
    ],
)
def test_what_is_no_bound_of_money(raw: str) -> None:
    assert find_amounts(normalise(raw).text) == []


@given(st.text(max_size=80) | st.text(alphabet="0123456789元超过到至金额 以上下.", max_size=60))
def test_no_text_is_beyond_it(raw: str) -> None:
    text = normalise(raw).text
    for found in find_amounts(text):
        assert text[found.start : found.end] == found.text
        assert found.value.get("min", 0) <= found.value.get("max", float("inf"))
