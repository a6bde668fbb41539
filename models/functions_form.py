"""The older way of asking for calls: `functions` and `function_call`, rewritten in both directions.

A message of this form carries one call, and a result names its function instead of a call's id.
"""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

Json = dict[str, Any]


def request(payload: Json) -> Json:
    """A request of today's form in the older one; `extra_body`, since the SDK calls both keys deprecated."""
    old = {key: value for key, value in payload.items() if key not in {"tools", "tool_choice"}}
    old["messages"] = _messages(payload["messages"])
    if tools := payload.get("tools"):
        added: Json = {"functions": [tool["function"] for tool in tools]}
        if wanted := _wanted(payload.get("tool_choice"), tools):
            added["function_call"] = wanted
        old["extra_body"] = {**payload.get("extra_body", {}), **added}
    return old


def _wanted(choice: Any, tools: list[Json]) -> Any:
    """The older form forces one function by name; it has no word for "some function"."""
    if isinstance(choice, Mapping):
        return {"name": choice["function"]["name"]}
    if choice == "required" and len(tools) == 1:
        return {"name": tools[0]["function"]["name"]}
    return "none" if choice == "none" else None


def _messages(messages: list[Json]) -> list[Json]:
    results = {m["tool_call_id"]: m for m in messages if m["role"] == "tool"}
    rewritten: list[Json] = []
    for message in messages:
        if message.get("tool_calls"):
            rewritten.extend(_pairs(message, results))
        elif message["role"] != "tool":
            rewritten.append(message)
    return rewritten


def _pairs(message: Json, results: Mapping[str, Json]) -> list[Json]:
    pairs: list[Json] = []
    for call in message["tool_calls"]:
        function = call["function"]
        said = {"role": "assistant", "content": message["content"] if not pairs else None, "function_call": function}
        pairs.append(said)
        if result := results.get(call["id"]):
            pairs.append({"role": "function", "name": function["name"], "content": result["content"]})
    return pairs


def message(answer: Json) -> Json:
    """A complete message of the older form in today's."""
    call = answer.get("function_call")
    if not call or answer.get("tool_calls"):
        return answer
    rest = {key: value for key, value in answer.items() if key != "function_call"}
    return {**rest, "tool_calls": [{"id": new_id(), "type": "function", "function": call}]}


def delta(piece: Json) -> Json:
    """One piece of a stream of the older form in today's; the piece with the name begins the call."""
    call = piece.get("function_call")
    if not call or piece.get("tool_calls"):
        return piece
    name = call.get("name") or None
    rest = {key: value for key, value in piece.items() if key != "function_call"}
    begun = {"index": 0, "id": new_id() if name else None, "type": "function"}
    return {**rest, "tool_calls": [{**begun, "function": {"name": name, "arguments": call.get("arguments") or ""}}]}


def new_id() -> str:
    return f"call_{uuid4().hex}"
