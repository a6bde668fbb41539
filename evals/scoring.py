"""Holds what a turn came to against what it should have come to, level by level."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from config.catalogue import Catalogue
from evals.cases import Case, Expected
from evals.outcomes import MadeCall, Outcome
from evals.sameness import same
from nodes.state import UNKNOWN
from tools.registry import Registry

Level = Literal["route", "intent", "entities", "calls"]
LEVELS: tuple[Level, ...] = ("route", "intent", "entities", "calls")
# right; wrong: something else was done; refused: it said that it does not know; offered: it asked which of three.
Verdict = Literal["right", "wrong", "refused", "offered"]
# Slots of which two can carry the same words; the cases hold them as arguments of calls alone.
AMBIGUOUS = frozenset({"content", "keyword", "due", "new_period", "new_time", "text", "amount", "place"})


@dataclass(frozen=True, kw_only=True)
class Slots:
    """`found`, `wrong`, `missing`: of the expected ones; `extra`: read without having been said."""

    found: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Score:
    """One turn. `faults`: what is wrong with its calls, in words. `forbidden`: tools that it must not have called;
    `changes`: those of them that would have changed something.

    `gold_offered`: whether the expected intent is among those of a "did you mean". `calls`: None where none are
    expected nor forbidden.
    """

    route: Verdict
    intent: Verdict
    slots: Slots
    calls: bool | None
    faults: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    gold_offered: bool = False

    @property
    def failed(self) -> tuple[Level, ...]:
        """The levels that are not right, in the order of the funnel."""
        right: Mapping[Level, bool] = {
            "route": self.route == "right",
            "intent": self.intent == "right",
            "entities": not (self.slots.wrong or self.slots.missing),
            "calls": self.calls is not False and not self.forbidden,
        }
        return tuple(level for level in LEVELS if not right[level])


@dataclass(frozen=True, kw_only=True)
class Judge:
    """`registry`: which tools have an effect."""

    catalogue: Catalogue
    registry: Registry

    def case(self, case: Case, outcomes: Sequence[Outcome]) -> tuple[Score, ...]:
        pairs = zip(case.turns, outcomes, strict=True)
        return tuple(self.turn(said.expect, got, first=n == 0) for n, (said, got) in enumerate(pairs))

    def turn(self, expected: Expected, got: Outcome, *, first: bool) -> Score:
        """`first`: nothing can be remembered yet, so that every slot was read from this turn."""
        faults = tuple(self._faults(expected, got))
        forbidden = tuple(sorted({call["tool"] for call in got["calls"]} & set(expected.never)))
        checked = expected.calls is not None or expected.question is not None
        return Score(
            route=_verdict([expected.agent], [got["agent"]], got),
            intent=_verdict(_once(expected.intents), _once(got["intents"]), got),
            slots=self._slots(expected, got, first=first),
            calls=not faults if checked else None,
            faults=faults,
            forbidden=forbidden,
            changes=tuple(name for name in forbidden if (tool := self.registry.get(name)) is None or tool.effect),
            gold_offered=bool(set(expected.intents) & set(got["offered"])),
        )

    def _slots(self, expected: Expected, got: Outcome, *, first: bool) -> Slots:
        read = got["entities"]
        found = tuple(slot for slot, value in expected.entities.items() if same(value, read.get(slot)))
        missing = tuple(slot for slot in expected.entities if read.get(slot) in (None, [], ""))
        told = {*found, *missing}
        extra = self._taken(expected.intents) & {s for s, v in read.items() if v not in (None, [], "")}
        return Slots(
            found=found,
            wrong=tuple(slot for slot in expected.entities if slot not in told),
            missing=missing,
            extra=tuple(sorted(extra - set(expected.entities) - AMBIGUOUS)) if first else (),
        )

    def _taken(self, intents: Collection[str]) -> set[str]:
        """The slots that the expected first intent can use: others do no harm."""
        intent = self.catalogue.intents.get(next(iter(intents), UNKNOWN))
        return {(b.source or "").partition(".")[0] for b in intent.arguments.values()} if intent else set()

    def _faults(self, expected: Expected, got: Outcome) -> list[str]:
        faults = []
        if expected.question is not None and expected.question not in got["asked"]:
            faults.append(f"did not ask for {expected.question}")
        if expected.question is None and got["question"] and not got["offered"]:
            faults.append(f"asked for {got['question']}")
        if expected.calls is None:
            return faults
        left = list(got["calls"])
        for wanted in expected.calls:
            match = next((call for call in left if _fits(wanted.tool, wanted.arguments, call)), None)
            if match is None:
                faults.append(_unmet(wanted.tool, wanted.arguments, left))
            else:
                left.remove(match)
        unmet = {call.tool for call in expected.calls}
        faults += [f"also called {call['tool']}" for call in left if not faults or call["tool"] not in unmet]
        return faults


def _verdict(expected: Sequence[str], got: Sequence[str], outcome: Outcome) -> Verdict:
    """To offer what may have been meant is to say that one does not know."""
    if list(expected) == list(got) and not (outcome["offered"] and expected[0] != UNKNOWN):
        return "right"
    if list(got) != [UNKNOWN]:
        return "wrong"
    return "offered" if outcome["offered"] else "refused"


def _once(names: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _fits(tool: str, arguments: Mapping[str, Any], call: MadeCall) -> bool:
    return call["tool"] == tool and not _unlike(arguments, call)


def _unlike(arguments: Mapping[str, Any], call: MadeCall) -> list[str]:
    return [name for name, value in arguments.items() if not same(value, call["arguments"].get(name))]


def _unmet(tool: str, arguments: Mapping[str, Any], calls: Sequence[MadeCall]) -> str:
    near = min((call for call in calls if call["tool"] == tool), key=lambda c: len(_unlike(arguments, c)), default=None)
    if near is None:
        return f"did not call {tool}"
    shown = ", ".join(
        f"{name}={near['arguments'].get(name)!r} instead of {arguments[name]!r}" for name in _unlike(arguments, near)
    )
    return f"{tool}: {shown}"
