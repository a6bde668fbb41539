"""Gives a card its design, if its data is what the design can show."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from tools.tool import Card, Tool

logger = logging.getLogger(__name__)
TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,), "array": (list,),
    "object": (dict,), "null": (type(None),),
}  # fmt: skip


class Design(Protocol):
    """What a card's file says. `design`: passed on as it is; `fields`: field of its data -> JSON schema (`type`,
    `items`, `properties`, `required` and `enum` are looked at)."""

    @property
    def design(self) -> Mapping[str, Any]: ...
    @property
    def fields(self) -> Mapping[str, Mapping[str, Any]]: ...


def undesigned(tools: Iterable[Tool], cards: Mapping[str, Design]) -> Iterator[str]:
    """Tools that declare a card which has no design: a problem of the configuration."""
    for tool in tools:
        for one in tool.cards:
            if one not in cards:
                yield f"tool {tool.name!r}: cards: no card {one!r} in config/cards/"


def dressed(card: Card | None, cards: Mapping[str, Design]) -> dict[str, Any] | None:
    """{"type", "design", "data"}; None, and a line in the log, where the type is unknown or the data does not fit."""
    if card is None:
        return None
    known = cards.get(card.type)
    problem = "there is no card of this type" if known is None else misfit(card.data, known.fields)
    if known is None or problem:
        logger.warning("card %r is left out: %s", card.type, problem)
        return None
    return {"type": card.type, "design": dict(known.design), "data": card.data}


def misfit(data: Mapping[str, Any], fields: Mapping[str, Mapping[str, Any]]) -> str:
    """Where `data` lacks or breaks a field, "" if it fits. Fields are required unless `optional`; more may be there."""
    required = [name for name, schema in fields.items() if not schema.get("optional")]
    found = _misfit_object(data, {"required": required, "properties": fields})
    return "" if found is None else f"data{found[0]} {found[1]}"


def _misfit(value: Any, schema: Mapping[str, Any]) -> tuple[str, str] | None:
    """The place beneath this value, and what is wrong there."""
    wanted = schema.get("type")
    if wanted and not (_is(value, wanted) if isinstance(wanted, str) else any(_is(value, one) for one in wanted)):
        return "", f"is no {wanted if isinstance(wanted, str) else ' or '.join(wanted)}"
    if "enum" in schema and value not in schema["enum"]:
        return "", f"is none of {schema['enum']}"
    if isinstance(value, dict):
        return _misfit_object(value, schema)
    items = schema.get("items") if isinstance(value, list) else None
    if items is not None:
        for number, one in enumerate(value):
            if found := _misfit(one, items):
                return f".{number}{found[0]}", found[1]
    return None


def _misfit_object(value: Mapping[str, Any], schema: Mapping[str, Any]) -> tuple[str, str] | None:
    if lacking := [name for name in schema.get("required", ()) if name not in value]:
        return "", f"lacks {', '.join(lacking)}"
    for name, inner in schema.get("properties", {}).items():
        if name in value and (found := _misfit(value[name], inner)):
            return f".{name}{found[0]}", found[1]
    return None


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, TYPES.get(kind, (object,)))
