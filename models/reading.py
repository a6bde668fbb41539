"""Reads a complete answer off the wire, strictly: what is odd about it makes the model abstain, never a crash."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import ToolCall, tool_call

from models import functions_form
from models.answer import Abstained
from models.strict import clean, json_object
from models.thinking import without_thinking

Json = dict[str, Any]
FINISHED = frozenset({"stop", "tool_calls", "function_call", "eos", "eos_token", "stop_sequence", "end_turn"})
REFUSED = frozenset({"content_filter", "sensitive", "refusal"})
MAX_CALLS = 16


def completion(data: Any) -> AIMessage:
    """The first choice of a chat completion, with its finish reason and usage. Abstained if it cannot be used."""
    if not isinstance(data, Mapping):
        raise Abstained("bad_json", f"the body is {type(data).__name__}", fault="endpoint")
    usage = usage_of(data.get("usage"))
    try:
        return _message(data, usage)
    except Abstained as fault:
        if usage:
            fault.input_tokens, fault.output_tokens = usage["input_tokens"], usage["output_tokens"]
        raise


def _message(data: Mapping[str, Any], usage: UsageMetadata | None) -> AIMessage:
    choices = data.get("choices")
    if data.get("error") or not isinstance(choices, list):
        raise Abstained("bad_answer", str(data.get("error") or "no choices")[:200], fault="endpoint")
    choice = choices[0] if choices and isinstance(choices[0], Mapping) else {}
    said = choice.get("message")
    if not isinstance(said, Mapping):
        raise Abstained("empty", "no message")
    if said.get("refusal"):
        raise Abstained("refused", str(said["refusal"])[:200])
    reason = choice.get("finish_reason")
    check_finish(reason)
    content = without_thinking(clean(text_of(said.get("content"))))
    calls = read_calls(functions_form.message(dict(said)).get("tool_calls"))
    if not calls and not content.strip():
        raise Abstained("empty", f"finish_reason {reason}")
    metadata = {"finish_reason": reason, "model_name": str(data.get("model") or "")}
    return AIMessage(content, tool_calls=calls, usage_metadata=usage, response_metadata=metadata)


def check_finish(reason: Any) -> None:
    """Abstained unless the answer came to its own end."""
    if not isinstance(reason, str):
        raise Abstained("cut_off", f"finish_reason {reason!r}"[:80], fault="endpoint")
    if reason in REFUSED:
        raise Abstained("refused", str(reason))
    if reason == "length":
        raise Abstained("cut_off", "length")
    if reason not in FINISHED:
        raise Abstained("cut_off", f"finish_reason {reason!r}"[:80], fault="endpoint")


def text_of(content: Any) -> str:
    """The text of a content that is a string, a list of parts, or nothing."""
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):
        parts = [part.get("text") if isinstance(part, Mapping) else part for part in content]
        return "".join(part for part in parts if isinstance(part, str))
    return ""


def read_calls(raw: Any) -> list[ToolCall]:
    if not raw:
        return []
    if not isinstance(raw, list) or len(raw) > MAX_CALLS:
        raise Abstained("bad_answer", "tool_calls is no list of a sane length")
    return [_call(part) for part in raw]


def _call(raw: Any) -> ToolCall:
    function = raw.get("function") if isinstance(raw, Mapping) else None
    if not isinstance(function, Mapping):
        raise Abstained("odd_shape", "a call without a function")
    name, given = function.get("name"), raw.get("id")
    if not isinstance(name, str) or not name:
        raise Abstained("unknown_tool", "a call without a name")
    call_id = given if isinstance(given, str) and given.isprintable() and 0 < len(given) <= 128 else ""  # noqa: PLR2004
    return tool_call(name=name, args=arguments_of(function.get("arguments")), id=call_id or functions_form.new_id())


def arguments_of(raw: Any) -> Json:
    """Nothing at all is no arguments, as several servers say it; some send an object instead of its text."""
    if raw is None or (isinstance(raw, str) and not raw.strip()):
        return {}
    try:
        return json_object(raw if isinstance(raw, str) else json.dumps(raw))
    except ValueError as error:
        raise Abstained("bad_arguments", str(error)) from error


def usage_of(raw: Any) -> UsageMetadata | None:
    """Token counts, of a vendor that gives any."""
    if not isinstance(raw, Mapping):
        return None
    given, made = _count(raw.get("prompt_tokens")), _count(raw.get("completion_tokens"))
    return UsageMetadata(input_tokens=given, output_tokens=made, total_tokens=given + made)


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
