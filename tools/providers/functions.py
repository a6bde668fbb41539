"""From what a function centre lists to tools: made strict by what the operator wrote and by what was built in."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from config.functions import FunctionRule, FunctionRules
from config.roles import CODE
from tools.cards import Design, undesigned
from tools.compensation import problems
from tools.providers.function_centre import SOURCE, FunctionCentre
from tools.providers.json_tools import InexpressibleError, json_tool
from tools.tool import Compensation, Tool

MOST = 500
BUILT_IN = "tools.adapters."


class _Undoing(BaseModel):
    """The function that undoes this one, and where its arguments are, as in `tools.tool.Compensation`."""

    model_config = ConfigDict(strict=True)
    function: str
    arguments: dict[str, str]


class _Function(BaseModel):
    """One function as the centre describes it. `effect` has no default: whoever serves a function has to say it."""

    model_config = ConfigDict(strict=True)
    name: str
    description: str
    parameters: dict[str, Any] = Field(default_factory=dict)
    group: str
    effect: bool
    permission: str | None = None
    confirm: bool = False
    confirm_text: dict[Literal["zh", "en"], str] = Field(default_factory=dict)
    idempotent: bool = False
    timeout_s: float | None = Field(default=None, gt=0)
    retries: int = Field(default=0, ge=0, le=5)
    direct: bool = False
    cards: list[str] = Field(default_factory=list)
    compensate: _Undoing | None = None


@dataclass(frozen=True, kw_only=True)
class Offer:
    """`tools`: what can be used. `left_out`: what cannot, each in a line. `wrong`: what stops a start, and is left out
    of a desk that runs: a name that is taken, a card without a design."""

    tools: tuple[Tool, ...]
    left_out: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Offering:
    """What functions are measured by. `own`: the tools of this process by name."""

    centre: FunctionCentre
    rules: FunctionRules
    own: Mapping[str, Tool]
    cards: Mapping[str, Design]
    built_in: Collection[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "built_in", built_in(self.own))

    def of(self, listed: Sequence[Any]) -> Offer:
        """Whatever the list holds, this does not raise: what cannot be used is left out."""
        tools: dict[str, Tool] = {}
        left_out: list[str] = []
        wrong: list[str] = []
        for entry in listed[:MOST]:
            try:
                made = self._tool(entry)
            except InexpressibleError as error:
                left_out.append(str(error))
                continue
            if made is None:
                continue
            stops = [*self._taken(made, tools), *undesigned([made], self.cards)]
            wrong += (f"{SOURCE}: {problem}" for problem in stops)
            if not stops:
                tools[made.name] = made
        left_out += self._not_undone(tools)
        if len(listed) > MOST:
            left_out.append(f"{SOURCE}: {len(listed) - MOST} functions beyond the first {MOST}")
        return Offer(tools=tuple(tools.values()), left_out=tuple(left_out), wrong=tuple(wrong))

    def _not_undone(self, tools: dict[str, Tool]) -> list[str]:
        """Takes out those whose undoing could not work, and those that are undone by them, and says so."""
        said: list[str] = []
        for name in [one for one in tools if one in self.built_in]:
            # Tools of one source come and go together: its own is undone by what was built in with it.
            if left := [own.name for own in self.own.values() if own.name not in tools and _undone_by(own) == name]:
                said.append(f"{SOURCE}: tool {name!r}: it undoes {left[0]!r}, which is not served there")
                tools.pop(name)
        while found := list(dict.fromkeys(_lame(tools, self.rules))):
            for name, problem in found:
                said.append(f"{SOURCE}: {problem}")
                tools.pop(name, None)
        return said

    def _taken(self, made: Tool, others: Collection[str]) -> list[str]:
        if made.name in others:
            return [f"two functions are named {made.name!r}"]
        if made.name in self.own and made.name not in self.built_in:
            return [f"the function {made.name!r} has the name of a tool of {self.own[made.name].call.__module__}"]
        return []

    def _tool(self, entry: Any) -> Tool | None:
        """None: the operator does not want it. Raises InexpressibleError."""
        function = _read(entry)
        rule = self.rules.of(function.name)
        if not rule.allowed:
            return None
        before = self.own[function.name] if function.name in self.built_in else None
        effect = function.effect or rule.effect or function.confirm or rule.confirm
        confirm = function.confirm or rule.confirm
        if before is not None:
            effect, confirm = effect or before.effect, confirm or before.confirm
        idempotent = function.idempotent and (before is None or before.idempotent)
        limits = (function.timeout_s, rule.timeout_s, self.centre.longest_s)
        return json_tool(
            name=function.name,
            description=function.description,
            schema=function.parameters,
            call=partial(self.centre.call, function.name),
            group=self._group(function, rule, before),
            permission=_permission(function, rule, before, writes=effect),
            source=SOURCE,
            effect=effect,
            confirm=confirm,
            confirm_text=_plain_format(function) if confirm else {},
            idempotent=idempotent,
            timeout_s=min(limit for limit in limits if limit is not None),
            retries=function.retries if idempotent or not effect else 0,
            direct=function.direct,
            cards=tuple(function.cards),
            compensate=_compensation(function),
        )

    def _group(self, function: _Function, rule: FunctionRule, before: Tool | None) -> str:
        group = rule.group or (before.group if before is not None else function.group)
        if self.rules.groups is not None and group not in self.rules.groups:
            allowed = ", ".join(self.rules.groups)
            raise InexpressibleError(
                f"{SOURCE}: tool {function.name!r}: functions.yaml allows the groups {allowed}, not {group[:80]!r}"
            )
        return group


def built_in(own: Mapping[str, Tool]) -> frozenset[str]:
    """The names of the adapters that come with the desk, whose place a function may take."""
    return frozenset(
        name
        for name, tool in own.items()
        if tool.source == "python" and str(getattr(tool.call, "__module__", "")).startswith(BUILT_IN)
    )


def _read(entry: Any) -> _Function:
    try:
        return _Function.model_validate(entry)
    except ValidationError as error:
        name = entry.get("name") if isinstance(entry, dict) else None
        said = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors(include_url=False))
        raise InexpressibleError(f"{SOURCE}: tool {str(name)[:80]!r}: {said[:400]}") from error


def _lame(tools: Mapping[str, Tool], rules: FunctionRules) -> Iterator[tuple[str, str]]:
    """Name and problem. Nobody is asked before a call that undoes: what the operator wants asked cannot be one."""
    for name, tool in tools.items():
        found = [problem for problem in problems(tools) if problem.startswith(f"tool {name!r}:")]
        if not found and tool.compensate is not None and rules.of(tool.compensate.tool).confirm:
            found = [f"tool {name!r}: compensate: functions.yaml has {tool.compensate.tool!r} confirmed"]
        yield from ((name, problem) for problem in found[:1])


def _undone_by(tool: Tool) -> str | None:
    return tool.compensate.tool if tool.compensate is not None else None


def _compensation(function: _Function) -> Compensation | None:
    undoing = function.compensate
    return Compensation(tool=undoing.function, arguments=undoing.arguments) if undoing else None


def _permission(function: _Function, rule: FunctionRule, before: Tool | None, *, writes: bool) -> str:
    given = rule.permission or (before.permission if before is not None else function.permission)
    permission = given or f"{function.group}:{'write' if writes else 'read'}"
    if not CODE.fullmatch(permission):
        raise InexpressibleError(f"{SOURCE}: tool {function.name!r}: permission {permission[:80]!r} is not thing:act")
    return permission


def _plain_format(function: _Function) -> dict[str, str]:
    """Only plain `{argument}`: a width or a conversion would let another process decide how much is written."""
    for text in function.confirm_text.values():
        if any(mark in piece.partition("}")[0] for piece in text.split("{")[1:] for mark in ":!.["):
            raise InexpressibleError(f"{SOURCE}: tool {function.name!r}: confirm_text takes plain {{argument}} alone")
    return {str(locale): text for locale, text in function.confirm_text.items()}
