"""A tool from a description in JSON, as other processes give it: its arguments are checked here like any other's."""

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from datetime import date, datetime, time
from typing import Any, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python

from tools.arguments import Arg, folded
from tools.providers.json_schema import Property, Reading, described_as, model_of
from tools.providers.json_types import InexpressibleError
from tools.tool import Tool, ToolContext, ToolResult, gaps
from tools.values import alternatives, choices

__all__ = ["InexpressibleError", "JsonCall", "json_tool"]

JsonCall = Callable[[ToolContext, dict[str, Any]], Awaitable[ToolResult]]
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
LONGEST_DESCRIPTION = 4_000
EXTRAS = {"aliases", "clamp", "words", "zh"}
EXAMPLES: dict[Any, Any] = {
    int: 1, float: 1.5, bool: True, date: "2026-12-01", datetime: "2026-12-01T15:00:00+08:00", time: "15:00",
}  # fmt: skip


def json_tool(
    *,
    name: str,
    description: str,
    schema: Mapping[str, Any] | None,
    call: JsonCall,
    group: str,
    permission: str,
    source: str,
    **metadata: Any,
) -> Tool:
    """A tool whose arguments are what the JSON schema `schema` says; None: it takes none.

    `call`: awaited as `call(ctx, arguments)` with JSON values under the names of the schema; what was not given is not
    among them. `metadata`: the other fields of `Tool` (effect, confirm, idempotent, timeout_s, retries, …). An argument
    may carry what JSON schema has no word for under `x-frontdesk`: `aliases`, `zh`, `words` of `tools.arguments.Arg`,
    and `clamp: true`, by which a whole number above its `maximum` is drawn down to it.

    Raises InexpressibleError, naming tool and place, for what could not be checked exactly: references to elsewhere or
    to itself, conditions, several schemas at once. Whoever finds such a tool leaves it out and says so.
    """
    try:
        if not NAME.fullmatch(name):
            raise InexpressibleError("its name must be 1 to 64 Latin letters, digits and underscores")
        properties = Reading(schema or {}).properties()
        args = _args(properties)
        made = Tool(
            name=name,
            description=_described(description),
            group=group,
            permission=permission,
            arguments=model_of(f"{name}_arguments", properties),
            call=_calling(properties, call),
            args=args,
            source=source,
            **{**metadata, "effect": bool(metadata.get("effect") or metadata.get("confirm"))},
        )
        for problem in gaps(made):
            raise InexpressibleError(problem)
    except InexpressibleError as error:
        raise InexpressibleError(f"{source}: tool {name[:80]!r}: {error}") from error
    return made


def _calling(properties: list[Property], call: JsonCall) -> Callable[..., Awaitable[ToolResult]]:
    """`call` behind a tool's own signature: from values of the model to JSON under the names of the schema."""

    async def calling(ctx: ToolContext, **values: Any) -> ToolResult:
        arguments = {
            one.name: _json(values[one.field])
            for one in properties
            if values[one.field] is not None or (one.required and one.nullable)
        }
        return await call(ctx, arguments)

    return calling


def _json(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if isinstance(value, list):
        return [_json(one) for one in value]
    if isinstance(value, dict):
        return {key: _json(one) for key, one in value.items()}
    return to_jsonable_python(value)


def _described(description: str) -> str:
    text = description.encode(errors="replace").decode().replace("\0", " ").strip()
    return text if len(text) <= LONGEST_DESCRIPTION else text[: LONGEST_DESCRIPTION - 1] + "…"


def _args(properties: list[Property]) -> dict[str, Arg]:
    args: dict[str, Arg] = {}
    names: dict[str, str] = {}
    for one in properties:
        arg = _arg(one)
        if arg is not None:
            args[one.field] = arg
        for spelling in (one.field, *(arg.aliases if arg else ())):
            if names.setdefault(folded(spelling), one.field) != one.field:
                raise InexpressibleError(f"{spelling!r} also means {names[folded(spelling)]!r}")
    return args


def _arg(one: Property) -> Arg | None:
    extras = one.schema.get("x-frontdesk", {})
    _sound(one, extras)
    example = _example(one)
    if example is None:
        if extras:
            raise InexpressibleError(f"{one.name!r} has x-frontdesk but no example that fits")
        return None
    return Arg(
        description=described_as(one),
        example=example,
        aliases=tuple(extras.get("aliases", ())),
        clamp=_clamp(one) if extras.get("clamp") else None,
        words=dict(extras.get("words", {})),
        zh=extras.get("zh", ""),
    )


def _sound(one: Property, extras: Any) -> None:
    where = f"{one.name!r}: x-frontdesk"
    if not isinstance(extras, Mapping) or set(extras) - EXTRAS:
        raise InexpressibleError(f"{where} takes {', '.join(sorted(EXTRAS))}")
    aliases, words = extras.get("aliases", []), extras.get("words", {})
    if not isinstance(aliases, list) or not all(isinstance(alias, str) for alias in aliases):
        raise InexpressibleError(f"{where}: aliases must be a list of texts")
    if not isinstance(words, Mapping) or not isinstance(extras.get("zh", ""), str):
        raise InexpressibleError(f"{where}: words must be an object and zh a text")
    listed = any(get_origin(kind) is list for kind in alternatives(one.annotation))
    for word, value in words.items():
        if not _fits(one, [value] if listed else value):
            raise InexpressibleError(f"{where}: the word {word!r} means {value!r}, which does not fit")


def _example(one: Property) -> Any:
    listed = one.schema.get("examples")
    given = [*(listed if isinstance(listed, list) else ()), one.schema.get("example"), one.schema.get("default")]
    kind = next(iter(alternatives(one.annotation)), None)
    made = [*choices(one.annotation)[:1], one.schema.get("minimum"), EXAMPLES.get(kind)]
    return next((value for value in (*given, *made) if value not in (None, "") and _fits(one, value)), None)


def _fits(one: Property, value: Any) -> bool:
    try:
        TypeAdapter(one.annotation).validate_json(json.dumps(value), strict=True)
    except ValidationError:
        return False
    return True


def _clamp(one: Property) -> tuple[int, int]:
    low, high = one.schema.get("minimum"), one.schema.get("maximum")
    if not (isinstance(low, int) and isinstance(high, int) and low <= high):
        raise InexpressibleError(f"{one.name!r}: clamp needs a minimum and a maximum that are whole numbers")
    return low, high
