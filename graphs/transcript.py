"""What a run keeps for audit, evaluation and replay: the question, the answer, and everything between them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import ToolMessage
from langchain_core.messages.tool import ToolCall

from config.catalogue import Catalogue
from graphs.live import Live
from graphs.plain import plain
from graphs.turn_result import TurnResult
from models.registry import Models
from nodes.conversation import calls, results
from nodes.state import State, Turn
from tools.tool import Status

Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What was in force when a turn ran. `agents`: agent to the hash of its definition. `model`: from what the caller
    asked for to the model that plans; None where there is none."""

    agents: Mapping[str, str]
    model: Callable[[str | None], str | None]


def facts_of(catalogue: Catalogue, models: Models) -> Facts:
    def model(asked: str | None) -> str | None:
        serving = models.serving("plan", asked)
        return serving.name if serving else None

    return Facts(agents={name: catalogue.agent_hash(name) for name in catalogue.agents}, model=model)


def transcript(live: Live, state: State, result: TurnResult, facts: Facts, *, events: int) -> Json:
    """`state`: of this turn alone; with a resume the calls of the whole turn are in it. `events`: how many it told."""
    given, turn, context = live.row.input, state.get("turn", Turn()), live.context
    answers = {message.tool_call_id: message for message in results(state.get("messages", []))}
    ends = {shown["id"]: shown["status"] for shown in result["tool_calls"]}
    made = [(call, str(call["id"])) for call in calls(state.get("messages", []))]
    return {
        "turn_id": live.turn_id,
        "status": result["status"],
        "question": given.get("message"),
        "resume": given.get("resume"),
        "answer": result["reply"],
        "locale": turn.get("locale") or context.locale,
        "requests": result["requests"],
        "decisions": result["decisions"],
        "calls": [_call(call, turn, answers.get(key), ends[key]) for call, key in made],
        "interrupt": result["interrupt"],
        "degraded": plain(turn.get("degraded", [])),
        "usage": result["usage"],
        "clock": context.clock.isoformat() if context.clock else None,
        "time_zone": context.time_zone,
        "agents": agents_of(result, facts),
        "model": facts.model(context.model),
        "events": events,
    }


def agents_of(result: TurnResult, facts: Facts) -> dict[str, str]:
    """The agents that a turn went to; what the desk itself says in small talk is nobody's."""
    asked = {request["agent"] for request in result["requests"]}
    return {name: facts.agents[name] for name in sorted(asked & facts.agents.keys())}


def _call(call: ToolCall, turn: Turn, answer: ToolMessage | None, status: Status) -> Json:
    """`arguments`: as the tool got them; as planned where it got none."""
    told = (answer.artifact or {}) if answer is not None else {}
    key = str(call["id"])
    planned = turn.get("planned", {}).get(key)
    return {
        "id": key,
        "tool": call["name"],
        "agent": told.get("agent") or (planned["agent"] if planned else None),
        "arguments": plain(told.get("arguments", call["args"])),
        "status": status,
        # Of a call that was undone what it came to itself: with that a replay answers it.
        "content": None if answer is None else told.get("summary", answer.text),
        "data": plain(told.get("data", {})),
        "card": plain(told.get("card")),
        "direct": bool(told.get("direct")),
        "elapsed_ms": told.get("elapsed_ms", 0.0),
        "confirmation": plain(turn.get("confirmations", {}).get(key)),
        "undoes": told.get("undoes"),
    }
