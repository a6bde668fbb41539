"""Finds what an entry of a calendar is called by its kind: the 产品评审会 of "把明天的产品评审会推迟到后天"."""

from collections.abc import Sequence

from language.entries import trimmed
from language.found import Span
from language.matcher import Matcher

_ENDS = frozenset("的把将给和跟与及、，。；：！？ ,.;:!?\"'“”「」《》()（）个场次条项份")
_LONGEST = 10


def find_title(text: str, kinds: Matcher[bool], used: Sequence[Span]) -> Span | None:
    """The first kind of entry with what is written before it, up to a particle or what is `used` already."""
    match = next(iter(kinds.find(text)), None)
    if match is None:
        return None
    start = match.start
    while start > max(0, match.start - _LONGEST) and _belongs(text, start - 1, used):
        start -= 1
    return trimmed(text, start, match.end)[0], match.end


def _belongs(text: str, at: int, used: Sequence[Span]) -> bool:
    return text[at] not in _ENDS and not any(left <= at < right for left, right in used)
