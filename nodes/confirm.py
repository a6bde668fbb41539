"""Asks a person for a yes to the calls of this round that need one."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Literal, cast

from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.messages.tool import ToolCall, tool_call
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from nodes.clock import now_of
from nodes.context import Context, Recording
from nodes.conversation import planned_calls
from nodes.state import Answer, Answered, Confirmation, State
from tools.ledger import canonical
from tools.registry import Registry
from tools.texts import question

ALLOWED = ["approve", "edit", "reject"]


async def confirm(state: State, runtime: Runtime[Context], *, registry: Registry, confirmation_minutes: float) -> State:
    turn = state["turn"]
    asked = [c for c in planned_calls(state["messages"]) if turn["planned"][str(c["id"])]["confirm"]]
    if runtime.context.mode == "replay":
        return decided(state, recorded(asked, runtime.context.recorded))
    expires = now_of(runtime.context) + timedelta(minutes=confirmation_minutes, seconds=runtime.context.waited_s)
    shown = {**request(asked, registry, turn["locale"]), "expires_at": expires.isoformat()}
    answer: Answer = interrupt(shown, response_schema=Answer)
    return decided(state, {str(call["id"]): given for call, given in zip(asked, answer["decisions"], strict=False)})


def decided(state: State, given: dict[str, Confirmation]) -> State:
    """A yes goes with the arguments that were shown, and with no others."""
    message = cast("AIMessage", state["messages"][-1])
    shown = {str(call["id"]): call["args"] for call in message.tool_calls}
    confirmations = {key: Answered(**{**one, "asked": dict(shown[key])}) for key, one in given.items()}
    edited = message.model_copy(update={"tool_calls": [edit(c, given) for c in message.tool_calls]})
    return {"turn": {"confirmations": confirmations}, "messages": cast("list[AnyMessage]", [edited])}


def recorded(asked: Sequence[ToolCall], recording: Recording) -> dict[str, Confirmation]:
    """What a person answered when the turn was live. A replay never asks: its question could be answered for real."""
    known = recording.get("decisions", {})
    answers = {str(call["id"]): known.get(canonical(call["name"], call["args"])) for call in asked}
    return {key: cast("Confirmation", answer) for key, answer in answers.items() if answer}


def request(calls: list[ToolCall], registry: Registry, locale: Literal["zh", "en"]) -> dict[str, Any]:
    """The human-in-the-loop schema of LangChain's agents, which chat clients know how to show."""
    return {
        "action_requests": [
            {"name": c["name"], "args": c["args"], "description": describe(c, registry, locale)} for c in calls
        ],
        "review_configs": [{"action_name": c["name"], "allowed_decisions": ALLOWED} for c in calls],
    }


def describe(call: ToolCall, registry: Registry, locale: Literal["zh", "en"]) -> str:
    """The question in the caller's language, as the tool words it."""
    tool = registry.get(call["name"])
    return question(tool, call["args"], locale) if tool else call["name"]


def edit(call: ToolCall, confirmations: dict[str, Confirmation]) -> ToolCall:
    """A person may change arguments, never the tool. A badly shaped edit leaves the call; the executor refuses it."""
    decision = confirmations.get(str(call["id"]), Confirmation(type="reject"))
    edited = decision.get("edited_action")
    args = edited.get("args") if decision["type"] == "edit" and isinstance(edited, dict) else None
    return tool_call(name=call["name"], args=dict(args), id=call["id"]) if isinstance(args, dict) else call
