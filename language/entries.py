"""Finds what is to be put into a calendar or on a list, or moved, and its title: what is left of the sentence.

"周五上午十点有面试，加到日程里" is 面试 without the moment, the words that put it there, and small words at the edges.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from language.entry_words import (
    AFTER,
    AMOUNT,
    ANY_CHINESE,
    ANY_ENGLISH,
    BEFORE,
    BEGINS,
    CHINESE_FRAMES,
    ELSEWHERE,
    ENGLISH_FRAMES,
    GENERIC,
    MOVED,
    NEW_MOMENT,
    PARTS,
    STOP,
    TOLD,
    WHERE,
    WITH_MOMENT,
    Frames,
    Kind,
)
from language.found import Span, gaps, overlaps

_FAR = 400


@dataclass(frozen=True, kw_only=True)
class Entry:
    """`frame`: the words that say what is to be done. `title`: None where the sentence does not name the thing."""

    kind: Kind
    frame: Span
    title: Span | None


def find_entry(text: str, moments: Sequence[Span]) -> Entry | None:
    """`moments`: dates and times, which are no part of a title."""
    text = text[:_FAR]
    for kind, pattern in _frames(text):
        if found := pattern.search(text):
            return _entry(text, kind, found.span(found.lastindex or 0), moments)
    for pattern in WITH_MOMENT if moments and not ELSEWHERE.search(text) else ():
        if found := pattern.search(text):
            return _entry(text, "calendar", found.span(), moments)
    return _moving(text, moments)


def _frames(text: str) -> Frames:
    chinese = CHINESE_FRAMES if ANY_CHINESE.search(text) else ()
    return (*chinese, *ENGLISH_FRAMES) if ANY_ENGLISH.search(text) else chinese


def names_nothing(text: str) -> bool:
    """Whether a title is no more than what any entry could be called ("meeting", "日程")."""
    return not text or bool(GENERIC.fullmatch(text.lower()))


def _entry(text: str, kind: Kind, frame: Span, moments: Sequence[Span]) -> Entry:
    used = [frame, *_places(text), *_widened(text, moments)]
    return Entry(kind=kind, frame=frame, title=_title(text, frame, used))


def _moving(text: str, moments: Sequence[Span]) -> Entry | None:
    """Something that is moved to a moment which the sentence names behind the moving word."""
    for found in MOVED.finditer(text):
        if AMOUNT.search(text, found.start()):
            return Entry(kind="moved", frame=found.span(), title=_moved_title(text, found, moments))
        behind = [m for m in moments if m[0] >= found.end() and not text.startswith("的", m[1])]
        if not any(m[0] - found.end() <= 1 or NEW_MOMENT.search(text, max(0, m[0] - 16), m[0]) for m in behind):
            continue
        return Entry(kind="moved", frame=found.span(), title=_moved_title(text, found, moments))
    return None


def _moved_title(text: str, found: re.Match[str], moments: Sequence[Span]) -> Span | None:
    used = [found.span(), *(m.span() for m in AMOUNT.finditer(text)), *_widened(text, moments)]
    for piece in _pieces(text, used):
        start, end = trimmed(text, *piece)
        if told := TOLD.search(text, start, end):
            start, end = trimmed(text, start, told.start())
        if start < end and not names_nothing(text[start:end]):
            return start, end
    return None


def _title(text: str, frame: Span, used: Sequence[Span]) -> Span | None:
    """Without 把 where the thing is put somewhere ("把更新封面列进待办"), and not where something is done to it."""
    for piece in _pieces(text, used):
        start, end = trimmed(text, *piece)
        if told := BEGINS.search(text, start, end):
            end = trimmed(text, start, told.start())[1]
        put_there = piece[1] <= frame[0] and not text[piece[1] : frame[0]].strip()
        if start > piece[0] and text[start - 1] in "把将" and not put_there:
            start -= 1
        if start < end and not names_nothing(text[start:end]):
            return start, end
    return None


def _pieces(text: str, used: Sequence[Span]) -> list[Span]:
    stops = [m.span() for m in STOP.finditer(text) if not overlaps(*m.span(), used)]
    return gaps(0, len(text), [*used, *stops])


def _places(text: str) -> list[Span]:
    return [m.span() for m in WHERE.finditer(text)]


def _widened(text: str, moments: Sequence[Span]) -> list[Span]:
    """With the part of the day behind a moment ("tomorrow morning") and its 's."""
    return [(start, found.end() if (found := PARTS.match(text, end)) else end) for start, end in moments]


def trimmed(text: str, start: int, end: int) -> Span:
    """Without the small words at either end."""
    if edge := BEFORE.match(text, start, end):
        start = edge.end()
    if edge := AFTER.search(text[start:end]):
        end = start + edge.start()
    return start, end
