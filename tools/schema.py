"""A tool as a model sees it: an OpenAI function schema without references, bounds or null branches."""

from collections.abc import Mapping
from typing import Any

from pydantic_core import to_jsonable_python

from errors import ConfigurationError
from tools.arguments import Arg
from tools.texts import plain
from tools.tool import Tool

# Bounds are in no server's grammar, and some vendors answer 400 to them; coercion enforces them.
BOUNDS = {
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern",
    "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "title", "default", "examples",
    "discriminator",
}  # fmt: skip


def describe(tool: Tool) -> dict[str, Any]:
    """`{"name", "description", "parameters"}`. Raises ConfigurationError for a schema that refers to itself."""
    raw = tool.arguments.model_json_schema()
    definitions = raw.get("$defs", {})
    properties: dict[str, Any] = {}
    for name, one in raw.get("properties", {}).items():
        try:
            described = _inlined(one, definitions, ())
        except RecursionError as error:
            raise ConfigurationError(f"tool {tool.name!r}, parameter {name!r}: its type refers to itself") from error
        properties[name] = described | _description(tool.args.get(name), one)
    parameters = {"type": "object", "properties": properties, "required": raw.get("required", [])}
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": parameters | {"additionalProperties": False},
    }


def _inlined(schema: Any, definitions: Mapping[str, Any], open_names: tuple[str, ...]) -> Any:
    if isinstance(schema, list):
        return [_inlined(one, definitions, open_names) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        if name in open_names:
            raise RecursionError(name)
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        return _inlined({**definitions[name], **rest}, definitions, (*open_names, name))
    if "properties" in schema:
        named = {key: _inlined(one, definitions, open_names) for key, one in schema["properties"].items()}
        others = _inlined({k: v for k, v in schema.items() if k != "properties"}, definitions, open_names)
        return others | {"properties": named}
    kept = {key: _inlined(one, definitions, open_names) for key, one in schema.items() if key not in BOUNDS}
    return _without_null(kept)


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """`T | None` as T: an optional argument is left out, and weak models write "null" where they may."""
    if "const" in schema:
        schema = {key: value for key, value in schema.items() if key != "const"} | {"enum": [schema["const"]]}
    branches = schema.get("anyOf") or schema.get("oneOf")
    if not branches:
        return schema
    rest = {key: value for key, value in schema.items() if key not in ("anyOf", "oneOf")}
    real = [branch for branch in branches if branch.get("type") != "null"]
    if real == [{"type": "number"}, {"type": "string"}]:  # how pydantic writes Decimal
        real = real[:1]
    return {**real[0], **rest} if len(real) == 1 else {**rest, "anyOf": real}


def _description(arg: Arg | None, schema: Mapping[str, Any]) -> dict[str, str]:
    if arg is None:
        return {"description": str(schema["description"])} if schema.get("description") else {}
    bounds = f", {arg.clamp[0]} to {arg.clamp[1]}" if arg.clamp else ""
    example = plain(to_jsonable_python(arg.example))
    return {"description": f"{arg.description.rstrip('.。')}{bounds}; e.g. {example}"}
