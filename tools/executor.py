"""Runs one tool call for one caller, and always comes back with an outcome."""

import asyncio
import hashlib
import json
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal
from uuid import uuid4

from langgraph.errors import GraphBubbleUp

from auth.principal import Principal
from config.catalogue import Agent
from errors import StaleThread
from tools.cards import Design
from tools.coercion import Coerced, coerce, describe_missing
from tools.faults import transient, undecided
from tools.permission import allowed
from tools.registry import Registry
from tools.results import Unusable, checked
from tools.texts import text
from tools.tool import Locale, Status, Tool, ToolContext

logger = logging.getLogger(__name__)
PAUSE_S = 0.05


@dataclass(frozen=True, kw_only=True)
class Call:
    """What was planned; `arguments` as a model or the rules wrote them."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Caller:
    """Who calls, under which agent and in which turn. `now`: aware, in the tenant's zone. `source`: who decided it."""

    principal: Principal
    agent: Agent
    locale: Locale
    now: datetime
    turn_id: str
    source: str
    extra: Mapping[str, Any] = field(default_factory=dict)
    mode: Literal["live", "replay"] = "live"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of one call. `content`: for the model and for template replies, in the caller's language.

    `card`: {"type", "design", "data"}. `direct`: card or content is the answer, without a model. `arguments`: coerced;
    as given where that failed. `reason`: a short stable word where the status alone does not tell, else "".
    """

    status: Status
    content: str
    data: dict[str, Any] = field(default_factory=dict)
    card: dict[str, Any] | None = None
    direct: bool = False
    arguments: dict[str, Any] = field(default_factory=dict)
    elapsed_ms: float = 0.0
    reason: str = ""


class Executor:
    """`resources`: tool name -> what its adapter's lifespan yielded. `cards`: type -> design and fields of a card."""

    def __init__(
        self,
        registry: Registry,
        resources: Mapping[str, Any],
        cards: Mapping[str, Design],
        *,
        max_parallel: int = 16,
    ) -> None:
        self.registry = registry
        self._resources = resources
        self._cards = cards
        self._slots = asyncio.Semaphore(max_parallel)

    async def run(
        self, call: Call, caller: Caller, *, confirmation: Mapping[str, Any] | None, deadline_s: float
    ) -> Outcome:
        """`confirmation`: a person's answer {"type": approve | edit | reject, ...}, None if there is none.
        `deadline_s`: seconds left of the turn. Raises what LangGraph and the saver raise to stop a run."""
        started = time.perf_counter()
        outcome = await self._outcome(call, caller, confirmation or {}, deadline_s)
        elapsed_ms = round((time.perf_counter() - started) * 1000, 3)
        summary = (call.name, call.id, outcome.status, outcome.reason or "-", elapsed_ms, outcome.content[:500])
        logger.debug("tool %s (call %s): %s (%s) in %.1f ms: %s", *summary)
        return replace(outcome, elapsed_ms=elapsed_ms)

    async def _outcome(self, call: Call, caller: Caller, confirmation: Mapping[str, Any], deadline_s: float) -> Outcome:
        given, locale = _given(call, confirmation), caller.locale
        if given is None:
            content = text("bad_edit", locale)
            return Outcome(status="refused", reason="bad_edit", content=content, arguments=dict(call.arguments))
        tool = self.registry.get(call.name)
        if tool is None:
            content = text("unknown_tool", locale, name=repr(call.name[:80]))
            return Outcome(status="refused", reason="unknown_tool", content=content, arguments=given)
        if all(tool.name != one.name for one in allowed(caller.principal, caller.agent, self.registry)):
            content = text("not_permitted", locale)
            return Outcome(status="refused", reason="not_permitted", content=content, arguments=given)
        coerced = coerce(tool, given, now=caller.now, locale=locale)
        if coerced.values is None:
            return _refused(tool, coerced, given, locale)
        stopped = _stopped(tool, coerced, caller, confirmation)
        return stopped or await self._called(call, tool, coerced, caller, deadline_s)

    async def _called(self, call: Call, tool: Tool, coerced: Coerced, caller: Caller, deadline_s: float) -> Outcome:
        loop = asyncio.get_running_loop()
        ends, locale = loop.time() + deadline_s, caller.locale
        late = Outcome(status="failed", reason="no_time", content=text("timeout", locale), arguments=coerced.arguments)
        try:
            async with asyncio.timeout_at(ends):
                await self._slots.acquire()
        except TimeoutError:
            return late
        try:
            if loop.time() >= ends:
                return late
            logger.debug("tool %s (call %s) with %s", tool.name, call.id, coerced.arguments)
            result = await self._tried(tool, coerced, caller, ends)
        finally:
            self._slots.release()
        if isinstance(result, Exception):
            return _failed(tool, coerced, result, locale)
        return self._judged(tool, coerced, result, locale)

    async def _tried(self, tool: Tool, coerced: Coerced, caller: Caller, ends: float) -> object:
        """What the tool gave back, or its last exception."""
        loop = asyncio.get_running_loop()
        values = {name: getattr(coerced.values, name) for name in tool.arguments.model_fields}
        more = tool.retries if tool.idempotent or not tool.effect else 0
        pause_s = PAUSE_S
        while True:
            limit_s = min(tool.timeout_s, ends - loop.time())
            scope = asyncio.timeout(limit_s)
            try:
                async with scope:
                    return await tool.call(self._context(tool, coerced, caller, limit_s), **values)
            except (GraphBubbleUp, StaleThread):
                raise
            except Exception as error:  # noqa: BLE001  the one place where a tool's own exception becomes a value
                last = TimeoutError(f"no answer within {limit_s:.3f} s") if scope.expired() else error
            if more == 0 or not transient(last) or loop.time() + pause_s >= ends:
                return last
            logger.debug("tool %s is tried again after %s", tool.name, type(last).__name__)
            await asyncio.sleep(pause_s)
            more, pause_s = more - 1, pause_s * 2

    def _context(self, tool: Tool, coerced: Coerced, caller: Caller, limit_s: float) -> ToolContext:
        canonical = json.dumps([tool.name, coerced.arguments], sort_keys=True)
        digest = hashlib.sha256(canonical.encode()).hexdigest()[:32]
        return ToolContext(
            principal=caller.principal,
            locale=caller.locale,
            now=caller.now,
            deadline_s=limit_s,
            idempotency_key=f"{caller.turn_id}-{digest}",
            resources=self._resources.get(tool.name),
            extra=caller.extra,
        )

    def _judged(self, tool: Tool, coerced: Coerced, result: object, locale: Locale) -> Outcome:
        try:
            usable = checked(result, tool.max_bytes, self._cards, locale)
        except Unusable as error:
            return _failed(tool, coerced, error, locale)
        return Outcome(
            status=usable.outcome,
            content=usable.content,
            data=usable.data,
            card=usable.card,
            direct=usable.direct or (tool.direct and usable.outcome == "done"),
            arguments=coerced.arguments,
            reason="too_much" if usable.shortened else "",
        )


def _given(call: Call, confirmation: Mapping[str, Any]) -> dict[str, Any] | None:
    """The call's arguments, or those that a person put in their place; None for an edit of anything else."""
    edited = confirmation.get("edited_action")
    if confirmation.get("type") != "edit" or edited is None:
        return dict(call.arguments)
    if not isinstance(edited, Mapping) or edited.get("name", call.name) != call.name:
        return None
    arguments = edited.get("args", call.arguments)
    return dict(arguments) if isinstance(arguments, Mapping) else None


def _refused(tool: Tool, coerced: Coerced, given: dict[str, Any], locale: Locale) -> Outcome:
    problems = [*coerced.problems, *describe_missing(tool, coerced.missing, locale)]
    content = text("refused", locale, problems="; ".join(problems))
    reason = "bad_arguments" if coerced.problems else "missing_arguments"
    return Outcome(status="refused", reason=reason, content=content, arguments=given)


def _stopped(tool: Tool, coerced: Coerced, caller: Caller, confirmation: Mapping[str, Any]) -> Outcome | None:
    """What keeps a sound call from being made: a person's no, no yes where one is needed, a replay."""
    answer, locale, arguments = confirmation.get("type"), caller.locale, coerced.arguments
    if answer == "reject":
        message = (
            str(confirmation.get("message") or "").encode(errors="replace").decode().replace("\0", "").strip()[:2000]
        )
        content = text("rejected_because", locale, message=message) if message else text("rejected", locale)
        return Outcome(status="rejected", reason="rejected", content=content, arguments=arguments)
    if tool.confirm and answer not in ("approve", "edit"):
        content = text("not_confirmed", locale)
        return Outcome(status="rejected", reason="not_confirmed", content=content, arguments=arguments)
    if caller.mode == "replay":
        return Outcome(status="not_executed", reason="replay", content=text("replay", locale), arguments=arguments)
    return None


def _failed(tool: Tool, coerced: Coerced, error: Exception, locale: Locale) -> Outcome:
    """Nothing of the error's own text leaves here but into the log. An unusable result came after the effect."""
    trace = uuid4().hex[:8]
    late = isinstance(error, TimeoutError)
    logger.error("tool %s failed, reference %s", tool.name, trace, exc_info=None if late else error)
    unsure = isinstance(error, Unusable) or (undecided(error) and not tool.idempotent)
    if tool.effect and unsure:
        reason = "timeout" if late else f"error {trace}"
        return Outcome(status="unknown", reason=reason, content=text("unknown", locale), arguments=coerced.arguments)
    content = text("timeout", locale) if late else text("failed", locale, trace=trace)
    reason = "timeout" if late else f"error {trace}"
    return Outcome(status="failed", reason=reason, content=content, arguments=coerced.arguments)
