"""JSON as PostgreSQL's `jsonb` takes it: without NUL characters, lone surrogates, NaN and infinities."""

import json
import math
import re
from typing import Any

from psycopg.types.json import Jsonb

# An escaped NUL, and not an escaped backslash before the letters u0000.
NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
REPLACEMENT = "\ufffd"
# Made once: `json.dumps` makes one for each call that wants anything but its defaults.
encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def strict(value: Any) -> str:
    """The text of a value that `jsonb` takes as it is. Raises ValueError for others, TypeError for what is no JSON."""
    text = encode(value)
    text.encode()
    if "\\u0000" in text and NUL.search(text):
        raise ValueError("PostgreSQL cannot store a NUL character")
    return text


def lenient(value: Any) -> Jsonb:
    """A parameter that is always taken: replacement characters and nulls stand where `strict` refuses."""
    try:
        text = strict(value)
    except ValueError:
        text = strict(_storable(value))
    return Jsonb(value, dumps=lambda _: text)


def _storable(value: Any) -> Any:
    match value:
        case str():
            return UNSTORABLE.sub(REPLACEMENT, value)
        case float() if not math.isfinite(value):
            return None
        case dict():
            return {_storable(key): _storable(item) for key, item in value.items()}
        case list() | tuple():
            return [_storable(item) for item in value]
        case _:
            return value
