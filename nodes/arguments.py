"""From a request's entities to the arguments of its tool's calls."""

from collections.abc import Mapping
from typing import Any

from config.catalogue import Intent
from nodes.state import Request, Turn
from tools.tool import Tool

TEXT_CHARS = 2_000


def arguments_of(intent: Intent, request: Request, turn: Turn) -> dict[str, Any]:
    """Every argument that the entities fill; empty ones are left out.

    A binding names a slot (`order_no`), a path into one (`period.start`), or `text`: the request's own words, as many
    of them as a tool takes.
    """
    slots = {**request["entities"], "text": _words(request, turn)}
    found: dict[str, Any] = {}
    for name, binding in intent.arguments.items():
        if binding.beside and empty(value_at(slots, binding.beside)):
            continue
        if binding.unless and not empty(value_at(slots, binding.unless)):
            continue
        sources = [source for source in (binding.source, binding.otherwise) if source]
        filled = [value for source in sources if not empty(value := value_at(slots, source))]
        value = filled[0] if filled else binding.value
        if not empty(value):
            found[name] = value
    return found


def empty(value: object) -> bool:
    return value is None or value in ("", [])


def _words(request: Request, turn: Turn) -> str:
    words = " ".join(turn["text"][start:end] for start, end in request["spans"]) or turn["text"]
    return words[:TEXT_CHARS]


def value_at(data: Any, path: str) -> Any:
    """The value at a dotted path; numbers index lists; None where the path leads nowhere."""
    for step in path.split("."):
        if isinstance(data, Mapping):
            data = data.get(step)
        elif isinstance(data, list | tuple) and step.isdigit() and int(step) < len(data):
            data = data[int(step)]
        else:
            return None
    return data


def candidates(data: Any, path: str) -> list[Any]:
    """The values that a path with one list index could have meant: `users.0.name` -> every user's name, once each."""
    steps = path.split(".")
    index = next((i for i, step in enumerate(steps) if step.isdigit()), None)
    if index is None:
        value = value_at(data, path)
        return [] if value is None else [value]
    rows = value_at(data, ".".join(steps[:index])) if index else data
    if not isinstance(rows, list):
        return []
    rest = ".".join(steps[index + 1 :])
    values = [value_at(row, rest) if rest else row for row in rows]
    return [v for i, v in enumerate(values) if v is not None and v not in values[:i]]


def spread(arguments: Mapping[str, Any], tool: Tool) -> list[dict[str, Any]]:
    """One set of arguments per element where a list meets a parameter that takes a single value (`订单1001，1002`)."""
    lists = [k for k, v in arguments.items() if isinstance(v, list) and not takes_list(tool, k)]
    if not lists:
        return [dict(arguments)]
    first = lists[0]
    single = {k: (v[0] if k in lists else v) for k, v in arguments.items()}
    return [{**single, first: element} for element in arguments[first]]


def takes_list(tool: Tool, parameter: str) -> bool:
    schema = tool.arguments.model_json_schema().get("properties", {}).get(parameter, {})
    kinds = [schema, *schema.get("anyOf", [])]
    return any(kind.get("type") == "array" for kind in kinds)


def required_of(tool: Tool, intent: Intent) -> list[str]:
    """Parameters that must be filled: the tool's own, and those that the intent asks for besides."""
    own = [name for name, field in tool.arguments.model_fields.items() if field.is_required()]
    return list(dict.fromkeys([*own, *(name for name, b in intent.arguments.items() if b.required)]))
