"""Dates and times of day as models write them: ISO and its relatives, and the words that the language package knows."""

import re
from datetime import date, datetime, time

from language.normalise import normalise
from language.periods import find_periods
from language.times import find_times

DAY = re.compile(r"([0-9]{4})([-/.年])([0-9]{1,2})(?:[-/.月])([0-9]{1,2})日?")
COMPACT = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})")
CLOCK = re.compile(r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]+)?)?")
LONGEST = 60


def to_date(text: str, now: datetime) -> str | None:
    """ISO text of the one day that is meant; None if it is no day, or more than one."""
    text = normalise(text[: LONGEST + 1]).text
    if len(text) > LONGEST:
        return None
    if found := DAY.fullmatch(text):
        return _day(found[1], found[3], found[4])
    if found := COMPACT.fullmatch(text):
        return _day(*found.groups())
    if moment := _iso(text, now):
        return moment.date().isoformat()
    periods = find_periods(text, now)
    whole = len(periods) == 1 and (periods[0].start, periods[0].end) == (0, len(text))
    if not whole or periods[0].value.start != periods[0].value.end:
        return None
    return periods[0].value.start.isoformat()


def to_moment(text: str, now: datetime) -> str | None:
    """ISO text of a date with a time, in the zone of `now` where it names none; a day alone is its beginning."""
    text = normalise(text[: LONGEST + 1]).text
    if moment := _iso(text, now):
        return moment.isoformat()
    day = to_date(text, now)
    return datetime.combine(date.fromisoformat(day), time(), now.tzinfo).isoformat() if day else None


def to_time(text: str, now: datetime) -> str | None:  # noqa: ARG001  the readers of all moments are called alike
    """`HH:MM` (seconds kept where given); None if it is no time of day."""
    text = normalise(text[: LONGEST + 1]).text
    if found := CLOCK.fullmatch(text):
        try:
            return time(int(found[1]), int(found[2]), int(found[3] or 0)).isoformat(
                "seconds" if found[3] else "minutes"
            )
        except ValueError:
            return None
    times = find_times(text) if len(text) <= LONGEST else []
    return times[0].value if len(times) == 1 and (times[0].start, times[0].end) == (0, len(text)) else None


def _day(year: str, month: str, day: str) -> str | None:
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None


def _iso(text: str, now: datetime) -> datetime | None:
    """A full ISO date and time; a date alone is none."""
    if len(text) > LONGEST or not re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:", text):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)
