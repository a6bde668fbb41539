"""Finds the words of a list in a text: longest first, each character used once."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from language.normalise import fold

T = TypeVar("T")
_CJK_FROM = 0x2E80
_LATIN = r"(?:(?![_\u2e80-\U0010ffff])\w)"  # what `is_latin` says


@dataclass(frozen=True, kw_only=True)
class Match(Generic[T]):
    """`word` as the list spells it; a simple plural in the text belongs to the match."""

    start: int
    end: int
    word: str
    value: T


class Matcher(Generic[T]):
    """Latin words and digits match whole words only, whose neighbour may be Chinese; case does not matter."""

    def __init__(self, words: Mapping[str, T]) -> None:
        self._words: dict[str, tuple[str, T]] = {fold(w): (w, v) for w, v in words.items() if w.strip()}
        # By the first two characters, since many words share the first; a word of one has the room for any second.
        lengths: dict[str, set[int]] = {}
        for word in self._words:
            lengths.setdefault(word[:2], set()).add(len(word))
        self._ones: dict[str, Sequence[int]] = {start: (1,) for start in lengths if len(start) == 1}
        self._lengths: dict[str, Sequence[int]] = {
            start: sorted(some | set(self._ones.get(start[0], ())), reverse=True) for start, some in lengths.items()
        }
        firsts = "".join(map(re.escape, dict.fromkeys(start[0] for start in lengths)))
        self._starts = re.compile(rf"(?:(?<!{_LATIN})|(?!{_LATIN}))[{firsts}]" if firsts else "(?!)", re.DOTALL)

    def find(self, text: str) -> list[Match[T]]:
        candidates = self._candidates(fold(text))
        if len(candidates) > 1:
            candidates.sort(key=lambda c: (c[0] - c[1], c[0]))
        used = bytearray(len(text))
        kept: list[Match[T]] = []
        for start, end, (word, value) in candidates:
            if not any(used[start:end]):
                used[start:end] = b"\x01" * (end - start)
                kept.append(Match(start=start, end=end, word=word, value=value))
        return sorted(kept, key=lambda m: m.start)

    def _candidates(self, text: str) -> list[tuple[int, int, tuple[str, T]]]:
        words, lengths = self._words, self._lengths
        found: list[tuple[int, int, tuple[str, T]]] = []
        for begin in self._starts.finditer(text):
            start = begin.start()
            for length in lengths.get(text[start : start + 2]) or self._ones.get(text[start], ()):
                stop = start + length
                entry = words.get(text[start:stop]) if stop <= len(text) else None
                if entry and (end := word_end(text, start, stop)):
                    found.append((start, end, entry))
        return found


def is_latin(character: str) -> bool:
    """A letter or digit of a script that writes spaces between its words."""
    return ord(character) < _CJK_FROM and character.isalnum()


def word_end(text: str, start: int, end: int) -> int | None:
    """Where the word at `start` to `end` of a folded text ends, with its plural; None inside a longer Latin word."""
    if start and is_latin(text[start]) and is_latin(text[start - 1]):
        return None
    if not is_latin(text[end - 1]) or end == len(text) or not is_latin(text[end]):
        return end
    if text[end - 1].isalpha():
        for plural in ("s", "es"):
            after = end + len(plural)
            if text.startswith(plural, end) and not is_latin(text[after : after + 1] or " "):
                return after
    return None
