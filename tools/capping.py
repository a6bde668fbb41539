"""Keeps a result small: the longest lists lose their last rows until it fits."""

import json
from typing import Any

TEXT_STEPS = (4_000, 400, 40)


def encoded(value: Any) -> str:
    """Compact JSON. Raises ValueError for NaN, infinities and lone surrogates, TypeError for what is no JSON value,
    RecursionError for what is nested without end."""
    text = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    text.encode()
    return text


def size(text: str) -> int:
    """Bytes of a text as UTF-8."""
    return len(text.encode())


def capped(data: dict[str, Any], max_bytes: int) -> dict[str, Any]:
    """`data` (JSON values) in at most `max_bytes`: all lists cut to one length; where that is not enough, long texts
    cut too; in the end nothing is left."""
    longest = _longest(data)
    for characters in TEXT_STEPS:
        rows = _rows_that_fit(data, longest, characters, max_bytes)
        if rows > 0 or (longest == 0 and _fits(data, 0, characters, max_bytes)):
            return _cut(data, rows, characters)
    return _cut(data, 0, TEXT_STEPS[-1]) if _fits(data, 0, TEXT_STEPS[-1], max_bytes) else {}


def _rows_that_fit(data: dict[str, Any], longest: int, characters: int, max_bytes: int) -> int:
    """The greatest length of lists that fits, 0 if none does: up in doubles, then between the last two; so nothing much
    larger than the cap is ever encoded."""
    fits, too_many = 0, 1
    while too_many <= longest and _fits(data, too_many, characters, max_bytes):
        fits, too_many = too_many, too_many * 2
    too_many = min(too_many, longest + 1)
    while too_many - fits > 1:
        middle = (fits + too_many) // 2
        if _fits(data, middle, characters, max_bytes):
            fits = middle
        else:
            too_many = middle
    return fits


def _fits(data: dict[str, Any], rows: int, characters: int, max_bytes: int) -> bool:
    return size(encoded(_cut(data, rows, characters))) <= max_bytes


def _longest(value: Any) -> int:
    if isinstance(value, dict):
        return max(map(_longest, value.values()), default=0)
    return max(len(value), max(map(_longest, value), default=0)) if isinstance(value, list | tuple) else 0


def _cut(data: dict[str, Any], rows: int, characters: int) -> dict[str, Any]:
    return {key: _shortened(one, rows, characters) for key, one in data.items()}


def _shortened(value: Any, rows: int, characters: int) -> Any:
    if isinstance(value, dict):
        return _cut(value, rows, characters)
    if isinstance(value, list | tuple):
        return [_shortened(one, rows, characters) for one in value[:rows]]
    if isinstance(value, str) and len(value) > characters:
        return value[:characters] + "…"
    return value
