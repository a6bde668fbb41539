"""What one turn of a case came to, as far as it is scored; plain values, which a result file keeps."""

from collections.abc import Mapping
from typing import Any

from langchain_core.messages import ToolMessage
from langgraph.types import Interrupt
from typing_extensions import TypedDict

from config.catalogue import Catalogue, Intent
from models.answer import Usage
from nodes.conversation import calls, results
from nodes.state import INTENT, UNKNOWN, Decision, State, Turn, intents_of

NOTHING_USED = Usage(model_calls=0, input_tokens=0, output_tokens=0)


class MadeCall(TypedDict):
    tool: str
    arguments: dict[str, Any]


class Outcome(TypedDict):
    """`entities`: of the first request. `calls`: made, refused, or waiting for a yes. `question`: the slot that was
    asked back for, and `asked`: the arguments that it feeds. `offered`: the intents of a "did you mean". `error`: the
    kind of exception that ended the turn."""

    agent: str
    intents: list[str]
    entities: dict[str, Any]
    calls: list[MadeCall]
    question: str | None
    asked: list[str]
    offered: list[str]
    decisions: list[Decision]
    degraded: list[str]
    usage: Usage
    reply: str
    elapsed_ms: float
    error: str | None


def outcome_of(state: State, waiting: Interrupt | None, catalogue: Catalogue, elapsed_ms: float) -> Outcome:
    turn, messages = state.get("turn", Turn()), state.get("messages", [])
    requests, offered = turn.get("requests", []), turn.get("offered", [])
    first = next(iter([*requests, *offered]), None)
    question = turn.get("question")
    answered = {m.tool_call_id: m for m in results(messages)}
    return Outcome(
        agent=requests[0]["agent"] if requests else UNKNOWN,
        intents=intents_of(turn) if turn else [UNKNOWN],
        entities=dict(first["entities"]) if first else dict(turn.get("entities") or {}),
        calls=[_call(call, answered.get(str(call["id"]))) for call in calls(messages)],
        question=question["slot"] if question else None,
        asked=_asked(question["slot"], [catalogue.intents[r["intent"]] for r in requests]) if question else [],
        offered=[r["intent"] for r in offered] if question and question["slot"] == INTENT else [],
        decisions=list(turn.get("decisions", [])),
        degraded=list(turn.get("degraded", [])),
        usage=turn.get("usage", NOTHING_USED),
        reply=_reply(state, waiting),
        elapsed_ms=round(elapsed_ms, 2),
        error=None,
    )


def failed(error: Exception, elapsed_ms: float) -> Outcome:
    """A turn that ended in an exception: nothing in it is right."""
    return Outcome(
        agent="error", intents=["error"], entities={}, calls=[], question=None, asked=[], offered=[], decisions=[],
        degraded=[], usage=NOTHING_USED, reply="", elapsed_ms=round(elapsed_ms, 2), error=type(error).__name__,
    )  # fmt: skip


def _call(call: Mapping[str, Any], answer: ToolMessage | None) -> MadeCall:
    """With the arguments that its tool was given, where it was called."""
    told = (answer.artifact or {}) if answer is not None else {}
    return MadeCall(tool=call["name"], arguments=dict(told.get("arguments") or call["args"]))


def _asked(slot: str, intents: list[Intent]) -> list[str]:
    """The arguments that a slot feeds; a model that asks names an argument by itself."""
    bound = [(name, binding) for intent in intents for name, binding in intent.arguments.items()]
    fed = [
        name
        for name, binding in bound
        if slot in {(path or "").partition(".")[0] for path in (binding.source, binding.otherwise)} | {binding.source}
    ]
    return list(dict.fromkeys([*fed, slot]))


def _reply(state: State, waiting: Interrupt | None) -> str:
    if waiting is not None:
        return "\n".join(str(action.get("description") or "") for action in waiting.value["action_requests"])
    messages = state.get("messages", [])
    return messages[-1].text if messages else ""
