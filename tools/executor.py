"""Runs one tool call for one caller, and always comes back with an outcome."""

import asyncio
import logging
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import uuid4

from langgraph.errors import GraphBubbleUp

from errors import StaleThread
from tools.call import Call, Caller, Outcome
from tools.cards import Design
from tools.coercion import Coerced, coerce, describe_missing
from tools.effect import Effect, Effects
from tools.faults import transient, undecided
from tools.ledger import Ledger, canonical, effect_key
from tools.permission import allowed
from tools.registry import Registry
from tools.results import Unusable, checked
from tools.texts import text
from tools.tool import Locale, Tool, ToolContext

__all__ = ["Call", "Caller", "Executor", "Outcome"]

logger = logging.getLogger(__name__)
PAUSE_S = 0.05


class Executor:
    """`resources`: tool name -> what its adapter's lifespan yielded. `cards`: type -> design and fields of a card.

    `ledger`: what makes effects happen once; a tool without an effect never touches it.
    """

    def __init__(
        self,
        registry: Registry,
        resources: Mapping[str, Any],
        cards: Mapping[str, Design],
        *,
        ledger: Ledger | None = None,
        max_parallel: int = 16,
    ) -> None:
        self.registry = registry
        self._resources = resources
        self._cards = cards
        self._effects = Effects(ledger)
        self._slots = asyncio.Semaphore(max_parallel)

    async def run(
        self, call: Call, caller: Caller, *, confirmation: Mapping[str, Any] | None, deadline_s: float
    ) -> Outcome:
        """`confirmation`: a person's answer {"type": approve | edit | reject, ...}, None if there is none.
        `deadline_s`: seconds left of the turn. Raises what LangGraph, the saver and the ledger raise to stop a run."""
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
        if caller.mode == "replay":
            return _declined(confirmation, coerced, locale) or _replayed(tool, coerced, caller)
        stopped = _declined(confirmation, coerced, locale) or _unconfirmed(tool, coerced, confirmation, locale)
        return stopped or await self._called(call, tool, coerced, caller, deadline_s)

    async def _called(self, call: Call, tool: Tool, coerced: Coerced, caller: Caller, deadline_s: float) -> Outcome:
        ends = asyncio.get_running_loop().time() + deadline_s
        try:
            async with asyncio.timeout_at(ends):
                await self._slots.acquire()
        except TimeoutError:
            return _late(coerced, caller.locale)
        try:
            logger.debug("tool %s (call %s) with %s", tool.name, call.id, coerced.arguments)
            make = partial(self._made, tool, coerced, caller, ends)
            if not tool.effect:
                return await make(None)
            return await self._effects.once(Effect(tool=tool, arguments=coerced.arguments, caller=caller), make)
        finally:
            self._slots.release()

    async def _made(
        self, tool: Tool, coerced: Coerced, caller: Caller, ends: float, leaving: asyncio.Event | None
    ) -> Outcome:
        if asyncio.get_running_loop().time() >= ends:
            return _late(coerced, caller.locale)
        result = await self._tried(tool, coerced, caller, ends, leaving)
        if isinstance(result, Exception):
            return _failed(tool, coerced, result, caller.locale)
        return self._judged(tool, coerced, result, caller.locale)

    async def _tried(
        self, tool: Tool, coerced: Coerced, caller: Caller, ends: float, leaving: asyncio.Event | None
    ) -> object:
        """What the tool gave back, or its last exception. Once `leaving` is set there is no further try."""
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
            over = leaving is not None and leaving.is_set()
            if over or more == 0 or not transient(last) or loop.time() + pause_s >= ends:
                return last
            logger.debug("tool %s is tried again after %s", tool.name, type(last).__name__)
            await asyncio.sleep(pause_s)
            more, pause_s = more - 1, pause_s * 2

    def _context(self, tool: Tool, coerced: Coerced, caller: Caller, limit_s: float) -> ToolContext:
        return ToolContext(
            principal=caller.principal,
            locale=caller.locale,
            now=caller.now,
            deadline_s=limit_s,
            idempotency_key=effect_key(caller.turn_id, tool.name, coerced.arguments),
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
    content = text("refused", locale, problems=("；" if locale == "zh" else "; ").join(problems))
    reason = "bad_arguments" if coerced.problems else "missing_arguments"
    return Outcome(status="refused", reason=reason, content=content, arguments=given)


def _declined(confirmation: Mapping[str, Any], coerced: Coerced, locale: Locale) -> Outcome | None:
    """A person's no, or that the question had run out before the answer came."""
    if confirmation.get("type") != "reject":
        return None
    if confirmation.get("expired"):
        content = text("expired", locale)
        return Outcome(status="rejected", reason="expired", content=content, arguments=coerced.arguments)
    message = str(confirmation.get("message") or "").encode(errors="replace").decode().replace("\0", "").strip()[:2000]
    content = text("rejected_because", locale, message=message) if message else text("rejected", locale)
    return Outcome(status="rejected", reason="rejected", content=content, arguments=coerced.arguments)


def _unconfirmed(tool: Tool, coerced: Coerced, confirmation: Mapping[str, Any], locale: Locale) -> Outcome | None:
    if not tool.confirm or confirmation.get("type") in ("approve", "edit"):
        return None
    content = text("not_confirmed", locale)
    return Outcome(status="rejected", reason="not_confirmed", content=content, arguments=coerced.arguments)


def _replayed(tool: Tool, coerced: Coerced, caller: Caller) -> Outcome:
    """What the call came to when it was live; a call that was not made then is not made now either."""
    record = caller.recorded.get(canonical(tool.name, coerced.arguments))
    if record is not None:
        return Outcome.recorded(record)
    content = text("replay", caller.locale)
    return Outcome(status="not_executed", reason="replay", content=content, arguments=coerced.arguments)


def _late(coerced: Coerced, locale: Locale) -> Outcome:
    return Outcome(status="failed", reason="no_time", content=text("timeout", locale), arguments=coerced.arguments)


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
