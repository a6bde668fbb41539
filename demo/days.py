"""Whole days of a time zone, as the instants between which they lie."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo


@dataclass(frozen=True, kw_only=True)
class Days:
    """From `start` to `end`, both included, as days of `zone`; None leaves that side open."""

    zone: tzinfo
    start: date | None = None
    end: date | None = None

    @property
    def since(self) -> datetime | None:
        """The first instant that belongs to them."""
        return None if self.start is None else midnight(self.start, self.zone)

    @property
    def before(self) -> datetime | None:
        """The first instant after them."""
        if self.end is None or self.end == date.max:
            return None
        return midnight(self.end + timedelta(days=1), self.zone)

    @property
    def bounds(self) -> dict[str, datetime | date | None]:
        """As parameters of a query: instants `since` (included) and `before` (not), and the days `start` and `end`."""
        return {"since": self.since, "before": self.before, "start": self.start, "end": self.end}


def midnight(day: date, zone: tzinfo) -> datetime:
    return datetime.combine(day, time.min, tzinfo=zone)


def every_day(first: date, last: date) -> list[date]:
    """All days from `first` to `last`, both included; empty where `first` is the later one."""
    return [first + timedelta(days=n) for n in range((last - first).days + 1)]
