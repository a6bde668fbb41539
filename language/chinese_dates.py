"""The rules of Chinese dates that stand by themselves.

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
    nth,
    part,
    plus_days,
    ten_days,
    weekend,
)
from language.time_tokens import Token

Some = Sequence[Token]
_UNIT = "[dDWwmMQqYHkb45]"
_COUNTED = "[dWwmQqYHkb45]"
_FORTNIGHT = 15
_YEAR = 12
_SHORT_YEAR = 2
_FIRST_YEAR = 1000
_HOURS = 24
_MOST_UNITS = 1000

Builder = Callable[[Clock, Some], Stretch]


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
    if number.width == _SHORT_YEAR or number.value >= _FIRST_YEAR:
        year = full_year(number.value, number.width == _SHORT_YEAR, clock.today)
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
        return calendar_day(full_year(year, some[0].width == _SHORT_YEAR, clock.today), month, number)
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
    if some[0].value >= _FIRST_YEAR:
        return around(calendar_day(some[0].value, 1, 1).start, "decade")
    start = century + some[0].value if some[0].value <= clock.today.year % 100 else century - 100 + some[0].value
    return around(calendar_day(start, 1, 1).start, "decade")


def _century(_: Clock, some: Some) -> Stretch:
    return around(calendar_day((some[0].value - 1) * 100 or 1, 1, 1).start, "century")


def length(some: Some) -> tuple[int, Unit]:
    """How many of which unit, of "n d" or of 半年 and 半个月 alone."""
    unit = next(t.value for t in reversed(some) if t.kind in f"{_UNIT}6")
    count = next((t.value for t in some if t.kind == "n"), 1)
    if not 0 < count < _MOST_UNITS:
        raise OutOfCalendar
    if unit == "fortnight":
        return count * _FORTNIGHT, "day"
    if unit == "month and a half":
        return count * 2 * _FORTNIGHT + _FORTNIGHT, "day"
    return (count * _YEAR + _YEAR // 2, "month") if unit == "year and a half" else (count, unit)


def _rolling_past(clock: Clock, some: Some) -> Stretch:
    return clock.past(*length(some))


def _rolling_future(clock: Clock, some: Some) -> Stretch:
    return clock.future(*length(some))


def _units_before(clock: Clock, some: Some) -> Stretch:
    return clock.before(*length(some))


def _ago(clock: Clock, some: Some) -> Stretch:
    count, unit = length(some)
    return clock.away(-count, unit)


def _ahead(clock: Clock, some: Some) -> Stretch:
    return clock.away(*length(some))


def _units_since(clock: Clock, some: Some) -> Stretch:
    """三个月以来."""
    return clock.past(*length(some))


def _within(clock: Clock, some: Some) -> Stretch:
    return clock.within(*length(some))


def _lunar(clock: Clock, some: Some) -> Stretch:
    month, number = (t.value for t in some if t.kind in "Unli")
    return clock.of_year(lambda year: day(from_lunar(year, month, number)))


def _ten_days(clock: Clock, some: Some) -> Stretch:
    return ten_days(clock.unit(0, "month"), some[0].value)


def _last_hours(clock: Clock, some: Some) -> Stretch:
    """Whole days, since a period has no hours: 24 hours reach into yesterday."""
    return days(plus_days(clock.today, -(length(some)[0] // _HOURS)), clock.today)


_ANCHORS: tuple[tuple[str, str, Builder], ...] = (
    ("X", "X", explicit),
    ("T", "T", relative_day),
    ("P", "P", _pair),
    ("y", "y", _relative_year),
    ("s", "s", _step),
    ("J", "J", feast_of_year),
    ("V", "V", _half),
    ("R", "R(?:nY|0)", _era),
    ("U", "U[in]D?", _lunar),
    ("n", "nl", _lunar),
    ("c", "cnMnD?|cnl|cU[in]D?", _lunar),
    ("p", f"pe?(?:n{_UNIT}|[Hk])(?:e?I)?", _rolling_past),
    ("p", "pe?n6", _last_hours),
    ("f", f"fe?(?:n{_UNIT}|[Hk])(?:e?I)?", _rolling_future),
    ("Fg", f"[Fg](?:n{_COUNTED}|[Hk])(?!I)", _rolling_future),
    ("a", f"ae?(?:n{_UNIT}|[Hk])(?!D)", _units_before),
    ("j", f"jn{_COUNTED}", _ahead),
    ("nHk", f"(?:n{_COUNTED}|[Hk]|nD)I", _within),
    ("nHk", f"(?:n{_COUNTED}|[Hk])S", _units_since),
    ("nHk", "(?:nY|n[dWwmQqb45]|[Hk])[Ba]", _ago),
    ("nHk", "(?:nY|n[dWwmQqb45]|[Hk])[Fg]", _ahead),
    ("n", "nC", _century),
    ("n", "nA", _decade),
    ("n#", "#?nO", _numbered_portion),
    ("n", "nYZ?|nZ|n(?=z|V|#nQ)", written_year),
    ("n", "nM", month),
    ("n", "nD", day_of_month),
    ("n#z", "#?n[Qq]|z", _quarter),
    ("O", "O", _portion),
    ("3", "3", _ten_days),
    ("8", "8", relative_day),
    ("K", "K", _weekday),
    ("E", "E", _weekend),
)
KINDS = "0123456789#ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
"""All letters that a token's kind can be."""
ANCHORS: dict[str, tuple[tuple[re.Pattern[str], Builder], ...]] = {
    kind: tuple((re.compile(pattern), build) for firsts, pattern, build in _ANCHORS if kind in firsts) for kind in KINDS
}
"""What stands by itself, by the kind of its first token; the first rule that matches and makes a date counts."""
