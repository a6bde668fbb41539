"""One attempt at a background task: its tool is called where its last step ended, and its end is written down."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal, Protocol
from uuid import uuid4

from structlog.contextvars import bound_contextvars

from auth.principal import Principal
from config.catalogue import Agent
from tools.audit import Audit, AuditEntry
from tools.background import AWAY
from tools.call import Outcome
from tools.cards import Design
from tools.coercion import coerce
from tools.faults import transient
from tools.limit import contained
from tools.permission import denied
from tools.registry import Registry
from tools.results import checked
from tools.tasks import Step, Task
from tools.texts import text
from tools.tool import TaskContext, Tool

logger = logging.getLogger(__name__)
# How often a task is taken up without getting on before it is given up.
MOST_TRIES = 10
LONGEST_PAUSE_S = 60.0
STOPPED_PAUSE_S = 15.0
FINISH_PAUSES_S = (0.2, 1.0, 3.0)

Ending = Literal["done", "failed", "cancelled"]
Why = Literal["lost", "cancelled", "closing", "stopped"]


class OpenStep(Step, Protocol):
    @property
    def cancel_requested(self) -> bool: ...


class WorkStore(Protocol):
    """Where tasks are kept, for those who do them. An attempt that is not the latest one writes nothing."""

    async def claim(self, task_id: int, job: int) -> Task | None:
        """Take it up, if this job is the one by which it waits."""

    def step(self, task_id: int, attempt: int) -> AbstractAsyncContextManager[OpenStep | None]:
        """A transaction of the task; None where another attempt has it."""

    async def beat(self, task_id: int, attempt: int) -> bool:
        """Say that it is worked on; False: it is not ours any more."""

    async def finish(self, task_id: int, attempt: int, *, status: Ending, result: Mapping[str, Any]) -> bool:
        """False: another attempt has it."""

    async def hand_back(self, task_id: int, attempt: int, *, after_s: float = 0.0, forgiven: bool = False) -> None:
        """Put it into the queue again. `forgiven`: this try does not count."""


class TooLongError(Exception):
    """The tool did not come to its end within its time limit."""


class StoppedError(Exception):
    """This attempt goes no further; nothing of the step that it would have been is done."""

    def __init__(self, why: Why) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where the work is done. `principal`: who a user of a tenant with these roles is now; `now`: in a tenant's zone;
    `stopping`: why a tool must not run at this moment, None if it may."""

    registry: Registry
    resources: Mapping[str, Any]
    cards: Mapping[str, Design]
    agents: Mapping[str, Agent]
    principal: Callable[[Task], Principal]
    now: Callable[[str], datetime]
    stopping: Callable[[Tool], Awaitable[str | None]]
    audit: Audit | None = None


class Worker:
    """Does one task after another, or several at once. `beat_s`: how often it says that it is at work."""

    def __init__(self, tasks: WorkStore, place: Place, *, beat_s: float) -> None:
        self._tasks, self._place, self._beat_s = tasks, place, beat_s
        self.closing = False

    async def perform(self, task_id: int, job: int) -> None:
        """Whatever comes of it is written down. Raises where the database does not answer: then it was not taken up, or
        somebody takes it up again."""
        task = await self._tasks.claim(task_id, job)
        if task is None:
            return
        with bound_contextvars(task_id=task_id, thread_id=task.thread_id, run_id=task.run_id):
            working = asyncio.create_task(self._attempt(task))
            beating = asyncio.create_task(self._beat_for_ever(task, working))
            try:
                await asyncio.wait({working})
            except asyncio.CancelledError:
                working.cancel()
                await asyncio.wait({working})
                await (self._stop(task, "closing") if working.cancelled() else self._close(task, working))
                raise
            finally:
                beating.cancel()
            await self._close(task, working)

    async def _beat_for_ever(self, task: Task, working: asyncio.Task[Outcome]) -> None:
        while True:
            await asyncio.sleep(self._beat_s)
            with suppress(*AWAY):
                if not await self._tasks.beat(task.task_id, task.attempt):
                    working.cancel()
                    return

    async def _attempt(self, task: Task) -> Outcome:
        place, locale = self._place, task.locale
        tool, agent = place.registry.get(task.tool), place.agents.get(task.agent)
        if task.tries > MOST_TRIES:
            return Outcome(status="failed", reason="gave_up", content=text("gave_up", locale))
        if tool is None or agent is None or not tool.background:
            content = text("unknown_tool", locale, name=repr(task.tool))
            return Outcome(status="refused", reason="unknown_tool", content=content)
        principal = place.principal(task)
        if denied(principal, agent, tool, place.registry) is not None:
            content = text("not_permitted_any_more", locale)
            return Outcome(status="refused", reason="not_permitted", content=content)
        coerced = coerce(tool, task.arguments, now=place.now(task.tenant_id), locale=locale)
        if coerced.values is None:
            content = text("refused", locale, problems="; ".join((*coerced.problems, *coerced.missing)))
            return Outcome(status="refused", reason="bad_arguments", content=content)
        values = {name: getattr(coerced.values, name) for name in tool.arguments.model_fields}
        await self.go_on(tool)
        scope = asyncio.timeout(tool.timeout_s)
        try:
            async with scope:
                result = await contained(tool.call(self._context(task, tool, principal), **values))
        except TimeoutError as error:
            if scope.expired():
                raise TooLongError from error
            raise
        usable = checked(result, tool.max_bytes, place.cards, locale)
        return Outcome(
            status=usable.outcome,
            content=usable.content,
            data=usable.data,
            card=usable.card,
            arguments=coerced.arguments,
            reason="too_much" if usable.shortened else "",
        )

    async def go_on(self, tool: Tool) -> None:
        """Raises StoppedError where nothing more is to be begun here, or where operators have stopped the tool."""
        if self.closing:
            raise StoppedError("closing")
        if await self._place.stopping(tool) is not None:
            raise StoppedError("stopped")

    def _context(self, task: Task, tool: Tool, principal: Principal) -> TaskContext:
        return TaskContext(
            principal=principal,
            locale=task.locale,
            now=self._place.now(task.tenant_id),
            deadline_s=tool.timeout_s,
            idempotency_key=task.effect_key,
            resources=self._place.resources.get(tool.name),
            extra=task.extra,
            thread_id=task.thread_id or "",
            task_id=str(task.task_id),
            steps=_Steps(self, self._tasks, tool, task),
            resume=task.resume,
        )

    async def _close(self, task: Task, working: asyncio.Task[Outcome]) -> None:
        error = asyncio.CancelledError() if working.cancelled() else working.exception()
        if error is None:
            await self._finish(task, working.result())
        elif isinstance(error, StoppedError):
            await self._stop(task, error.why)
        elif isinstance(error, Exception) and not isinstance(error, TooLongError) and transient(error):
            pause_s = min(2.0**task.tries, LONGEST_PAUSE_S)
            logger.warning("task %d goes on in %g s, after %s", task.task_id, pause_s, type(error).__name__)
            await self._tasks.hand_back(task.task_id, task.attempt, after_s=pause_s)
        elif isinstance(error, Exception):
            await self._finish(task, _failed(task, error))

    async def _stop(self, task: Task, why: Why) -> None:
        if why == "cancelled":
            content = text("task_cancelled", task.locale)
            await self._finish(task, Outcome(status="rejected", reason="cancelled", content=content), "cancelled")
        elif why in ("closing", "stopped"):
            after_s = STOPPED_PAUSE_S if why == "stopped" else 0.0
            await self._tasks.hand_back(task.task_id, task.attempt, after_s=after_s, forgiven=True)

    async def _finish(self, task: Task, outcome: Outcome, status: Ending | None = None) -> None:
        end: Ending = status or ("done" if outcome.status == "done" else "failed")
        record = replace(outcome, arguments=dict(task.arguments)).record()
        for pause_s in (*FINISH_PAUSES_S, None):
            try:
                written = await self._tasks.finish(task.task_id, task.attempt, status=end, result=record)
                break
            except AWAY:
                if pause_s is None:
                    raise
                await asyncio.sleep(pause_s)
        if written:
            logger.info("task %d of tool %s is %s: %s", task.task_id, task.tool, end, outcome.content[:200])
            await self._audited(task, outcome)

    async def _audited(self, task: Task, outcome: Outcome) -> None:
        """Beside the call that put it in, which is there as `accepted`."""
        if self._place.audit is None:
            return
        entry = AuditEntry(
            principal=self._place.principal(task),
            agent=task.agent,
            tool=task.tool,
            arguments=task.arguments,
            source="task",
            outcome=outcome.status,
            reason=outcome.reason,
            result=outcome.content,
            thread_id=task.thread_id or "",
            turn_id=task.turn_id or "",
            run_id=task.run_id or "",
            call_id=f"task {task.task_id}",
        )
        try:
            await self._place.audit.record(entry)
        except AWAY:
            logger.exception("the end of task %d could not be audited", task.task_id)


@dataclass(frozen=True)
class _Steps:
    worker: Worker
    tasks: WorkStore
    tool: Tool
    task: Task

    @asynccontextmanager
    async def step(self) -> AsyncIterator[Step]:
        await self.worker.go_on(self.tool)
        async with self.tasks.step(self.task.task_id, self.task.attempt) as step:
            if step is None:
                raise StoppedError("lost")
            if step.cancel_requested:
                raise StoppedError("cancelled")
            yield step


def _failed(task: Task, error: Exception) -> Outcome:
    """Nothing of the error's own text leaves here but into the log."""
    if isinstance(error, TooLongError):
        logger.error("task %d of tool %s took too long", task.task_id, task.tool)
        return Outcome(status="failed", reason="timeout", content=text("timeout", task.locale))
    trace = uuid4().hex[:8]
    logger.error("task %d of tool %s failed, reference %s", task.task_id, task.tool, trace, exc_info=error)
    return Outcome(status="failed", reason=f"error {trace}", content=text("failed", task.locale, trace=trace))
