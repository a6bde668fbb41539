"""From what a user typed to one written form, with the way back to the original characters."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from opencc import OpenCC

from language.found import Span

LONGEST = 2000
"""Characters of normalised text that are read."""
_ROUNDS = 6
_BEFORE_COMPOSING = 3 * LONGEST  # as many as compose to LONGEST at the most: a syllable of three letters
_MOST_MARKS = 30
_MANY_MARKS = re.compile(rf"[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]{{{_MOST_MARKS}}}")
# Letters, marks and fillers that show nothing, besides those whose category says so.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_PIECE = re.compile(r"\s+|\S")
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
# ASCII, Chinese and its punctuation, full-width ASCII: nothing that composes, or becomes several characters.
_PLAIN = re.compile("[ -~　-〕㐀-鿿！-～‘’“”—]*")
_UNTIDY_SPACE = re.compile(r"[ \u3000]{2}|^[ \u3000]|[ \u3000]$")


@dataclass(frozen=True)
class Text:
    """`text`: the written form that everything reads. `spans[i]`: where `text[i]` stands in `raw`, end exclusive."""

    raw: str
    text: str
    spans: tuple[Span, ...]

    def original(self, start: int, end: int) -> str:
        """The characters of `raw` that `text[start:end]` came from; "" for an empty piece."""
        covered = self.spans[start:end]
        return self.raw[covered[0][0] : covered[-1][1]] if covered else ""

    def part(self, start: int, end: int) -> "Text":
        return Text(self.raw, self.text[start:end], self.spans[start:end])

    def replace(self, start: int, end: int, new: str) -> "Text":
        """Each character of `new` points to all that it replaced."""
        return self.with_changes([(start, end, new)])

    def with_changes(self, changes: Iterable[tuple[int, int, str]]) -> "Text":
        """Several replacements (start, end, new), in text order."""
        pieces: list[str] = []
        spans: list[Span] = []
        done = 0
        for start, end, new in changes:
            pieces += (self.text[done:start], new)
            spans += (*self.spans[done:start], *((self._origin(start, end),) * len(new)))
            done = end
        return Text(self.raw, "".join([*pieces, self.text[done:]]), (*spans, *self.spans[done:]))

    def _origin(self, start: int, end: int) -> Span:
        if covered := self.spans[start:end]:
            return covered[0][0], covered[-1][1]
        at = self.spans[start][0] if start < len(self.spans) else len(self.raw)
        return at, at


def normalise(raw: str) -> Text:
    """NFKC, no invisible and control characters, traditional to simplified, white space to single spaces. Case stays.

    `.text` is no longer than LONGEST, the only limit that reading needs: what is typed beyond it stays in `.raw` and is
    not read. Normalising the `.text` again changes nothing.
    """
    text, spans = _written(raw)
    for _ in range(_ROUNDS):
        before = text
        text, again = _written(text)
        spans = _through(spans, again)
        if text == before:
            break
    return Text(raw, text, tuple(spans))


def fold(text: str) -> str:
    """Lower case with plain apostrophes, of the same length, so that positions hold."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    return lower.replace("’", "'")


def _written(text: str) -> tuple[str, list[Span]]:
    """One round, and where in `text` each character of the result stands."""
    if _PLAIN.fullmatch(text) and not _UNTIDY_SPACE.search(text):
        text = text.translate(_FULL_WIDTH)[:LONGEST].rstrip(" ")
        return _simplify(text), [(index, index + 1) for index in range(len(text))]
    visible, spans = _visible(text)
    composed, again = _compose(visible)
    composed = composed[:LONGEST]
    return _simplify(composed), _through(spans, again[:LONGEST])


def _through(spans: Sequence[Span], again: Iterable[Span]) -> list[Span]:
    """Where the pieces `again` of what `spans` belongs to come from."""
    return [(spans[start][0], spans[end - 1][1]) for start, end in again]


def _visible(text: str) -> tuple[str, list[Span]]:
    """Without what nobody sees, white space as single spaces; no more than may be needed."""
    out: list[str] = []
    spans: list[Span] = []
    for piece in _PIECE.finditer(text):
        character = piece.group()[0]
        if not character.isspace():
            if _is_visible(character):
                out.append(character)
                spans.append(piece.span())
        elif out and out[-1] == " ":
            spans[-1] = (spans[-1][0], piece.end())
        elif out:
            out.append(" ")
            spans.append(piece.span())
        if len(out) >= _BEFORE_COMPOSING:
            break
    if out and out[-1] == " ":
        out.pop()
        spans.pop()
    return "".join(out), spans


@lru_cache(maxsize=4096)
def _is_visible(character: str) -> bool:
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs") and not _INVISIBLE.match(character)


def _compose(text: str) -> tuple[str, list[Span]]:
    """NFKC by groups of one character and the marks on it, so that each result knows its origin."""
    if len(text) <= LONGEST and not _MANY_MARKS.search(text) and unicodedata.is_normalized("NFKC", text):
        return text, [(index, index + 1) for index in range(len(text))]
    out: list[str] = []
    origin: list[Span] = []
    index = 0
    while index < len(text) and len(origin) < LONGEST:
        end = index + 1
        while end < len(text) and unicodedata.combining(text[end]):
            end += 1
        whole = unicodedata.normalize("NFKC", text[index : min(end, index + _MOST_MARKS)])
        out.append(whole)
        origin.extend([(index, end)] * len(whole))
        index = end
    return "".join(out), origin


def _simplify(text: str) -> str:
    if text.isascii():
        return text
    converter = _converter()
    simplified = str(converter.convert(text))
    if len(simplified) == len(text):
        return simplified
    return "".join(one if len(one := str(converter.convert(c))) == 1 else c for c in text)


@lru_cache(maxsize=1)
def _converter() -> Any:
    return OpenCC("t2s")
