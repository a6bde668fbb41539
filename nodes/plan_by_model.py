"""Plans by the model: the agents' tools, cut down to what this caller may use, bound to the chat model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, SystemMessage
from langchain_core.messages.tool import ToolCall, tool_call

from config.catalogue import Catalogue, Intent
from models.answer import Usage
from models.guard import ChatModel
from nodes.clock import now_of
from nodes.context import Context
from nodes.permitted import usable_tools
from nodes.plan_by_rules import question_for
from nodes.state import Question, State
from tools.coercion import coerce
from tools.registry import Registry
from tools.tool import Tool


@dataclass(frozen=True, kw_only=True)
class ModelPlan:
    """`prose`: the planner's own words instead of more calls. Nothing at all: the model abstained."""

    calls: tuple[ToolCall, ...] = ()
    agents: Mapping[str, str] = field(default_factory=dict)
    question: Question | None = None
    prose: AIMessage | None = None
    usage: Usage | None = None
    degraded: str | None = None

    @property
    def abstained(self) -> bool:
        return not (self.calls or self.question or self.prose)


@dataclass(frozen=True, kw_only=True)
class ModelPlanner:
    """One round. `opened`: indices of the requests that the model takes on in this round; it has to call for those."""

    state: State
    context: Context
    catalogue: Catalogue
    registry: Registry
    model: ChatModel
    opened: tuple[int, ...]

    async def plan(self) -> ModelPlan:
        turn = self.state["turn"]
        indices = dict.fromkeys([*turn["by_model"], *self.opened])
        agents = list(dict.fromkeys(turn["requests"][i]["agent"] for i in indices))
        offered = self._offered(agents)
        schemas = [self.registry.schema(tool) for _, tool in offered.values()]
        answer = await self.model.call(self.prompt(agents), schemas, must_call=bool(self.opened))
        usage = answer.usage
        if answer.message is None:
            return ModelPlan(usage=usage, degraded=f"plan: {answer.abstained}")
        said = answer.message.tool_calls
        if not said:
            return ModelPlan(usage=usage, prose=answer.message)
        if question := self._gap(said):
            return ModelPlan(usage=usage, question=question)
        # Vendors number calls from zero in every answer; an id of ours is unique in the thread.
        calls = [
            tool_call(name=c["name"], args=c["args"], id=f"{turn['id']}-m{turn['rounds']}-{n}")
            for n, c in enumerate(said)
        ]
        owners = {str(c["id"]): offered[c["name"]][0] for c in calls if c["name"] in offered}
        return ModelPlan(usage=usage, calls=tuple(calls), agents=owners)

    def _offered(self, agents: Sequence[str]) -> dict[str, tuple[str, Tool]]:
        found: dict[str, tuple[str, Tool]] = {}
        for agent in agents:
            for tool in usable_tools(self.context.principal, self.catalogue, self.registry, agent).values():
                found.setdefault(tool.name, (agent, tool))
        return found

    def prompt(self, agents: Sequence[str]) -> list[BaseMessage]:
        now, locale = now_of(self.context), self.state["turn"]["locale"]
        own = [self.catalogue.prompts[name] for agent in agents if (name := self.catalogue.agents[agent].prompt)]
        system = self.catalogue.render(
            "plan",
            agent="\n\n".join(own),
            today=f"{now:%Y-%m-%d %A}",
            time_zone=self.context.time_zone,
            locale=locale,
        )
        summary = self.state.get("summary")
        earlier: list[BaseMessage] = [SystemMessage(summary)] if summary else []
        return [SystemMessage(system), *earlier, *self.state["messages"]]

    def _gap(self, said: Sequence[ToolCall]) -> Question | None:
        """What to ask back where the only call for a request lacks a required argument, or has an invented one."""
        if len(said) != 1 or not self.opened:
            return None
        turn, index = self.state["turn"], self.opened[0]
        tool = self.registry.get(said[0]["name"])
        intent = self.catalogue.intents[turn["requests"][index]["intent"]]
        if tool is None or tool.name != intent.tool:
            return None
        fitted = coerce(tool, said[0]["args"], now=now_of(self.context), locale=turn["locale"])
        seen = "\n".join([*(m.text for m in self.state["messages"]), turn["text"]])
        gaps = [*fitted.missing, *invented(fitted.arguments, intent, self.catalogue, seen)]
        return question_for(index, gaps[0], intent, turn) if gaps else None


def invented(arguments: Mapping[str, Any], intent: Intent, catalogue: Catalogue, seen: str) -> list[str]:
    """Identifiers among the arguments that nobody in the conversation ever named: a model's guess is no answer."""
    slots = {name: binding.source for name, binding in intent.arguments.items()}
    return [
        name
        for name, value in arguments.items()
        if slots.get(name) in catalogue.lexicon.identifiers and value is not None and str(value) not in seen
    ]
