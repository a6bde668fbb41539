"""Judges what a model said against what it was asked: the right kind of answer, with names that were offered."""

from collections.abc import Collection, Mapping
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.messages.tool import ToolCall, tool_call

from models.answer import Abstained
from models.functions_form import new_id
from models.json_form import call_in
from models.strict import looks_like_a_call


def called(said: AIMessage, names: Collection[str], *, must_call: bool, in_text: bool) -> AIMessage:
    """The message with calls of known names, or prose where that is allowed. `in_text`: its text may be the call."""
    if in_text and not said.tool_calls and (call := call_in(said.text, must_call=must_call)):
        said = said.model_copy(
            update={"content": "", "tool_calls": [tool_call(name=call[0], args=call[1], id=new_id())]}
        )
    strange = [call["name"] for call in said.tool_calls if call["name"] not in names]
    if strange:
        raise Abstained("unknown_tool", ", ".join(strange)[:80])
    if said.tool_calls:
        return said
    if must_call:
        raise Abstained("prose", said.text[:80])
    return spoken(said)


def spoken(said: AIMessage) -> AIMessage:
    """The message, if its text can be shown to a person."""
    if said.tool_calls:
        raise Abstained("unknown_tool", "a call where words were due")
    if not said.text.strip():
        raise Abstained("empty")
    if looks_like_a_call(said.text):
        raise Abstained("odd_shape", said.text[:80])
    return said


def complete(call: ToolCall, parameters: Mapping[str, Any]) -> None:
    """Abstained if a required argument is not there."""
    if absent := [name for name in parameters.get("required", ()) if name not in call["args"]]:
        raise Abstained("bad_arguments", f"without {', '.join(absent)}")


def with_fresh_ids(calls: list[ToolCall], taken: Collection[str]) -> list[ToolCall]:
    """The calls, each with an id that no other call of the conversation has."""
    seen = set(taken)
    fresh: list[ToolCall] = []
    for call in calls:
        call_id = call["id"] if call["id"] and call["id"] not in seen else new_id()
        seen.add(call_id)
        fresh.append(tool_call(name=call["name"], args=call["args"], id=call_id))
    return fresh
