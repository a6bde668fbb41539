"""What the schemas of tools say: where a dotted path into a result leads, and which values an argument takes."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from config.strict_yaml import did_you_mean


def missing_step(result: type[BaseModel], path: str) -> str | None:
    """What is wrong with a path into the data of this model; None where it can lead to a value."""
    whole = result.model_json_schema(mode="serialization")
    places: list[Mapping[str, Any]] = [whole]
    for done, step in enumerate(path.split(".")):
        places = [option for place in places for option in alternatives(place, whole)]
        if any(_is_open(place) for place in places):
            return None
        inner = [found for place in places if (found := _inside(place, step)) is not None]
        if not inner:
            before = ".".join(path.split(".")[:done])
            return _complaint(places, step, before)
        places = inner
    return None


def alternatives(place: Mapping[str, Any], whole: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The schema itself without references, or each of its alternatives."""
    while "$ref" in place:
        place = whole["$defs"][place["$ref"].rpartition("/")[2]]
    several = [*place.get("anyOf", ()), *place.get("oneOf", ()), *place.get("allOf", ())]
    return [option for one in several for option in alternatives(one, whole)] if several else [place]


def members(arguments: type[BaseModel], parameter: str) -> set[Any] | None:
    """The values that a parameter takes; None where they are not listed."""
    whole = arguments.model_json_schema()
    places = alternatives(whole.get("properties", {}).get(parameter, {}), whole)
    listed = [place for place in places if place.get("type") != "null"]
    if not listed or not all({"enum", "const"} & place.keys() for place in listed):
        return None
    return {value for place in listed for value in place.get("enum", [place.get("const")])}


def _is_open(place: Mapping[str, Any]) -> bool:
    """Any value may stand here."""
    return not {"type", "const", "enum"} & place.keys()


def _inside(place: Mapping[str, Any], step: str) -> Mapping[str, Any] | None:
    if place.get("type") == "array" and step.isdigit():
        fixed = place.get("prefixItems", ())
        if int(step) < len(fixed):
            return dict(fixed[int(step)])
        return dict(place.get("items") or {}) if not fixed else None
    if place.get("type") == "object":
        if step in place.get("properties", {}):
            return dict(place["properties"][step])
        other = place.get("additionalProperties", "properties" not in place)
        return None if other is False else dict(other) if isinstance(other, Mapping) else {}
    return None


def _complaint(places: list[Mapping[str, Any]], step: str, before: str) -> str:
    where = f"{before!r} of the result" if before else "the result"
    if any(place.get("type") == "array" for place in places) and not step.isdigit():
        return f"{where} is a list; {step!r} must be an index such as 0"
    names = [name for place in places for name in place.get("properties", {})]
    return f"{where} has no field {step!r}{did_you_mean(step, names)}"
