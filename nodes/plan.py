"""Decides the next tool calls, by rules or by the model, or that there is nothing more to call."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.messages.tool import ToolCall, tool_call
from langgraph.runtime import Runtime

from config.catalogue import Catalogue
from models.answer import Usage
from models.registry import Models
from nodes.clock import now_of
from nodes.context import Context
from nodes.conversation import calls, last_round, results
from nodes.decision import decide
from nodes.plan_by_model import ModelPlan, ModelPlanner
from nodes.plan_by_rules import RulePlan, RulePlanner, request_of
from nodes.state import UNKNOWN, Planned, Question, Source, State, Turn
from tools.coercion import coerce
from tools.registry import Registry

MAX_ROUNDS = 5


@dataclass(frozen=True, kw_only=True)
class Round:
    """What one round came to. `agents`: call id to agent; `by_model`: requests that the model took on in it."""

    calls: tuple[ToolCall, ...] = ()
    agents: Mapping[str, str] = field(default_factory=dict)
    source: Source = "keyword"
    question: Question | None = None
    prose: AIMessage | None = None
    by_model: tuple[int, ...] = ()
    usage: Usage | None = None
    degraded: str | None = None


async def plan(
    state: State, runtime: Runtime[Context], *, catalogue: Catalogue, registry: Registry, models: Models
) -> State:
    if settled(state["messages"]):
        return {}
    if (unknown := nothing_held(state, catalogue)) is not None:
        return {"turn": unknown}
    turn = state["turn"]
    now = await _next(state, runtime.context, catalogue, registry, models)
    change = Turn(by_model=[*turn["by_model"], *now.by_model])
    if now.usage is not None:
        change["usage"] = now.usage
    if now.degraded is not None:
        change["degraded"] = [now.degraded]
    if now.question is not None:
        change["question"] = now.question
    if now.prose is not None:
        return {"turn": change, "messages": [now.prose]}
    if turn["rounds"] >= MAX_ROUNDS:
        return {"turn": {**change, "capped": bool(now.calls or change["by_model"])}}
    fitted = once(_coerced(call, registry, turn, runtime.context) for call in now.calls)
    if not fitted:
        return {"turn": change}
    message = AIMessage("", tool_calls=fitted, id=f"plan-{turn['id']}-{turn['rounds']}")
    opened = _open_round(turn, replace(now, calls=tuple(fitted)), registry)
    return {"turn": {**change, **opened}, "messages": [message]}


def settled(messages: Sequence[AnyMessage]) -> bool:
    """Whether the last round ends the turn: a card answers it, or a person said no."""
    answers = [m.artifact for m in last_round(messages)]
    return any(a["status"] == "rejected" for a in answers) or (bool(answers) and all(a["direct"] for a in answers))


def nothing_held(state: State, catalogue: Catalogue) -> Turn | None:
    """The turn as an honest unknown, where its only request came back empty and its intent says that this means so."""
    turn, answers = state["turn"], results(state["messages"])
    if len(turn["requests"]) != 1 or not answers:
        return None
    intent = catalogue.intents[turn["requests"][0]["intent"]]
    if intent.empty != "unknown" or any(m.artifact["data"].get("found") != 0 for m in answers):
        return None
    decision = decide("intent", [UNKNOWN], "none", f"{intent.name} holds nothing about it")
    return Turn(requests=[], decisions=[decision])


async def _next(state: State, context: Context, catalogue: Catalogue, registry: Registry, models: Models) -> Round:
    turn = state["turn"]
    own = next((a for r in turn["requests"] if (a := catalogue.agents[r["agent"]]).model), None)
    model = models.serving("plan", context.model or (own.model if own else None), own.temperature if own else None)
    ruling = RulePlanner(
        turn=turn,
        answers=results(state["messages"]),
        called=calls(state["messages"]),
        catalogue=catalogue,
        registry=registry,
        with_model=model is not None,
    )
    ruled = ruling.plan()
    if model is None or not (ruled.open or turn["by_model"]) or turn["rounds"] >= MAX_ROUNDS:
        return of_rules(ruled, turn)
    asked = await ModelPlanner(
        state=state, context=context, catalogue=catalogue, registry=registry, model=model, opened=ruled.open
    ).plan()
    if asked.abstained:  # rules go on with what they have, or ask back
        again = of_rules(replace(ruling, with_model=False).plan(), turn)
        return replace(again, usage=asked.usage, degraded=asked.degraded)
    return joined(of_rules(ruled, turn), asked, ruled.open)


def of_rules(ruled: RulePlan, turn: Turn) -> Round:
    indices = {str(call["id"]): request_of(call, turn) for call in ruled.calls}
    agents = {key: turn["requests"][index]["agent"] for key, index in indices.items() if index is not None}
    return Round(calls=ruled.calls, agents=agents, question=ruled.question)


def joined(own: Round, asked: ModelPlan, opened: tuple[int, ...]) -> Round:
    """Rules' calls and the model's in one round; prose waits for the results of calls that rules still make."""
    return Round(
        calls=(*own.calls, *asked.calls),
        agents={**own.agents, **asked.agents},
        source="model" if asked.calls else "keyword",
        question=own.question or asked.question,
        prose=None if own.calls else asked.prose,
        by_model=opened if asked.calls else (),
        usage=asked.usage,
    )


def _open_round(turn: Turn, now: Round, registry: Registry) -> Turn:
    names = list(dict.fromkeys(call["name"] for call in now.calls))
    planned: dict[str, Planned] = {}
    for call in now.calls:
        key, tool, first = str(call["id"]), registry.get(call["name"]), turn["requests"][0]["agent"]
        source: Source = "keyword" if request_of(call, turn) is not None else "model"
        needs_yes = tool is not None and tool.confirm
        planned[key] = Planned(agent=now.agents.get(key, first), source=source, confirm=needs_yes)
    decision = decide("tools", names, now.source, f"round {turn['rounds'] + 1}")
    return Turn(rounds=turn["rounds"] + 1, planned=planned, confirmations={}, decisions=[decision])


def _coerced(call: ToolCall, registry: Registry, turn: Turn, context: Context) -> ToolCall:
    """The call with the arguments that its tool will see; one that does not fit stays, for the executor to refuse."""
    tool = registry.get(call["name"])
    if tool is None:
        return call
    fitted = coerce(tool, call["args"], now=now_of(context), locale=turn["locale"])
    good = not fitted.missing and not fitted.problems
    return tool_call(name=call["name"], args=fitted.arguments if good else call["args"], id=call["id"])


def once(planned: Iterable[ToolCall]) -> list[ToolCall]:
    """The same call only once in a round."""
    seen: dict[str, ToolCall] = {}
    for call in planned:
        seen.setdefault(key_of(call), call)
    return list(seen.values())


def key_of(call: ToolCall) -> str:
    """What makes two calls the same: the tool and its canonical arguments."""
    return json.dumps([call["name"], call["args"]], sort_keys=True, ensure_ascii=False, default=str)
