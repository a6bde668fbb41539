"""Two results side by side: which turns became better, and which worse."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from evals.result import ColumnKept, Result, TurnKept
from evals.scoring import LEVELS

Change = Literal["better", "worse", "otherwise"]


@dataclass(frozen=True, kw_only=True)
class Changed:
    """One turn of one column. `before`, `after`: the levels that fail; `otherwise`: others than before, no fewer."""

    column: str
    half: str
    turn: str
    change: Change
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """`unmatched`: columns of either side that the other one has not; `turns`: how many both have."""

    changed: tuple[Changed, ...]
    unmatched: tuple[str, ...]
    turns: int

    def count(self, change: Change, half: str | None = None, column: str | None = None) -> int:
        return sum(
            one.change == change and half in (None, one.half) and column in (None, one.column) for one in self.changed
        )


def compared(before: Result, after: Result) -> Comparison:
    """By the names of columns and turns; cases that only one side has are left out."""
    old, new = _columns(before), _columns(after)
    both = [name for name in new if name in old]
    return Comparison(
        changed=tuple(change for name in both for change in _changes(name, old[name]["turns"], new[name]["turns"])),
        unmatched=tuple(sorted(old.keys() ^ new.keys())),
        turns=sum(len(old[name]["turns"].keys() & new[name]["turns"].keys()) for name in both),
    )


def between(result: Result, first: str, second: str) -> Comparison:
    """What becomes otherwise from one column of a result to another, under the name of the second."""
    columns = _columns(result)
    before, after = columns[first]["turns"], columns[second]["turns"]
    return Comparison(
        changed=tuple(_changes(second, before, after)), unmatched=(), turns=len(before.keys() & after.keys())
    )


def _columns(result: Result) -> dict[str, ColumnKept]:
    return {column["name"]: column for column in result["columns"]}


def _changes(column: str, before: dict[str, TurnKept], after: dict[str, TurnKept]) -> list[Changed]:
    found = []
    for turn, now in after.items():
        then = before.get(turn)
        if then is None or set(then["failed"]) == set(now["failed"]):
            continue
        found.append(
            Changed(
                column=column,
                half=now["half"],
                turn=turn,
                change=_direction(then["failed"], now["failed"]),
                before=tuple(then["failed"]),
                after=tuple(now["failed"]),
            )
        )
    return found


def _direction(before: Collection[str], after: Collection[str]) -> Change:
    """The funnel's first level that differs decides: a turn that is routed wrongly cannot be right below."""
    for level in LEVELS:
        if (level in before) != (level in after):
            return "better" if level in before else "worse"
    return "otherwise"
