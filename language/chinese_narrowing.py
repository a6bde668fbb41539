"""The rules of what narrows a Chinese date: a month of a year, a day of a month, the first days of either."""

import re
from collections.abc import Callable
from datetime import date

from language.chinese_dates import KINDS, Some, length
from language.clock import Clock
from language.feasts import feast
from language.lunar import from_lunar
from language.stretch import (
    OutOfCalendar,
    Stretch,
    around,
    calendar_day,
    day,
    days,
    halves,
    head,
    nth,
    nth_weekday,
    part,
    plus,
    plus_days,
    tail,
    ten_days,
    weekend,
)

_LONG_UNIT = "[dWwmMQqYb]"
Refiner = Callable[[Stretch, Some, Clock], Stretch]


def _ten_days_in(whole: Stretch, some: Some, _: Clock) -> Stretch:
    return ten_days(whole, some[0].value)


def _month_in(whole: Stretch, some: Some, _: Clock) -> Stretch:
    number = next(t.value for t in some if t.kind == "n")
    return nth(whole, number, "month")


def _day_in(whole: Stretch, some: Some, _: Clock) -> Stretch:
    return calendar_day(whole.start.year, whole.start.month, some[0].value)


def _nth_in(whole: Stretch, some: Some, _: Clock) -> Stretch:
    """第N周, 第N天."""
    return nth(whole, some[1].value, some[-1].value)


def _nth_weekday_in(whole: Stretch, some: Some, _: Clock) -> Stretch:
    sign = -1 if some[0].kind == "L" else 1
    return nth_weekday(whole, sign * some[1].value, some[-1].value)


def _quarter_in(whole: Stretch, some: Some, _: Clock) -> Stretch:
    return nth(whole, next(t.value for t in some if t.kind in "nz"), "quarter")


def _head_in(whole: Stretch, some: Some, _: Clock) -> Stretch:
    return head(whole, *length(some[1:]))


def _tail_in(whole: Stretch, some: Some, _: Clock) -> Stretch:
    count, unit = length(some[1:])
    return nth(whole, -1, unit) if count == 1 else tail(whole, count, unit)


def _half_in(whole: Stretch, some: Some, _: Clock) -> Stretch:
    unit, second = some[0].value
    if unit != whole.grain:
        raise OutOfCalendar
    return halves(whole, second)


def _portion_in(whole: Stretch, some: Some, _: Clock) -> Stretch:
    value = some[-1].value
    if isinstance(value, str):
        return part(whole, value)
    unit, third = value
    if unit == whole.grain:
        return part(whole, third)
    if unit == "quarter" and len(some) > 1:
        return part(nth(whole, some[-2].value, "quarter"), third)
    if unit == "month" and len(some) > 1:
        return part(nth(whole, some[-2].value, "month"), third)
    raise OutOfCalendar


def _before_it(whole: Stretch, some: Some, _: Clock) -> Stretch:
    """双十一前三天."""
    count, unit = length(some)
    start = plus(whole.start, -count, unit)
    return _one_or_more(start, plus_days(whole.start, -1))


def _after_it(whole: Stretch, some: Some, _: Clock) -> Stretch:
    """双十一后三天."""
    count, unit = length(some)
    return _one_or_more(plus_days(whole.end, 1), plus(whole.end, count, unit))


def _one_or_more(start: date, end: date) -> Stretch:
    return day(start) if start == end else days(start, end)


def _months_in(whole: Stretch, some: Some, _: Clock) -> Stretch:
    """去年3-5月."""
    first, last = some[0].value, some[2].value
    if first >= last:
        raise OutOfCalendar
    return days(nth(whole, first, "month").start, nth(whole, last, "month").end)


def _same(whole: Stretch, _: Some, __: Clock) -> Stretch:
    return whole


def _same_unit_in(whole: Stretch, some: Some, clock: Clock) -> Stretch:
    """去年这个月, 去年同月."""
    count, unit, weekday = some[0].value
    if count or weekday is not None or unit not in ("month", "quarter"):
        raise OutOfCalendar
    return around(plus(clock.today, whole.start.year - clock.today.year, "year"), unit)


def _same_day_of_month_in(whole: Stretch, some: Some, clock: Clock) -> Stretch:
    """上个月的今天, 上周的今天."""
    of = plus_days(clock.today, some[0].value)
    if whole.grain == "week":
        return day(plus_days(whole.start, of.weekday()))
    months = (whole.start.year - clock.today.year) * 12 + whole.start.month - clock.today.month
    return day(plus(of, months, "month"))


def _same_day_in(whole: Stretch, some: Some, clock: Clock) -> Stretch:
    of = plus_days(clock.today, some[0].value)
    return day(plus(of, whole.start.year - clock.today.year, "year"))


def _feast_in(whole: Stretch, some: Some, _: Clock) -> Stretch:
    return feast(some[0].value, whole.start.year)


def _explicit_in(whole: Stretch, some: Some, _: Clock) -> Stretch:
    year, month, number = some[0].value
    if year is not None or number is None:
        raise OutOfCalendar
    return calendar_day(whole.start.year, month, number)


def _year_in(whole: Stretch, some: Some, _: Clock) -> Stretch:
    return around(plus(whole.start, some[0].value, "year"), "year")


def _lunar_in(whole: Stretch, some: Some, _: Clock) -> Stretch:
    return day(from_lunar(whole.start.year, some[0].value, some[-1].value))


def _weekday_in(whole: Stretch, some: Some, _: Clock) -> Stretch:
    return day(plus_days(whole.start, some[0].value))


def _weekend_in(whole: Stretch, _: Some, __: Clock) -> Stretch:
    return weekend(whole)


def _decade_in(whole: Stretch, some: Some, _: Clock) -> Stretch:
    return around(calendar_day(whole.start.year + some[0].value, 1, 1).start, "decade")


_REFINEMENTS: tuple[tuple[str, str, str, Refiner], ...] = (
    ("century", "n", "nA", _decade_in),
    ("year", "Un", "U[in]|nl", _lunar_in),
    ("year", "n#", "nM|#n[mM]", _month_in),
    ("year", "n#z", "#?n[Qq]|z", _quarter_in),
    ("year", "X", "X", _explicit_in),
    ("year", "J", "J", _feast_in),
    ("year", "T", "T", _same_day_in),
    ("year", "y", "y", _year_in),
    ("year", "n#Oo", "#?nO|O|o", _portion_in),
    ("year month week", "V", "V", _half_in),
    ("month", "n", "nD|n(?![dWwmMQqYCAHkDOZ])", _day_in),
    ("month quarter week", "Oo", "O|o", _portion_in),
    ("month", "3", "3", _ten_days_in),
    ("year quarter month", "#L", "[#L]nK", _nth_weekday_in),
    ("quarter half", "#", "#n[mM]", _month_in),
    ("year half quarter month days", "#", f"#n{_LONG_UNIT}", _nth_in),
    ("year half quarter month", "a", f"an{_LONG_UNIT}", _head_in),
    ("year half quarter month", "L", f"Ln{_LONG_UNIT}", _tail_in),
    ("day", "8", "8", _same),
    ("day days", "aB", "[aB]n[dDWw]", _before_it),
    ("day days", "gF", "[gF]n[dDWw]", _after_it),
    ("year", "n", "n-nM", _months_in),
    ("year", "s", "s", _same_unit_in),
    ("month week", "T", "T", _same_day_of_month_in),
    ("week", "K", "K", _weekday_in),
    ("week", "E", "E", _weekend_in),
)
REFINEMENTS: dict[str, tuple[tuple[frozenset[str], re.Pattern[str], Refiner], ...]] = {
    kind: tuple(
        (frozenset(grains.split()), re.compile(pattern), build)
        for grains, firsts, pattern, build in _REFINEMENTS
        if kind in firsts
    )
    for kind in KINDS
}
"""What narrows a stretch of one of these grains, by the kind of its first token."""
