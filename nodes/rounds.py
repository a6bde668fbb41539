"""One round of calls: what is known already, what waits for a yes, and how many a turn may make."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langchain_core.messages.tool import ToolCall

from models.answer import Usage
from nodes.conversation import calls, results
from nodes.decision import decide, worded
from nodes.permitted import Refusing
from nodes.plan_by_rules import RulePlan, request_of
from nodes.state import Planned, Question, Source, State, Turn
from tools.registry import Registry

MAX_ROUNDS = 5
MAX_CALLS = 20


@dataclass(frozen=True, kw_only=True)
class Round:
    """What one round came to. `agents`: call id to agent; `by_model`: the requests that are the model's after it;
    `model_finished`: it calls nothing more in this turn; `prompts`: what a model went by."""

    calls: tuple[ToolCall, ...] = ()
    agents: Mapping[str, str] = field(default_factory=dict)
    source: Source = "keyword"
    question: Question | None = None
    prose: AIMessage | None = None
    by_model: tuple[int, ...] = ()
    model_finished: bool = False
    prompts: str = ""
    usage: Usage | None = None
    degraded: str | None = None


def of_rules(ruled: RulePlan, turn: Turn) -> Round:
    indices = {str(call["id"]): request_of(call, turn) for call in ruled.calls}
    agents = {key: turn["requests"][index]["agent"] for key, index in indices.items() if index is not None}
    return Round(calls=ruled.calls, agents=agents, question=ruled.question, by_model=tuple(turn["by_model"]))


def opened(
    fitted: Sequence[ToolCall], now: Round, state: State, registry: Registry, *, refusing: Refusing, broken: bool
) -> State:
    """The next round. What comes before the first call that needs a yes does not wait for it: it goes ahead in a round
    of its own, and the rest is held for the next one. What comes after stays behind it: the order may matter.

    A change that the caller may not make goes ahead of all others, so that nothing need be undone when it is refused.
    `broken`: the plan has failed, so that no more changes are made.
    """
    turn, known = state["turn"], answered(state["messages"])
    planned = {str(call["id"]): _planned(call, now, turn, registry, known=known, refusing=refusing) for call in fitted}
    if broken:
        return _round(turn, fitted, [], _without_changes(planned, fitted, registry), now.source, prompts=now.prompts)
    here, held = list(fitted), list[ToolCall]()
    if turn["rounds"] + 1 < MAX_ROUNDS:
        if later := _behind_a_refusal(fitted, planned, registry, refusing):
            here, held = [call for call in fitted if call not in later], later
        elif ahead := next((n for n, call in enumerate(fitted) if planned[str(call["id"])]["confirm"]), 0):
            here, held = here[:ahead], here[ahead:]
    return _round(turn, here, held, planned, now.source, prompts=now.prompts)


def held_round(state: State, registry: Registry, *, broken: bool) -> State:
    """The calls that were held back in the round before, as they were planned."""
    turn = state["turn"]
    planned = {str(call["id"]): turn["planned"][str(call["id"])] for call in turn["held"]}
    if broken:
        planned = _without_changes(planned, turn["held"], registry)
    by_model = any(one["source"] == "model" for one in planned.values())
    return _round(turn, turn["held"], [], planned, "model" if by_model else "keyword")


def _round(
    turn: Turn,
    here: Sequence[ToolCall],
    held: Sequence[ToolCall],
    planned: dict[str, Planned],
    source: Source,
    *,
    prompts: str = "",
) -> State:
    names = list(dict.fromkeys(call["name"] for call in here))
    made = [decide("tools", names, source, f"round {turn['rounds'] + 1}")]
    made = worded(made, prompts) if prompts else made
    change = Turn(rounds=turn["rounds"] + 1, planned=planned, held=list(held), confirmations={}, decisions=made)
    message = AIMessage("", tool_calls=list(here), id=f"plan-{turn['id']}-{turn['rounds']}")
    return {"turn": change, "messages": [message]}


def _planned(
    call: ToolCall, now: Round, turn: Turn, registry: Registry, *, known: Collection[str], refusing: Refusing
) -> Planned:
    """`known`: calls that this turn has made already; their answer is given again, so nobody is asked again, nor is
    for a call that is refused anyhow."""
    tool, first = registry.get(call["name"]), turn["requests"][0]["agent"]
    source: Source = "keyword" if request_of(call, turn) is not None else "model"
    agent = now.agents.get(str(call["id"]), first)
    asks = tool is not None and tool.confirm and key_of(call) not in known
    needs_yes = asks and tool is not None and not refusing(tool, agent, call["args"])
    return Planned(agent=agent, source=source, confirm=needs_yes)


def _without_changes(
    planned: Mapping[str, Planned], fitted: Sequence[ToolCall], registry: Registry
) -> dict[str, Planned]:
    changing = {str(call["id"]) for call in fitted if _changes(call, registry)}
    stopped = {key: Planned(**{**planned[key], "confirm": False, "stopped": True}) for key in changing}
    return {**planned, **stopped}


def _behind_a_refusal(
    fitted: Sequence[ToolCall], planned: Mapping[str, Planned], registry: Registry, refusing: Refusing
) -> list[ToolCall]:
    """The changes that rules have planned beside one which is going to be refused; empty where there is none."""
    ours = [call for call in fitted if _changes(call, registry) and planned[str(call["id"])]["source"] == "keyword"]
    barred = [call for call in ours if refusing.bars(registry[call["name"]], planned[str(call["id"])]["agent"])]
    return [call for call in ours if call not in barred] if barred else []


def _changes(call: ToolCall, registry: Registry) -> bool:
    tool = registry.get(call["name"])
    return tool is not None and tool.effect


def room(messages: Sequence[AnyMessage]) -> int:
    """How many more calls this turn may make."""
    return max(MAX_CALLS - len(calls(messages)), 0)


def answered(messages: Sequence[AnyMessage]) -> dict[str, ToolMessage]:
    """The answers of this turn by what makes two calls the same."""
    keys = {str(call["id"]): key_of(call) for call in calls(messages)}
    return {keys[m.tool_call_id]: m for m in results(messages) if m.tool_call_id in keys}


def fresh(planned: Iterable[ToolCall], known: Collection[str]) -> list[ToolCall]:
    """The calls that have no answer yet, each once."""
    seen: dict[str, ToolCall] = {}
    for call in planned:
        seen.setdefault(key_of(call), call)
    return [call for key, call in seen.items() if key not in known]


def key_of(call: ToolCall) -> str:
    """What makes two calls the same: the tool and its canonical arguments."""
    return json.dumps([call["name"], call["args"]], sort_keys=True, ensure_ascii=False, default=str)
