"""Reads what a model wrote as JSON, and takes nothing that only looks like it."""

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn

FENCE = re.compile(r"\A\s*```[A-Za-z0-9_-]*[ \t]*\n(?P<inside>.*?)\n?\s*```\s*\Z", re.DOTALL)
MARKUP = ("<tool_call", "<|tool_call", "<function=", "<function_call", "[TOOL_CALLS]", "<｜tool", "<|python_tag|>")
SURROGATES = re.compile("[\ud800-\udfff]")


MOST_DEPTH = 64
LARGEST = 2**63 - 1  # what the saver's format holds


def json_object(text: str) -> dict[str, Any]:
    """ValueError for all but one JSON object that can be stored: no NaN or infinity, no NUL, no lone surrogate, no
    whole number beyond 64 bits, nothing nested deeper than 64."""
    try:
        value = json.loads(text, parse_constant=_no_number, parse_float=_finite, parse_int=_bounded)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(value, dict):
        raise ValueError(f"not an object but {type(value).__name__}")
    if not _within(value, MOST_DEPTH):
        raise ValueError("nested too deeply")
    if not all(storable(text) for text in _texts(value)):
        raise ValueError("holds a NUL or half a character")
    return value


def unfenced(text: str) -> str:
    """The inside of a text that is one code block as a whole; any other text as it is."""
    fenced = FENCE.match(text)
    return (fenced["inside"] if fenced else text).strip()


def looks_like_a_call(text: str) -> bool:
    """Whether prose is a bare JSON object or a call in a vendor's own markup, which nobody should read as an answer."""
    if any(mark in text for mark in MARKUP):
        return True
    inside = unfenced(text)
    if not (inside.startswith("{") and inside.endswith("}")):
        return False
    try:
        json_object(inside)
    except ValueError:
        return False
    return True


def clean(text: str) -> str:
    """Without the characters that neither UTF-8 nor PostgreSQL can hold."""
    return text if storable(text) else SURROGATES.sub("", text.replace("\0", ""))


def storable(text: str) -> bool:
    return "\0" not in text and SURROGATES.search(text) is None


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)
    elif isinstance(value, dict):
        yield from value
        for part in value.values():
            yield from _texts(part)


def _within(value: Any, depth: int) -> bool:
    if not isinstance(value, dict | list):
        return True
    inner = value.values() if isinstance(value, dict) else value
    return depth > 0 and all(_within(part, depth - 1) for part in inner)


def _bounded(text: str) -> int:
    """Long digits are not even converted: that takes the square of their number."""
    if len(text) > len(str(LARGEST)) + 1 or abs(value := int(text)) > LARGEST:
        raise ValueError("a whole number beyond 64 bits")
    return value


def _finite(text: str) -> float:
    value = float(text)
    return value if abs(value) != float("inf") else _no_number(text)


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON number")
