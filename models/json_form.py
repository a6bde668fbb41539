"""Calls for servers without tools: the schema goes into the prompt, and the answer is read as one JSON object."""

import json
from typing import Any

from models.answer import Abstained
from models.strict import json_object, unfenced

Json = dict[str, Any]
SHAPE = '{"name": "<function>", "arguments": {…}}'
MUST = f"Answer with exactly one JSON object of the form {SHAPE} and nothing else: no other words, no code fence."
MAY = (
    f"If a function is needed, answer with exactly one JSON object of the form {SHAPE} and nothing else. "
    "If none is needed, answer in plain words."
)
KNOWN = "Use only these functions; `arguments` follows the function's JSON schema:"


def request(payload: Json, *, json_mode: bool) -> Json:
    """The request without tools. Earlier calls and their results become plain messages."""
    plain = {key: value for key, value in payload.items() if key not in {"tools", "tool_choice"}}
    plain["messages"] = _flat(payload["messages"])
    if not (tools := payload.get("tools")):
        return plain
    must = payload.get("tool_choice") not in (None, "auto")
    plain["messages"] = _instructed(plain["messages"], tools, must=must)
    if must and json_mode:
        plain["extra_body"] = {**payload.get("extra_body", {}), "response_format": {"type": "json_object"}}
    return plain


def _instructed(messages: list[Json], tools: list[Json], *, must: bool) -> list[Json]:
    functions = json.dumps([tool["function"] for tool in tools], ensure_ascii=False)
    instruction = "\n".join((MUST if must else MAY, KNOWN, functions))
    if messages and messages[0]["role"] == "system":
        first = {**messages[0], "content": f"{messages[0]['content']}\n\n{instruction}"}
        return [first, *messages[1:]]
    return [{"role": "system", "content": instruction}, *messages]


def _flat(messages: list[Json]) -> list[Json]:
    names: dict[str, str] = {}
    flat: list[Json] = []
    for message in messages:
        calls = message.get("tool_calls") or []
        names |= {call["id"]: call["function"]["name"] for call in calls}
        if calls:
            said = [message["content"]] if message["content"] else []
            said += [_call(call["function"]) for call in calls]
            flat.append({"role": "assistant", "content": "\n".join(said)})
        elif message["role"] == "tool":
            name = names.get(message["tool_call_id"], "the function")
            flat.append({"role": "user", "content": f"Result of {name}: {message['content']}"})
        else:
            flat.append(message)
    return flat


def _call(function: Json) -> str:
    return f'{{"name": {json.dumps(function["name"])}, "arguments": {function["arguments"] or "{}"}}}'


def call_in(text: str, *, must_call: bool) -> tuple[str, Json] | None:
    """The name and arguments of the call that a text is; None for plain words where they are allowed."""
    inside = unfenced(text)
    if not inside.startswith("{") and not must_call:
        return None
    try:
        read = json_object(inside)
    except ValueError as error:
        raise Abstained("bad_json" if inside.startswith("{") else "prose", str(error)) from error
    name, arguments = read.get("name"), read.get("arguments")
    if set(read) != {"name", "arguments"} or not isinstance(name, str) or not isinstance(arguments, dict):
        raise Abstained("odd_shape", f"keys {sorted(read)[:8]}")
    return name, arguments
