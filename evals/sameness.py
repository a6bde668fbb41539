"""Whether two values mean the same: an expected one, and one that the desk read."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

SIGNS = re.compile(r"\s+|[^\w\s]+")
FRACTION = re.compile(r"-?\d+\.\d+")
FULL_MINUTE = re.compile(r"(\d{1,2}:\d\d):00")


def same(expected: Any, got: Any) -> bool:
    """Numbers may be written as text; a list in any order; of a mapping the expected keys count; texts without width,
    case, spaces and punctuation."""
    if isinstance(expected, Mapping):
        return isinstance(got, Mapping) and all(same(value, got.get(key)) for key, value in expected.items())
    if isinstance(expected, list | tuple) or isinstance(got, list | tuple):
        return {plain(one) for one in _listed(expected)} == {plain(one) for one in _listed(got)}
    if expected is None or got is None:
        return expected is None and got is None
    return plain(expected) == plain(got)


def plain(value: Any) -> str:
    """`2`, `2.0` and `"2"` are one, so are `True` and `"true"`, and `9:30`, `09:30` and `09:30:00`."""
    text = unicodedata.normalize("NFKC", str(value)).casefold()
    if FRACTION.fullmatch(text):
        return text.rstrip("0").rstrip(".")
    if minute := FULL_MINUTE.fullmatch(text):
        text = minute[1]
    return SIGNS.sub("", text).lstrip("0") if ":" in text else SIGNS.sub("", text) or text


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]
