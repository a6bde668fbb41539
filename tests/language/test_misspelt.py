"""Latin words that are misspelt are mended where it is plain what they were to be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.misspelt import mend
from language.normalise import normalise

KNOWN = frozenset({"orders", "order", "alert", "alerts", "courses", "meeting", "meetings", "trial", "trail"})


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("show me ordres", "show me orders"),
        ("查一下Odrer", "查一下order"),
        ("unresolved alrets today", "unresolved alerts today"),
        ("orderrs and coruses", "orders and courses"),
        ("any meetigns?", "any meetings?"),
        ("orders", "orders"),
        ("the trial", "the trial"),
        ("xodrer", "xodrer"),
        ("roders", "roders"),
        ("odre", "odre"),
        ("查订单", "查订单"),
        ("find Odrer", "find Odrer"),
        ("Odrer of today. Alrets", "order of today. alerts"),
    ],
)
def test_letters_in_the_wrong_order_and_one_too_many_are_mended(text: str, mended: str) -> None:
    assert mend(normalise(text), KNOWN).text == mended


def test_what_was_typed_can_still_be_told() -> None:
    text = mend(normalise("a note: ordres of Ａlice"), KNOWN)
    start = text.text.index("orders")
    assert text.original(start, start + 6) == "ordres"
    assert text.original(start + 7, len(text.text)) == "of Ａlice"


@given(st.text(max_size=80))
def test_no_text_is_beyond_it_and_once_is_enough(raw: str) -> None:
    once = mend(normalise(raw), KNOWN)
    assert mend(once, KNOWN).text == once.text
