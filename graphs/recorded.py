"""A turn as its runs recorded it: what was asked, in which contexts, and what its calls and questions came to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, cast

from checkpoints.run import Run as Row
from graphs.live import Permissions, context_of
from nodes.clock import now_of
from nodes.context import Context, Recording
from nodes.state import Locale
from tools.coercion import coerce
from tools.ledger import canonical, undo_of
from tools.registry import Registry

Json = dict[str, Any]
# never_ran: cancelled or refused before anything of it ran. pruned: what was recorded has been let go of.
WhyNot = Literal["never_ran", "pruned"]


@dataclass(frozen=True, kw_only=True)
class RecordedTurn:
    """`number`: its place in the thread, from 1. `runs`: those that ran, the message's first and then its answers'."""

    number: int
    turn_id: str
    message: str
    runs: tuple[Row, ...]

    @property
    def transcript(self) -> Json:
        """Of the last run, which has all that the turn came to."""
        return self.runs[-1].transcript or {}

    @property
    def locale(self) -> Locale:
        return cast("Locale", self.transcript.get("locale") or "en")

    def contexts(self, permissions: Permissions) -> list[Context]:
        """Of each run: the message's serves until a person was asked, the next one from the answer on."""
        return [context_of(run, permissions) for run in self.runs]


def recorded(number: int, runs: Sequence[Row]) -> RecordedTurn | WhyNot:
    """`runs`: all of one turn, the oldest first."""
    played = tuple(run for run in runs if run.transcript)
    message = runs[0].input.get("message")
    if any(not run.input for run in runs) or message is None:
        return "pruned"
    if not played:
        return "never_ran"
    return RecordedTurn(number=number, turn_id=runs[0].turn_id, message=message, runs=played)


def recording(turn: RecordedTurn, registry: Registry) -> Recording:
    """What a replay answers calls and questions from, each under the key that the call would have today as well: a
    parameter that the tool got meanwhile is in none of the recorded calls."""
    outcomes: dict[str, Json] = {}
    decisions: dict[str, Json] = {}
    for run in turn.runs:
        made = {call["id"]: call for call in _calls(run)}
        for call in made.values():
            if call["content"] is not None:
                undone = made.get(call.get("undoes") or "")
                # What was undone was done first, and is so again in a replay.
                status = "done" if call["status"] == "undone" else call["status"]
                for key in _keys((undone or call)["tool"], (undone or call)["arguments"], turn, registry):
                    outcome = {**call, "status": status, "summary": call["content"]}
                    outcomes[undo_of(key) if undone else key] = outcome
    for before, after in pairwise(turn.runs):
        for name, arguments, decision in _answers(before, after):
            for key in _keys(name, arguments, turn, registry):
                decisions[key] = decision
    return Recording(outcomes=outcomes, decisions=decisions)


def _calls(run: Row) -> list[Json]:
    return list((run.transcript or {}).get("calls", []))


def _keys(tool: str, arguments: Mapping[str, Any], turn: RecordedTurn, registry: Registry) -> set[str]:
    keys = {canonical(tool, arguments)}
    if (known := registry.get(tool)) is not None:
        now = now_of(context_of(turn.runs[0], lambda _: frozenset()))
        fitted = coerce(known, arguments, now=now, locale=turn.locale)
        if fitted.values is not None:
            keys.add(canonical(tool, fitted.arguments))
    return keys


def _answers(before: Row, after: Row) -> list[tuple[str, Json, Json]]:
    """What a run asked a person about, and what the next one brought as the answer: tool, arguments, decision."""
    asked = ((before.transcript or {}).get("interrupt") or {}).get("action_requests", [])
    given = (after.input.get("resume") or {}).get("decisions")
    if given is None:
        given = [_in_words(action, before, after) for action in asked]
    return [(action["name"], action["args"], dict(answer)) for action, answer in zip(asked, given, strict=False)]


def _in_words(action: Mapping[str, Any], before: Row, after: Row) -> Json:
    """A plain yes or no is told by what became of the call."""
    same = [c["id"] for c in _calls(before) if (c["tool"], c["arguments"]) == (action["name"], action["args"])]
    ends = [call for call in _calls(after) if call["id"] in same]
    if ends and ends[-1]["confirmation"]:
        return dict(ends[-1]["confirmation"])
    return {"type": "reject" if ends and ends[-1]["status"] == "rejected" else "approve"}
