"""One value that a model or a rule gave, read as the type of the parameter that it is for."""

import math
import re
import unicodedata
from collections.abc import Callable, Collection, Sequence
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from enum import Enum
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from language.numbers import parse_int
from tools.arguments import Arg
from tools.moments import to_date, to_moment, to_time

MAX_TEXT, MAX_ITEMS, MAX_DEPTH, MAX_WHOLE = 4_000, 1_000, 16, 2**63 - 1
BLANKS = "".join(filter(str.isspace, map(chr, range(0x3001)))) + "\u200b\u200c\u200d\u2060\ufeff"
YES, NO = {"true", "yes", "y", "on", "1", "是", "对", "有"}, {"false", "no", "n", "off", "0", "否", "不是", "没有"}
WHOLE = re.compile(r"([+-]?(?:[0-9]+|[0-9]{1,3}(?:,[0-9]{3})+))(?:\.0*)?")
REAL = re.compile(r"[+-]?(?:(?:[0-9]+|[0-9]{1,3}(?:,[0-9]{3})+)(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?", re.IGNORECASE)

Reader = Callable[[Any, Arg | None, datetime], Any]


class UnfitError(Exception):
    """The value cannot be meant. `key`: of tools/texts.py; `values`: what its text names."""

    def __init__(self, key: str, **values: Any) -> None:
        super().__init__(key)
        self.key, self.values = key, values


def convert(value: Any, annotation: Any, arg: Arg | None, now: datetime) -> Any:
    """A JSON value that fits `annotation` in form; its constraints are left to the model. Raises UnfitError."""
    kinds = alternatives(annotation)
    value = clean(value)
    if len(kinds) == 1:
        return _one(value, kinds[0], arg, now)
    if any(type(value) is kind for kind in kinds):
        kinds = tuple(kind for kind in kinds if type(value) is kind)
    for kind in kinds:
        try:
            return _one(value, kind, arg, now)
        except UnfitError:
            continue
    raise UnfitError("invalid")


def absent(value: Any) -> bool:
    """null, blank text, or a list of nothing else: models write these for "not given"."""
    listed = value if isinstance(value, list) else [value]
    return all(one is None or (isinstance(one, str) and not one.strip(BLANKS)) for one in listed)


def same(one: Any, other: Any) -> bool:
    try:
        return bool(clean(one) == clean(other))
    except UnfitError:
        return False


def clean(value: Any, depth: int = 0) -> Any:
    """The value in JSON's own types, text stripped. Raises UnfitError where no business system should ever see it."""
    if depth > MAX_DEPTH:
        raise UnfitError("too_deep")
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, str):
        return _text(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return _finite(value)
    if isinstance(value, date | time | Decimal):
        return str(value)
    if isinstance(value, dict):
        return {_text(str(key)): clean(one, depth + 1) for key, one in value.items()}
    if isinstance(value, list | tuple):
        if len(value) > MAX_ITEMS:
            raise UnfitError("too_long", limit=MAX_ITEMS)
        return [clean(one, depth + 1) for one in value]
    raise UnfitError("invalid")


def alternatives(annotation: Any) -> tuple[Any, ...]:
    """The types that a value may have, without Annotated, aliases and None."""
    while True:
        if get_origin(annotation) is Annotated:
            annotation = get_args(annotation)[0]
        elif hasattr(annotation, "__value__"):
            annotation = annotation.__value__
        else:
            break
    if get_origin(annotation) in (Union, UnionType):
        return tuple(kind for one in get_args(annotation) if one is not type(None) for kind in alternatives(one))
    return (annotation,)


def _one(value: Any, kind: Any, arg: Arg | None, now: datetime) -> Any:
    origin = get_origin(kind) or kind
    if origin in (list, tuple, set, frozenset, Sequence, Collection):
        return _many(value, kind, arg, now)
    read = _reader(kind)
    if read is None:
        return value
    if isinstance(value, list):
        if len(value) != 1:
            raise UnfitError("one_value")
        value = value[0]
    return read(_spoken(value, arg), arg, now)


def _reader(kind: Any) -> Reader | None:
    choices = _choices(kind)
    return READERS.get(kind) if choices is None else lambda value, *_: _choice(value, choices)


def _many(value: Any, kind: Any, arg: Arg | None, now: datetime) -> list[Any]:
    inner = next((one for one in get_args(kind) if one is not Ellipsis), Any)
    listed = value if isinstance(value, list) else [value]
    return [convert(one, inner, arg, now) for one in listed if not absent(one)]


def _spoken(value: Any, arg: Arg | None) -> Any:
    if arg is None or not isinstance(value, str):
        return value
    words = {_plain(word): meant for word, meant in arg.words.items()}
    return words.get(_plain(value), value)


def choices(annotation: Any) -> list[Any]:
    """The values of an enum or a Literal, in its order; none for any other type."""
    return [value for kind in alternatives(annotation) for value in dict.fromkeys((_choices(kind) or {}).values())]


def _choices(kind: Any) -> dict[str, Any] | None:
    """Folded spelling -> value, for an enum or a Literal; None for any other type."""
    if get_origin(kind) is Literal:
        return {_style(str(one)): one for one in get_args(kind)}
    if isinstance(kind, type) and issubclass(kind, Enum):
        names = {_style(member.name): member.value for member in kind}
        return names | {_style(str(member.value)): member.value for member in kind}
    return None


def _choice(value: Any, choices: dict[str, Any]) -> Any:
    listed = list(dict.fromkeys(choices.values()))
    exact = [one for one in listed if type(one) is type(value) and one == value]
    if exact:
        return exact[0]
    key = _style(str(value))
    if isinstance(value, bool) or not isinstance(value, str | int | float) or key not in choices:
        raise UnfitError("choice", choices=", ".join(map(str, listed)))
    return choices[key]


def _whole(value: Any, arg: Arg | None, _: datetime) -> int:
    number: int | None = None
    if isinstance(value, int) and not isinstance(value, bool):
        number = value
    elif isinstance(value, float) and value.is_integer():
        number = int(value)
    elif isinstance(value, str):
        number = _whole_of(_plain(value))
    if number is None:
        raise UnfitError("whole_number")
    return int(_bounded(number, arg))


def _whole_of(text: str) -> int | None:
    if len(text) > 40:  # noqa: PLR2004  no number that is meant has more characters
        return None
    if found := WHOLE.fullmatch(text):
        return int(found[1].replace(",", ""))
    in_words = any(map(str.isalpha, text)) and not REAL.fullmatch(text)
    return parse_int(text) if in_words else None


def _real(value: Any, arg: Arg | None, _: datetime) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise UnfitError("number")
    number = _real_of(_plain(value)) if isinstance(value, str) else value
    if number is None:
        raise UnfitError("number")
    return float(_bounded(number, arg))


def _real_of(text: str) -> float | None:
    if REAL.fullmatch(text):
        number = float(text.replace(",", ""))
        return number if math.isfinite(number) else None
    return _whole_of(text)


def _decimal(value: Any, arg: Arg | None, _: datetime) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise UnfitError("number")
    try:
        number = Decimal(_plain(str(value)).replace(",", ""))
    except InvalidOperation as error:
        raise UnfitError("number") from error
    if not number.is_finite():
        raise UnfitError("number")
    return str(_bounded(number, arg))


def _truth(value: Any, _: Arg | None, __: datetime) -> bool:
    if isinstance(value, bool):
        return value
    key = _plain(str(value)) if isinstance(value, str | int) else ""
    if key in YES or key in NO:
        return key in YES
    raise UnfitError("boolean")


def _words(value: Any, _: Arg | None, __: datetime) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise UnfitError("text")
    narrow = unicodedata.normalize("NFKC", str(value))
    return narrow if narrow.isascii() and narrow else str(value)


def _moment(key: str, read: Callable[[str, datetime], str | None]) -> Reader:
    def reader(value: Any, _: Arg | None, now: datetime) -> str:
        usable = isinstance(value, str | int) and not isinstance(value, bool)
        found = read(str(value), now) if usable else None
        if found is None:
            raise UnfitError(key)
        return found

    return reader


def _bounded(number: Any, arg: Arg | None) -> Any:
    if arg is not None and arg.clamp is not None:
        low, high = arg.clamp
        if number < low:
            raise UnfitError("too_small", limit=low)
        return min(number, type(number)(high))
    if abs(number) > MAX_WHOLE:
        raise UnfitError("too_large")
    return number


READERS: dict[Any, Reader] = {
    int: _whole,
    float: _real,
    Decimal: _decimal,
    bool: _truth,
    str: _words,
    date: _moment("date", to_date),
    datetime: _moment("moment", to_moment),
    time: _moment("time", to_time),
}


def _text(value: str) -> str:
    if len(value) > MAX_TEXT:
        raise UnfitError("too_long", limit=MAX_TEXT)
    if "\0" in value or any("\ud800" <= character <= "\udfff" for character in value):
        raise UnfitError("characters")
    return value.strip(BLANKS)


def _finite(value: float) -> float:
    if isinstance(value, float) and not math.isfinite(value):
        raise UnfitError("number")
    if isinstance(value, int) and abs(value) >= 10**40:
        raise UnfitError("too_large")
    return value


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).strip(BLANKS).casefold()


def _style(text: str) -> str:
    return re.sub(r"[\s_-]+", "", _plain(text))
