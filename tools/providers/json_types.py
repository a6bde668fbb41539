"""The types of single values in a JSON schema: text, numbers, choices and lists, with their bounds."""

import json
import math
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

MAX_CHOICES = 1_000
MOMENTS: dict[str, type] = {"date": date, "date-time": datetime, "time": time}
OF_TEXT = {"minLength": "min_length", "maxLength": "max_length", "pattern": "pattern"}
OF_LISTS = {"minItems": "min_length", "maxItems": "max_length"}
OF_NUMBERS = {
    "minimum": "ge", "maximum": "le", "exclusiveMinimum": "gt", "exclusiveMaximum": "lt", "multipleOf": "multiple_of",
}  # fmt: skip
ROUNDED: dict[str, Callable[[float], int]] = {"ge": math.ceil, "gt": math.floor, "le": math.floor, "lt": math.ceil}


class InexpressibleError(Exception):
    """A schema that cannot be checked exactly; the message names the place and what is wrong with it."""


def choice(values: Any, kinds: list[str], where: str, nullable: bool) -> tuple[Any, bool]:
    """The values without null, and whether null is one of them. `kinds`: the types that the schema names beside."""
    if not isinstance(values, list) or not values or len(values) > MAX_CHOICES:
        raise InexpressibleError(f"{where}: enum of nothing or of more than {MAX_CHOICES} values")
    real = [value for value in values if value is not None]
    if not real or not all(isinstance(value, str | int) for value in real):
        raise InexpressibleError(f"{where}: enum of values that are not text, whole numbers or booleans")
    if kinds and not all(_kind_of(value) & set(kinds) for value in real):
        raise InexpressibleError(f"{where}: enum of values that are not of its type")
    return Literal[tuple(real)], None in values and (nullable or not kinds)


def _kind_of(value: str | int) -> set[str]:
    if isinstance(value, bool):
        return {"boolean"}
    return {"integer", "number"} if isinstance(value, int) else {"string"}


def text(schema: Mapping[str, Any], where: str) -> Any:
    """A str with its bounds, or the date, time or datetime of a text whose `format` is one."""
    bounds = _bounds(OF_TEXT, schema, where)
    kind = MOMENTS.get(str(schema.get("format")), str)
    return kind if kind is not str and not bounds else _marked(str, [Field(**bounds)] if bounds else [])


def number(kind: str, schema: Mapping[str, Any], where: str) -> Any:
    """`kind`: `integer` or `number`. Bounds of whole numbers that are none are drawn in to the next one."""
    bounds = _bounds(OF_NUMBERS, schema, where)
    if kind == "number":
        return _marked(float, [Field(**bounds)] if bounds else [])
    if (step := bounds.get("multiple_of")) is not None and step != int(step):
        raise InexpressibleError(f"{where}: multiples of {step} among whole numbers")
    whole: dict[str, Any] = {key: ROUNDED.get(key, int)(value) for key, value in bounds.items()}
    return _marked(int, [Field(**whole)] if whole else [])


def list_of(inner: Any, schema: Mapping[str, Any], where: str) -> Any:
    """A list of `inner`, as long as `schema` allows, of which no two are the same where it says so."""
    bounds = _bounds(OF_LISTS, schema, where)
    marks: list[Any] = [Field(**bounds)] if bounds else []
    if schema.get("uniqueItems"):
        marks.append(AfterValidator(_unique))
    return _marked(list[inner], marks)


def _bounds(names: Mapping[str, str], schema: Mapping[str, Any], where: str) -> dict[str, Any]:
    found = {meant: schema[name] for name, meant in names.items() if name in schema}
    for meant, value in found.items():
        wrong = isinstance(value, bool) or not isinstance(value, str if meant == "pattern" else int | float)
        if wrong or (meant == "multiple_of" and value <= 0):
            raise InexpressibleError(f"{where}: {meant} is {str(value)[:80]!r}")
    return found


def _marked(kind: Any, marks: list[Any]) -> Any:
    for mark in marks:
        kind = Annotated[kind, mark]
    return kind


def _unique(values: list[Any]) -> list[Any]:
    written = [json.dumps(value, sort_keys=True, default=str) for value in values]
    if len(set(written)) != len(written):
        raise ValueError("the same value twice")
    return values
