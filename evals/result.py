"""What an evaluation leaves behind: a JSON file that a later one is compared with."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typing_extensions import TypedDict

from errors import ConfigurationError
from evals.figures import Figures, Row, figures

FORMAT = 1
WORK, MEASURE = "work", "measure"


class TurnKept(TypedDict):
    """One turn, as far as a later evaluation is compared with it. `failed`: levels; `got`: what it was taken for."""

    half: str
    failed: list[str]
    got: list[str]
    faults: list[str]
    offered: list[str]
    tokens: int


class ColumnKept(TypedDict):
    """`plain`: a plain agent, which has calls and a cost and no levels above them. `prompts`: name to version.

    `price`: of a million tokens in and out, None where it is not known. `missed`: requests that no cassette answered.
    """

    name: str
    model: str | None
    plain: bool
    prompts: dict[str, str]
    price: tuple[float, float] | None
    missed: int
    halves: dict[str, Figures]
    turns: dict[str, TurnKept]


class Result(TypedDict):
    """`public`: figures over public suites, where a folder of them was named."""

    format: int
    made_at: str
    columns: list[ColumnKept]
    public: dict[str, Any] | None


@dataclass(frozen=True, kw_only=True)
class Column:
    """One way of running the desk, with every turn that was played. As in ColumnKept; `rows`: by half."""

    name: str
    rows: Mapping[str, Sequence[Row]]
    model: str | None = None
    plain: bool = False
    prompts: Mapping[str, str]
    price: tuple[float, float] | None = None
    missed: int = 0

    def kept(self) -> ColumnKept:
        return ColumnKept(
            name=self.name,
            model=self.model,
            plain=self.plain,
            prompts=dict(self.prompts),
            price=self.price,
            missed=self.missed,
            halves={half: figures(rows) for half, rows in self.rows.items() if rows},
            turns={key_of(row): _turn(half, row) for half, rows in self.rows.items() for row in rows},
        )


def key_of(row: Row) -> str:
    """The turn's name: its case and its number, from 1."""
    return f"{row.case.id}/{row.number + 1}"


def result_of(columns: Iterable[Column], *, made_at: str, public: dict[str, Any] | None) -> Result:
    return Result(format=FORMAT, made_at=made_at, columns=[one.kept() for one in columns], public=public)


def write_result(result: Result, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def read_result(path: Path) -> Result:
    """Raises ConfigurationError where it is no result of this format."""
    try:
        result: Result = json.loads(path.read_text(encoding="utf-8"))
        if result["format"] != FORMAT:
            raise ConfigurationError(f"{path}: written in format {result['format']!r}, and {FORMAT} is read")
        return result
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f"{path}: no result of an evaluation: {error}") from error


def _turn(half: str, row: Row) -> TurnKept:
    usage = row.outcome["usage"]
    return TurnKept(
        half=half,
        failed=list(row.score.failed),
        got=list(row.outcome["intents"]),
        faults=[*row.score.faults, *(f"must not have called {tool}" for tool in row.score.forbidden)],
        offered=list(row.outcome["offered"]),
        tokens=usage["input_tokens"] + usage["output_tokens"],
    )
