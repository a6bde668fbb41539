"""Reads every particular of a sentence, each character used once."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from language.counts import find_limits
from language.found import Found, Span, gaps, overlaps
from language.free_text import find_content, find_keyword
from language.identifiers import Rule, find_identifiers, find_phones
from language.matcher import Match, Matcher
from language.names import Names, find_people
from language.normalise import Text, fold
from language.numerals import CHINESE, numeral
from language.periods import Period, find_periods, moved
from language.stretch import Unit
from language.times import find_times

_READ = 4000
_MOVED = re.compile(
    r"改[到为成至]|[挪移换推延调][到至]|推迟|延[后期]|提前|改期|变[成更]|\b(?:to|until|moved?|postponed?|reschedul\w*)\b",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"[改变换设置更标][为成作到]|标记|设置?[为成]|更新[为成到]|\b(?:to|as|into)\b|->|→", re.IGNORECASE
)
_SHIFTED = re.compile(
    rf"(?P<way>推迟|延后|延期|顺延|后延|推后|提前)(?:了)?(?P<count>[0-9]{{1,3}}|[{CHINESE}]{{1,3}})(?P<unit>天|日|周|个?星期|个?礼拜|个月)"
)
_UNITS: Mapping[str, Unit] = {"天": "day", "日": "day", "周": "week", "期": "week", "拜": "week", "月": "month"}
_NOTHING = re.compile(r"[\W_]+")


@dataclass(frozen=True, kw_only=True)
class Particulars:
    """`slots`: only those found, as plain data. `spans`: the characters they were read from, in order, each once."""

    slots: dict[str, Any]
    spans: tuple[Span, ...]


class Reader:
    """The word lists are given once and prepared; reading keeps no state.

    `values`: slot -> canonical value -> words. `identifiers`: kinds of identifier, tried in this order.
    """

    def __init__(
        self,
        *,
        values: Mapping[str, Mapping[str, Iterable[str]]],
        identifiers: Sequence[Rule],
        names: Names,
    ) -> None:
        words: dict[str, Mapping[str, str]] = {}
        for slot, some in values.items():
            for value, spelled in some.items():
                for word in spelled:
                    words[fold(word)] = {slot: value, **words.get(fold(word), {})}
        self._values = Matcher(words)
        self._identifiers = tuple(identifiers)
        self._names = names

    def read(self, text: Text, now: datetime, taken: Sequence[Span] = ()) -> Particulars:
        """`now` is local to the user. `taken`: characters that mean something else already (nouns of the intents).

        Identifiers come before dates, dates before times and counts, and names after all, bounded by what is known.
        """
        return _Reading(text, now, taken).all(self._values, self._identifiers, self._names)


class _Reading:
    def __init__(self, text: Text, now: datetime, taken: Sequence[Span]) -> None:
        self.whole = text
        self.text = text.text[:_READ]
        self.now = now
        self.taken = [(s, e) for s, e in taken if 0 <= s < e]
        self.slots: dict[str, Any] = {}
        self.spans: list[Span] = []
        self.read: tuple[Span, ...] = ()

    def all(self, values: Matcher[Mapping[str, str]], rules: Sequence[Rule], names: Names) -> Particulars:
        self._identifiers(rules)
        self._periods()
        self._times()
        self._value_slots(values)
        self._limit()
        self.read = tuple(self.spans)
        others = [*self.taken, *self.spans]
        self._people(names)
        self._free_text(others)
        return Particulars(slots=self.slots, spans=tuple(sorted(self.spans)))

    def _free(self, found: Iterable[Found[Any]]) -> list[Found[Any]]:
        return [f for f in found if not overlaps(f.start, f.end, self.spans)]

    def _use(self, start: int, end: int) -> None:
        self.spans.append((start, end))

    def _identifiers(self, rules: Sequence[Rule]) -> None:
        for phone in find_phones(self.text):
            self.slots.setdefault("phone", []).append(phone.value)
            self._use(phone.start, phone.end)
        for found in self._free(find_identifiers(self.text, rules)):
            slot, number = found.value
            known = self.slots.setdefault(slot, [])
            if number not in known:
                known.append(number)
            self._use(found.start, found.end)

    def _periods(self) -> None:
        found = [f for f in self._free(find_periods(self.text, self.now)) if not self._inside_taken(f.start, f.end)]
        self._two(found, "period", _dates)
        shift = _SHIFTED.search(self.text) if found else None
        if shift and "new_period" not in self.slots:
            self._shift(found[0].value, shift)

    def _shift(self, period: Period, shift: re.Match[str]) -> None:
        """推迟两天 moves the date that was found."""
        count = numeral(shift["count"]) or 0
        later = moved(period, -count if shift["way"] == "提前" else count, _UNITS[shift["unit"][-1]], self.now)
        if count and later and not overlaps(*shift.span(), self.spans):
            self.slots["new_period"] = _dates(later)
            self._use(*shift.span())

    def _times(self) -> None:
        self._two(self._free(find_times(self.text)), "time", str)

    def _two(self, found: Sequence[Found[Any]], slot: str, shown: Any) -> None:
        """The first one, and as `new_…` the last one where the words between them move it."""
        if not found:
            return
        self.slots[slot] = shown(found[0].value)
        self._use(found[0].start, found[0].end)
        for other in found[1:]:
            if _MOVED.search(self.text, found[0].end, other.start) and f"new_{slot}" not in self.slots:
                self.slots[f"new_{slot}"] = shown(other.value)
                self._use(other.start, other.end)

    def _value_slots(self, values: Matcher[Mapping[str, str]]) -> None:
        """A word may be a value of several slots. Of several values of a slot the one that something is changed to
        counts, else the first."""
        words: dict[str, list[Match[Mapping[str, str]]]] = {}
        for match in values.find(self.text):
            if overlaps(match.start, match.end, self.spans):
                continue  # what `taken` means besides, it may mean too: 取消 acts on an order and is a status
            for slot in match.value:
                words.setdefault(slot, []).append(match)
            self._use(match.start, match.end)
        for slot, some in words.items():
            chosen = next((m for m in some[1:] if _CHANGED.search(self.text, some[0].end, m.start)), some[0])
            self.slots[slot] = chosen.value[slot]

    def _limit(self) -> None:
        found = self._free(find_limits(self.text))
        if found:
            self.slots["limit"] = found[0].value
            self._use(found[0].start, found[0].end)

    def _free_text(self, others: Sequence[Span]) -> None:
        """Free text may hold other particulars; of its characters it uses what they left."""
        for slot, span in (
            ("content", find_content(self.text, self.read)),
            ("keyword", find_keyword(self.text, others)),
        ):
            if span is None or not gaps(*span, self.read):
                continue
            self.slots[slot] = self.whole.original(*span).strip()
            for start, end in gaps(*span, [*self.taken, *self.spans]):
                self._use(start, end)

    def _people(self, names: Names) -> None:
        for found in find_people(self.text, names, [*self.taken, *self.spans]):
            people = self.slots.setdefault("people", [])
            if found.value not in people:
                people.append(found.value)
            self._use(found.start, found.end)

    def _inside_taken(self, start: int, end: int) -> bool:
        return any(left <= start and end <= right for left, right in self.taken)


def _dates(period: Period) -> dict[str, str]:
    return {"name": period.name, "start": period.start.isoformat(), "end": period.end.isoformat()}


def rest(text: str, spans: Iterable[Span], particles: Matcher[Any] | Sequence[str]) -> str:
    """What remains when spans, particles, punctuation, emoji and white space are taken out; "" if nothing."""
    words = particles if isinstance(particles, Matcher) else Matcher(dict.fromkeys(particles, True))
    pieces = "\x00".join(text[start:end] for start, end in gaps(0, len(text), list(spans)))
    kept = gaps(0, len(pieces), [(m.start, m.end) for m in words.find(pieces)])
    return _NOTHING.sub("", "".join(pieces[start:end] for start, end in kept))
