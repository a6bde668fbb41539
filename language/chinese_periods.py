"""Finds Chinese dates and periods: one that stands by itself, narrowed, and joined to another."""

import re
from datetime import date

from language.chinese_dates import ANCHORS, day_of_month, month, written_year
from language.chinese_narrowing import REFINEMENTS
from language.clock import Clock
from language.found import Found
from language.stretch import OutOfCalendar, Stretch, between, calendar_day, day, days, plus, plus_days, since, until
from language.tense import Tense
from language.time_tokens import tokens

_SHORT = re.compile("n-n[YMD]")
_CLOCK_TO_DAY = re.compile("t-T(?=t|$)")
_WHOLE_DATE = re.compile("(?:nY)?nMnD")
_NEXT_DAY = re.compile("[,&]nD")
_WEEKDAY_AFTER = re.compile(",?K")
_MONTH = re.compile("[MX]")
_DOTTED = re.compile("7(?:-7)?")
_NOTHING_BEGINS_WITH = frozenset("xe,v&tBSIoZ0ilN69")
Read = tuple[Stretch, int]
"""What was read, and the token after it."""


def find(text: str, today: date, tense: Tense) -> list[Found[Stretch]]:
    return _Sentence(text).find(Clock(today, tense))


class _Sentence:
    """The tokens of one text, with one letter for each, and what is read from some position on."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens(text)
        self.kinds = "".join(t.kind for t in self.tokens)

    def find(self, clock: Clock) -> list[Found[Stretch]]:
        found: list[Found[Stretch]] = []
        at = 0
        whole: Stretch | None = None  # the last day said with its month: 把12月5号的会议改到6号
        while at < len(self.tokens):
            here = Clock(clock.today, "open", whole.start.replace(day=1)) if whole and self._only_day(at) else clock
            try:
                read = self._from_clock(at, here) if self.kinds[at] in _NOTHING_BEGINS_WITH else self._joined(at, here)
            except OutOfCalendar:
                read = None
            if read is None:
                impossible = _WHOLE_DATE.match(self.kinds, at)
                at = impossible.end() if impossible else at + 1
                continue
            stretch, end = read
            start, stop = self.tokens[at].start, self.tokens[end - 1].end
            found.append(Found(start=start, end=stop, text=self.text[start:stop], value=stretch))
            whole = stretch if stretch.grain == "day" and _MONTH.search(self.kinds, at, end) else whole
            at = end
        return found

    def _only_day(self, at: int) -> bool:
        return self.kinds.startswith("nD", at)

    def _kind(self, at: int) -> str:
        return self.kinds[at] if at < len(self.kinds) else "$"

    def _joined(self, at: int, clock: Clock) -> Read | None:
        """One stretch with what is joined to it: a second end, 之前, 以来, more days of a list."""
        lead = self.kinds[at]
        first = at + (lead in "ru-")
        read = self._shortened(first, clock) or self._dotted(first, clock) or self._stretch(first, clock)
        if read is None:
            return None
        stretch, end = read
        closed = self._kind(end) == "9"
        if lead == "u" or closed:
            return until(stretch.end), end + closed
        if lead == "-":
            return None
        for join in (self._to, self._since, self._before, self._list):
            if joined := join(stretch, end, clock):
                return joined
        return stretch, end + (self._kind(end) == "I")

    def _shortened(self, at: int, clock: Clock) -> Read | None:
        """1995-1997年, 3到5月, 1-5号: the unit is written once."""
        match = _SHORT.match(self.kinds, at)
        read = self._stretch(at + 2, clock) if match else None
        if match is None or read is None:
            return None
        first, unit = self.tokens[at], self.tokens[match.end() - 1]
        stretch, end = read
        base = (
            Clock(clock.today, "open", stretch.start.replace(day=1)) if unit.kind == "D" else Clock(clock.today, "open")
        )
        try:
            start = {"Y": written_year, "M": month, "D": day_of_month}[unit.kind](base, [first]).start
        except OutOfCalendar:
            return None
        if unit.kind == "M" and start > stretch.end:
            start = plus(start, -1, "year")
        return (days(start, stretch.end), end) if start < stretch.start else None

    def _dotted(self, at: int, clock: Clock) -> Read | None:
        """2.12 is a day only where nothing else is said, or from one to another."""
        match = _DOTTED.match(self.kinds, at)
        if match is None or (match.end() - at == 1 and len(self.kinds) > 1):
            return None
        first, last = (self._month_and_day(index, clock) for index in (at, match.end() - 1))
        return (days(first.start, last.end), match.end()) if first.start < last.end else (first, match.end())

    def _month_and_day(self, at: int, clock: Clock) -> Stretch:
        month_number, number = self.tokens[at].value
        return clock.of_year(lambda year: calendar_day(year, month_number, number))

    def _from_clock(self, at: int, clock: Clock) -> Read | None:
        """13:20到次日05:40."""
        match = _CLOCK_TO_DAY.match(self.kinds, at)
        if match is None:
            return None
        return days(clock.today, plus_days(clock.today, self.tokens[at + 2].value)), match.end()

    def _to(self, first: Stretch, end: int, clock: Clock) -> Read | None:
        while self._kind(end) == "t":
            end += 1
        link = self._kind(end)
        if link not in "-&":
            return None
        read = self._now(end + 1, clock) or self._stretch(end + 1, Clock(clock.today, clock.tense, first.start))
        if read is None:
            return None
        second, stop = read
        closed = self._kind(stop) == "v"
        if not closed and link != "-":
            return None
        names_month = "M" in self.kinds[end:stop] or "X" in self.kinds[end:stop]
        said = self._stretch(end + 1, clock) if names_month else None
        return between(first, second, said[0] if said else None), stop + closed

    def _now(self, at: int, clock: Clock) -> Read | None:
        """到现在: these words are a day only here."""
        if self._kind(at) == "N":
            return day(clock.today), at + 1
        return None

    def _since(self, stretch: Stretch, end: int, clock: Clock) -> Read | None:
        if self._kind(end) not in "SFg":
            return None
        if self._kind(end) == "F" and (before := self._until(stretch, end + 1, clock)):
            return before
        open_end = stretch.start > clock.today or (clock.tense == "future" and stretch.end >= clock.today)
        return (since(stretch.start) if open_end else days(stretch.start, clock.today)), end + 1

    def _until(self, first: Stretch, at: int, clock: Clock) -> Read | None:
        """2010年之后2018年之前."""
        read = self._stretch(at + (self._kind(at) in ",&e"), clock)
        if read is None or self._kind(read[1]) not in "Ba" or read[0].start <= first.start:
            return None
        return days(first.start, plus_days(read[0].start, -1)), read[1] + 1

    def _before(self, stretch: Stretch, end: int, clock: Clock) -> Read | None:
        """Of what is to come: until its end; of what was: until the day before it."""
        if self._kind(end) not in "Ba":
            return None
        last = self.tokens[end - 1]
        if last.kind in "oO" and "end" in (last.value, last.value[-1]):
            return (days(clock.today, stretch.end) if stretch.end >= clock.today else until(stretch.end)), end + 1
        if stretch.start > clock.today or (clock.tense == "future" and stretch.end >= clock.today):
            return days(clock.today, stretch.end), end + 1
        return until(plus_days(stretch.start, -1)), end + 1

    def _list(self, stretch: Stretch, end: int, clock: Clock) -> Read | None:
        """9月10号, 11号, 12号; a weekday beside a date says the same day again."""
        if stretch.grain != "day":
            return None
        last, at = stretch, end
        while match := _NEXT_DAY.match(self.kinds, at):
            following = plus_days(last.end, 1)
            if self.tokens[match.end() - 2].value != following.day:
                break
            last, at = day(following), match.end()
        if at > end:
            return days(stretch.start, last.end), at
        if match := _WEEKDAY_AFTER.match(self.kinds, end):
            same = self.tokens[match.end() - 1].value == stretch.end.weekday()
            if same or (match.group() == "K" and self.kinds[end - 1] != "K"):
                return stretch, match.end()
        if self.kinds[end - 1] == "K" and self._kind(end) == "," and (read := self._stretch(end + 1, clock)):
            return read if read[0].grain == "day" and self.kinds[end + 1] != "K" else None
        return None

    def _stretch(self, at: int, clock: Clock) -> Read | None:
        read = self._anchor(at, clock)
        while read:
            narrower = self._refined(*read, clock)
            if narrower is None:
                return read
            read = narrower
        return None

    def _anchor(self, at: int, clock: Clock) -> Read | None:
        for pattern, build in ANCHORS.get(self._kind(at), ()):
            if match := pattern.match(self.kinds, at):
                try:
                    return build(clock, self.tokens[at : match.end()]), match.end()
                except OutOfCalendar:
                    continue
        return None

    def _refined(self, whole: Stretch, end: int, clock: Clock) -> Read | None:
        at = end + (self._kind(end) == "e")
        for grains, pattern, build in REFINEMENTS.get(self._kind(at), ()):
            if whole.grain in grains and (match := pattern.match(self.kinds, at)):
                try:
                    return build(whole, self.tokens[at : match.end()], clock), match.end()
                except OutOfCalendar:
                    if match.group() == "nD":
                        raise
        return None
