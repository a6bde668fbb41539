"""Makes a tool's JSON schema fit for the wire."""

from collections.abc import Mapping
from typing import Any

# Bounds are no part of the grammar that servers decode with, some refuse them; the tool's door clamps instead.
BOUNDS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
NAMES = frozenset({"properties", "$defs", "definitions", "patternProperties"})
Tool = Mapping[str, Any]


def without_bounds(schema: Any) -> Any:
    """The schema without numeric bounds; properties that happen to be called `minimum` stay."""
    if isinstance(schema, list):
        return [without_bounds(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: without_bounds(part) for name, part in value.items()}
        if key in NAMES and isinstance(value, dict)
        else value
        if key in {"enum", "const", "default", "examples"}
        else without_bounds(value)
        for key, value in schema.items()
        if key not in BOUNDS
    }


def on_the_wire(tool: Tool) -> dict[str, Any]:
    """A function schema, bare or wrapped, in the form of the `tools` list."""
    function = tool.get("function", tool)
    empty = {"type": "object", "properties": {}}
    parameters = without_bounds(function.get("parameters") or empty)
    return {
        "type": "function",
        "function": {
            "name": function["name"],
            "description": function.get("description", ""),
            "parameters": parameters,
        },
    }
