"""Runs turns: stored before they begin, one at a time on a thread, by any of several processes, and to the end though
their reader leaves."""

import asyncio
import time
from collections.abc import Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self
from uuid import UUID
from zoneinfo import ZoneInfo

from langchain_core.utils.uuid import uuid7
from langgraph.types import Interrupt

from auth.principal import Principal
from checkpoints.run import CancelAction, Strategy, Submitted
from checkpoints.run import Run as Row
from checkpoints.threads import Thread, Threads
from errors import ExpiredInterrupt, InvalidInput, NoInterrupt, NotFound, Unavailable
from graphs.conductor import CLOSING, Stage, failure_of
from graphs.events import Event
from graphs.leases import Sweeper
from graphs.live import LABELS, stored
from graphs.lives import Lives
from graphs.past import end_of, end_of_gone
from graphs.questions import too_late
from graphs.resuming import Resume, answered
from graphs.run import Run
from graphs.run_events import Signal, Signals
from graphs.run_watch import Followed, RunWatch
from nodes.context import Context


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a caller wants of a thread: exactly one of `message` and `resume`.

    `thread_id`: None opens a new thread. `strategy`: what becomes of runs that are on their way there.
    `idempotency_key`: the same one means the same run. `metadata`: kept with the run. `tokens`: a model's answer is
    told piece by piece, which takes a little longer.
    """

    context: Context
    thread_id: UUID | None = None
    message: str | None = None
    resume: Resume | None = None
    strategy: Strategy = "enqueue"
    idempotency_key: str | None = None
    metadata: dict[str, Any] | None = None
    tokens: bool = False


class Runner:
    """One process's part in the runs of all. Entering it takes over at once what dead processes left.

    `renew_s`, `sweep_s`: how often leases are renewed, and abandoned runs looked for. `drain_s`: how long it waits for
    its turns when it is left.
    """

    def __init__(
        self, stage: Stage, threads: Threads, signals: Signals, *, renew_s: float, sweep_s: float, drain_s: float
    ) -> None:
        self._stage, self._threads, self._signals, self._drain_s = stage, threads, signals, drain_s
        self._closed: asyncio.Task[None] | None = None
        self._lives = Lives(stage, threads, renew_s)
        self._sweeper = Sweeper(stage.leases, sweep_s, self._lives.take)
        self._watch = RunWatch(stage.events, stage.runs.statuses, self._end_of, self._lives.plays)
        self._starting: set[asyncio.Task[Run]] = set()
        self._services: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        loops = (self._sweeper.sweep_for_ever(), self._listen_for_ever(), self._lives.renewal.renew_for_ever())
        self._services = [asyncio.create_task(loop) for loop in loops]
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def start(self, asked: Asked) -> Run:
        """Store a run and begin it; it goes on if the caller is cancelled.

        On a busy thread it waits for its turn, unless `strategy` says otherwise. Raises NotFound, InvalidInput,
        NoInterrupt, StaleInterrupt, ExpiredInterrupt, ThreadBusy, Unavailable, or an error of the database.
        """
        # A task of its own: cancelled between the commit and the beginning, it would leave a run that nobody plays.
        starting = asyncio.create_task(self._start(asked))
        self._starting.add(starting)
        starting.add_done_callback(self._started)
        return await asyncio.shield(starting)

    async def _start(self, asked: Asked) -> Run:
        if self._lives.closing:
            raise Unavailable(CLOSING)
        now = asked.context.clock or datetime.now(ZoneInfo(asked.context.time_zone))
        if asked.resume is not None and asked.thread_id is None:
            raise NoInterrupt
        since = time.monotonic()
        try:
            submitted = await self._submit(asked, now)
        except ExpiredInterrupt:
            await self._too_late(asked)
            raise
        if not submitted.created:
            return await self._joined(asked, submitted.run)
        return await self._begun(asked, submitted, since)

    async def follow(self, run_id: UUID, owner: Principal, thread_id: UUID | None = None) -> Run:
        """A run as it goes on, or as it ended. Raises NotFound, for one of somebody else as well."""
        row = await self._stage.runs.get(run_id, thread_id, owner.tenant, owner.user)
        return await self._reader(row, owner)

    async def cancel(
        self, run_id: UUID, thread_id: UUID, owner: Principal, action: CancelAction = "interrupt", *, wait_s: float = 0
    ) -> None:
        """`interrupt` keeps what was done, `rollback` takes it back. `wait_s`: wait for its end, but not longer.

        Raises NotFound, and Conflict where it is over.
        """
        run = await self._stage.runs.cancel(run_id, thread_id, owner.tenant, owner.user, action)
        if run.status == "running":
            await self._have_stopped(run_id, action)
        if wait_s:
            followed = Followed(run_id=run_id, thread_id=run.thread_id, owner=owner)
            with suppress(TimeoutError), self._watch.following(followed):
                async with asyncio.timeout(wait_s):
                    await self._stage.events.ended(str(run_id))

    async def close(self) -> None:
        """Take nothing new, wait a while for what is running, and leave the rest to whoever comes next. Repeatable."""
        if self._closed is None:
            self._closed = asyncio.create_task(self._close())
        await asyncio.wait({self._closed})
        self._closed.result()

    def _started(self, done: asyncio.Task[Run]) -> None:
        self._starting.discard(done)
        failure_of(done)  # looked at: whoever waits for it may have gone

    async def _close(self) -> None:
        self._lives.closing = True
        if self._starting:
            await asyncio.wait(self._starting)
        *looking, renewing = self._services
        for service in looking:
            service.cancel()
        await self._lives.close(self._drain_s)
        # Renewed as long as anything ran.
        renewing.cancel()
        await asyncio.gather(*self._services, return_exceptions=True)
        if await self._lives.release():
            await self._signals.send(Signal(kind="sweep"))
        await self._watch.close(Unavailable(CLOSING))

    async def _submit(self, asked: Asked, now: datetime) -> Submitted:
        # Whose turn an answer belongs to is known when it is given.
        owner, given, turn_id = asked.context.principal, _input(asked), str(uuid7())
        return await self._stage.runs.submit(
            thread_id=asked.thread_id,
            tenant=owner.tenant,
            user=owner.user,
            turn_id=turn_id,
            input={**given, "message_id": turn_id} if asked.resume is None else given,
            context=stored(asked.context, now, tokens=asked.tokens),
            # A question is answered as it stands, not after what somebody else asks.
            strategy=asked.strategy if asked.resume is None else "reject",
            idempotency_key=asked.idempotency_key,
            metadata=asked.metadata,
            question=asked.message,
            labels=LABELS,
            start=self._stage.leases,
            check=None if asked.resume is None else _fits(asked.resume, now),
        )

    async def _too_late(self, asked: Asked) -> None:
        """No run was made of it, and yet the audit is to know of it."""
        if self._stage.audit is None or asked.thread_id is None:
            return
        owner = asked.context.principal
        thread = await self._threads.get(asked.thread_id, owner.tenant, owner.user)
        for entry in too_late(owner, str(thread.thread_id), thread.values or {}):
            await self._stage.audit.record(entry)

    async def _begun(self, asked: Asked, submitted: Submitted, since: float) -> Run:
        row = submitted.run
        if row.status == "running":
            live = self._lives.take(row, since)
            if asked.resume is not None:
                await asyncio.wait({live.accepted})
                live.accepted.result()
        else:
            if submitted.cancelling is not None and asked.strategy in ("interrupt", "rollback"):
                await self._have_stopped(submitted.cancelling, asked.strategy)
            self._lives.errand(self._lives.claim(row.thread_id))
        return self._reading(row, asked.context.principal)

    async def _joined(self, asked: Asked, row: Row) -> Run:
        """The run that has this key already. Raises InvalidInput where something else was asked with it."""
        kept = {name: value for name, value in row.input.items() if name != "message_id"}
        elsewhere = asked.thread_id not in (None, row.thread_id)
        if elsewhere or (kept and kept != _input(asked)):
            raise InvalidInput("Idempotency-Key: it was used for another request")
        return await self._reader(row, asked.context.principal)

    async def _reader(self, row: Row, owner: Principal) -> Run:
        if not row.is_over:
            return self._reading(row, owner)
        end = end_of(row)
        await self._stage.events.settle(str(row.run_id), end)
        return self._reading(row, owner, over_at=end.id)

    def _reading(self, row: Row, owner: Principal, *, over_at: int | None = None) -> Run:
        followed = Followed(run_id=row.run_id, thread_id=row.thread_id, owner=owner)
        return Run(followed, self._stage.events, self._watch, over_at=over_at)

    async def _have_stopped(self, run_id: UUID, action: CancelAction) -> None:
        if self._lives.plays(run_id):
            self._lives.stop(run_id, action)
        else:
            await self._signals.send(Signal(kind="cancel", run_id=str(run_id)))

    async def _listen_for_ever(self) -> None:
        async with aclosing(self._signals.received()) as received:
            async for signal in received:
                if signal.kind == "sweep":
                    self._sweeper.hurry.now()
                elif self._lives.plays(UUID(signal.run_id)):
                    # The database says how it is to be stopped.
                    self._lives.renewal.hurry.now()

    async def _end_of(self, followed: Followed) -> Event:
        owner = followed.owner
        try:
            run = await self._stage.runs.get(followed.run_id, followed.thread_id, owner.tenant, owner.user)
        except NotFound:
            return end_of_gone(followed)
        return end_of(run)


def _fits(resume: Resume, now: datetime) -> Callable[[Thread], None]:
    """Refuses an answer by what the thread's row knows of its questions; the run itself looks at the checkpoint."""

    def check(thread: Thread) -> None:
        open_ones = [one for found in thread.interrupts.values() for one in found]
        answered(resume, next((Interrupt(value=one["value"], id=one["id"]) for one in open_ones), None), now)

    return check


def _input(asked: Asked) -> dict[str, Any]:
    if asked.resume is None:
        return {"message": asked.message}
    decisions = [dict(decision) for decision in asked.resume.decisions]
    return {"resume": {"interrupt_id": asked.resume.interrupt_id, "decisions": decisions}}
