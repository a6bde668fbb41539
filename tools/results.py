"""Whether what a tool gave back can be shown, kept and planned with; made small and plain on the way."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from tools.capping import capped, encoded, size
from tools.cards import Design, dressed
from tools.texts import text
from tools.tool import Card, Locale, ToolResult

Ending = Literal["done", "refused", "failed"]
CONTENT_CHARACTERS = 8_000
# What is deeper, or a whole number beyond 64 bits, cannot be kept with the turn.
MAX_DEPTH, INT64 = 64, 2**63
LONG_NUMBER = re.compile(r"\d{19}")
# An escaped NUL, and not an escaped backslash before the letters u0000.
NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")


class Unusable(Exception):
    """The tool gave back what is no result; the message is for the log."""


@dataclass(frozen=True, kw_only=True)
class Usable:
    """A result in JSON's own types, within its bounds. `shortened`: something was cut, and `content` says so."""

    outcome: Ending
    content: str
    data: dict[str, Any]
    card: dict[str, Any] | None
    direct: bool
    shortened: bool


def checked(result: object, max_bytes: int, cards: Mapping[str, Design], locale: Locale) -> Usable:
    """Raises Unusable for anything but a ToolResult of JSON values (no NaN, no infinities, no lone surrogates)."""
    if not isinstance(result, ToolResult):
        raise Unusable(f"returned {type(result).__name__}, not ToolResult")
    if not isinstance(result.content, str) or result.outcome not in get_args(Ending):
        raise Unusable("content is no text, or outcome is none of the three")
    if result.card is not None and not isinstance(result.card, Card):
        raise Unusable("card is no Card")
    content, content_bytes = _plain(result.content, "content")
    data, data_bytes = _within(result.data, max_bytes, "data")
    card, card_bytes = result.card, 0
    if card is not None:
        same = card.data is result.data
        card_data, card_bytes = (data, data_bytes) if same else _within(card.data, max_bytes, "card")
        card = Card(type=card.type, data=card_data)
    content = content.strip() or text("nothing", locale)
    limit = min(CONTENT_CHARACTERS, max(max_bytes // 3, 1))
    largest = max(data_bytes, card_bytes, content_bytes if len(content) > limit else 0)
    shortened = largest > max_bytes or len(content) > limit
    if shortened:
        content = f"{content[:limit]}\n{text('too_much', locale, size=largest)}"
    return Usable(
        outcome=result.outcome,
        content=content,
        data=data,
        card=dressed(card, cards),
        direct=result.direct,
        shortened=shortened,
    )


def _within(data: object, max_bytes: int, what: str) -> tuple[dict[str, Any], int]:
    """The data in JSON's own types, shortened to `max_bytes`, and the bytes that it had."""
    if not isinstance(data, dict):
        raise Unusable(f"{what} is {type(data).__name__}, not a dict")
    full = _encoded(data, what)
    if full.count("[") + full.count("{") > MAX_DEPTH and _is_deep(data):
        raise Unusable(f"{what} is nested more than {MAX_DEPTH} deep")
    if size(full) <= max_bytes:
        return _decoded(full), size(full)
    return _decoded(_encoded(capped(data, max_bytes), what)), size(full)


def _plain(value: Any, what: str) -> tuple[Any, int]:
    text_of_it = _encoded(value, what)
    return _decoded(text_of_it), size(text_of_it)


def _encoded(value: Any, what: str) -> str:
    try:
        return encoded(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise Unusable(f"{what} is no JSON: {type(error).__name__}: {error}") from error


def _decoded(text_of_it: str) -> Any:
    """NUL, which a database cannot keep, becomes the replacement character, and a number that is too long its text."""
    if "\\u0000" in text_of_it:
        text_of_it = NUL.sub(r"\1\\ufffd", text_of_it)
    return json.loads(text_of_it, parse_int=_number if LONG_NUMBER.search(text_of_it) else None)


def _number(digits: str) -> int | str:
    number = int(digits)
    return number if -INT64 <= number < INT64 else digits


def _is_deep(value: Any) -> bool:
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for one in level if isinstance(one, dict | list | tuple) for inner in _inside(one)]
        if not level:
            return False
    return True


def _inside(value: dict[str, Any] | list[Any] | tuple[Any, ...]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value
