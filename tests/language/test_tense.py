"""Whether a text looks back or ahead."""

import pytest

from language.tense import tense


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("周五的订单", "past"),
        ("卖了多少", "past"),
        ("orders on Friday", "past"),
        ("周五开会", "future"),
        ("提醒我周五统计订单", "future"),
        ("what is due on Friday", "future"),
        ("周五", "open"),
        ("", "open"),
    ],
)
def test_nouns_tell_where_a_text_looks(text: str, expected: str) -> None:
    assert tense(text) == expected
