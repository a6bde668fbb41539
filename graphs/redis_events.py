"""The events of runs in Redis, so that any process can tell them, and signals between processes.

A stream for each run holds what it told, its ids being those of the events; the same event goes out on a channel, to
which the processes listen that follow the run. Without Redis for a while, readers get what their own process knows, and
the end from the database.
"""

import asyncio
import json
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Any, cast

from redis.asyncio import Redis
from redis.asyncio.client import PubSub
from redis.exceptions import RedisError

from graphs.events import Event
from graphs.run_events import MOST_EVENTS, InProcessEvents, Signal

logger = logging.getLogger(__name__)
PREFIX = "frontdesk:run:"
SIGNALS = "frontdesk:signals"
WHILE_RUNNING_S = 3600
LOOK_AGAIN_S = 2.0
MOST_AT_ONCE = 256
MOST_WAITING = 20_000
PAUSE_S = 1.0
LOST = (RedisError, OSError, TimeoutError)


class RedisEvents:
    """Satisfies RunEvents. `kept_s`: how long the events of a finished run stay."""

    def __init__(self, redis: Redis, *, kept_s: float) -> None:
        self._redis = redis
        self._kept_s = kept_s
        self._here = InProcessEvents(kept_s=kept_s)
        self._played: set[str] = set()
        self._mirrored: dict[str, float] = {}
        self._waiting: asyncio.Queue[tuple[str, Event]] = asyncio.Queue(MOST_WAITING)
        self._pubsub: PubSub = redis.pubsub(ignore_subscribe_messages=True)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Events go out and come in as long as this is open; what waits at its end is still sent."""
        tasks = [asyncio.create_task(self._send_for_ever()), asyncio.create_task(self._listen_for_ever())]
        try:
            yield
        finally:
            await _cancelled(tasks)
            with suppress(*LOST):
                await self._send(self._drained([]))
            with suppress(*LOST):
                await self._pubsub.aclose()  # type: ignore[no-untyped-call]  # redis-py leaves it untyped

    @asynccontextmanager
    async def playing(self, run_id: str) -> AsyncIterator[int]:
        with suppress(*LOST):
            await self._catch_up(run_id)
        self._played.add(run_id)
        try:
            yield self._here.buffer(run_id).last_id
        finally:
            self._played.discard(run_id)

    def publish(self, run_id: str, event: Event) -> None:
        self._here.publish(run_id, event)
        if event.kind != "error":
            try:
                self._waiting.put_nowait((run_id, event))
            except asyncio.QueueFull:
                logger.error("Redis does not keep up: an event of run %s is told in this process only", run_id)

    async def after(self, run_id: str, event_id: int, *, wait_s: float) -> list[Event]:
        await self._mirror(run_id)
        end = time.monotonic() + wait_s
        while True:
            left_s = end - time.monotonic()
            found = await self._here.after(run_id, event_id, wait_s=min(max(left_s, 0), LOOK_AGAIN_S))
            if found or left_s <= LOOK_AGAIN_S:
                return found
            await self._mirror(run_id, again=True)

    async def ended(self, run_id: str) -> Event:
        while True:
            await self._mirror(run_id, again=True)
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_AGAIN_S):
                    return await self._here.ended(run_id)

    async def settle(self, run_id: str, event: Event) -> None:
        if run_id not in self._played:
            with suppress(*LOST):
                await self._catch_up(run_id)
        await self._here.settle(run_id, event)

    async def _mirror(self, run_id: str, *, again: bool = False) -> None:
        """Follow a run that another process plays: listen first, then read what was told before."""
        if run_id in self._played or (run_id in self._mirrored and not again):
            return
        is_new = run_id not in self._mirrored
        self._mirrored[run_id] = time.monotonic()
        try:
            if is_new:
                await self._pubsub.subscribe(_channel(run_id))
            await self._catch_up(run_id)
        except LOST as error:
            self._mirrored.pop(run_id, None)
            logger.warning("run %s cannot be followed through Redis: %s", run_id, type(error).__name__)

    async def _catch_up(self, run_id: str) -> None:
        buffer = self._here.buffer(run_id)
        found = await self._redis.xrange(PREFIX + run_id, min=f"({buffer.last_id}-0", max="+")
        for entry_id, fields in cast("list[tuple[str, dict[str, Any]]]", found):
            buffer.append(_event(int(entry_id.split("-")[0]), fields))

    async def _send_for_ever(self) -> None:
        while True:
            batch = self._drained([await self._waiting.get()])
            try:
                await self._send(batch)
            except LOST as error:
                logger.error("%d events did not reach Redis: %s", len(batch), type(error).__name__)
                await asyncio.sleep(PAUSE_S)

    def _drained(self, batch: list[tuple[str, Event]]) -> list[tuple[str, Event]]:
        while len(batch) < MOST_AT_ONCE and not self._waiting.empty():
            batch.append(self._waiting.get_nowait())
        return batch

    async def _send(self, batch: Iterable[tuple[str, Event]]) -> None:
        async with self._redis.pipeline(transaction=False) as pipeline:
            for run_id, event in batch:
                key, fields = PREFIX + run_id, _fields(event)
                # An id that is not above the last one is refused: another process has told more of this run.
                pipeline.xadd(key, fields, id=f"{event.id}-0", maxlen=MOST_EVENTS, approximate=True)
                pipeline.expire(key, int(self._kept_s) if event.is_last else WHILE_RUNNING_S)
                pipeline.publish(_channel(run_id), json.dumps({"id": event.id, **fields}))
            await pipeline.execute(raise_on_error=False)

    async def _listen_for_ever(self) -> None:
        while True:
            try:
                if not self._pubsub.subscribed:
                    await asyncio.sleep(0.05)
                    continue
                message = await self._pubsub.get_message(timeout=PAUSE_S)
            except LOST as error:
                logger.warning("Redis does not answer: %s", type(error).__name__)
                await asyncio.sleep(PAUSE_S)
                continue
            if message is not None:
                told = json.loads(message["data"])
                await self._heard(message["channel"].removeprefix(PREFIX).removesuffix(":live"), told)
            await self._tidy()

    async def _heard(self, run_id: str, told: dict[str, Any]) -> None:
        event, buffer = _event(told["id"], told), self._here.buffer(run_id)
        if run_id in self._played:
            return
        if event.id > buffer.last_id + 1:
            with suppress(*LOST):
                await self._catch_up(run_id)
        buffer.append(event)

    async def _tidy(self) -> None:
        """Stop listening where nobody has asked for long."""
        oldest = time.monotonic() - self._kept_s
        for run_id in [run_id for run_id, since in self._mirrored.items() if since < oldest]:
            del self._mirrored[run_id]
            with suppress(*LOST):
                await self._pubsub.unsubscribe(_channel(run_id))


class RedisSignals:
    """Satisfies Signals. A process hears its own signals too."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def send(self, signal: Signal) -> None:
        try:
            await self._redis.publish(SIGNALS, json.dumps({"kind": signal.kind, "run_id": signal.run_id}))
        except LOST as error:
            logger.warning("a signal did not reach Redis: %s", type(error).__name__)

    async def received(self) -> AsyncGenerator[Signal]:
        while True:
            try:
                async with self._redis.pubsub(ignore_subscribe_messages=True) as pubsub:
                    await pubsub.subscribe(SIGNALS)
                    while True:
                        if message := await pubsub.get_message(timeout=PAUSE_S):
                            yield Signal(**json.loads(message["data"]))
            except LOST as error:
                logger.warning("Redis does not answer: %s", type(error).__name__)
                await asyncio.sleep(PAUSE_S)


async def _cancelled(tasks: Collection[asyncio.Task[None]]) -> None:
    """However often it takes: a client library may lose a cancellation."""
    while left := [task for task in tasks if not task.done()]:
        for task in left:
            task.cancel()
        await asyncio.wait(left, timeout=0.1)


def _channel(run_id: str) -> str:
    return f"{PREFIX}{run_id}:live"


def _fields(event: Event) -> dict[Any, Any]:
    return {"kind": event.kind, "data": json.dumps(event.data, ensure_ascii=False, separators=(",", ":"))}


def _event(event_id: int, fields: dict[str, Any]) -> Event:
    return Event(id=event_id, kind=fields["kind"], data=json.loads(fields["data"]))
