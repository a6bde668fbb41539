"""Where the events of runs are kept for those who read them, and how processes tell each other what cannot wait."""

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Literal, Protocol

from graphs.events import Event

MOST_EVENTS = 2000
MOST_RUNS = 1000
FORGOTTEN_AT_ONCE = 16


class RunEvents(Protocol):
    """What a run told, for any number of readers. Run ids are text."""

    def playing(self, run_id: str) -> AbstractAsyncContextManager[int]:
        """As long as it is open this process plays the run. The id of the last event of an earlier attempt, or 0."""

    def publish(self, run_id: str, event: Event) -> None:
        """Never waits. An `error` is for the readers of this process alone."""

    async def after(self, run_id: str, event_id: int, *, wait_s: float) -> list[Event]:
        """What follows `event_id` and is still kept, as soon as there is something; empty if nothing came in time."""

    async def ended(self, run_id: str) -> Event:
        """The last event, once there is one; however long that takes."""

    async def settle(self, run_id: str, event: Event) -> None:
        """The database says that the run is over: `event` is its end, unless that was told already."""


@dataclass(frozen=True, kw_only=True)
class Signal:
    """`cancel`: whoever plays `run_id` stops it. `sweep`: a process let go of its runs, which wait for another."""

    kind: Literal["cancel", "sweep"]
    run_id: str = ""


class Signals(Protocol):
    async def send(self, signal: Signal) -> None:
        """To every other process. What is lost on the way is found in the database a little later."""

    def received(self) -> AsyncGenerator[Signal]:
        """Without end; to be closed."""


class Buffer:
    """The newest events of one run."""

    def __init__(self) -> None:
        self.events: deque[Event] = deque(maxlen=MOST_EVENTS)
        self.used_at = time.monotonic()
        self.readers = 0
        self._news = asyncio.Event()

    @property
    def last_id(self) -> int:
        return self.events[-1].id if self.events else 0

    @property
    def end(self) -> Event | None:
        return self.events[-1] if self.events and self.events[-1].is_last else None

    def append(self, event: Event) -> None:
        """What came before, by whatever way, is passed over."""
        if event.id > self.last_id:
            self.events.append(event)
            news, self._news = self._news, asyncio.Event()
            news.set()

    def after(self, event_id: int) -> list[Event]:
        found: list[Event] = []
        for event in reversed(self.events):
            if event.id <= event_id:
                break
            found.append(event)
        return found[::-1]

    async def news(self) -> None:
        self.readers += 1
        try:
            await self._news.wait()
        finally:
            self.readers -= 1


class InProcessEvents:
    """Of one process, gone with it. `kept_s`: how long the events of a run stay after somebody last asked for them."""

    def __init__(self, *, kept_s: float, most_runs: int = MOST_RUNS) -> None:
        self._kept_s = kept_s
        self._most_runs = most_runs
        self._buffers: OrderedDict[str, Buffer] = OrderedDict()

    @asynccontextmanager
    async def playing(self, run_id: str) -> AsyncIterator[int]:
        yield self.buffer(run_id).last_id

    def publish(self, run_id: str, event: Event) -> None:
        self.buffer(run_id).append(event)

    async def after(self, run_id: str, event_id: int, *, wait_s: float) -> list[Event]:
        buffer = self.buffer(run_id)
        if not (found := buffer.after(event_id)):
            try:
                async with asyncio.timeout(wait_s):
                    while not (found := buffer.after(event_id)):
                        await buffer.news()
            except TimeoutError:
                return []
        return found

    async def ended(self, run_id: str) -> Event:
        while (end := self.buffer(run_id).end) is None:
            await self.buffer(run_id).news()
        return end

    async def settle(self, run_id: str, event: Event) -> None:
        buffer = self.buffer(run_id)
        if buffer.end is None or buffer.end.kind != "result":
            buffer.append(event if event.id > buffer.last_id else _renumbered(event, buffer.last_id + 1))

    def buffer(self, run_id: str) -> Buffer:
        """Used now, so the last to be forgotten."""
        buffer = self._buffers.get(run_id)
        if buffer is None:
            buffer = self._buffers[run_id] = Buffer()
            self._forget()
        buffer.used_at = time.monotonic()
        self._buffers.move_to_end(run_id)
        return buffer

    def _forget(self) -> None:
        oldest = time.monotonic() - self._kept_s
        for run_id, buffer in list(islice(self._buffers.items(), FORGOTTEN_AT_ONCE)):
            if len(self._buffers) <= self._most_runs and buffer.used_at > oldest:
                return
            if not buffer.readers:
                del self._buffers[run_id]


class NoSignals:
    """There is no other process, or none that could be told: it looks into the database."""

    async def send(self, signal: Signal) -> None:  # noqa: ARG002  nobody hears it
        return None

    async def received(self) -> AsyncGenerator[Signal]:
        await asyncio.Event().wait()
        yield Signal(kind="sweep")  # never: what waits for nothing still has to be an iterator


def _renumbered(event: Event, event_id: int) -> Event:
    return Event(id=event_id, kind=event.kind, data=event.data, cause=event.cause)
