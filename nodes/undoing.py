"""Whether a plan has failed half-way, what is undone then, and how that is told.

What one message asks for is one plan. It fails where a change does not come about; what is done of it is undone then.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langchain_core.messages.tool import ToolCall, tool_call

from config.catalogue import Catalogue
from nodes.conversation import results, this_turn
from nodes.decision import decide
from nodes.plan_by_rules import request_of
from nodes.state import Planned, State, Turn
from nodes.texts import text
from tools.call import Done
from tools.compensation import undoing
from tools.ledger import canonical
from tools.registry import Registry

MADE, NOT_MADE = ("done", "accepted"), ("failed", "refused")
BEFORE = "done_before"  # the reason of a call whose work an earlier turn had done: that is not this plan's to undo


@dataclass(frozen=True)
class Plan:
    """One turn's calls with what has become of them."""

    state: State
    catalogue: Catalogue
    registry: Registry

    def is_broken(self) -> bool:
        """Whether rules make no more changes in this turn. A model reads of a failure, and may make up for it."""
        answers = results(self.state["messages"])
        unknown = any(m.artifact["status"] == "unknown" and self._changes(m) for m in answers)
        return unknown or any(self._by_rules(m) for m in answers if self._failed(m))

    def ended(self, end: State) -> State:
        """`end`: the plan's last word. Where the plan has failed with something done, the calls that undo it, newest
        first, take its place; what was asked back or said by a model was meant for another end."""
        made = self._made()
        if not made or not self._lost():
            return end
        turn = self.state["turn"]
        pairs = [(undo, m) for n, m in enumerate(reversed(made)) if (undo := self._undo(m, f"{turn['id']}-u{n}"))]
        change: Turn = {
            **end.get("turn", Turn()),
            "undoing": {str(undo["id"]): m.tool_call_id for undo, m in pairs},
            "question": None,
        }
        if not pairs:
            return {"turn": change}
        names = list(dict.fromkeys(undo["name"] for undo, _ in pairs))
        decision = decide("tools", names, "keyword", "a step failed: what was done is undone")
        change["decisions"] = [*change.get("decisions", []), decision]
        change["planned"] = {
            str(undo["id"]): Planned(agent=m.artifact["agent"], source="keyword", confirm=False) for undo, m in pairs
        }
        calls = AIMessage("", tool_calls=[undo for undo, _ in pairs], id=f"undo-{turn['id']}")
        return {"turn": change, "messages": [calls]}

    def told(self) -> str:
        """What failed, what was undone, and what was not and stands."""
        answers, turn = results(self.state["messages"]), self.state["turn"]
        locale, undoing_calls = turn["locale"], turn["undoing"]
        tried = {undoing_calls[m.tool_call_id]: m for m in answers if m.tool_call_id in undoing_calls}
        standing = self._made()
        aside = {m.tool_call_id for m in standing} | undoing_calls.keys()
        said = [str(m.content) for m in answers if m.tool_call_id not in aside and m.artifact["status"] != "undone"]
        taken_back = [str(m.content) for m in tried.values() if m.artifact["status"] in MADE]
        if taken_back:
            said += [text("undone", locale), *taken_back]
        if standing:
            never = text("never_undone", locale)
            why = [str(tried[m.tool_call_id].content) if m.tool_call_id in tried else never for m in standing]
            said += [text("stands", locale)]
            said += [text("stands_why", locale, what=m.content, why=w) for m, w in zip(standing, why, strict=True)]
        return "\n".join(said)

    def _made(self) -> list[ToolMessage]:
        """The changes that this turn has made and not undone, in their order, each once."""
        own, found = self.state["turn"].get("undoing", {}), dict[str, ToolMessage]()
        for m in results(self.state["messages"]):
            of_this_plan = m.tool_call_id not in own and m.artifact["reason"] != BEFORE
            if of_this_plan and m.artifact["status"] in MADE and self._changes(m):
                found.setdefault(canonical(str(m.name), m.artifact["arguments"]), m)
        return list(found.values())

    def _lost(self) -> list[ToolMessage]:
        """The failures that nobody made up for: a model that read of one may have reached its aim in another way."""
        later = _rounds(self.state["messages"])
        found: list[ToolMessage] = []
        while later:
            here, *later = later
            made_up = any(m.artifact["status"] in MADE and self._changes(m) for one in later for m in one)
            found += [m for m in here if self._failed(m) and (self._by_rules(m) or not made_up)]
        return found

    def _failed(self, message: ToolMessage) -> bool:
        """A change that did not come about, or a look at something that a change was waiting for."""
        return message.artifact["status"] in NOT_MADE and (self._changes(message) or self._awaited(message))

    def _changes(self, message: ToolMessage) -> bool:
        tool = self.registry.get(message.name or "")
        return tool is not None and tool.effect

    def _awaited(self, message: ToolMessage) -> bool:
        requests = self.state["turn"]["requests"]
        index = self._request(message)
        if index is None:
            return False
        source, wanted = requests[index], {request["intent"] for request in requests}
        chains = self.catalogue.agents[source["agent"]].chains
        fed = [self.catalogue.intents[c.to] for c in chains if c.source == source["intent"] and c.to in wanted]
        return any((tool := self.registry.get(intent.tool or "")) is not None and tool.effect for intent in fed)

    def _by_rules(self, message: ToolMessage) -> bool:
        return self._request(message) is not None

    def _request(self, message: ToolMessage) -> int | None:
        return request_of(tool_call(name=str(message.name), args={}, id=message.tool_call_id), self.state["turn"])

    def _undo(self, message: ToolMessage, key: str) -> ToolCall | None:
        """The call that undoes what this one did; None: nothing does."""
        tool = self.registry.get(message.name or "")
        arguments = undoing(done(message), tool) if tool is not None else None
        if tool is None or tool.compensate is None or arguments is None:
            return None
        return tool_call(name=tool.compensate.tool, args=arguments, id=key)


def done(message: ToolMessage) -> Done:
    told = message.artifact
    return Done(id=message.tool_call_id, tool=str(message.name), arguments=told["arguments"], data=told["data"])


def undone(message: ToolMessage, turn: Turn) -> ToolMessage:
    """The answer of a call that was undone. What it came to stays known: a replay answers the call with that."""
    content = text("undone_since", turn["locale"], what=message.content)
    artifact = {**message.artifact, "status": "undone"}
    return message.model_copy(update={"content": content, "artifact": artifact, "status": "error"})


def same(messages: Sequence[AnyMessage], one: ToolMessage) -> list[ToolMessage]:
    """The answers of this turn that tell the same work: a call that came twice was done once."""
    key = canonical(str(one.name), one.artifact["arguments"])
    return [m for m in results(messages) if canonical(str(m.name), m.artifact["arguments"]) == key]


def _rounds(messages: Sequence[AnyMessage]) -> list[list[ToolMessage]]:
    """The answers of this turn, by the message that made their calls."""
    found: list[list[ToolMessage]] = []
    for message in this_turn(messages):
        if isinstance(message, AIMessage) and message.tool_calls:
            found.append([])
        elif isinstance(message, ToolMessage):
            found[-1].append(message)
    return found
