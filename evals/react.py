"""The plain agent to compare with: one model that holds every tool and the whole conversation, in a loop."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from string import Template

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.tool import ToolCall, tool_call

from config.catalogue import Catalogue
from evals.cases import Case
from evals.desk import NOTHING, Stand
from evals.outcomes import MadeCall, Outcome
from evals.runner import BETWEEN, Played
from evals.waiting import one_turn
from models.answer import Usage
from models.guard import ChatModel
from nodes.state import UNKNOWN, add_usage
from tools.coercion import coerce
from tools.permission import allowed
from tools.registry import Registry
from tools.tool import Locale

ROUNDS = 5
PROMPT = Path(__file__).parent / "react.md"


@dataclass(kw_only=True)
class Spoken:
    """A turn so far."""

    calls: list[ToolCall]
    usage: Usage
    degraded: list[str]
    reply: str = ""


class PlainAgent:
    """Neither rules nor funnel. It may use exactly the tools that the desk's caller may use, and they do as little."""

    def __init__(self, desk: Stand, model: ChatModel) -> None:
        services, principal = desk.services, desk.principal
        self._catalogue, self._registry, self._model = services.catalogue, services.registry, model
        agents = self._catalogue.agents.values()
        usable = dict.fromkeys(tool.name for agent in agents for tool in allowed(principal, agent, self._registry))
        self._schemas = [self._registry.schema(name) for name in usable]
        self._system = Template(PROMPT.read_text(encoding="utf-8"))

    async def play(self, case: Case) -> Played:
        clock, history = datetime.fromisoformat(case.clock), list[BaseMessage]()
        outcomes: list[Outcome] = []
        for number, turn in enumerate(case.turns):
            now = clock + number * BETWEEN
            started = time.perf_counter()
            history.append(HumanMessage(turn.say))
            with one_turn() as waited:
                spoken = await self._turn(history, f"{case.id}-{number}", now, case.locale)
            took = (time.perf_counter() - started) * 1000 + waited.ms
            made = [made_call(call, self._registry, now, case.locale) for call in spoken.calls]
            outcomes.append(outcome_of(spoken, made, self._catalogue, took))
        return Played(case=case, outcomes=tuple(outcomes))

    async def _turn(self, history: list[BaseMessage], key: str, now: datetime, locale: Locale) -> Spoken:
        """`history` grows by what is said and called."""
        spoken = Spoken(calls=[], usage=Usage(model_calls=0, input_tokens=0, output_tokens=0), degraded=[])
        system = SystemMessage(self._system.substitute(today=f"{now:%Y-%m-%d %A}"))
        for round_ in range(ROUNDS):
            answer = await self._model.call([system, *history], self._schemas, must_call=False)
            spoken.usage = add_usage(spoken.usage, answer.usage)
            if answer.message is None:
                spoken.degraded.append(f"plan: {answer.abstained}")
                break
            # Ids of our own: a recording is found again only if the same question is put in the same words.
            said = answer.message.tool_calls
            calls = [tool_call(name=c["name"], args=c["args"], id=f"{key}-{round_}-{n}") for n, c in enumerate(said)]
            if not calls:
                history.append(AIMessage(answer.message.text))
                spoken.reply = answer.message.text
                break
            history.append(AIMessage("", tool_calls=calls))
            history += [ToolMessage(NOTHING[locale], tool_call_id=str(call["id"])) for call in calls]
            spoken.calls += calls
        return spoken


def made_call(call: ToolCall, registry: Registry, now: datetime, locale: Locale) -> MadeCall:
    """With the arguments that its tool would see."""
    tool = registry.get(call["name"])
    fitted = coerce(tool, call["args"], now=now, locale=locale) if tool else None
    return MadeCall(tool=call["name"], arguments=fitted.arguments if fitted and fitted.values else call["args"])


def outcome_of(spoken: Spoken, calls: Sequence[MadeCall], catalogue: Catalogue, took_ms: float) -> Outcome:
    """What it wanted is read off its tools; it has no word for small talk and the unknown."""
    by_tool = {intent.tool: intent for intent in reversed(catalogue.intents.values()) if intent.tool}
    intents = [by_tool[call["tool"]] for call in calls if call["tool"] in by_tool]
    return Outcome(
        agent=intents[0].agent if intents else UNKNOWN,
        intents=list(dict.fromkeys(intent.name for intent in intents)) or [UNKNOWN],
        entities={},
        calls=list(calls),
        question=None,
        asked=[],
        offered=[],
        decisions=[],
        degraded=spoken.degraded,
        usage=spoken.usage,
        reply=spoken.reply,
        elapsed_ms=round(took_ms, 2),
        error=None,
    )
