"""Numbers in a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.normalise import normalise
from language.numbers import find_numbers, parse_int


@pytest.mark.parametrize(
    ("raw", "values"),
    [
        ("买了三千二百本书", [3200]),
        ("一共 1,200 元", [1200]),
        ("１２个苹果和３个梨", [12, 3]),
        ("大约二十几万人", [200_000]),
        ("三百多个", [300]),
        ("两万 五千", [25000]),
        ("第三名和第十名", [3, 10]),
        ("零下5度不是-5度", [5, -5]),
        ("负三百", [-300]),
        ("2.5万", [25000]),
        ("温度是三点五", [3.5]),
        ("30k", [30000]),
        ("3e4", [30000]),
        ("三打鸡蛋", [36]),
        ("打三折", []),
        ("四分之三", [0.75]),
        ("3/4", [0.75]),
        ("一又二分之一", [1.5]),
        ("百分之二十", [20]),
        ("涨了5%", []),
        ("版本1.2.3", [1, 2, 3]),
        ("twenty-five orders and 3 users", [25, 3]),
        ("二、三、四", [2, 3, 4]),
    ],
)
def test_numbers_are_found(raw: str, values: list[float]) -> None:
    assert [found.value for found in find_numbers(normalise(raw).text)] == values


@pytest.mark.parametrize(
    "raw",
    [
        "查一下订单",
        "收拾一下",
        "大陆队伍",
        "四川和三亚",
        "千万别动",
        "万一",
        "百度",
        "统一",
        "一样的",
        "他是唯一的",
        "八折",
        "五角大楼",
    ],
)
def test_numerals_inside_words_count_nothing(raw: str) -> None:
    assert find_numbers(normalise(raw).text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3), ("３", 3), ("三", 3), ("十二", 12), ("1,000", 1000), ("two", 2), ("twenty-five", 25),
        ("一百万", 10**6), ("-1", -1),
        ("负三", -3), (" 7 ", 7), ("2.0", 2), ("5条", 5), ("三个", 3), ("+4", 4), ("", None), ("2.5", None),
        ("true", None), ("abc", None),
        ("3 or 4", None), ("1e999", None), ("9" * 50, None), ("--1", None),
    ],
)  # fmt: skip
def test_a_text_is_one_whole_number_or_none(text: str, value: int | None) -> None:
    assert parse_int(text) == value


@given(st.integers(-(10**9), 10**9))
def test_any_whole_number_parses(value: int) -> None:
    assert parse_int(str(value)) == parse_int(f"{value:,}") == value


@given(st.text())
def test_any_text_can_be_parsed(text: str) -> None:
    parse_int(text)
    for found in find_numbers(text):
        assert text[found.start : found.end] == found.text
