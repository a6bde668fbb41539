"""Whether an answer fits the question for a yes that is open, and the answer as the graph takes it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from langgraph.types import Command, Interrupt

from errors import ExpiredInterrupt, InvalidInput, NoInterrupt, StaleInterrupt
from graphs.plain_words import Given
from nodes.state import Answer, Confirmation


@dataclass(frozen=True, kw_only=True)
class Resume:
    """A caller's answer. `decisions`: {"type", "edited_action"?, "message"?}, one for each action asked for."""

    interrupt_id: str
    decisions: Sequence[Mapping[str, Any]]


def answered(given: Resume, waiting: Interrupt | None, now: datetime) -> Command[Any]:
    """Raises NoInterrupt, StaleInterrupt, ExpiredInterrupt, or InvalidInput where the decisions do not fit."""
    if waiting is None:
        raise NoInterrupt
    if waiting.id != given.interrupt_id:
        raise StaleInterrupt
    if expired(waiting, now):
        raise ExpiredInterrupt
    actions, configs = waiting.value["action_requests"], waiting.value["review_configs"]
    if len(given.decisions) != len(actions):
        raise InvalidInput(
            f"resume.decisions: {len(actions)} needed, one for each action, {len(given.decisions)} given"
        )
    rows = zip(given.decisions, actions, configs, strict=True)
    return _command(waiting, [_checked(n, *row) for n, row in enumerate(rows)])


def answered_in_words(given: Given, waiting: Interrupt, now: datetime) -> Command[Any]:
    """The same answer to every action; a yes to a question that has run out is a no that says why."""
    count = len(waiting.value["action_requests"])
    if given == "approve" and expired(waiting, now):
        return _command(waiting, [Confirmation(type="reject", expired=True)] * count)
    return _command(waiting, [Confirmation(type=given)] * count)


def expired(waiting: Interrupt, now: datetime) -> bool:
    ends = waiting.value.get("expires_at")
    return bool(ends) and now >= datetime.fromisoformat(ends)


def _command(waiting: Interrupt, decisions: list[Confirmation]) -> Command[Any]:
    # By its id: a bare value would answer whatever question is open when it arrives.
    return Command(resume={waiting.id: Answer(decisions=decisions)})


def _checked(
    number: int, decision: Mapping[str, Any], action: Mapping[str, Any], config: Mapping[str, Any]
) -> Confirmation:
    where, kind = f"resume.decisions.{number}", decision.get("type")
    if kind not in config["allowed_decisions"]:
        allowed = ", ".join(config["allowed_decisions"])
        raise InvalidInput(f"{where}.type: {kind!r} is not one of {allowed}")
    if kind == "edit":
        return _edited(where, decision.get("edited_action"), action)
    if kind == "reject" and (message := decision.get("message")):
        return Confirmation(type="reject", message=str(message))
    return Confirmation(type=cast("Given", kind))


def _edited(where: str, edited: object, action: Mapping[str, Any]) -> Confirmation:
    if not isinstance(edited, Mapping) or not isinstance(edited.get("args"), Mapping):
        raise InvalidInput(f"{where}.edited_action: needed for an edit, with the new 'args'")
    name = edited.get("name", action["name"])
    if name != action["name"]:
        raise InvalidInput(f"{where}.edited_action.name: an edit may change the arguments of {action['name']!r} only")
    return Confirmation(type="edit", edited_action={"name": action["name"], "args": dict(edited["args"])})
