"""Which of several numbered choices an answer names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.choices import parse_choice


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("2", 1), ("2.", 1), ("第二个", 1), ("二", 1), ("选2", 1), ("我选第三个", 2), ("第一条吧", 0), ("两", 1),
        ("选项1", 0), ("1号", 0), ("最后一个", 2), ("the second one", 1), ("first", 0), ("Option 3", 2),
        ("number two", 1), ("the last one", 2), ("3rd", 2), ("two, please", 1), ("I mean the first one", 0), ("#2", 1),
    ],
)  # fmt: skip
def test_a_choice_is_read(text: str, index: int) -> None:
    assert parse_choice(text, 3) == index


@pytest.mark.parametrize(
    "text",
    [
        "4",
        "0",
        "第四个",
        "20",
        "查订单",
        "2个订单",
        "two orders",
        "",
        "第",
        "都不是",
        "none",
        "last week",
        "一下",
    ],
)
def test_anything_else_is_none(text: str) -> None:
    assert parse_choice(text, 3) is None


@given(st.text(max_size=60), st.integers(min_value=0, max_value=12))
def test_no_text_is_beyond_it(text: str, count: int) -> None:
    found = parse_choice(text, count)
    assert found is None or 0 <= found < count
