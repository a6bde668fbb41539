"""Schemas on the wire."""

import copy
from typing import Any

from models.schema import on_the_wire, without_bounds

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 5},
        "minimum": {"type": "number", "exclusiveMinimum": 0},
        "amounts": {"type": "array", "items": {"type": "number", "multipleOf": 0.01}},
        "either": {"anyOf": [{"type": "integer", "maximum": 3}, {"type": "null"}]},
        "state": {"enum": ["minimum", "maximum"]},
    },
    "$defs": {"maximum": {"type": "integer", "maximum": 3}},
}


def test_numeric_bounds_go_and_properties_of_such_names_stay() -> None:
    before = copy.deepcopy(SCHEMA)
    assert without_bounds(SCHEMA) == {
        "type": "object",
        "properties": {
            "limit": {"type": "integer", "default": 5},
            "minimum": {"type": "number"},
            "amounts": {"type": "array", "items": {"type": "number"}},
            "either": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "state": {"enum": ["minimum", "maximum"]},
        },
        "$defs": {"maximum": {"type": "integer"}},
    }
    assert before == SCHEMA


def test_a_bare_and_a_wrapped_function_look_the_same_on_the_wire() -> None:
    bare = {"name": "ping", "description": "Ping."}
    wrapped = {"type": "function", "function": bare}
    assert on_the_wire(bare) == on_the_wire(wrapped)
    assert on_the_wire(bare)["function"]["parameters"] == {"type": "object", "properties": {}}
