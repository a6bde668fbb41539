"""What the desk is measured on: conversations with what each of their turns should come to, one JSON object a line."""

import json
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, field_validator

from config.records import Record
from errors import ConfigurationError

CLOCK = "2026-11-30T10:00:00+08:00"


class ExpectedCall(Record):
    """`arguments`: those that follow from what was said; others may be there."""

    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class Expected(Record):
    """What one turn should come to.

    `agent`, `intents`: `unknown` where the desk should honestly not know. `entities`: slots of the first request, no
    more than this turn says. `calls`: None checks none, [] allows none. `question`: the argument that has to be asked
    back for. `never`: tools that must not be called.
    """

    agent: str
    intents: tuple[str, ...]
    entities: dict[str, Any] = Field(default_factory=dict)
    calls: tuple[ExpectedCall, ...] | None = None
    question: str | None = None
    never: tuple[str, ...] = ()


class Said(Record):
    say: str
    expect: Expected


class Case(Record):
    """One conversation. `clock`: an aware ISO time. `source`: where it came from, if it was not written by hand."""

    id: str
    locale: Literal["zh", "en"]
    kind: str
    turns: tuple[Said, ...] = Field(min_length=1)
    clock: str = CLOCK
    source: str | None = None

    @field_validator("clock")
    @classmethod
    def _aware(cls, value: str) -> str:
        if datetime.fromisoformat(value).tzinfo is None:
            raise ValueError(f"{value!r} has no time zone")
        return value

    @property
    def words(self) -> str:
        """What makes two cases the same: everything that is said in them, without spaces and case."""
        return "\n".join("".join(turn.say.split()).casefold() for turn in self.turns)


def read_cases(path: Path) -> tuple[Case, ...]:
    """Raises ConfigurationError that names the file, and the line and key of everything that is wrong with it."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path.name}: cannot be read as UTF-8 text: {error}") from error
    cases, problems = [], []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            cases.append(Case.model_validate_json(line))
        except ValidationError as error:
            problems += [f"{path.name}:{number}: {_place(e['loc'])}: {e['msg']}" for e in error.errors()]
    problems += [f"{path.name}: two cases have the id {name!r}" for name in _twice(case.id for case in cases)]
    if not cases and not problems:
        problems.append(f"{path.name}: there is no case in it")
    if problems:
        raise ConfigurationError("\n".join(problems))
    return tuple(cases)


def as_line(case: Case) -> str:
    """What is not said is left out, so that a file stays readable."""
    plain = case.model_dump(mode="json", exclude_defaults=True)
    return json.dumps(plain, ensure_ascii=False)


def _twice(names: Iterable[str]) -> list[str]:
    seen: set[str] = set()
    twice: dict[str, None] = {}
    for name in names:
        if name in seen:
            twice[name] = None
        seen.add(name)
    return list(twice)


def _place(location: tuple[int | str, ...]) -> str:
    return ".".join(map(str, location)) or "the line"
