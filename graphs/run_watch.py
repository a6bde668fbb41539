"""Learns from the database that runs have ended which other processes play, for all readers here in one query."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

import psycopg
from psycopg_pool import PoolClosed

from auth.principal import Principal
from checkpoints.run import RunStatus
from graphs.events import Event
from graphs.run_events import RunEvents

logger = logging.getLogger(__name__)
EVERY_S = 0.2
UNDER_WAY = ("pending", "running")


@dataclass(frozen=True, kw_only=True)
class Followed:
    """A run that somebody here reads."""

    run_id: UUID
    thread_id: UUID
    owner: Principal


class RunWatch:
    """`statuses`: of runs by id, those that are gone left out. `end_of`: a run's last event, from its row.

    `here`: whether this process plays it.
    """

    def __init__(
        self,
        events: RunEvents,
        statuses: Callable[[Collection[UUID]], Awaitable[Mapping[UUID, RunStatus]]],
        end_of: Callable[[Followed], Awaitable[Event]],
        here: Callable[[UUID], bool],
        *,
        every_s: float = EVERY_S,
    ) -> None:
        self._events, self._statuses, self._end_of, self._here = events, statuses, end_of, here
        self._every_s = every_s
        self._readers: dict[UUID, tuple[Followed, int]] = {}
        self._task: asyncio.Task[None] | None = None

    @contextmanager
    def following(self, followed: Followed) -> Iterator[None]:
        """As long as it is open, the run's end reaches its events, by whatever process and way it comes."""
        key = followed.run_id
        self._readers[key] = (followed, self._count(key) + 1)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._look_for_ever())
        try:
            yield
        finally:
            if (left := self._count(key) - 1) > 0:
                self._readers[key] = (followed, left)
            else:
                self._readers.pop(key, None)

    async def close(self, cause: BaseException) -> None:
        """Nobody is told any more: `cause` is all that is left for those who still read."""
        for followed, _ in list(self._readers.values()):
            ids = {"thread_id": str(followed.thread_id), "run_id": str(followed.run_id)}
            await self._events.settle(str(followed.run_id), Event(id=1, kind="error", data=ids, cause=cause))
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _count(self, run_id: UUID) -> int:
        return self._readers[run_id][1] if run_id in self._readers else 0

    async def _look_for_ever(self) -> None:
        while self._readers:
            await asyncio.sleep(self._every_s)
            elsewhere = [followed for followed, _ in self._readers.values() if not self._here(followed.run_id)]
            try:
                await self._look(elsewhere)
            except (psycopg.OperationalError, PoolClosed) as error:
                logger.warning("runs of other processes cannot be followed: %s", type(error).__name__)

    async def _look(self, elsewhere: list[Followed]) -> None:
        if not elsewhere:
            return
        statuses = await self._statuses([followed.run_id for followed in elsewhere])
        for followed in elsewhere:
            if statuses.get(followed.run_id) not in UNDER_WAY and not self._here(followed.run_id):
                await self._events.settle(str(followed.run_id), await self._end_of(followed))
