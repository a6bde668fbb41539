"""Plans by rules: each request's tool with the arguments from its entities, side by side or as a chain."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.messages import ToolMessage
from langchain_core.messages.tool import ToolCall, tool_call

from config.catalogue import Catalogue, Chain, Intent
from nodes.arguments import arguments_of, candidates, required_of, spread
from nodes.asking_back import question_for, slot_of, unresolved
from nodes.state import Question, Request, Turn
from nodes.texts import text
from tools.registry import Registry

MAX_OPTIONS = 10


@dataclass(frozen=True, kw_only=True)
class RulePlan:
    """`open`: indices of requests that rules cannot plan and a model may; `question`: what to ask back."""

    calls: tuple[ToolCall, ...] = ()
    open: tuple[int, ...] = ()
    question: Question | None = None


@dataclass(frozen=True, kw_only=True)
class Several:
    """A chain's source found several values for an argument: the user has to choose."""

    parameter: str
    options: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class RulePlanner:
    """One round over one turn. `answers`, `called`: of this turn so far. `with_model`: a model may take what is open.
    `usable`: the intents that the caller may use.

    A request is planned once: its calls carry its index in their id. One that the caller may not use makes a call with
    whatever is known, without a question and without a model: the executor answers it with what the caller lacks.
    """

    turn: Turn
    answers: Sequence[ToolMessage]
    called: Sequence[ToolCall]
    catalogue: Catalogue
    registry: Registry
    with_model: bool
    usable: Collection[str]

    def plan(self) -> RulePlan:
        done = {index for call in self.called if (index := request_of(call, self.turn)) is not None}
        calls: list[ToolCall] = []
        waiting: list[int] = []
        questions: list[Question] = []
        for index, request in enumerate(self.turn["requests"]):
            intent = self.catalogue.intents[request["intent"]]
            if index in done or index in self.turn["by_model"] or intent.tool is None or self._bare_source(index):
                continue
            step = self._one(index, intent)
            if step == "open":
                waiting.append(index)
            elif isinstance(step, list):
                calls += [self._call(intent.tool, index, len(calls) + n, one) for n, one in enumerate(step)]
            elif not isinstance(step, str):
                questions.append(step)
        return RulePlan(calls=tuple(calls), open=tuple(waiting), question=questions[0] if questions else None)

    def _one(self, index: int, intent: Intent) -> Question | list[dict[str, Any]] | Literal["open", "wait"]:
        """The arguments of each call, a question, `open` for the model, or `wait` for what has to come first."""
        request = self.turn["requests"][index]
        if intent.name not in self.usable:
            return [arguments_of(intent, request, self.turn)]
        tool = self.registry[str(intent.tool)]
        if empty := request.get("unresolved"):
            return unresolved(index, empty[0], intent, tool, self.turn)
        if intent.plan == "model" and self.with_model:
            return "open"
        arguments = arguments_of(intent, request, self.turn)
        if chain := self._chain(index):
            bound = self._bound(chain, index)
            if bound is None:
                return "wait"
            if isinstance(bound, Several):
                return self._which(bound, index, intent)
            arguments |= bound
        missing = [name for name in required_of(tool, intent) if name not in arguments]
        if not missing:
            return spread(arguments, tool)
        if self.with_model and intent.plan == "auto":
            return "open"
        return question_for(index, missing[0], intent, tool, self.turn)

    def _call(self, tool: str, index: int, number: int, arguments: dict[str, Any]) -> ToolCall:
        key = f"{self.turn['id']}-{index}-{self.turn['rounds']}-{number}"
        return tool_call(name=tool, args=arguments, id=key)

    def _chain(self, index: int) -> Chain | None:
        """The chain that feeds this request from another one that speaks of the same: of one clause, or one person.

        "查张三的订单，再查用户李四" are two things.
        """
        request, requests = self.turn["requests"][index], enumerate(self.turn["requests"])
        others = {
            r["intent"]
            for i, r in requests
            if i != index and r["agent"] == request["agent"] and _together(r, request) and not self._bare_source(i)
        }
        chains = self.catalogue.agents[request["agent"]].chains
        return next((c for c in chains if c.to == request["intent"] and c.source in others), None)

    def _bare_source(self, index: int) -> bool:
        """Whether this request only names the kind of thing that another one is about ("用户的订单")."""
        request, intents = self.turn["requests"][index], self.catalogue.intents
        if arguments_of(intents[request["intent"]], request, self.turn):
            return False
        chains = self.catalogue.agents[request["agent"]].chains
        targets = {c.to for c in chains if c.source == request["intent"]}
        return any(r["intent"] in targets for r in self.turn["requests"])

    def _bound(self, chain: Chain, index: int) -> dict[str, Any] | Several | None:
        """The arguments that the source's result fills; None where it has not answered or found nothing."""
        requests = self.turn["requests"]
        sources = [i for i, r in enumerate(requests) if r["intent"] == chain.source and i != index]
        ids = {str(c["id"]) for c in self.called if request_of(c, self.turn) in sources}
        given = [m.artifact for m in self.answers if m.tool_call_id in ids]
        if not given or any(artifact["status"] != "done" for artifact in given):
            return None
        filled: dict[str, Any] = {}
        for name, path in chain.bind.items():
            found = list(dict.fromkeys(str(v) for artifact in given for v in candidates(artifact["data"], path)))
            named = [value for value in found if value == requests[index]["entities"].get("person")]
            if not found:
                return None
            if len(found) > 1 and not named:
                return Several(parameter=name, options=tuple(found[:MAX_OPTIONS]))
            filled[name] = named[0] if named else found[0]
        return filled

    def _which(self, several: Several, index: int, intent: Intent) -> Question:
        words = text("which_one", self.turn["locale"], options="、".join(several.options))
        slot = slot_of(intent, several.parameter)
        return Question(slot=slot, text=words, options=[*several.options], requests=[index])


def _together(source: Request, target: Request) -> bool:
    person = source["entities"].get("person")
    if person is not None and target["entities"].get("person") == person:
        return True
    return source["spans"] == target["spans"] and target["entities"].get("person") is None


def request_of(call: ToolCall, turn: Turn) -> int | None:
    """Which request a call of the rules belongs to; None for a model's call."""
    prefix, key = f"{turn['id']}-", str(call["id"])
    index = key[len(prefix) :].partition("-")[0] if key.startswith(prefix) else ""
    return int(index) if index.isdigit() else None
