"""What a function of the demo's function centre is: how it is described, who calls it, and what it answers."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date, tzinfo
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from demo.days import Days
from demo.rows import Pool

Locale = Literal["zh", "en"]


class Arguments(BaseModel):
    """Of one function; its JSON schema is how the function tells what it takes."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Person(BaseModel):
    """For whom a call is made, as the desk established it."""

    tenant: str = Field(min_length=1, max_length=200)
    user: str = Field(min_length=1, max_length=200)
    roles: list[str] = Field(default_factory=list, max_length=100)


class Call(BaseModel):
    """The body of a call. `now`: aware, in the tenant's zone. `deadline_s`: how long the caller will wait."""

    arguments: dict[str, Any] = Field(default_factory=dict)
    caller: Person
    locale: Locale = "zh"
    now: AwareDatetime
    deadline_s: float = Field(default=30.0, gt=0, le=3_600)
    extra: dict[str, Any] = Field(default_factory=dict)

    @property
    def today(self) -> date:
        return self.now.date()

    @property
    def zone(self) -> tzinfo:
        zone = self.now.tzinfo
        assert zone is not None  # noqa: S101  AwareDatetime has one
        return zone

    def days(self, start: date | None, end: date | None) -> Days:
        return Days(zone=self.zone, start=start, end=end)

    def pick(self, zh: str, en: str) -> str:
        return en if self.locale == "en" else zh


class Shown(BaseModel):
    """A card by its type; it shows the answer's data."""

    type: str


class Answer(BaseModel):
    """What a call came to. `refused`: nothing was done, and `content` says why."""

    outcome: Literal["done", "refused"] = "done"
    content: str
    data: dict[str, Any] = Field(default_factory=dict)
    card: Shown | None = None
    direct: bool = False


def answered(content: str, data: dict[str, Any], card: str | None, *, direct: bool = False) -> Answer:
    return Answer(content=content, data=data, card=Shown(type=card) if card else None, direct=direct)


def refused(content: str, data: dict[str, Any] | None = None) -> Answer:
    return Answer(outcome="refused", content=content, data=data or {})


@dataclass(frozen=True, kw_only=True)
class Function:
    """One function. `run(pool, call, arguments)`: what it does for the call; an effect is done on the pool's
    connections and nowhere else. `retries`: how often a caller may try again after a fault. `undone_by`: the function
    that takes it back, with its arguments as paths into this one's `result`."""

    name: str
    description: str
    group: str
    permission: str
    arguments: type[Arguments]
    run: Callable[[Pool, Call, Any], Awaitable[Answer]]
    effect: bool = False
    idempotent: bool = False
    retries: int = 0
    cards: tuple[str, ...] = ()
    undone_by: tuple[str, dict[str, str]] | None = None

    def described(self) -> dict[str, Any]:
        """As the list of functions has it."""
        undoing = {}
        if self.undone_by is not None:
            undoing["compensate"] = {"function": self.undone_by[0], "arguments": self.undone_by[1]}
        return {
            "name": self.name,
            "description": self.description,
            "group": self.group,
            "permission": self.permission,
            "effect": self.effect,
            "idempotent": self.idempotent,
            "retries": self.retries,
            "cards": list(self.cards),
            "parameters": self.arguments.model_json_schema(),
            **undoing,
        }


def argument(
    default: Any,
    description: str,
    *,
    zh: str,
    example: Any,
    aliases: tuple[str, ...] = (),
    words: dict[str, Any] | None = None,
    most: int | None = None,
) -> Any:
    """A field of Arguments. `zh`, `aliases`, `words`: how people and models name it and its values. `most`: larger
    numbers are drawn down to it."""
    spoken: dict[str, Any] = {"zh": zh, "aliases": list(aliases)}
    if words:
        spoken["words"] = words
    if most is None:
        return Field(default, description=description, examples=[example], json_schema_extra={"x-frontdesk": spoken})
    spoken["clamp"] = True
    shown: Any = {"x-frontdesk": spoken}
    return Field(default, ge=1, le=most, description=description, examples=[example], json_schema_extra=shown)
