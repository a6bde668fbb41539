"""What an evaluation must not fall below, by column and half, and what it is to reach."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from config.records import Record
from config.strict_yaml import load_record
from errors import ConfigurationError
from evals.figures import Figures
from evals.result import Result

PERCENT = 100
COUNTS = frozenset({"forbidden_calls", "forbidden_changes", "errors"})
METRICS: Mapping[str, Callable[[Figures], float]] = {
    "route": lambda of: of["levels"]["route"],
    "intent": lambda of: of["levels"]["intent"],
    "calls": lambda of: of["levels"]["calls"] or 0.0,
    "entities": lambda of: of["entities"]["f1"],
    "whole": lambda of: of["levels"]["whole"],
    "wrong_route": lambda of: of["trust"]["wrong_route"],
    "wrong_intent": lambda of: of["trust"]["wrong_intent"],
    "forbidden_calls": lambda of: of["trust"]["forbidden_calls"],
    "forbidden_changes": lambda of: of["trust"]["forbidden_changes"],
    "errors": lambda of: of["trust"]["errors"],
}


class Bounds(Record):
    """Metric to bound; shares from 0 to 1, calls and errors as numbers."""

    at_least: dict[str, float] = Field(default_factory=dict)
    at_most: dict[str, float] = Field(default_factory=dict)


class Floors(Record):
    """`floors`: column -> half -> bounds, which fail an evaluation; `aims`: which only show how far it is."""

    floors: dict[str, dict[str, Bounds]]
    aims: Bounds = Bounds()


@dataclass(frozen=True, kw_only=True)
class Held:
    """One bound and what was measured. `least`: a floor, else a ceiling."""

    column: str
    half: str
    metric: str
    bound: float
    measured: float
    least: bool

    @property
    def met(self) -> bool:
        return self.measured >= self.bound if self.least else self.measured <= self.bound

    def __str__(self) -> str:
        word = "at least" if self.least else "at most"
        measured, bound = shown(self.metric, self.measured), shown(self.metric, self.bound)
        return f"{self.column}, {self.half}: {self.metric} is {measured}, and should be {word} {bound}"


def load_floors(path: Path) -> Floors:
    """Raises ConfigurationError that names file and key."""
    floors = load_record(path, Floors, path.name)
    strange = {
        metric
        for bounds in [floors.aims, *(b for halves in floors.floors.values() for b in halves.values())]
        for metric in (*bounds.at_least, *bounds.at_most)
        if metric not in METRICS
    }
    if strange:
        raise ConfigurationError(f"{path.name}: {sorted(strange)} are none of the metrics {sorted(METRICS)}")
    return floors


def held(result: Result, floors: Floors) -> list[Held]:
    """Every bound of a column and half that were measured."""
    found: list[Held] = []
    for column in result["columns"]:
        for half, bounds in floors.floors.get(column["name"], {}).items():
            if half in column["halves"]:
                found += _held(column["name"], half, bounds, column["halves"][half])
    return found


def aimed(result: Result, floors: Floors, half: str) -> list[Held]:
    """How far the columns are from the aims; a plain agent has none."""
    return [
        one
        for column in result["columns"]
        if half in column["halves"] and not column["plain"]
        for one in _held(column["name"], half, floors.aims, column["halves"][half])
    ]


def metric(name: str, of: Figures) -> float:
    return METRICS[name](of)


def shown(metric: str, value: float) -> str:
    """A share as a percentage; a number as it is."""
    return f"{value:g}" if metric in COUNTS else f"{value * PERCENT:.1f} %"


def _held(column: str, half: str, bounds: Bounds, of: Figures) -> Iterator[Held]:
    for least, some in ((True, bounds.at_least), (False, bounds.at_most)):
        for name, bound in some.items():
            yield Held(column=column, half=half, metric=name, bound=bound, measured=metric(name, of), least=least)
