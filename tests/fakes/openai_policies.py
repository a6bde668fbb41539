"""Ways to answer any request sensibly without a script, so that a bench can run against the fake."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from tests.fakes.openai_replies import Call, Reply, text

Json = dict[str, Any]
Policy = Callable[[Json], Reply]


def echo_classify(request: Json) -> Reply:
    """A forced tool is called, with the enum member that the last user message names, or the first; other tools: the
    first is called once, and its result put into words. Without tools: words."""
    functions, forced, in_text = offered(request)
    said, answered = last_exchange(request["messages"])
    if forced is None and (answered or not functions):
        return text(f"已完成：{answered[:200]}" if answered else f"收到：{said[:200]}")
    chosen = next((f for f in functions if f["name"] == forced), functions[0])
    arguments = filled(chosen.get("parameters", {}), said)
    if in_text:
        return text(json.dumps({"name": chosen["name"], "arguments": arguments}, ensure_ascii=False))
    return Reply(calls=(Call(name=chosen["name"], arguments=arguments),))


def prose(request: Json) -> Reply:
    """Never calls anything, whatever is asked for."""
    return text("好的，我现在为您查询。")


POLICIES: dict[str, Policy] = {"echo-classify": echo_classify, "prose": prose}


def offered(request: Json) -> tuple[list[Json], str | None, bool]:
    """The functions offered, the one that is forced, and whether they stand in the prompt; in any form."""
    if request.get("functions"):
        choice = request.get("function_call")
        return request["functions"], choice["name"] if isinstance(choice, Mapping) else None, False
    functions = [tool["function"] for tool in request.get("tools", [])]
    if functions:
        choice = request.get("tool_choice")
        named = choice["function"]["name"] if isinstance(choice, Mapping) else None
        return functions, named or (functions[0]["name"] if choice == "required" else None), False
    system = next((str(m["content"]) for m in request["messages"] if m["role"] == "system"), "")
    start = system.find('[{"name"')
    if start < 0:
        return [], None, False
    functions = json.JSONDecoder().raw_decode(system[start:])[0]
    return functions, functions[0]["name"] if "Answer with exactly one" in system else None, True


def last_exchange(messages: list[Json]) -> tuple[str, str]:
    """What the user said last, and the last result of a call after that."""
    said, answered = "", ""
    for message in messages:
        content = _text(message.get("content"))
        if message["role"] in {"tool", "function"} or content.startswith("Result of "):
            answered = content
        elif message["role"] == "user":
            said, answered = content, ""
    return said, answered


def filled(schema: Json, said: str) -> Json:
    """Values for what is required and for what has an enum."""
    required = schema.get("required", [])
    properties = schema.get("properties", {})
    return {name: _value(part, said) for name, part in properties.items() if name in required or _choices(part)}


def _value(schema: Json, said: str) -> Any:
    schema = next((part for part in schema.get("anyOf", []) if part.get("type") != "null"), schema)
    if choices := schema.get("enum"):
        named = [choice for choice in choices if isinstance(choice, str) and choice in said]
        return max(named, key=len) if named else choices[0]
    match schema.get("type"):
        case "array":
            return [_value(schema.get("items", {}), said)]
        case "object":
            return filled(schema, said)
        case "integer" | "number":
            return 1
        case "boolean":
            return False
    return said[:20] or "x"


def _choices(schema: Json) -> bool:
    parts = [schema, schema.get("items", {}), *schema.get("anyOf", [])]
    return any("enum" in part for part in parts)


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content)
    return content or ""
