"""What a reader of text returns: a value and the characters that it was read from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
Span = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Found(Generic[T]):
    """`value`, read from `text`, which is the characters `start` to `end` (exclusive)."""

    start: int
    end: int
    text: str
    value: T

    @property
    def span(self) -> Span:
        return self.start, self.end


def overlaps(start: int, end: int, spans: Iterable[Span]) -> bool:
    return any(start < right and left < end for left, right in spans)


def without_overlaps(found: Iterable[Found[T]]) -> list[Found[T]]:
    """In text order; of those that share characters the first, and of those that start together the longest."""
    kept: list[Found[T]] = []
    last_end = 0
    for one in sorted(found, key=lambda f: (f.start, -f.end)):
        if one.start >= last_end:
            kept.append(one)
            last_end = one.end
    return kept


def gaps(start: int, end: int, spans: Sequence[Span]) -> list[Span]:
    """The pieces of `start` to `end` that none of `spans` covers."""
    pieces: list[Span] = []
    for left, right in sorted(spans):
        if right <= start or left >= end:
            continue
        if left > start:
            pieces.append((start, left))
        start = max(start, right)
    if start < end:
        pieces.append((start, end))
    return pieces
