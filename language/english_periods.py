"""Finds English dates and periods: one that stands by itself, narrowed, and joined to another."""

import re
from datetime import date

from language.clock import Clock
from language.english_dates import COMPILED_ANCHORS, COMPILED_NARROWINGS
from language.english_words import HINT, tokens
from language.found import Found
from language.normalise import fold
from language.stretch import OutOfCalendar, Stretch, between, calendar_day, days, plus_days, since, until
from language.tense import Tense

_DEEPEST = 3
_MOVES = re.compile(r"(?<![a-z])(?:mov(?:e|ing)|reschedul|postpon|shift|push|bring|chang(?:e|ing)|delay)")
_DAYS_OF_MONTH = re.compile("[no][lu][no]e?[Mm]")
_BETWEEN_DAYS = re.compile("[no]&[no]e?[Mm]")


def find(text: str, today: date, tense: Tense) -> list[Found[Stretch]]:
    folded = fold(text)
    return _Sentence(text, folded).find(Clock(today, tense)) if HINT.search(folded) else []


class _Sentence:
    def __init__(self, text: str, folded: str) -> None:
        self.text = text
        self.tokens = tokens(folded)
        self.kinds = "".join(t.kind for t in self.tokens)
        self.moves = bool(_MOVES.search(folded))

    def find(self, clock: Clock) -> list[Found[Stretch]]:
        found: list[Found[Stretch]] = []
        at = 0
        while at < len(self.tokens):
            try:
                read = None if self.kinds[at] in "xe,&tl" else self._joined(at, clock)
            except OutOfCalendar:
                read = None
            if read is None:
                at += 1
                continue
            stretch, end = read
            start, stop = self.tokens[at].start, self.tokens[end - 1].end
            found.append(Found(start=start, end=stop, text=self.text[start:stop], value=stretch))
            at = end
        return found

    def _kind(self, at: int) -> str:
        return self.kinds[at] if at < len(self.kinds) else "$"

    def _joined(self, at: int, clock: Clock) -> tuple[Stretch, int] | None:
        """One stretch with what joins it: since, before, from … to …"""
        if short := self._short_range(at, clock):
            return short
        lead = self._kind(at)
        if lead not in "SFBbufw":
            read = self._stretch(at, clock)
            return self._to(*read, clock) or read if read else None
        read = self._stretch(at + 1, Clock(clock.today, "past", clock.base) if lead == "S" else clock)
        if read is None:
            return None
        stretch, end = read
        if lead in "fwS" and (joined := self._to(stretch, end, clock, both=lead == "w")):
            return joined
        return self._bounded(lead, stretch, clock), end

    def _bounded(self, lead: str, stretch: Stretch, clock: Clock) -> Stretch:
        today = clock.today
        if lead == "S":
            return days(stretch.start, today) if stretch.start <= today else since(stretch.start)
        if lead == "F":
            start = plus_days(stretch.end, 1)
            return days(start, today) if start <= today and clock.tense != "future" else since(start)
        if lead == "B":
            end = plus_days(stretch.start, -1)
            return days(today, end) if end >= today else until(end)
        if lead in "bu":
            return days(today, stretch.end) if stretch.end >= today and clock.tense != "past" else until(stretch.end)
        return stretch

    def _to(self, first: Stretch, end: int, clock: Clock, *, both: bool = False) -> tuple[Stretch, int] | None:
        while self._kind(end) == "t":
            end += 1
        if self._kind(end) not in ("&" if both else "ul") or (self.moves and not both):
            return None
        if self._kind(end + 1) == "N":
            return days(first.start, clock.today), end + 2
        read = self._stretch(end + 1, Clock(clock.today, clock.tense, first.start)) or self._same_month(first, end + 1)
        if read is None:
            return None
        names_month = any(kind in "MmX" for kind in self.kinds[end : read[1]])
        said = self._anchor(end + 1, clock) if names_month else None
        return between(first, read[0], said[0] if said else None), read[1]

    def _same_month(self, first: Stretch, at: int) -> tuple[Stretch, int] | None:
        """March 1 to 5."""
        if first.grain != "day" or self._kind(at) not in "no":
            return None
        try:
            return calendar_day(first.start.year, first.start.month, self.tokens[at].value), at + 1
        except OutOfCalendar:
            return None

    def _short_range(self, at: int, clock: Clock) -> tuple[Stretch, int] | None:
        """1-5 March, 1st to 5th of March, between 1 and 5 March."""
        joined = _BETWEEN_DAYS if self._kind(at) == "w" else _DAYS_OF_MONTH
        at += self._kind(at) in "fw"
        match = joined.match(self.kinds, at)
        read = self._stretch(at + 2, clock) if match else None
        if read is None or read[0].grain != "day":
            return None
        try:
            first = calendar_day(read[0].start.year, read[0].start.month, self.tokens[at].value)
        except OutOfCalendar:
            return None
        return days(first.start, read[0].end), read[1]

    def _stretch(self, at: int, clock: Clock, depth: int = 0) -> tuple[Stretch, int] | None:
        if depth < _DEEPEST:
            for pattern, narrow in COMPILED_NARROWINGS:
                if match := pattern.match(self.kinds, at):
                    whole = self._stretch(match.end(), clock, depth + 1) or self._this_unit(match.end(), clock)
                    try:
                        if whole:
                            return narrow(whole[0], self.tokens[at : match.end()]), whole[1]
                    except OutOfCalendar:
                        continue
        return self._anchor(at, clock)

    def _this_unit(self, at: int, clock: Clock) -> tuple[Stretch, int] | None:
        """End of the month: of this one."""
        return (clock.unit(0, self.tokens[at].value), at + 1) if self._kind(at) == "U" else None

    def _anchor(self, at: int, clock: Clock) -> tuple[Stretch, int] | None:
        for pattern, build in COMPILED_ANCHORS:
            if match := pattern.match(self.kinds, at):
                try:
                    return self._with_weekday(build(clock, self.tokens[at : match.end()]), at, match.end(), clock)
                except OutOfCalendar:
                    continue
        return None

    def _with_weekday(self, found: Stretch, at: int, end: int, clock: Clock) -> tuple[Stretch, int]:
        """Friday, March 5: the date says it better."""
        if self.kinds[at:end] == "K":
            after = end + (self._kind(end) == ",")
            if self._kind(after) in "MX" and (read := self._anchor(after, clock)) and read[0].grain == "day":
                return read
        return found, end
