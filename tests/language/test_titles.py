"""What an entry is called by its kind."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.matcher import Matcher
from language.titles import find_title

KINDS = Matcher(dict.fromkeys(["评审会", "周会", "团建", "kick-off"], True))


@pytest.mark.parametrize(
    ("text", "used", "title"),
    [
        ("把明天的产品评审会推迟到后天", (), "产品评审会"),
        ("下周一的周会", (), "周会"),
        ("安排一个产品评审会", (), "产品评审会"),
        ("看看产品评审会几点", ((0, 2),), "产品评审会"),
        ("团建改期到12月20号", (), "团建"),
        ("move the kick-off to Friday", (), "kick-off"),
        ("开会", (), None),
        ("", (), None),
    ],
)
def test_the_title_ends_with_its_kind(text: str, used: tuple[tuple[int, int], ...], title: str | None) -> None:
    span = find_title(text, KINDS, used)
    assert (text[slice(*span)] if span else None) == title


@given(st.text(max_size=60))
def test_no_text_is_beyond_it(text: str) -> None:
    span = find_title(text + "周会", KINDS, ())
    assert span is not None
    assert 0 <= span[0] < span[1] <= len(text) + 2
