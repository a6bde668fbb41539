"""Arguments as a model or a rule wrote them, made into those that a tool takes; the one door where this is done."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import to_jsonable_python

from tools.arguments import folded, spellings
from tools.texts import called, choices_of, plain, text
from tools.tool import Locale, Tool
from tools.values import UnfitError, absent, convert, same


@dataclass(frozen=True, kw_only=True)
class Coerced:
    """`arguments`: JSON values by canonical name, absent ones left out; with problems, those that could be read.

    `values`: the validated model, None unless everything fits. `missing`: required parameters without a value.
    `problems`: sentences for the planner, without the values that were given.
    """

    arguments: dict[str, Any]
    values: BaseModel | None = None
    missing: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def coerce(tool: Tool, arguments: Mapping[str, Any], *, now: datetime, locale: Locale) -> Coerced:
    """Never raises for whatever `arguments` holds. `now`: aware, in the tenant's zone, for "today" and its kin."""
    fields = tool.arguments.model_fields
    named, problems = _by_name(tool, arguments, locale)
    read: dict[str, Any] = {}
    for name, info in fields.items():
        if name not in named:
            continue
        try:
            read[name] = convert(named[name], info.annotation, tool.args.get(name), now)
        except UnfitError as unfit:
            problems.append(_problem(tool, name, unfit.key, locale, **unfit.values))
    missing = tuple(name for name, info in fields.items() if info.is_required() and name not in named)
    if missing or problems:
        return Coerced(arguments=read, missing=missing, problems=tuple(problems))
    return _validated(tool, read, locale)


def describe_missing(tool: Tool, names: tuple[str, ...], locale: Locale) -> list[str]:
    return [_problem(tool, name, "missing", locale) for name in names]


def _by_name(tool: Tool, arguments: Mapping[str, Any], locale: Locale) -> tuple[dict[str, Any], list[str]]:
    """What was given, by canonical name, and what no parameter takes."""
    fields = tool.arguments.model_fields
    known = spellings({name: tool.args.get(name) for name in fields})
    named: dict[str, Any] = {}
    problems: list[str] = []
    for key, value in arguments.items():
        name = key if key in fields else known.get(folded(str(key)))
        if name is None and value is not None:
            takes = [called(tool.args.get(one), one, locale) for one in fields]
            known_names = ("、" if locale == "zh" else ", ").join(takes) or "-"
            problems.append(text("extra", locale, name=repr(str(key)[:80]), known=known_names))
        if name is None or absent(value):
            continue
        if name in named and not same(named[name], value):
            problems.append(text("twice", locale, name=called(tool.args.get(name), name, locale)))
        named[name] = value
    return named, problems


def _validated(tool: Tool, read: dict[str, Any], locale: Locale) -> Coerced:
    try:
        values = tool.arguments.model_validate_json(json.dumps(read, allow_nan=False), strict=True)
    except ValidationError as error:
        names = dict.fromkeys(str(one["loc"][0]) if one["loc"] else "" for one in error.errors(include_url=False))
        problems = tuple(_problem(tool, name, "invalid", locale) for name in names)
        return Coerced(arguments=read, problems=problems)
    return Coerced(arguments=values.model_dump(mode="json", exclude_unset=True), values=values)


def _problem(tool: Tool, name: str, key: str, locale: Locale, **values: Any) -> str:
    arg, info = tool.args.get(name), tool.arguments.model_fields.get(name)
    description = arg.description if arg else (info.description if info else None)
    example = plain(to_jsonable_python(arg.example)) if arg else "-"
    if locale == "zh" and key == "choice":
        values = {"choices": "、".join(choices_of(tool, name, locale))}
    said = called(arg, name or tool.name, locale)
    return text(key, locale, name=said, description=description or "-", example=example, **values)
