"""Finds the dates and periods that a text names, as days from the first to the last."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache

from language import chinese_periods, english_periods
from language.found import Found, without_overlaps
from language.stretch import OutOfCalendar, Stretch, Unit, around, days, plus, plus_days, weekend
from language.tense import tense

_DAYS = {"today": 0, "yesterday": -1, "dayBeforeYesterday": -2, "tomorrow": 1, "dayAfterTomorrow": 2}
_UNITS: dict[str, Unit] = {"week": "week", "month": "month", "quarter": "quarter", "year": "year"}
_ROLLING = (3, 5, 7, 10, 14, 15, 30, 60, 90, 180, 365)

PERIOD_NAMES = (
    *_DAYS,
    *_UNITS, "weekend",
    *(f"{which}{unit.title()}" for unit in (*_UNITS, "weekend") for which in ("last", "next")),
    *(f"{count}days" for count in _ROLLING),
    "custom",
)  # fmt: skip
"""What `Period.name` can be: a name where one fits, else "custom"."""


@dataclass(frozen=True, kw_only=True)
class Period:
    """Both ends are included. An end that is not said is 1970-01-01 or 2099-12-31."""

    name: str
    start: date
    end: date


def find_periods(text: str, now: datetime) -> list[Found[Period]]:
    """Periods in text order, of a normalised text. `now` is local to whoever asks; weeks begin on Monday."""
    today = now.date()
    when = tense(text)
    found = [*chinese_periods.find(text, today, when), *english_periods.find(text, today, when)]
    names = _names(today)
    return [
        Found(start=f.start, end=f.end, text=f.text, value=_named(f.value, today, names))
        for f in without_overlaps(found)
    ]


def period_named(name: str, now: datetime) -> Period | None:
    """The span of a name of PERIOD_NAMES; None for `custom`, for other names, and outside the calendar."""
    span = _span(name, now.date()) if name in PERIOD_NAMES else None
    return None if span is None else Period(name=name, start=span.start, end=span.end)


def moved(period: Period, count: int, unit: Unit, now: datetime) -> Period | None:
    """The period so many units later, or earlier if negative; None outside the calendar."""
    try:
        start = plus(period.start, count, unit)
    except OutOfCalendar:
        return None
    length = period.end - period.start
    if start > date.max - length:
        return None
    today = now.date()
    return _named(days(start, start + length), today, _names(today))


def _named(stretch: Stretch, today: date, names: Mapping[tuple[date, date], str]) -> Period:
    rolling = f"{stretch.days}days"
    if stretch.grain == "days" and stretch.end == today and rolling in PERIOD_NAMES:
        name = rolling
    else:
        name = names.get((stretch.start, stretch.end), "custom")
    return Period(name=name, start=stretch.start, end=stretch.end)


@lru_cache(maxsize=16)
def _names(today: date) -> Mapping[tuple[date, date], str]:
    """The spans of the named periods; where two are the same span, the later name wins."""
    spans = ((name, _span(name, today)) for name in PERIOD_NAMES if not name.endswith("days"))
    return {(span.start, span.end): name for name, span in spans if span is not None}


def _span(name: str, today: date) -> Stretch | None:
    try:
        if name in _DAYS:
            return around(plus_days(today, _DAYS[name]), "day")
        count, unit = 0, name
        for prefix, shift in (("last", -1), ("next", 1)):
            if name.startswith(prefix):
                count, unit = shift, name.removeprefix(prefix).lower()
        if unit == "weekend":
            return weekend(around(plus(today, count, "week"), "week"))
        if unit in _UNITS:
            return around(plus(today, count, _UNITS[unit]), _UNITS[unit])
        length = name.removesuffix("days")
        return days(plus_days(today, 1 - int(length)), today) if length.isdecimal() else None
    except OutOfCalendar:
        return None
