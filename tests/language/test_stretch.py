"""Stretches of the calendar."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.stretch import (
    OutOfCalendar,
    Unit,
    around,
    day,
    days,
    full_year,
    halves,
    head,
    nth,
    nth_weekday,
    part,
    plus,
    tail,
    weekend,
    workdays,
)

DATES = st.dates(date(1900, 1, 1), date(2100, 1, 1))
UNITS: tuple[Unit, ...] = ("day", "week", "month", "quarter", "half", "year", "decade", "century")


@given(DATES, st.sampled_from(UNITS))
def test_a_unit_holds_the_day_that_it_is_around(of: date, unit: Unit) -> None:
    found = around(of, unit)
    assert found.start <= of <= found.end
    assert around(found.start, unit) == around(found.end, unit) == found


@given(DATES, st.sampled_from(UNITS), st.integers(-50, 50))
def test_units_lie_side_by_side(of: date, unit: Unit, count: int) -> None:
    whole = around(of, unit)
    if unit not in ("decade", "century"):
        shifted = around(plus(whole.start, count, unit), unit)
        assert shifted.start == plus(whole.start, count, unit)


def test_a_shorter_month_gives_its_last_day() -> None:
    assert plus(date(2026, 3, 31), -1, "month") == date(2026, 2, 28)
    assert plus(date(2024, 2, 29), 1, "year") == date(2025, 2, 28)


@pytest.mark.parametrize("count", [10**6, -(10**6)])
def test_beyond_the_calendar_there_is_nothing(count: int) -> None:
    for unit in UNITS:
        with pytest.raises(OutOfCalendar):
            plus(date(2026, 1, 1), count * 4, unit)


def test_parts_of_a_month() -> None:
    november = around(date(2026, 11, 15), "month")
    assert nth(november, 1, "week") == around(date(2026, 11, 2), "week")
    assert nth(november, -1, "week") == around(date(2026, 11, 30), "week")
    assert nth_weekday(november, 1, 6) == day(date(2026, 11, 1))
    assert nth_weekday(november, -1, 0) == day(date(2026, 11, 30))
    assert head(november, 2, "day") == days(date(2026, 11, 1), date(2026, 11, 2))
    assert tail(november, 3, "day") == days(date(2026, 11, 28), date(2026, 11, 30))
    assert halves(november, second=True) == days(date(2026, 11, 16), date(2026, 11, 30))
    assert part(november, "end") == day(date(2026, 11, 30))
    assert part(around(date(2026, 5, 5), "year"), "beginning") == around(date(2026, 1, 1), "month")


@pytest.mark.parametrize("count", [0, 6, -6])
def test_what_a_month_has_not_raises(count: int) -> None:
    with pytest.raises(OutOfCalendar):
        nth_weekday(around(date(2026, 11, 15), "month"), count, 3)


def test_a_weekend_ends_its_week() -> None:
    assert weekend(around(date(2026, 11, 30), "week")) == days(date(2026, 12, 5), date(2026, 12, 6))


def test_short_years_are_near() -> None:
    today = date(2026, 1, 1)
    assert [full_year(year, True, today) for year in (0, 26, 37, 38, 99)] == [2000, 2026, 2037, 1938, 1999]
    assert full_year(99, False, today) == 99


@given(DATES, st.integers(0, 400))
def test_working_days_are_counted(start: date, count: int) -> None:
    end = workdays(start, count)
    between = sum(date.fromordinal(o).weekday() < 5 for o in range(start.toordinal() + 1, end.toordinal() + 1))
    if start.weekday() < 5:
        assert between == count
        assert end.weekday() < 5
