"""Holds a model's calls against what rules have read: a model fills gaps, it never overrides them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from langchain_core.messages.tool import ToolCall, tool_call

from config.catalogue import Catalogue, Intent
from nodes.arguments import arguments_of, required_of
from nodes.asking_back import question_for
from nodes.state import Question, State
from tools.coercion import coerce
from tools.registry import Registry
from tools.tool import Tool


@dataclass(frozen=True)
class Fitting:
    """The calls of one answer. `indices`: the requests that the model plans; `now`: aware, in the tenant's zone."""

    state: State
    catalogue: Catalogue
    registry: Registry
    now: datetime
    indices: tuple[int, ...]

    def judged(self, said: Sequence[ToolCall]) -> tuple[list[ToolCall], Question | None]:
        """The calls that can be made, and what to ask back where one lacks a required argument or has made one up."""
        kept: list[ToolCall] = []
        questions: list[Question] = []
        for call in said:
            own = [i for i in self.indices if self._intent(i).tool == call["name"]]
            tool = self.registry.get(call["name"])
            fitted, question = self._of(call, tool, own) if tool is not None and own else (call, None)
            if question is None:
                kept.append(fitted)
            else:
                questions.append(question)
        return kept, questions[0] if questions else None

    def _of(self, call: ToolCall, tool: Tool, own: Sequence[int]) -> tuple[ToolCall, Question | None]:
        """A call of the requests' own tool with what rules have read of them in the place of what the model says, and
        what to ask instead of making it."""
        index, intent = own[0], self._intent(own[0])
        read = self._read(tool, own)
        fitted = coerce(tool, call["args"], now=self.now, locale=self.state["turn"]["locale"])
        if fitted.problems:
            return call, None
        wrong = [n for n, values in read.items() if (v := fitted.arguments.get(n)) is not None and v not in values]
        sure = {name: values[0] for name, values in read.items() if len(values) == 1}
        if any(self._names_a_thing(intent, name) for name in wrong):
            # It speaks of another thing than the user did, so the rest of what it says is about that one too.
            gaps = [name for name in required_of(tool, intent) if name not in read]
        else:
            arguments = {**fitted.arguments, **sure}
            gaps = [name for name in required_of(tool, intent) if name not in arguments]
            gaps += self._invented(arguments, intent, read)
        question = question_for(index, gaps[0], intent, tool, self.state["turn"]) if gaps else None
        kept = {name: value for name, value in fitted.arguments.items() if name not in wrong}
        return tool_call(name=call["name"], args={**kept, **sure}, id=call["id"]), question

    def _read(self, tool: Tool, own: Sequence[int]) -> dict[str, list[Any]]:
        """What rules have read for the tool's parameters, each with the values that it may have; a parameter that takes
        the whole text is read by nobody."""
        turn = self.state["turn"]
        found: dict[str, list[Any]] = {}
        for index in own:
            intent = self._intent(index)
            for name, value in arguments_of(intent, turn["requests"][index], turn).items():
                if intent.arguments[name].source == "text":
                    continue
                for one in value if isinstance(value, list) else [value]:
                    fitted = coerce(tool, {name: one}, now=self.now, locale=turn["locale"]).arguments
                    if name in fitted and fitted[name] not in found.setdefault(name, []):
                        found[name].append(fitted[name])
        return found

    def _invented(self, arguments: Mapping[str, Any], intent: Intent, read: Mapping[str, Sequence[Any]]) -> list[str]:
        """Identifiers that nobody in the conversation ever named: a model's guess is no answer."""
        seen = "\n".join([*(m.text for m in self.state["messages"]), self.state["turn"]["text"]])
        return [
            name
            for name, value in arguments.items()
            if self._names_a_thing(intent, name) and value not in read.get(name, ()) and str(value) not in seen
        ]

    def _names_a_thing(self, intent: Intent, parameter: str) -> bool:
        binding = intent.arguments.get(parameter)
        return binding is not None and binding.source in self.catalogue.lexicon.identifiers

    def _intent(self, index: int) -> Intent:
        return self.catalogue.intents[self.state["turn"]["requests"][index]["intent"]]
