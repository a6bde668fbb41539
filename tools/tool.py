"""What a tool is: an async function whose signature is its schema, and the metadata that planning and safety need."""

import inspect
import re
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from string import Formatter
from typing import Any, Literal, get_args

from pydantic import BaseModel

from auth.principal import Principal
from tools.arguments import Arg, signature, wrong

__all__ = ["Arg", "Card", "Locale", "Status", "Tool", "ToolContext", "ToolResult", "tool"]

Status = Literal[
    "done", "awaiting", "accepted", "failed", "refused", "rejected", "undone", "unknown", "not_executed"
]  # fmt: skip
Locale = Literal["zh", "en"]


@dataclass(frozen=True, kw_only=True)
class ToolContext:
    """What a tool may know of the request; everything here was established by the server.

    `now`: aware, in the tenant's zone. `deadline_s`: seconds left for this call. `resources`: what the adapter's own
    `lifespan` yielded. `idempotency_key`: the same for every try of the same call.
    """

    principal: Principal
    locale: Locale
    now: datetime
    deadline_s: float
    idempotency_key: str
    resources: Any = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    progress: Callable[[dict[str, Any]], None] = lambda _: None


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
class Tool:
    """One capability. Built by the `tool` decorator, or by another provider.

    `call`: awaited as `call(ctx, **values)` with the validated value of every argument, defaults included. `args`: what
    is known of an argument beyond its type; a provider that knows no more leaves it out. `permission`: e.g.
    `order:write`. `effect`: changes something (confirm implies it). `confirm`: needs a person's yes.
    `confirm_text`: how that question reads, by locale, a format string over the arguments. `idempotent`: the same call
    twice leaves what one leaves, and says the same. `business_key`: a format string over the arguments and `{user}`,
    e.g. `{invoice_no}`: within a tenant the work is done once for a value of it, in whatever turn, and the first result
    is given again. `timeout_s`: seconds for one try. `retries`: more tries after a transient fault, only if idempotent
    or without effect. `max_bytes`: cap of the result as JSON. `direct`: answers without a model. `result`: the model of
    `data`, against which chains are checked; None means undeclared. `source`: where it came from, for `/tools`.
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
    timeout_s: float = 5.0
    retries: int = 0
    max_bytes: int = 64_000
    direct: bool = False
    result: type[BaseModel] | None = None
    source: str = "python"


def tool(
    *,
    group: str,
    permission: str,
    effect: bool = False,
    confirm: bool = False,
    confirm_text: Mapping[str, str] | None = None,
    idempotent: bool = False,
    business_key: str | None = None,
    timeout_s: float = 5.0,
    retries: int = 0,
    max_bytes: int = 64_000,
    direct: bool = False,
    result: type[BaseModel] | None = None,
) -> Callable[[Callable[..., Awaitable[ToolResult]]], Tool]:
    """Makes a Tool of `async def name(ctx: ToolContext, p: Annotated[T, Arg(...)], ...) -> ToolResult`.

    The docstring is the description that a model reads. The fields are those of `Tool`; a tool that is to be confirmed
    has an effect. Raises ConfigurationError naming module, tool and parameter.
    """

    def define(function: Callable[..., Awaitable[ToolResult]]) -> Tool:
        if not inspect.iscoroutinefunction(function):
            raise wrong(function, "must be an async function")
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,63}", function.__name__):
            raise wrong(function, "its name must be 1 to 64 Latin letters, digits and underscores")
        described = signature(function, ToolContext)
        made = Tool(
            name=function.__name__,
            description=inspect.getdoc(function) or "",
            group=group,
            permission=permission,
            arguments=described.model,
            call=function,
            args=described.args,
            effect=effect or confirm,
            confirm=confirm,
            confirm_text=dict(confirm_text or {}),
            idempotent=idempotent,
            business_key=business_key,
            timeout_s=timeout_s,
            retries=retries,
            max_bytes=max_bytes,
            direct=direct,
            result=result,
        )
        for problem in (*_gaps(made), *_texts(made)):
            raise wrong(function, problem)
        return made

    return define


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
    }
    return [problem for problem, is_so in checks.items() if is_so]


def _texts(made: Tool) -> list[str]:
    problems: list[str] = []
    for locale, text in made.confirm_text.items():
        if locale not in get_args(Locale):
            problems.append(f"confirm_text is for {get_args(Locale)}, not {locale!r}")
        problems += _format("confirm_text", text, made.args)
    if made.business_key is not None:
        problems += _format("business_key", made.business_key, {*made.args, "user"})
        if "{" not in made.business_key:
            problems.append("business_key names no argument, so the tool would do its work once and never again")
    return problems


def _format(what: str, text: str, known: Collection[str]) -> list[str]:
    try:
        names = [name for _, name, _, _ in Formatter().parse(text) if name is not None]
    except ValueError as error:
        return [f"{what} {text!r} is no format string: {error}"]
    return [f"{what} names an unknown argument {name!r}" for name in names if name not in known]
