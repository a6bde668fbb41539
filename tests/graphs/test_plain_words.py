"""What counts as a yes or a no, and what does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.plain_words import PlainWords

WORDS = PlainWords(
    approvals=("确认", "好的", "可以", "yes", "ok", "go ahead"),
    rejections=("取消", "不", "不要", "不行", "no", "cancel", "don't"),
    particles=("的", "吧", "了", "啊", "嗯", "吗", "呢", "please"),
)


@pytest.mark.parametrize(
    "message",
    [
        "确认",
        "好的！",
        " 好的。 ",
        "ＯＫ",
        "Yes.",
        "确认吧",
        "嗯，好的",
        "yes please",
        "好的👌",
        "Go  ahead!",
        "確認",
        "好的，确认",
    ],
)
def test_a_yes_is_a_yes_whatever_surrounds_it(message: str) -> None:
    assert WORDS.read(message) == "approve"


@pytest.mark.parametrize(
    "message",
    [
        "取消",
        "不",
        "不要了",
        "No!",
        "cancel please",
        "no, cancel",
        "取消吗？",
        "好吧取消",
        "还是取消吧",
        "還是取消",
        "no, don't",
        "no don’t",
    ],
)
def test_a_no_is_a_no_whatever_surrounds_it(message: str) -> None:
    assert WORDS.read(message) == "reject"


@pytest.mark.parametrize(
    "message",
    [
        "",
        "。",
        "好的，取消",
        "确认吗",
        "可以吗？",
        "ok?",
        "确认订单",
        "确认取消",
        "行不行",
        "不取消",
        "不确认",
        "查一下今天的订单",
        "yes and show the orders",
        "嗯",
        "okay",
        "好" * 50,
    ],
)
def test_anything_else_is_neither(message: str) -> None:
    assert WORDS.read(message) is None


@given(st.text())
def test_no_text_breaks_it(message: str) -> None:
    assert WORDS.read(message) in {None, "approve", "reject"}
