"""When two values are the same."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.sameness import plain, same


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        (3, "3"), (3.0, 3), ("１２", "12"), (True, "true"), (False, "false"), ("9:30", "09:30:00"), ("16:00", "16:00"),
        (["1", "2"], [2, 1]), ("1", [1]), ({"start": "2026-11-01"}, {"start": "2026-11-01", "name": "month"}),
        ("launch rehearsal", "Launch  rehearsal."), ("给快递打电话", "给快递打电话。"), (None, None), ("--", "--"),
    ],
)  # fmt: skip
def test_values_that_mean_the_same(expected: Any, got: Any) -> None:
    assert same(expected, got)


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        (3, 4), (3, None), (None, 3), (True, "false"), ("16:00", "16:30"), (["1"], ["1", "2"]), ([], ["1"]),
        ({"start": "2026-11-01", "end": "2026-11-30"}, {"start": "2026-11-01"}), ({"start": "x"}, "x"), ("--", "..."),
        ("1.5", "15"),
    ],
)  # fmt: skip
def test_values_that_do_not(expected: Any, got: Any) -> None:
    assert not same(expected, got)


@given(st.text())
def test_every_text_is_the_same_as_itself(text: str) -> None:
    assert same(text, text)
    assert plain(text) == plain(text)
