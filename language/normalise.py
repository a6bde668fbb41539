"""From what a user typed to one written form, with the way back to the original characters."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from opencc import OpenCC

from language.found import Span

_ROUNDS = 5
_VARIATION_SELECTORS = range(0xFE00, 0xFE10)
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
# ASCII, Chinese and its punctuation, full-width ASCII: nothing that composes, or becomes several characters.
_PLAIN = re.compile("[ -~　-〕㐀-鿿！-～‘’“”—]*")
_UNTIDY_SPACE = re.compile(r"  |^ | $")


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
    """NFKC, no zero-width and control characters, traditional to simplified, white space to single spaces. Case stays.

    Normalising the `.text` again changes nothing.
    """
    spans = [(index, index + 1) for index in range(len(raw))]
    text = raw
    for _ in range(_ROUNDS):
        before = text
        text, spans = _written(text, spans)
        text = _simplify(text)
        if text == before:
            break
    return Text(raw, text, tuple(spans))


def fold(text: str) -> str:
    """Lower case with plain apostrophes, of the same length, so that positions hold."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    return lower.replace("’", "'")


def _written(text: str, spans: list[Span]) -> tuple[str, list[Span]]:
    if _PLAIN.fullmatch(text):
        text = text.translate(_FULL_WIDTH)
    else:
        text, spans = _compose(*_visible(text, spans))
    return _single_spaces(text, spans) if _UNTIDY_SPACE.search(text) or not text.isprintable() else (text, spans)


def _visible(text: str, spans: list[Span]) -> tuple[str, list[Span]]:
    """Without control characters, zero-width characters, lone surrogates and variation selectors."""
    kept = [pair for pair in zip(text, spans, strict=True) if pair[0].isspace() or _is_visible(pair[0])]
    return "".join(c for c, _ in kept), [s for _, s in kept]


@lru_cache(maxsize=4096)
def _is_visible(character: str) -> bool:
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs") and ord(character) not in _VARIATION_SELECTORS


def _compose(text: str, spans: list[Span]) -> tuple[str, list[Span]]:
    """NFKC by groups of one character and the marks on it, so that each result knows its origin."""
    if unicodedata.is_normalized("NFKC", text):
        return text, spans
    out: list[str] = []
    origin: list[Span] = []
    index = 0
    while index < len(text):
        end = index + 1
        while end < len(text) and unicodedata.combining(text[end]):
            end += 1
        whole = unicodedata.normalize("NFKC", text[index:end])
        out.append(whole)
        origin.extend([(spans[index][0], spans[end - 1][1])] * len(whole))
        index = end
    return "".join(out), origin


def _single_spaces(text: str, spans: list[Span]) -> tuple[str, list[Span]]:
    out: list[str] = []
    origin: list[Span] = []
    for character, span in zip(text, spans, strict=True):
        if not character.isspace():
            out.append(character)
            origin.append(span)
        elif out and out[-1] == " ":
            origin[-1] = (origin[-1][0], span[1])
        elif out:
            out.append(" ")
            origin.append(span)
    if out and out[-1] == " ":
        out.pop()
        origin.pop()
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
