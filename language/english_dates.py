"""The rules of English dates, written over the kinds of `english_words`: "Mon" is a month, a day of it, and a year."""

import re
from collections.abc import Callable, Sequence

from language.chinese_dates import explicit, feast_of_year, relative_day
from language.clock import Clock
from language.feasts import feast
from language.stretch import (
    OutOfCalendar,
    Stretch,
    Unit,
    around,
    calendar_day,
    day,
    days,
    halves,
    head,
    nth,
    nth_weekday,
    part,
    plus_days,
    tail,
    weekend,
)
from language.time_tokens import Token

Some = Sequence[Token]
Anchor = Callable[[Clock, Some], Stretch]
Narrowing = Callable[[Stretch, Some], Stretch]
_YEARS = range(1900, 2100)
_WEEK = 7
_FORTNIGHT = 2


def _year_of(some: Some) -> int | None:
    """The year that the last token writes; None if it writes none."""
    last = some[-1]
    if last.kind == "n" and last.width == len("2024"):
        if last.value not in _YEARS:
            raise OutOfCalendar
        return int(last.value)
    return None


def _year(_: Clock, some: Some) -> Stretch:
    year = _year_of(some)
    if year is None:
        raise OutOfCalendar
    return around(calendar_day(year, 1, 1).start, "year")


def _month_day(clock: Clock, some: Some) -> Stretch:
    """March 5, 5th of March 2024."""
    month = next(t.value for t in some if t.kind in "Mm")
    number = next((t.value for t in some if t.kind in "no" and t.width != len("2024")), 0)
    year = _year_of(some)
    if year is not None:
        return calendar_day(year, month, number)
    return clock.of_year(lambda at: calendar_day(at, month, number))


def _month(clock: Clock, some: Some) -> Stretch:
    """March, March 2024, March of last year."""
    month = next(t.value for t in some if t.kind in "Mm")
    year = _year_of(some)
    if some[-1].kind == "U":
        if some[-1].value != "year":
            raise OutOfCalendar
        year = clock.today.year + some[-2].value
    if year is not None:
        return around(calendar_day(year, month, 1).start, "month")
    if some[-1].kind == "n":
        raise OutOfCalendar
    return clock.of_year(lambda at: around(calendar_day(at, month, 1).start, "month"))


def _stepped_month(clock: Clock, some: Some) -> Stretch:
    """Last March is the latest that is over, next March the first that is not here, this March this year's."""
    count, month = some[0].value, some[1].value
    year = clock.today.year
    if count < 0 and month >= clock.today.month:
        year -= 1
    if count > 0 and month <= clock.today.month:
        year += 1
    return around(calendar_day(year, month, 1).start, "month")


def _step(clock: Clock, some: Some) -> Stretch:
    count, unit = some[0].value, some[-1].value
    return clock.unit(count, unit)


def _step_weekend(clock: Clock, some: Some) -> Stretch:
    return weekend(clock.unit(some[0].value, "week"))


def _step_weekday(clock: Clock, some: Some) -> Stretch:
    """Last Monday is the latest before today; this and next Monday are of this and next week."""
    count, weekday = some[0].value, some[1].value
    if count < 0:
        return day(plus_days(clock.today, -((clock.today.weekday() - weekday - 1) % _WEEK + 1)))
    return day(plus_days(clock.unit(count, "week").start, weekday))


def _length(some: Some) -> tuple[int, Unit]:
    """How many of which unit; half a year is six months."""
    unit = next(t.value for t in some if t.kind in "UG")
    count = next((t.value for t in some if t.kind in "na"), 1)
    if unit == _FORTNIGHT:
        return _FORTNIGHT * count, "week"
    if any(t.kind == "h" for t in some):
        return (6, "month") if unit == "year" else (15, "day")
    if not 0 < count < len(_YEARS) * 5:
        raise OutOfCalendar
    return count, unit


def _rolling(clock: Clock, some: Some) -> Stretch:
    count, unit = _length(some)
    return clock.future(count, unit) if some[0].value > 0 else clock.past(count, unit)


def _ago(clock: Clock, some: Some) -> Stretch:
    count, unit = _length(some)
    return clock.away(-count, unit)


def _ahead(clock: Clock, some: Some) -> Stretch:
    if some[-1].kind == "T" and some[-1].value:
        raise OutOfCalendar
    return clock.away(*_length(some))


def _within(clock: Clock, some: Some) -> Stretch:
    return clock.within(*_length(some))


def _two_units_away(clock: Clock, some: Some) -> Stretch:
    """The week before last, the month after next."""
    if some[2].value != (-1 if some[1].kind == "B" else 1):
        raise OutOfCalendar
    return clock.unit(2 * some[2].value, some[0].value)


def _day_of_month(clock: Clock, some: Some) -> Stretch:
    """The 5th; the 5th of last month."""
    if some[0].width != len("th"):
        raise OutOfCalendar
    if len(some) == 1:
        return clock.of_month(some[0].value)
    month = clock.unit(some[-2].value if some[-2].kind == "s" else 0, "month")
    return calendar_day(month.start.year, month.start.month, some[0].value)


def _part_of_year(clock: Clock, some: Some) -> Stretch:
    """Q3, H1; with a year or without."""
    unit, number = some[0].value
    year = _year_of(some)

    def of(at: int) -> Stretch:
        whole = around(calendar_day(at, 1, 1).start, "year")
        return nth(whole, number, "quarter") if unit == "quarter" else halves(whole, number > 1)

    return of(year) if year is not None else clock.of_year(of)


def _nth_quarter(clock: Clock, some: Some) -> Stretch:
    if some[1].value != "quarter":
        raise OutOfCalendar
    return clock.of_year(lambda at: nth(around(calendar_day(at, 1, 1).start, "year"), some[0].value, "quarter"))


def _to_date(clock: Clock, some: Some) -> Stretch:
    return days(clock.unit(0, some[0].value).start, clock.today)


def _feast(clock: Clock, some: Some) -> Stretch:
    year = _year_of(some)
    return feast(some[0].value, year) if year is not None else feast_of_year(clock, some)


def _weekday(clock: Clock, some: Some) -> Stretch:
    return clock.weekday(some[0].value)


def _weekend(clock: Clock, _: Some) -> Stretch:
    return clock.weekend()


ANCHORS: tuple[tuple[str, Anchor], ...] = (
    ("X", explicit), ("T", relative_day), ("V", _to_date), ("Jn(?!U)|J", _feast), ("ze?n|z", _part_of_year),
    ("U[BF]s", _two_units_away), ("snU|[sp]G|p(?:[nah]U|U)|pn?G", _rolling), ("sU", _step), ("sE", _step_weekend),
    ("sK", _step_weekday),
    ("[Mm],?[no],?n(?![UGM])|[no]e?[Mm],?n(?![UGM])", _month_day), ("[Mm][no](?![UG])|[no]e?[Mm]", _month_day),
    ("[Mm],?e?n(?![UG])|[Mm]e?sU", _month), ("s[Mm]", _stepped_month), ("(?:[nah]U|[na]?G)A", _ago),
    ("(?:[nah]U|[na]?G)(?:L|fT)|I(?:[nah]U|[na]?G)", _ahead),
    ("W(?:[nah]U|[na]?G)", _within), ("oesU|oeU", _day_of_month), ("(?<=[IBFSulfb&w])o(?![UKMmeHE])", _day_of_month),
    ("oU(?!e)", _nth_quarter), ("K", _weekday), ("E", _weekend), ("M|(?<=[IsefulSBFb&w])m", _month),
    ("(?<![xnMot])n(?![UGAM])", _year),
)  # fmt: skip
"""What stands by itself; the first that matches and makes a date."""


def _nth_in(whole: Stretch, some: Some) -> Stretch:
    return nth(whole, some[0].value, some[1].value)


def _nth_weekday_in(whole: Stretch, some: Some) -> Stretch:
    return nth_weekday(whole, -1 if some[0].kind == "s" else some[0].value, some[1].value)


def _last_in(whole: Stretch, some: Some) -> Stretch:
    if some[0].value >= 0:
        raise OutOfCalendar
    count, unit = _length(some)
    return nth(whole, -1, unit) if count == 1 else tail(whole, count, unit)


def _first_in(whole: Stretch, some: Some) -> Stretch:
    if some[0].value != 1:
        raise OutOfCalendar
    return head(whole, *_length(some[1:]))


def _half_in(whole: Stretch, some: Some) -> Stretch:
    if whole.grain not in ("year", "month", "week"):
        raise OutOfCalendar
    return halves(whole, some[0].value in (2, -1))


def _portion_in(whole: Stretch, some: Some) -> Stretch:
    return part(whole, some[0].value)


def _weekday_in(whole: Stretch, some: Some) -> Stretch:
    if whole.grain != "week":
        raise OutOfCalendar
    return day(plus_days(whole.start, some[0].value))


NARROWINGS: tuple[tuple[str, Narrowing], ...] = (
    ("onUe", _first_in), ("snUe", _last_in), ("oUe?(?=[nsU])|oUe", _nth_in), ("sUe", _last_in), ("[os]Ke",
        _nth_weekday_in), ("[os]He?", _half_in),
    ("P[le]?", _portion_in), ("Ke?(?=s)", _weekday_in),
)  # fmt: skip
"""What stands before the stretch that it narrows: first week of, end of."""
COMPILED_ANCHORS = tuple((re.compile(pattern), build) for pattern, build in ANCHORS)
COMPILED_NARROWINGS = tuple((re.compile(pattern), build) for pattern, build in NARROWINGS)
