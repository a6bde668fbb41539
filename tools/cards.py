"""Gives a card its design, if its data is what the design can show."""

import logging
from collections.abc import Mapping
from typing import Any, Protocol

from tools.tool import Card

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
    return _misfit_object(data, {"required": required, "properties": fields}, "data")


def _misfit(value: Any, schema: Mapping[str, Any], path: str) -> str:
    wanted = schema.get("type", ())
    types = (wanted,) if isinstance(wanted, str) else tuple(wanted)
    if types and not any(_is(value, one) for one in types):
        return f"{path} is no {' or '.join(types)}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{path} is none of {schema['enum']}"
    if isinstance(value, list) and "items" in schema:
        return next(filter(None, (_misfit(one, schema["items"], f"{path}.{n}") for n, one in enumerate(value))), "")
    return _misfit_object(value, schema, path) if isinstance(value, dict) else ""


def _misfit_object(value: Mapping[str, Any], schema: Mapping[str, Any], path: str) -> str:
    if lacking := [name for name in schema.get("required", ()) if name not in value]:
        return f"{path} lacks {', '.join(lacking)}"
    here = ((name, inner) for name, inner in schema.get("properties", {}).items() if name in value)
    return next(filter(None, (_misfit(value[name], inner, f"{path}.{name}") for name, inner in here)), "")


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, TYPES.get(kind, (object,)))
