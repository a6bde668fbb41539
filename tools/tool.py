"""What a tool is: an async function whose signature is its schema, and the metadata that planning and safety need."""

import inspect
import re
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from string import Formatter
from typing import Any, Literal, get_args

from pydantic import BaseModel

from auth.principal import Principal
from tools.arguments import Arg, signature, wrong
from tools.tasks import OwnTasks, Step, Steps

__all__ = [
    "Arg", "Card", "Compensation", "Locale", "Status", "TaskContext", "Tool", "ToolContext", "ToolResult", "tool",
]  # fmt: skip

Status = Literal[
    "done", "awaiting", "accepted", "failed", "refused", "rejected", "undone", "unknown", "not_executed"
]  # fmt: skip
Locale = Literal["zh", "en"]
TIMEOUT_S, TASK_TIMEOUT_S = 5.0, 3_600.0
ARGUMENTS, RESULT = "arguments", "result"


@dataclass(frozen=True, kw_only=True)
class ToolContext:
    """What a tool may know of the request; everything here was established by the server.

    `now`: aware, in the tenant's zone. `deadline_s`: seconds left for this call. `resources`: what the adapter's own
    `lifespan` yielded. `idempotency_key`: the same for every try of the same call. `tasks`: the caller's own background
    tasks; None where there are none at all.
    """

    principal: Principal
    locale: Locale
    now: datetime
    deadline_s: float
    idempotency_key: str
    resources: Any = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    thread_id: str = ""
    tasks: OwnTasks | None = None


@dataclass(frozen=True, kw_only=True)
class TaskContext(ToolContext):
    """What a background tool may know besides.

    A worker may be killed at any moment; another one then calls the tool again, with `resume` as the last step that was
    committed left it, {} at the beginning. `deadline_s`: seconds for the whole of this attempt.
    """

    task_id: str
    steps: Steps
    resume: Mapping[str, Any] = field(default_factory=dict)

    def step(self) -> AbstractAsyncContextManager[Step]:
        """What is done on the step's connection is committed together with how far the task is, so that it is never
        done twice. An effect elsewhere has to be one that can be repeated."""
        return self.steps.step()

    async def progress(
        self,
        *,
        stage: str | None = None,
        done: int | None = None,
        total: int | None = None,
        resume: Mapping[str, Any] | None = None,
    ) -> None:
        """A step in which nothing is done but to say how far the task is."""
        async with self.step() as step:
            step.reached(stage=stage, done=done, total=total, resume=resume)


@dataclass(frozen=True, kw_only=True)
class Card:
    """Something to show. `type`: the id of a file in config/cards/; its design is added from there."""

    type: str
    data: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class ToolResult:
    """`content`: a summary in the caller's language, for the model and for template replies. JSON values only.

    `data`: the structured result, for the caller and for later steps of a chain. `outcome`: `refused` and `failed` are
    expected failures (an illegal step of a status, no such order): values that the planner reads. `direct`: the card or
    content is the answer, without a model.
    """

    content: str
    data: dict[str, Any] = field(default_factory=dict)
    card: Card | None = None
    outcome: Literal["done", "refused", "failed"] = "done"
    direct: bool = False


@dataclass(frozen=True, kw_only=True)
class Compensation:
    """The call that undoes another one, when a later step of the same plan fails.

    `arguments`: a parameter of `tool` -> where its value is: `arguments.<name>` of the call to be undone, as its tool
    got it, or `result.<path>` into the data that it gave back (numbers index lists). Nobody is asked before it, and it
    runs under the permission of the call that it undoes. It should be idempotent: after a crash it may come again.
    """

    tool: str
    arguments: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One capability. Built by the `tool` decorator, or by another provider.

    `call`: awaited as `call(ctx, **values)` with the validated value of every argument, defaults included. `args`: what
    is known of an argument beyond its type; a provider that knows no more leaves it out. `permission`: e.g.
    `order:write`. `effect`: changes something (confirm implies it). `confirm`: needs a person's yes.
    `confirm_text`: how that question reads, by locale, a format string over the arguments. `idempotent`: the same call
    twice leaves what one leaves, and says the same. `business_key`: a format string over the arguments and `{user}`,
    e.g. `{invoice_no}`: within a tenant the work is done once for a value of it, in whatever turn, and the first result
    is given again. `timeout_s`: seconds for one try. `retries`: more tries after a transient fault, only if idempotent
    or without effect. `max_bytes`: cap of the result as JSON. `direct`: answers without a model. `cards`: types of the
    cards that it shows, checked at the start; others are looked up when they come. `result`: the model of `data`,
    against which chains are checked; None means undeclared. `source`: where it came from, for `/tools`.
    `background`: the call is accepted and a worker does it, with a `TaskContext`; `timeout_s` is then for one attempt
    at the whole. `title`: what such work is called, by locale; without it its name. `compensate`: how it is undone;
    None: it cannot be.
    """

    name: str
    description: str
    group: str
    permission: str
    arguments: type[BaseModel]
    call: Callable[..., Awaitable[ToolResult]]
    args: Mapping[str, Arg] = field(default_factory=dict)
    effect: bool = False
    confirm: bool = False
    confirm_text: Mapping[str, str] = field(default_factory=dict)
    idempotent: bool = False
    business_key: str | None = None
    timeout_s: float = TIMEOUT_S
    retries: int = 0
    max_bytes: int = 64_000
    direct: bool = False
    cards: tuple[str, ...] = ()
    result: type[BaseModel] | None = None
    source: str = "python"
    background: bool = False
    title: Mapping[str, str] = field(default_factory=dict)
    compensate: Compensation | None = None


def tool(
    *,
    group: str,
    permission: str,
    effect: bool = False,
    confirm: bool = False,
    confirm_text: Mapping[str, str] | None = None,
    idempotent: bool = False,
    business_key: str | None = None,
    timeout_s: float | None = None,
    retries: int = 0,
    max_bytes: int = 64_000,
    direct: bool = False,
    cards: tuple[str, ...] = (),
    result: type[BaseModel] | None = None,
    background: bool = False,
    title: Mapping[str, str] | None = None,
    compensate: Compensation | None = None,
) -> Callable[[Callable[..., Awaitable[ToolResult]]], Tool]:
    """Makes a Tool of `async def name(ctx: ToolContext, p: Annotated[T, Arg(...)], ...) -> ToolResult`.

    The docstring is the description that a model reads. The fields are those of `Tool`; a tool that is to be confirmed
    has an effect, and so has one that works in the background, whose first parameter is a TaskContext. Raises
    ConfigurationError naming module, tool and parameter.
    """

    def define(function: Callable[..., Awaitable[ToolResult]]) -> Tool:
        if not inspect.iscoroutinefunction(function):
            raise wrong(function, "must be an async function")
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,63}", function.__name__):
            raise wrong(function, "its name must be 1 to 64 Latin letters, digits and underscores")
        described = signature(function, TaskContext if background else ToolContext)
        made = Tool(
            name=function.__name__,
            description=inspect.getdoc(function) or "",
            group=group,
            permission=permission,
            arguments=described.model,
            call=function,
            args=described.args,
            effect=effect or confirm or background,
            confirm=confirm,
            confirm_text=dict(confirm_text or {}),
            idempotent=idempotent,
            business_key=business_key,
            timeout_s=(TASK_TIMEOUT_S if background else TIMEOUT_S) if timeout_s is None else timeout_s,
            retries=retries,
            max_bytes=max_bytes,
            direct=direct,
            cards=cards,
            result=result,
            background=background,
            title=dict(title or {}),
            compensate=compensate,
        )
        for problem in gaps(made):
            raise wrong(function, problem)
        return made

    return define


def gaps(made: Tool) -> list[str]:
    """What is wrong with a tool, whichever provider made it."""
    return [*_gaps(made), *_texts(made)]


def _gaps(made: Tool) -> list[str]:
    checks = {
        "has no docstring; a model reads it to choose": not made.description.strip(),
        "needs a group": not made.group.strip(),
        "needs a permission": not made.permission.strip(),
        "timeout_s must be above 0": not made.timeout_s > 0,
        "max_bytes must be above 0": made.max_bytes <= 0,
        "retries must not be negative": made.retries < 0,
        "retries on a tool with an effect need idempotent=True": made.retries > 0
        and made.effect
        and not made.idempotent,
        "business_key on a tool without an effect": made.business_key is not None and not made.effect,
        "confirm_text without confirm=True": bool(made.confirm_text) and not made.confirm,
        "title without background=True": bool(made.title) and not made.background,
        "background work has an effect": made.background and not made.effect,
        "compensate on a tool without an effect": made.compensate is not None and not made.effect,
    }
    return [problem for problem, is_so in checks.items() if is_so]


def _texts(made: Tool) -> list[str]:
    problems = [f"title is for {get_args(Locale)}, not {one!r}" for one in made.title if one not in get_args(Locale)]
    for locale, text in made.confirm_text.items():
        if locale not in get_args(Locale):
            problems.append(f"confirm_text is for {get_args(Locale)}, not {locale!r}")
        problems += _format("confirm_text", text, made.arguments.model_fields)
    if made.business_key is not None:
        problems += _format("business_key", made.business_key, {*made.arguments.model_fields, "user"})
        if "{" not in made.business_key:
            problems.append("business_key names no argument, so the tool would do its work once and never again")
    return problems


def _format(what: str, text: str, known: Collection[str]) -> list[str]:
    try:
        names = [name for _, name, _, _ in Formatter().parse(text) if name is not None]
    except ValueError as error:
        return [f"{what} {text!r} is no format string: {error}"]
    return [f"{what} names an unknown argument {name!r}" for name in names if name not in known]
