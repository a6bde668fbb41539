"""The rules of Chinese dates: what stands by itself, and what narrows it.

Rules are written over the kinds of `time_tokens`: "nYnMnD" is a number, 年, a number, 月, a number, 日.
"""

import re
from collections.abc import Callable, Sequence

from language.clock import Clock
from language.feasts import feast
from language.lunar import from_lunar
from language.stretch import (
    OutOfCalendar,
    Stretch,
    Unit,
    around,
    calendar_day,
    day,
    days,
    full_year,
    halves,
    head,
    nth,
    nth_weekday,
    part,
    plus,
    plus_days,
    tail,
    weekend,
)
from language.time_tokens import Token

Some = Sequence[Token]
_UNIT = "[dDWwmMQqYHkb]"
_COUNTED = "[dWwmQqYHkb]"
_LONG_UNIT = "[dWwmMQqYb]"
_FORTNIGHT = 15
_HOURS = 24
_MOST_UNITS = 1000

Builder = Callable[[Clock, Some], Stretch]
Refiner = Callable[[Stretch, Some, Clock], Stretch]


def relative_day(clock: Clock, some: Some) -> Stretch:
    return day(plus_days(clock.today, some[0].value))


def _pair(clock: Clock, some: Some) -> Stretch:
    first, second = some[0].value
    return days(plus_days(clock.today, first), plus_days(clock.today, second))


def _relative_year(clock: Clock, some: Some) -> Stretch:
    return clock.unit(some[0].value, "year")


def _step(clock: Clock, some: Some) -> Stretch:
    count, unit, weekday = some[0].value
    if unit == "weekend":
        return weekend(clock.unit(count, "week"))
    whole = clock.unit(count, unit)
    return whole if weekday is None else day(plus_days(whole.start, weekday))


def written_year(clock: Clock, some: Some) -> Stretch:
    number = some[0]
    if number.width == 2 or number.value >= 1000:
        year = full_year(number.value, 2 if number.width == 2 else 4, clock.today)
        return around(calendar_day(year, 1, 1).start, "year")
    raise OutOfCalendar


def _era(_: Clock, some: Some) -> Stretch:
    count = some[1].value
    return around(calendar_day(some[0].value + count - 1, 1, 1).start, "year")


def month(clock: Clock, some: Some) -> Stretch:
    return clock.of_year(lambda year: around(calendar_day(year, some[0].value, 1).start, "month"))


def day_of_month(clock: Clock, some: Some) -> Stretch:
    return clock.of_month(some[0].value)


def _weekday(clock: Clock, some: Some) -> Stretch:
    return clock.weekday(some[0].value)


def _weekend(clock: Clock, _: Some) -> Stretch:
    return clock.weekend()


def explicit(clock: Clock, some: Some) -> Stretch:
    year, month, number = some[0].value
    if number is None:
        return around(calendar_day(year, month, 1).start, "month")
    if year is not None:
        return calendar_day(full_year(year, some[0].width, clock.today), month, number)
    return clock.of_year(lambda at: calendar_day(at, month, number))


def feast_of_year(clock: Clock, some: Some) -> Stretch:
    return clock.of_year(lambda year: feast(some[0].value, year))


def _half(clock: Clock, some: Some) -> Stretch:
    unit, second = some[0].value
    return halves(clock.unit(0, unit), second)


def _quarter(clock: Clock, some: Some) -> Stretch:
    number = next(t.value for t in some if t.kind in "nz")
    return clock.of_year(lambda year: nth(around(calendar_day(year, 1, 1).start, "year"), number, "quarter"))


def _portion(clock: Clock, some: Some) -> Stretch:
    unit, third = some[0].value
    return part(clock.unit(0, unit), third)


def _numbered_portion(clock: Clock, some: Some) -> Stretch:
    """2025年底, 10月初, 四季度末."""
    unit, third = some[-1].value
    whole = {"year": written_year, "month": month, "quarter": _quarter}[unit](clock, [t for t in some if t.kind == "n"])
    return part(whole, third)


def _decade(clock: Clock, some: Some) -> Stretch:
    century = clock.today.year // 100 * 100
    start = century + some[0].value if some[0].value <= clock.today.year % 100 else century - 100 + some[0].value
    return around(calendar_day(start, 1, 1).start, "decade")


def _century(_: Clock, some: Some) -> Stretch:
    return around(calendar_day((some[0].value - 1) * 100 or 1, 1, 1).start, "century")


def _length(some: Some) -> tuple[int, Unit]:
    """How many of which unit, of "n d" or of 半年 and 半个月 alone."""
    unit = next(t.value for t in reversed(some) if t.kind in f"{_UNIT}6")
    count = next((t.value for t in some if t.kind == "n"), 1)
    if not 0 < count < _MOST_UNITS:
        raise OutOfCalendar
    return (count * _FORTNIGHT, "day") if unit == "fortnight" else (count, unit)


def _rolling_past(clock: Clock, some: Some) -> Stretch:
    return clock.past(*_length(some))


def _rolling_future(clock: Clock, some: Some) -> Stretch:
    return clock.future(*_length(some))


def _units_before(clock: Clock, some: Some) -> Stretch:
    return clock.before(*_length(some))


def _ago(clock: Clock, some: Some) -> Stretch:
    count, unit = _length(some)
    return clock.away(-count, unit)


def _ahead(clock: Clock, some: Some) -> Stretch:
    return clock.away(*_length(some))


def _within(clock: Clock, some: Some) -> Stretch:
    return clock.within(*_length(some))


def _lunar(clock: Clock, some: Some) -> Stretch:
    month, number = (t.value for t in some if t.kind in "Unli")
    return clock.of_year(lambda year: day(from_lunar(year, month, number)))


def _ten_days(clock: Clock, some: Some) -> Stretch:
    return _ten_days_in(clock.unit(0, "month"), some, clock)


def _last_hours(clock: Clock, some: Some) -> Stretch:
    """Whole days, since a period has no hours: 24 hours reach into yesterday."""
    return days(plus_days(clock.today, -(_length(some)[0] // _HOURS)), clock.today)


_ANCHORS: tuple[tuple[str, str, Builder], ...] = (
    ("X", "X", explicit), ("T", "T", relative_day), ("P", "P", _pair), ("y", "y", _relative_year), ("s", "s", _step), ("J", "J", feast_of_year),
    ("V", "V", _half), ("R", "R(?:nY|0)", _era), ("U", "U[in]D?", _lunar), ("n", "nl", _lunar),
    ("p", f"pe?(?:n{_UNIT}|[Hk])(?:e?I)?", _rolling_past), ("f", f"fe?(?:n{_UNIT}|[Hk])(?:e?I)?", _rolling_future),
    ("Fg", f"[Fg](?:n{_COUNTED}|[Hk])(?!I)", _rolling_future), ("a", f"ae?(?:n{_UNIT}|[Hk])(?!D)", _units_before),
    ("nHk", f"(?:n{_COUNTED}|[Hk]|nD)I", _within),
    ("nHk", "(?:nY|n[dWwmQqb]|[Hk])[Ba]", _ago), ("nHk", "(?:nY|n[dWwmQqb]|[Hk])[Fg]", _ahead),
    ("n", "nC", _century), ("n", "nA", _decade), ("n#", "#?nO", _numbered_portion), ("n", "nYZ?|nZ", written_year), ("n", "nM", month),
    ("n", "nD", day_of_month), ("n#z", "#?n[Qq]|z", _quarter), ("O", "O", _portion), ("K", "K", _weekday), ("E", "E", _weekend),
    ("n", "n(?=z|V|#nQ)", written_year), ("8", "8", relative_day), ("3", "3", _ten_days), ("j", f"jn{_COUNTED}", _ahead), ("c", "cnMnD?|cnl|cU[in]D?", _lunar),
    ("p", "pe?n6", _last_hours),
)  # fmt: skip


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
    return head(whole, *_length(some[1:]))


def _tail_in(whole: Stretch, some: Some, _: Clock) -> Stretch:
    count, unit = _length(some[1:])
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


def _ten_days_in(whole: Stretch, some: Some, _: Clock) -> Stretch:
    start = plus_days(whole.start, 10 * some[0].value)
    return days(start, whole.end if some[0].value == 2 else plus_days(start, 9))


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
    ("year", "Un", "U[in]|nl", _lunar_in), ("year", "n#", "nM|#n[mM]", _month_in), ("year", "n#z", "#?n[Qq]|z", _quarter_in),
    ("year", "X", "X", _explicit_in), ("year", "J", "J", _feast_in), ("year", "T", "T", _same_day_in), ("year", "y", "y", _year_in),
    ("year", "n#Oo", "#?nO|O|o", _portion_in), ("year month week", "V", "V", _half_in),
    ("month", "n", "nD|n(?![dWwmMQqYCAHkDOZ])", _day_in), ("month quarter week", "Oo", "O|o", _portion_in), ("month", "3", "3", _ten_days_in),
    ("year quarter month", "#L", "[#L]nK", _nth_weekday_in), ("quarter half", "#", "#n[mM]", _month_in),
    ("year half quarter month days", "#", f"#n{_LONG_UNIT}", _nth_in), ("year half quarter month", "a", f"an{_LONG_UNIT}", _head_in),
    ("year half quarter month", "L", f"Ln{_LONG_UNIT}", _tail_in), ("day", "8", "8", _same), ("year", "n", "n-nM", _months_in), ("year", "s", "s", _same_unit_in),
    ("month week", "T", "T", _same_day_of_month_in), ("week", "K", "K", _weekday_in), ("week", "E", "E", _weekend_in),
)  # fmt: skip
_KINDS = "0123456789#ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
ANCHORS: dict[str, tuple[tuple[re.Pattern[str], Builder], ...]] = {
    kind: tuple((re.compile(pattern), build) for firsts, pattern, build in _ANCHORS if kind in firsts)
    for kind in _KINDS
}
"""What stands by itself, by the kind of its first token; the first rule that matches and makes a date counts."""
REFINEMENTS: dict[str, tuple[tuple[frozenset[str], re.Pattern[str], Refiner], ...]] = {
    kind: tuple(
        (frozenset(grains.split()), re.compile(pattern), build)
        for grains, firsts, pattern, build in _REFINEMENTS
        if kind in firsts
    )
    for kind in _KINDS
}
"""What narrows a stretch of one of these grains, by the kind of its first token."""
