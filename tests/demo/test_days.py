"""Whole days of a zone as instants."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

from hypothesis import given
from hypothesis import strategies as st

from demo.days import Days, every_day, midnight

ZONES = st.sampled_from(sorted(available_timezones() & {"Asia/Shanghai", "America/New_York", "UTC", "Asia/Kathmandu"}))
DATES = st.dates(min_value=date(1900, 1, 1), max_value=date(2100, 1, 1))


@given(DATES, st.integers(0, 400), ZONES)
def test_an_instant_is_inside_exactly_when_its_day_is(start: date, length: int, name: str) -> None:
    zone = ZoneInfo(name)
    days = Days(zone=zone, start=start, end=start + timedelta(days=length))
    assert days.since is not None
    assert days.before is not None
    for at in (days.since - timedelta(seconds=1), days.since, days.before - timedelta(seconds=1), days.before):
        inside = days.since <= at < days.before
        assert inside == (start <= at.astimezone(zone).date() <= start + timedelta(days=length))


def test_an_open_side_has_no_bound() -> None:
    days = Days(zone=ZoneInfo("UTC"))
    assert days.bounds == {"since": None, "before": None, "start": None, "end": None}


def test_the_last_day_of_the_calendar_is_no_error() -> None:
    assert Days(zone=ZoneInfo("UTC"), end=date.max).before is None


def test_a_day_with_a_change_of_the_clock_has_another_length() -> None:
    zone = ZoneInfo("America/New_York")
    day = Days(zone=zone, start=date(2026, 3, 8), end=date(2026, 3, 8))
    assert day.since is not None
    assert day.before is not None
    assert day.before.timestamp() - day.since.timestamp() == timedelta(hours=23).total_seconds()


@given(DATES, st.integers(-5, 50))
def test_every_day_counts_both_ends(first: date, length: int) -> None:
    days = every_day(first, first + timedelta(days=length))
    assert len(days) == max(length + 1, 0)
    assert days == sorted(set(days))


def test_midnight_is_the_start_of_the_day_there() -> None:
    assert midnight(date(2026, 11, 30), ZoneInfo("Asia/Shanghai")) == datetime.fromisoformat(
        "2026-11-29T16:00:00+00:00"
    )
