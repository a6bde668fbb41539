"""Reads every particular of a sentence, each character used once."""

import re
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from language.amounts import find_amounts
from language.counts import find_limits
from language.entries import Entry, find_entry, names_nothing
from language.found import Found, Span, gaps, overlaps
from language.free_text import find_after, find_keyword, find_marked, find_reminder
from language.identifiers import Rule, find_identifiers, find_phones
from language.impossible import find_impossible_dates, find_impossible_times
from language.matcher import Matcher
from language.names import Names, find_people
from language.normalise import Text, fold
from language.numerals import CHINESE, numeral
from language.periods import Period, find_periods, moved
from language.stretch import Unit
from language.times import find_times
from language.titles import find_title
from language.value_slots import find_values

_MOVED = re.compile(
    r"改[到为成至]|[挪移换推延调][到至]|推迟|延[后期]|提前|改期|变[成更]|\b(?:to|until|moved?|postponed?|reschedul\w*)\b",
    re.IGNORECASE,
)
# Times side by side, of which each is meant.
_ALSO = re.compile(
    r"(?:的)?\s?(?:[,，、/&]|和|与|跟|同|及|以及|还有|或者?|对比|相比|比|vs\.?|versus|and|or|as well as|"
    r"compared (?:to|with)|against)\s?",
    re.IGNORECASE,
)
_UNTIL = re.compile(r"(?<!以)前|为止|截[止至]|\b(?:by|before|until|till|due|no later than)\b", re.IGNORECASE)
_WRITING = re.compile(
    r"新[建增]|添加|增加|创建|[加建写记][一个条下]|加上|记录|提醒|备忘|记得|安排|待办|代办|任务|[交完]|截止|"
    r"\b(?:add|create|new|make|remind|remember|note|todos?|to-dos?|tasks?|due|deadline|finish|submit)\b",
    re.IGNORECASE,
)
_SHIFTED = re.compile(
    rf"(?P<way>推迟|延后|延期|顺延|后延|推后|提前|往后[挪推延移]?|往前[挪提推移]?)(?:了)?(?P<count>[0-9]{{1,3}}|[{CHINESE}]{{1,3}})(?P<unit>天|日|周|个?星期|个?礼拜|个月)"
)
_NUMBER = re.compile(rf"[0-9{CHINESE}]|[a-z]", re.IGNORECASE)
_KEPT = 16
_UNITS: Mapping[str, Unit] = {"天": "day", "日": "day", "周": "week", "期": "week", "拜": "week", "月": "month"}
_SMALL = re.compile(r"[\W_]|[和跟与给在于的]|\b(?:with|for|at|on|in|by|and|the|from|to)\b", re.IGNORECASE)
_NOTHING = re.compile(r"[\W_]+")


@dataclass(frozen=True, kw_only=True)
class Particulars:
    """`slots`: only those found, as plain data. `spans`: the characters they were read from, in order, each once.
    `entry`: what is to be written down or moved, where the text says so."""

    slots: dict[str, Any]
    spans: tuple[Span, ...]
    entry: Entry | None = None


class Reader:
    """The word lists are given once and prepared; the last few readings are kept, since one text is read often.

    `values`: slot -> canonical value -> words. `identifiers`: kinds of identifier, tried in this order. `titles`: words
    that end what an entry is called (评审会).
    """

    def __init__(
        self,
        *,
        values: Mapping[str, Mapping[str, Iterable[str]]],
        identifiers: Sequence[Rule],
        names: Names,
        titles: Iterable[str] = (),
    ) -> None:
        words: dict[str, Mapping[str, str]] = {}
        for slot, some in values.items():
            for value, spelled in some.items():
                for word in spelled:
                    words[fold(word)] = {slot: value, **words.get(fold(word), {})}
        self._values = Matcher(words)
        self._identifiers = tuple(identifiers)
        self._names = names
        self._titles = Matcher(dict.fromkeys(titles, True))
        self._kept = lru_cache(maxsize=_KEPT)(self._reading)

    def read(self, text: Text, now: datetime, taken: Sequence[Span] = ()) -> Particulars:
        """`now` is local to the user. `taken`: characters that mean something else already (nouns of the intents).

        Identifiers come before dates, dates before times and counts, and names after all, bounded by what is known.
        """
        # Aware times of one instant are equal in every zone, and their days are not: what counts is the local time.
        known = self._kept(text, now.replace(tzinfo=None), tuple(taken))
        return Particulars(slots=deepcopy(known.slots), spans=known.spans, entry=known.entry)

    def _reading(self, text: Text, now: datetime, taken: tuple[Span, ...]) -> Particulars:
        return _Reading(text, now, taken).all(self._values, self._identifiers, self._names, self._titles)


class _Reading:
    def __init__(self, text: Text, now: datetime, taken: Sequence[Span]) -> None:
        self.whole = text
        self.text = text.text
        self.now = now
        self.taken = [(s, e) for s, e in taken if 0 <= s < e]
        self.slots: dict[str, Any] = {}
        self.spans: list[Span] = []
        self.entry: Entry | None = None
        self.moments: list[Span] = []

    def all(
        self, values: Matcher[Mapping[str, str]], rules: Sequence[Rule], names: Names, titles: Matcher[bool]
    ) -> Particulars:
        self._identifiers(rules)
        named = len(self.spans)
        if not self._impossible():
            self._periods()
        self._times()
        moments = tuple(self.spans[named:])
        self.entry = find_entry(self.text, self.moments)
        self._amounts()
        self._value_slots(values)
        self._limit()
        others = [*self.taken, *self.spans]
        title = find_title(self.text, titles, others)
        if title is not None:
            self._use(*title)
        self._people(names)
        self._entitle(title)
        self._free_text(others, moments, tuple(n for rule in rules if not rule.dated for n in rule.nouns))
        if title is not None and not {"content", "keyword"} & self.slots.keys():
            self.slots["keyword"] = self.whole.original(*title)
        named = any(rule.slot in self.slots for rule in rules)
        if self.entry and self.entry.kind == "moved" and self.entry.title and not named:
            self.slots["keyword"] = self.whole.original(*self.entry.title)
        return Particulars(slots=self.slots, spans=tuple(sorted(self.spans)), entry=self.entry)

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

    def _impossible(self) -> bool:
        """Whether a date is none: then no other date is read, since it might be a part of it."""
        dates = self._free(find_impossible_dates(self.text))
        times = [t for t in self._free(find_impossible_times(self.text)) if not overlaps(*t.span, _spans(dates))]
        for one in (*dates, *times):
            self.slots.setdefault("impossible", one.text)
            self._use(*one.span)
        return bool(dates)

    def _periods(self) -> None:
        found = [f for f in self._free(find_periods(self.text, self.now)) if not self._inside_taken(f.start, f.end)]
        self.moments += _spans(found)
        self._two(found, "period", _dates)
        self._side_by_side(found)
        shift = _SHIFTED.search(self.text) if found else None
        if shift and "new_period" not in self.slots:
            self._shift(found[0].value, shift)
        if found and _UNTIL.search(found[0].text) and _WRITING.search(self.text):
            self.slots["due"] = found[0].value.end.isoformat()

    def _side_by_side(self, found: Sequence[Found[Period]]) -> None:
        """今天和昨天: all of them, and the words that join them."""
        joined = [*found[:1]]
        for one in found[1:]:
            if not _ALSO.fullmatch(self.text, joined[-1].end, one.start):
                break
            self._use(joined[-1].end, one.end)
            joined.append(one)
        if len(joined) > 1 and "new_period" not in self.slots:
            self.slots["periods"] = [_dates(one.value) for one in joined]

    def _shift(self, period: Period, shift: re.Match[str]) -> None:
        """推迟两天 moves the date that was found."""
        count = numeral(shift["count"]) or 0
        later = moved(period, -count if "前" in shift["way"] else count, _UNITS[shift["unit"][-1]], self.now)
        if count and later and not overlaps(*shift.span(), self.spans):
            self.slots["new_period"] = _dates(later)
            self._use(*shift.span())

    def _times(self) -> None:
        found = self._free(map(self._behind_day, find_times(self.text)))
        self.moments += _spans(found)
        self._two(found, "time", str)

    def _behind_day(self, time: Found[str]) -> Found[str]:
        """明早九点: the day was read from the part of the day that the time begins with."""
        start = max([time.start, *(end for begin, end in self.spans if begin <= time.start < end < time.end)])
        return replace(time, start=start, text=self.text[start : time.end])

    def _amounts(self) -> None:
        for found in self._free(find_amounts(self.text))[:1]:
            self.slots["amount"] = dict(found.value)
            self._use(*found.span)

    def _two(self, found: Sequence[Found[Any]], slot: str, shown: Any) -> None:
        """The first one, and as `new_…` the last one where the words between them move it."""
        if not found:
            return
        self.slots[slot] = shown(found[0].value)
        self._use(found[0].start, found[0].end)
        moved = _MOVED.search(self.text, found[0].end) if len(found) > 1 else None
        other = next((f for f in found[1:] if f.start >= moved.end()), None) if moved else None
        if other:
            self.slots[f"new_{slot}"] = shown(other.value)
            self._use(other.start, other.end)

    def _value_slots(self, values: Matcher[Mapping[str, str]]) -> None:
        """What `taken` means besides, it may mean too: 取消 acts on an order and is a status."""
        found = find_values(self.text, values, self.spans)
        self.slots.update(found.wanted)
        self.slots.update({f"not_{slot}": list(some) for slot, some in found.unwanted.items()})
        self.spans.extend(found.spans)

    def _limit(self) -> None:
        for found in find_limits(self.text):
            # "金额最高的三笔": the word before the number may have said something of its own.
            start = max([found.start, *(end for _, end in self.spans if found.start < end < found.end)])
            if overlaps(start, found.end, self.spans) or not _NUMBER.search(self.text, start, found.end):
                continue
            self.slots["limit"] = found.value
            self._use(start, found.end)
            return

    def _free_text(self, others: Sequence[Span], moments: Sequence[Span], nouns: tuple[str, ...]) -> None:
        """Free text may hold other particulars; of its characters it uses what they left. `others`: what is used but
        by names; `moments`: dates and times; `nouns`: the things that may be made."""
        entered = self.entry.title if self.entry and self.entry.kind != "moved" else None
        content = find_marked(self.text, moments) or entered or find_reminder(self.text, moments)
        content = content or self._after(nouns, moments)
        for slot, span in (("content", content), ("keyword", find_keyword(self.text, others))):
            if span is None or not gaps(*span, moments):
                continue
            self.slots[slot] = self.whole.original(*span).strip()
            for start, end in gaps(*span, [*self.taken, *self.spans]):
                self._use(start, end)

    def _entitle(self, kind: Span | None) -> None:
        """What is made of particulars ("周五的会议") is no title; what is moved "until Friday" is moved to that day."""
        period = self.slots.get("period")
        if self.entry and self.entry.kind == "moved" and period and period["start"] == self.now.date().isoformat():
            self.slots["period"] = {**period, "start": period["end"]}
        if self.entry and self.entry.title:
            left = "".join(
                self.text[start:end]
                for start, end in gaps(*self.entry.title, [span for span in self.spans if span != kind])
            )
            if not left or (names_nothing(_SMALL.sub("", left))):
                self.entry = replace(self.entry, title=None)

    def _after(self, nouns: tuple[str, ...], moments: Sequence[Span]) -> Span | None:
        """What follows the noun, unless that is made up of particulars."""
        span = find_after(self.text, nouns, moments)
        left = "".join(self.text[start:end] for start, end in gaps(*span, self.spans)) if span else ""
        return span if _SMALL.sub("", left) else None

    def _people(self, names: Names) -> None:
        for found in find_people(self.text, names, [*self.taken, *self.spans]):
            people = self.slots.setdefault("people", [])
            if found.value not in people:
                people.append(found.value)
            self._use(found.start, found.end)

    def _inside_taken(self, start: int, end: int) -> bool:
        return any(left <= start and end <= right for left, right in self.taken)


def _spans(found: Iterable[Found[Any]]) -> list[Span]:
    return [one.span for one in found]


def _dates(period: Period) -> dict[str, str]:
    return {"name": period.name, "start": period.start.isoformat(), "end": period.end.isoformat()}


def rest(text: str, spans: Iterable[Span], particles: Matcher[Any] | Sequence[str]) -> str:
    """What remains when spans, particles, punctuation, emoji and white space are taken out; "" if nothing."""
    words = particles if isinstance(particles, Matcher) else Matcher(dict.fromkeys(particles, True))
    pieces = "\x00".join(text[start:end] for start, end in gaps(0, len(text), list(spans)))
    kept = gaps(0, len(pieces), [(m.start, m.end) for m in words.find(pieces)])
    return _NOTHING.sub("", "".join(pieces[start:end] for start, end in kept))
