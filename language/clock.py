"""What relative words mean on a given day: now, ago, within, the next one, the last one."""

from collections.abc import Callable
from datetime import date

from language.stretch import Stretch, Unit, around, calendar_day, day, days, plus, plus_days, plus_months, weekend
from language.tense import Tense


class Clock:
    """`today`, the tense of the text, and `base`: the date that a range began with, from which its end is read."""

    def __init__(self, today: date, tense: Tense, base: date | None = None) -> None:
        self.today = today
        self.tense = tense
        self.base = base

    @property
    def here(self) -> date:
        return self.base or self.today

    def nearest(self, found: Stretch, before: Callable[[], Stretch], after: Callable[[], Stretch]) -> Stretch:
        """`found`, unless the tense says that it must lie on the other side of today."""
        if self.base:
            return found if found.end >= self.base else after()
        if self.tense == "past" and found.start > self.today:
            return before()
        if self.tense == "future" and found.end < self.today:
            return after()
        return found

    def of_year(self, of: Callable[[int], Stretch]) -> Stretch:
        """A month, day or feast without a year: this year's, or its neighbour's by tense."""
        year = self.here.year
        return self.nearest(of(year), lambda: of(year - 1), lambda: of(year + 1))

    def of_month(self, number: int) -> Stretch:
        """A day without a month: this month's, or its neighbour's by tense."""

        def of(shift: int) -> Stretch:
            month = plus_months(self.here.replace(day=1), shift)
            return calendar_day(month.year, month.month, number)

        return self.nearest(of(0), lambda: of(-1), lambda: of(1))

    def weekday(self, number: int) -> Stretch:
        """The coming one, today included; the last one in a text about what was."""
        ahead = (number - self.here.weekday()) % 7
        if self.tense == "past" and not self.base and ahead:
            ahead -= 7
        return day(plus_days(self.here, ahead))

    def weekend(self) -> Stretch:
        this = weekend(around(self.here, "week"))
        return self.nearest(this, lambda: weekend(around(plus_days(self.today, -7), "week")), lambda: this)

    def unit(self, count: int, unit: Unit) -> Stretch:
        """This calendar unit (0), the one before it (-1), after it (1) …"""
        return around(plus(self.today, count, unit), unit)

    def away(self, count: int, unit: Unit) -> Stretch:
        """The day, week, month or year that lies so many of them ahead, or ago if negative."""
        return (
            self.unit(count, unit)
            if unit not in ("half", "quarter")
            else around(plus(self.today, count, unit), "month")
        )

    def past(self, count: int, unit: Unit) -> Stretch:
        """The last N days are N calendar days that end today; weeks, months and years likewise."""
        return days(plus_days(plus(self.today, -count, unit), 1), self.today)

    def future(self, count: int, unit: Unit) -> Stretch:
        """The next N days begin with today."""
        if unit == "workday":
            return days(self.today, plus(self.today, count, unit))
        return days(self.today, plus_days(plus(self.today, count, unit), -1))

    def before(self, count: int, unit: Unit) -> Stretch:
        """So many whole calendar units that end before this one."""
        this = around(self.today, unit)
        return days(plus(this.start, -count, unit), plus_days(this.start, -1))

    def within(self, count: int, unit: Unit) -> Stretch:
        """Those that end today where the text speaks of the past, else the time until then."""
        return self.past(count, unit) if self.tense == "past" else days(self.today, plus(self.today, count, unit))
