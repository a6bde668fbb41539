"""Dates and times that there are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.impossible import find_impossible_dates, find_impossible_times
from tests.language.conftest import ReadText


@pytest.mark.parametrize(
    "text",
    [
        "4月31日", "二月三十号", "2025年2月29日", "2026年14月", "0月3日", "13月2号", "2026-02-30", "2026/13/45",
        "20260231", "June 31", "31st of April", "Feb 29, 2027",
    ],
)  # fmt: skip
def test_a_date_that_no_calendar_has_is_found(text: str) -> None:
    assert [found.value for found in find_impossible_dates(text)] == [text]


@pytest.mark.parametrize(
    "text",
    [
        "2月29日", "2024年2月29日", "12月31号", "十二月", "31号", "2026-12-31", "20261231", "June 30", "3个月5天",
        "版本 2026.1", "May 2026", "20261399001", "订单 2026-13", "1/2",
    ],
)  # fmt: skip
def test_dates_that_there_are_and_other_numbers_are_not(text: str) -> None:
    assert find_impossible_dates(text) == []


@pytest.mark.parametrize(("text", "time"), [("26点开会", "26点"), ("明晚 27:30", "27:30"), ("15pm", "15pm")])
def test_an_hour_that_no_clock_has_is_found(text: str, time: str) -> None:
    assert [found.value for found in find_impossible_times(text)] == [time]


@pytest.mark.parametrize("text", ["24点", "23:59", "12pm", "满意度30点", "25分", "下午3点", "比分 25:18:2"])
def test_hours_that_there_are_and_points_are_not(text: str) -> None:
    assert find_impossible_times(text) == []


@pytest.mark.parametrize(
    ("raw", "impossible"), [("4月31日的订单", "4月31日"), ("2026年14月的订单", "2026年14月"), ("20261345", "20261345")]
)
def test_an_impossible_date_is_reported_and_not_read_as_another(reader: ReadText, raw: str, impossible: str) -> None:
    assert reader(raw).slots == {"impossible": impossible}


def test_an_impossible_time_leaves_the_day(reader: ReadText) -> None:
    slots = reader("明天26点的会议").slots
    assert (slots["impossible"], slots["period"]["name"]) == ("26点", "tomorrow")
    assert "time" not in slots


@given(st.text(alphabet="年月日号点上午 0123456789-/:二三十 may"))
def test_what_is_found_stands_in_the_text(text: str) -> None:
    for found in (*find_impossible_dates(text), *find_impossible_times(text)):
        assert text[found.start : found.end] == found.text
