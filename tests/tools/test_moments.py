"""Times of day as models write them."""

import pytest

from tests.tools.samples import NOW
from tools.moments import to_time


@pytest.mark.parametrize(
    ("given", "is_read_as"),
    [
        ("15:00", "15:00"), ("9:05", "09:05"), ("15:00:30", "15:00:30"), ("１５:００", "15:00"), ("下午三点", "15:00"),
        ("3pm", "15:00"), ("25:00", None), ("soon", None), ("下午三点开会", None), ("", None), ("1" * 200, None),
    ],
)  # fmt: skip
def test_times(given: str, is_read_as: str | None) -> None:
    assert to_time(given, NOW) == is_read_as
