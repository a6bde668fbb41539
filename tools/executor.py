"""Runs one tool call for one caller, and always comes back with an outcome."""

import asyncio
import logging
import time
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import uuid4

from langgraph.errors import GraphBubbleUp

from errors import StaleThread
from tools.audit import Audit, audited
from tools.background import Background
from tools.call import Call, Caller, Outcome
from tools.cards import Design
from tools.coercion import Coerced, coerce, describe_missing
from tools.compensation import undoes
from tools.effect import Effect, Effects, cut_off
from tools.faults import Fault, transient, undecided
from tools.ledger import Ledger, canonical, undo_of
from tools.limit import contained, within
from tools.permission import Denied, denied
from tools.refusing import not_permitted, stopped, unconfirmed
from tools.registry import Registry
from tools.results import Unusable, checked
from tools.switches import Switches
from tools.texts import attempted, text
from tools.tool import Locale, Tool, ToolContext

__all__ = ["Call", "Caller", "Executor", "Outcome"]

logger = logging.getLogger(__name__)
PAUSE_S = 0.05
MAX_PARALLEL = 16


class Executor:
    """`resources`: tool name -> what its adapter's lifespan yielded. `cards`: type -> design and fields of a card.

    `ledger`: what makes effects happen once; a tool without an effect never touches it. `switches`: what operators have
    stopped; None: nothing. `background`: where calls go that are not waited for; None: they are refused.
    `max_parallel`: calls of this process at once; the rest waits, within its time.
    """

    def __init__(
        self,
        registry: Registry,
        resources: Mapping[str, Any],
        cards: Mapping[str, Design],
        *,
        ledger: Ledger | None = None,
        audit: Audit | None = None,
        switches: Switches | None = None,
        background: Background | None = None,
        max_parallel: int = MAX_PARALLEL,
    ) -> None:
        self.registry = registry
        self.switches = switches or Switches()
        self._resources = resources
        self._cards = cards
        self._effects = Effects(ledger)
        self._audit = audit
        self._background = background
        self._slots = asyncio.Semaphore(max_parallel)

    async def run(
        self, call: Call, caller: Caller, *, confirmation: Mapping[str, Any] | None, deadline_s: float
    ) -> Outcome:
        """`confirmation`: a person's answer {"type": approve | edit | reject, ...}, None if there is none.
        `deadline_s`: seconds left of the turn. Raises what LangGraph, the saver and the ledger raise to stop a run."""
        started = time.perf_counter()
        try:
            outcome = await self._outcome(call, caller, confirmation or {}, deadline_s)
        except asyncio.CancelledError as error:
            ended = replace(cut_off(error, call), elapsed_ms=_ms_since(started))
            await audited(self._audit, call, caller, confirmation, ended)
            raise
        outcome = replace(outcome, elapsed_ms=_ms_since(started))
        summary = (call.name, call.id, outcome.status, outcome.reason or "-", outcome.elapsed_ms, outcome.content[:500])
        logger.debug("tool %s (call %s): %s (%s) in %.1f ms: %s", *summary)
        await audited(self._audit, call, caller, confirmation, outcome)
        return outcome

    async def _outcome(self, call: Call, caller: Caller, confirmation: Mapping[str, Any], deadline_s: float) -> Outcome:
        given, locale = _given(call, confirmation), caller.locale
        if given is None:
            content = text("bad_edit", locale)
            return Outcome(status="refused", reason="bad_edit", content=content, arguments=dict(call.arguments))
        tool = self.registry.get(call.name)
        if tool is None:
            content = text("unknown_tool", locale, name=repr(call.name[:80]))
            return Outcome(status="refused", reason="unknown_tool", content=content, arguments=given)
        if (lacking := self._lacking(tool, caller)) is not None:
            return not_permitted(lacking, caller, given)
        coerced = coerce(tool, given, now=caller.now, locale=locale)
        if coerced.values is None:
            return _refused(tool, coerced, given, locale)
        if caller.mode == "replay":
            return _declined(confirmation, coerced, locale) or _replayed(tool, coerced, caller)
        declined = _declined(confirmation, coerced, locale) or await self._stopped(tool, coerced, caller)
        declined = declined or unconfirmed(tool, coerced, confirmation, caller)
        return declined or await self._called(call, tool, coerced, caller, deadline_s)

    def _lacking(self, tool: Tool, caller: Caller) -> Denied | None:
        """The desk undoes its own half-done work under the permission of the call that it undoes, and nothing else."""
        if caller.undoes is None:
            return denied(caller.principal, caller.agent, tool, self.registry)
        return None if undoes(tool.name, caller.undoes, self.registry) else Denied(lacks="nothing")

    async def _stopped(self, tool: Tool, coerced: Coerced, caller: Caller) -> Outcome | None:
        why = await self.switches.stopping(tool)
        return None if why is None else stopped(why, tool, caller, coerced.arguments)

    async def _called(self, call: Call, tool: Tool, coerced: Coerced, caller: Caller, deadline_s: float) -> Outcome:
        ends, waits = asyncio.get_running_loop().time() + deadline_s, self._slots.locked()
        try:
            async with asyncio.timeout_at(ends) if waits else nullcontext():
                await self._slots.acquire()
        except TimeoutError:
            return _late(coerced, caller.locale)
        try:
            if waits and (refused := await self._stopped(tool, coerced, caller)):
                return refused
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
        if tool.background:
            return await self._accepted(tool, coerced, caller, ends)
        result = await self._tried(tool, coerced, caller, ends, leaving)
        if isinstance(result, Exception):
            return _failed(tool, coerced, result, caller.locale)
        return self._judged(tool, coerced, result, caller.locale)

    async def _accepted(self, tool: Tool, coerced: Coerced, caller: Caller, ends: float) -> Outcome:
        if self._background is None:
            content = text("no_background", caller.locale)
            return Outcome(status="refused", reason="no_background", content=content, arguments=coerced.arguments)
        limit_s = ends - asyncio.get_running_loop().time()
        return await self._background.accept(tool, coerced.arguments, caller, limit_s)

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
            context = self._context(tool, coerced, caller, limit_s)
            try:
                return await within(limit_s, _awaited(tool, context, values))
            except (GraphBubbleUp, StaleThread):
                raise
            except Exception as error:  # noqa: BLE001  the one place where a tool's own exception becomes a value
                last = error
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
            idempotency_key=Effect(tool=tool, arguments=coerced.arguments, caller=caller).key,
            resources=self._resources.get(tool.name),
            extra=caller.extra,
            thread_id=caller.thread_id,
            tasks=None if self._background is None else self._background.of(caller.principal),
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


async def _awaited(tool: Tool, context: ToolContext, values: Mapping[str, Any]) -> object:
    return await contained(tool.call(context, **values))


def _ms_since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 3)


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


def _replayed(tool: Tool, coerced: Coerced, caller: Caller) -> Outcome:
    """What the call came to when it was live; a call that was not made then is not made now either."""
    undone = caller.undoes
    key = undo_of(canonical(undone.tool, undone.arguments)) if undone else canonical(tool.name, coerced.arguments)
    record = caller.recorded.get(key)
    if record is not None:
        return Outcome.recorded(record)
    content = text("replay", caller.locale)
    return Outcome(status="not_executed", reason="replay", content=content, arguments=coerced.arguments)


def _late(coerced: Coerced, locale: Locale) -> Outcome:
    return Outcome(status="failed", reason="no_time", content=text("timeout", locale), arguments=coerced.arguments)


def _failed(tool: Tool, coerced: Coerced, error: Exception, locale: Locale) -> Outcome:
    """Nothing of the error's own text leaves here but into the log. An unusable result came after the effect."""
    trace = uuid4().hex[:8]
    late, fault = isinstance(error, TimeoutError), error if isinstance(error, Fault) else None
    reason = fault.reason if fault else "timeout" if late else f"error {trace}"
    told = fault or "-"
    logger.error("tool %s failed, reference %s: %s", tool.name, trace, told, exc_info=None if late or fault else error)
    unsure = isinstance(error, Unusable) or (undecided(error) and not tool.idempotent)
    if tool.effect and unsure:
        content = text("unknown", locale, what=attempted(tool, coerced.arguments, locale))
        return Outcome(status="unknown", reason=reason, content=content, arguments=coerced.arguments)
    content = text("timeout", locale) if late else text("failed", locale, trace=trace)
    content = fault.said[locale] if fault else content
    return Outcome(status="failed", reason=reason, content=content, arguments=coerced.arguments)
