"""Stretches of the calendar: a day, week, month, quarter, half, year, or any days from one to another."""

import calendar
from dataclasses import dataclass
from datetime import MAXYEAR, date, timedelta
from typing import Literal

Unit = Literal["day", "week", "month", "quarter", "half", "year", "decade", "century", "workday"]
Grain = Unit | Literal["days"]
WEEK = 7
_SATURDAY = 5
_LAST_TEN_FROM = 20
_TURNED = 180
OPEN_START = date(1970, 1, 1)
"""Where a stretch begins that has no beginning ("before March")."""
OPEN_END = date(2099, 12, 31)
_MONTHS: dict[Unit, int] = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120, "century": 1200}


class OutOfCalendar(ValueError):
    """No such day, or beyond the years that a date can hold."""


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """From `start` to `end`, both included. `grain`: the calendar unit that it is; "days" if none."""

    start: date
    end: date
    grain: Grain

    @property
    def days(self) -> int:
        return (self.end - self.start).days + 1


def day(of: date) -> Stretch:
    return Stretch(start=of, end=of, grain="day")


def days(start: date, end: date) -> Stretch:
    """In calendar order, whichever comes first."""
    return Stretch(start=min(start, end), end=max(start, end), grain="days")


def until(end: date) -> Stretch:
    """All days to this one."""
    return days(OPEN_START if end >= OPEN_START else date.min, end)


def since(start: date) -> Stretch:
    """This day and all that follow."""
    return days(start, OPEN_END if start <= OPEN_END else date.max)


def between(first: Stretch, last: Stretch, as_said: Stretch | None) -> Stretch:
    """From one to the other, turned where it is the wrong way round (11月5日到11月1日).

    `as_said`: the last one as it reads without the first, which tells 12月25日到1月5日 apart; None if without month.
    """
    said = as_said or last
    turned = said.end < first.start and said.grain == first.grain == "day" and (first.start - said.end).days < _TURNED
    if turned or last.end < first.start:
        return days((said if turned else last).start, first.end)
    return days(first.start, last.end)


def calendar_day(year: int, month: int, number: int) -> Stretch:
    try:
        return day(date(year, month, number))
    except (ValueError, OverflowError) as error:
        raise OutOfCalendar from error


def plus_days(of: date, count: int) -> date:
    try:
        return of + timedelta(days=count)
    except OverflowError as error:
        raise OutOfCalendar from error


def plus_months(of: date, count: int) -> date:
    """The same day of another month, or that month's last."""
    index = of.year * 12 + of.month - 1 + count
    year, month = divmod(index, 12)
    if not 1 <= year <= MAXYEAR:
        raise OutOfCalendar
    return date(year, month + 1, min(of.day, calendar.monthrange(year, month + 1)[1]))


def plus(of: date, count: int, unit: Unit) -> date:
    if unit == "day":
        return plus_days(of, count)
    if unit == "workday":
        return workdays(of, count)
    if unit == "week":
        return plus_days(of, count * WEEK)
    return plus_months(of, count * _MONTHS[unit])


def around(of: date, unit: Unit) -> Stretch:
    """The calendar unit that holds this day; weeks begin on Monday."""
    if unit in ("day", "workday"):
        return day(of)
    if unit == "week":
        start = plus_days(of, -of.weekday())
        return Stretch(start=start, end=plus_days(start, WEEK - 1), grain="week")
    length = _MONTHS[unit]
    if length > _MONTHS["year"]:
        years = length // 12
        start = calendar_day(max(1, of.year // years * years), 1, 1).start
    else:
        start = date(of.year, (of.month - 1) // length * length + 1, 1)
    return Stretch(start=start, end=plus_days(plus_months(start, length), -1), grain=unit)


def nth(whole: Stretch, count: int, unit: Unit) -> Stretch:
    """The `count`th unit inside, from 1, or from the end if negative. Weeks count from the first Monday.

    Raises OutOfCalendar where the whole has not so many.
    """
    if count == 0:
        raise OutOfCalendar
    first = _first(whole.start if count > 0 else whole.end, unit, forwards=count > 0)
    found = around(plus(first, count - 1 if count > 0 else count + 1, unit), unit)
    if not whole.start <= found.start <= whole.end:
        raise OutOfCalendar
    return found


def _first(of: date, unit: Unit, *, forwards: bool) -> date:
    if unit != "week":
        return around(of, unit).start
    monday = plus_days(of, -of.weekday())
    return plus_days(monday, WEEK) if forwards and monday < of else monday


def nth_weekday(whole: Stretch, count: int, weekday: int) -> Stretch:
    """The `count`th Monday (0) to Sunday (6) inside, from 1, or from the end if negative."""
    if count == 0:
        raise OutOfCalendar
    if count > 0:
        offset = (weekday - whole.start.weekday()) % WEEK + WEEK * (count - 1)
        found = plus_days(whole.start, offset)
    else:
        offset = (whole.end.weekday() - weekday) % WEEK + WEEK * (-count - 1)
        found = plus_days(whole.end, -offset)
    if not whole.start <= found <= whole.end:
        raise OutOfCalendar
    return day(found)


def head(whole: Stretch, count: int, unit: Unit) -> Stretch:
    """Its first `count` units."""
    first, last = nth(whole, 1, unit), nth(whole, count, unit)
    return days(first.start, min(last.end, whole.end))


def tail(whole: Stretch, count: int, unit: Unit) -> Stretch:
    """Its last `count` units."""
    return days(max(nth(whole, -count, unit).start, whole.start), whole.end)


def weekend(week: Stretch) -> Stretch:
    return days(plus_days(week.end, -1), week.end)


def part(whole: Stretch, third: str) -> Stretch:
    """`third`: beginning, middle or end.

    月初 and 月底 are a day; 年初, 年底 and those of a quarter a month; 周初 is Monday and Tuesday.
    """
    if whole.grain == "month":
        middle = days(plus_days(whole.start, 10), plus_days(whole.start, 19))
        return {"beginning": day(whole.start), "middle": middle, "end": day(whole.end)}[third]
    if whole.grain == "week":
        start = whole.start
        weekdays = {"beginning": (0, 1), "middle": (2, 3), "end": (4, 6)}[third]
        return days(plus_days(start, weekdays[0]), plus_days(start, weekdays[1]))
    months = (whole.end.year - whole.start.year) * 12 + whole.end.month - whole.start.month + 1
    at = {"beginning": 0, "middle": months // 2, "end": months - 1}[third]
    return around(plus_months(whole.start, at), "month")


def halves(whole: Stretch, second: bool) -> Stretch:
    if whole.grain == "month":
        middle = plus_days(whole.start, 14)
    elif whole.grain == "week":
        middle = plus_days(whole.start, 2)
    else:
        middle = plus_days(plus_months(whole.start, 6), -1)
    return days(plus_days(middle, 1), whole.end) if second else days(whole.start, middle)


def ten_days(month: Stretch, which: int) -> Stretch:
    """上旬 (0), 中旬 (1) and 下旬 (2), which lasts to the month's end."""
    start = plus_days(month.start, 10 * which)
    return days(start, month.end if start.day > _LAST_TEN_FROM else plus_days(start, 9))


def full_year(written: int, short: bool, today: date) -> int:
    """A year of two digits is at most 11 years ahead ("27" said in 2016 is 2027, "33" said in 2021 is 1933)."""
    if not short:
        return written
    century = today.year // 100 * 100
    return century + written if written <= today.year % 100 + 11 else century - 100 + written


def workdays(start: date, count: int) -> date:
    """The day that lies `count` working days (Monday to Friday) after `start`; negative: before it."""
    weeks, rest = divmod(abs(count), _SATURDAY)
    step = 1 if count >= 0 else -1
    at = plus_days(start, step * weeks * WEEK)
    while rest or at.weekday() >= _SATURDAY:
        at = plus_days(at, step)
        if at.weekday() < _SATURDAY and rest:
            rest -= 1
    return at
