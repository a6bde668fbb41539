"""Keeps the leases of the runs of this process, and takes over the runs of processes that are gone."""

import asyncio
import logging
import time
from collections.abc import Callable
from uuid import UUID

import psycopg
from psycopg_pool import PoolClosed

from checkpoints.leases import BATCH, Leases
from checkpoints.run import Run
from graphs.live import Stop

logger = logging.getLogger(__name__)
AWAY = (psycopg.OperationalError, PoolClosed, TimeoutError)


class Hurry:
    """Waits for some seconds, or until somebody asks not to."""

    def __init__(self, every_s: float) -> None:
        self.every_s = every_s
        self._asked = asyncio.Event()

    def now(self) -> None:
        self._asked.set()

    async def wait(self) -> None:
        try:
            async with asyncio.timeout(self.every_s):
                await self._asked.wait()
        except TimeoutError:
            pass
        self._asked.clear()


class Renewal:
    """Renews all leases of the process at once. `stop`: called for a run that is lost, or that is to be cancelled."""

    def __init__(self, leases: Leases, every_s: float, stop: Callable[[UUID, Stop], None]) -> None:
        self.hurry = Hurry(every_s)
        self._leases = leases
        self._stop = stop
        self._until: dict[UUID, float] = {}

    def hold(self, run_id: UUID, since: float) -> None:
        """`since`: `time.monotonic()` from before the lease was given."""
        self._until[run_id] = since + self._leases.lease_s

    def let_go(self, run_id: UUID) -> None:
        self._until.pop(run_id, None)

    def holds(self, run_id: UUID) -> bool:
        """By our own clock; nobody else can have taken it before that."""
        return time.monotonic() < self._until.get(run_id, 0.0)

    async def renew_for_ever(self) -> None:
        while True:
            await self.hurry.wait()
            if self._until:
                await self.renew()

    async def renew(self) -> None:
        held, since = list(self._until), time.monotonic()
        try:
            async with asyncio.timeout(self._leases.lease_s / 2):
                renewed = await self._leases.renew(held)
        except AWAY as error:
            logger.warning("the leases of %d runs were not renewed: %s", len(held), type(error).__name__)
            for run_id in held:
                if run_id in self._until and not self.holds(run_id):
                    self._stop(run_id, "lost")
            return
        for run_id in held:
            if run_id not in self._until:
                continue
            if run_id in renewed.lost:
                self.let_go(run_id)
                self._stop(run_id, "lost")
            else:
                self.hold(run_id, since)
        for run_id, action in renewed.cancel.items():
            self._stop(run_id, action)


class Sweeper:
    """Looks for runs that nobody plays, at once and then again and again. `take`: plays a run, held since that time."""

    def __init__(self, leases: Leases, every_s: float, take: Callable[[Run, float], object]) -> None:
        self.hurry = Hurry(every_s)
        self._leases = leases
        self._take = take

    async def sweep_for_ever(self) -> None:
        while True:
            try:
                # Shielded: what was taken in the moment of a cancellation would be played by nobody.
                while await asyncio.shield(self.sweep()) >= BATCH:
                    pass
            except AWAY as error:
                logger.warning("no runs were looked for: %s", type(error).__name__)
            await self.hurry.wait()

    async def sweep(self) -> int:
        """How many were found."""
        since = time.monotonic()
        over = await self._leases.take_over()
        for run in over:
            logger.warning("run %s on thread %s is taken over, attempt %d", run.run_id, run.thread_id, run.attempt)
            self._take(run, since)
        since = time.monotonic()
        waiting = await self._leases.claim_any()
        for run in waiting:
            self._take(run, since)
        return max(len(over), len(waiting))
