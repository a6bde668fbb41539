"""The runs that this process plays: taken, stopped, ended, and left to others when it shuts down."""

import asyncio
import logging
import time
from collections.abc import Coroutine
from typing import Any
from uuid import UUID

from checkpoints.run import Run as Row
from checkpoints.threads import Threads
from errors import Unavailable
from graphs.conductor import CLOSING, Conductor, Stage, failure_of
from graphs.leases import AWAY, Renewal
from graphs.live import Live, Stop
from graphs.summaries import improve

logger = logging.getLogger(__name__)
AFTER_DRAIN_S = 2.0
AFTER_CANCEL_S = 10.0
ERRANDS_S = 2.0


class Lives:
    """`renew_s`: how often their leases are renewed, all at once."""

    def __init__(self, stage: Stage, threads: Threads, renew_s: float) -> None:
        self.renewal = Renewal(stage.leases, renew_s, self.stop)
        self.closing = False
        self._stage, self._threads = stage, threads
        self._conductor = Conductor(stage, self.renewal.holds)
        self._lives: dict[UUID, tuple[Live, asyncio.Task[None]]] = {}
        self._errands: set[asyncio.Task[None]] = set()
        self._left: set[UUID] = set()

    def take(self, row: Row, since: float) -> Live:
        """Play a run whose lease we have. `since`: `time.monotonic()` from before it was given."""
        live = Live(row, self._stage.events, self._stage.permissions)
        if self.closing:
            self._left.add(row.run_id)
            live.fail(Unavailable(CLOSING))
            return live
        if row.cancel_action is not None:
            live.stop(row.cancel_action)
        before = self._lives.get(row.run_id)
        if before is not None:
            # An attempt of our own that lost its lease and has not come to its end yet.
            before[0].stop("lost")
        self.renewal.hold(row.run_id, since)
        task = asyncio.create_task(self._conduct(live, before[1] if before else None))
        self._lives[row.run_id] = (live, task)
        task.add_done_callback(lambda done: self._over(live, done))
        return live

    async def claim(self, thread_id: UUID) -> None:
        """Play what waits on a thread, if nothing runs there."""
        since = time.monotonic()
        if not self.closing and (row := await self._stage.leases.claim(thread_id)) is not None:
            self.take(row, since)

    def plays(self, run_id: UUID) -> bool:
        return run_id in self._lives

    def stop(self, run_id: UUID, why: Stop) -> None:
        if found := self._lives.get(run_id):
            found[0].stop(why)

    def errand(self, work: Coroutine[Any, Any, None]) -> None:
        """Something beside the runs that nobody waits for."""
        task = asyncio.create_task(work)
        self._errands.add(task)
        task.add_done_callback(self._errand_over)

    async def close(self, wait_s: float) -> None:
        """Wait `wait_s` seconds for what is running, and let go of the rest: whoever comes next goes on with it."""
        self.closing = True
        if tasks := self._tasks():
            await asyncio.wait(tasks, timeout=wait_s)
        self._left.update(self._lives)
        if tasks := self._tasks():
            for live, _ in self._lives.values():
                live.drain()
            await asyncio.wait(tasks, timeout=AFTER_DRAIN_S)
        if tasks := self._tasks():
            for live, _ in self._lives.values():
                live.stop("drain")
            await asyncio.wait(tasks, timeout=AFTER_CANCEL_S)
        if self._errands:
            await asyncio.wait(self._errands, timeout=ERRANDS_S)
        for errand in self._errands:
            errand.cancel()
        await asyncio.gather(*self._errands, return_exceptions=True)

    async def release(self) -> bool:
        """Give up the leases of what was left unfinished; whether there was any."""
        if not self._left:
            return False
        try:
            await self._stage.leases.release(self._left)
        except AWAY as error:
            logger.warning("%d runs are left until their leases run out: %s", len(self._left), type(error).__name__)
        return True

    async def _conduct(self, live: Live, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait({before})
        waiting = await self._conductor.play(live)
        if waiting is not None:
            await self.claim(live.row.thread_id)
        if live.completed:
            self.errand(improve(live, self._stage, self._threads))

    def _over(self, live: Live, done: asyncio.Task[None]) -> None:
        if self._lives[live.row.run_id][1] is done:
            del self._lives[live.row.run_id]
            self.renewal.let_go(live.row.run_id)
        if (error := failure_of(done)) is not None:
            logger.error("run %s on thread %s has no end here", live.run_id, live.thread_id, exc_info=error)
            live.fail(error)

    def _errand_over(self, done: asyncio.Task[None]) -> None:
        self._errands.discard(done)
        if not done.cancelled() and (error := done.exception()) is not None:
            logger.error("something after a turn failed", exc_info=error)

    def _tasks(self) -> set[asyncio.Task[None]]:
        return {task for _, task in self._lives.values()}
