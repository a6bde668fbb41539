"""The events of runs are kept for their readers, within bounds, in this process and through Redis alike."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing
from uuid import uuid4

import pytest

from graphs import run_events
from graphs.events import Event, Kind
from graphs.redis_connection import open_redis
from graphs.redis_events import RedisEvents
from graphs.run_events import InProcessEvents, NoSignals, RunEvents, Signal
from tests.fakes.local_redis import LocalRedis


@pytest.fixture(params=["in process", "redis"])
async def events(request: pytest.FixtureRequest, redis_server: LocalRedis) -> AsyncIterator[RunEvents]:
    if request.param == "in process":
        yield InProcessEvents(kept_s=60)
        return
    async with AsyncExitStack() as stack:
        redis = await stack.enter_async_context(open_redis(redis_server.url))
        through = RedisEvents(redis, kept_s=60)
        await stack.enter_async_context(through.running())
        yield through


def event(number: int, kind: Kind = "token") -> Event:
    return Event(id=number, kind=kind, data={"n": number})


async def test_what_was_told_is_read_from_any_place(events: RunEvents) -> None:
    run_id = str(uuid4())
    async with events.playing(run_id) as last:
        assert last == 0
        for number in (1, 2, 3):
            events.publish(run_id, event(number))
        events.publish(run_id, event(4, "result"))
    assert [e.id for e in await events.after(run_id, 0, wait_s=1)] == [1, 2, 3, 4]
    assert [e.id for e in await events.after(run_id, 2, wait_s=1)] == [3, 4]
    assert await events.after(run_id, 4, wait_s=0.01) == []
    assert await events.ended(run_id) == event(4, "result")


async def test_readers_wait_for_what_comes(events: RunEvents) -> None:
    run_id = str(uuid4())
    waiting = [asyncio.create_task(events.after(run_id, 0, wait_s=5)) for _ in range(3)]
    ending = asyncio.create_task(events.ended(run_id))
    await asyncio.sleep(0.05)
    async with events.playing(run_id):
        events.publish(run_id, event(1, "turn"))
        assert [found[0].id for found in await asyncio.gather(*waiting)] == [1, 1, 1]
        assert not ending.done()
        events.publish(run_id, event(2, "result"))
        assert (await ending).kind == "result"


async def test_a_later_attempt_counts_on(events: RunEvents) -> None:
    run_id = str(uuid4())
    async with events.playing(run_id):
        events.publish(run_id, event(1, "turn"))
        events.publish(run_id, event(2))
    async with events.playing(run_id) as last:
        assert last == 2
        events.publish(run_id, event(3, "turn"))
        # Of an attempt that does not know that it is over.
        events.publish(run_id, event(3, "result"))
    assert [e.kind for e in await events.after(run_id, 0, wait_s=1)] == ["turn", "token", "turn"]


async def test_the_end_that_the_database_knows_is_told_once(events: RunEvents) -> None:
    run_id = str(uuid4())
    async with events.playing(run_id):
        events.publish(run_id, event(1, "turn"))
    await events.settle(run_id, event(5, "result"))
    await events.settle(run_id, event(5, "result"))
    assert [e.id for e in await events.after(run_id, 0, wait_s=1)] == [1, 5]
    late = str(uuid4())
    async with events.playing(late):
        events.publish(late, event(7, "turn"))
    await events.settle(late, event(1, "result"))
    assert [e.id for e in await events.after(late, 0, wait_s=1)] == [7, 8]


async def test_an_error_is_not_the_end_where_the_database_knows_better(events: RunEvents) -> None:
    run_id = str(uuid4())
    async with events.playing(run_id):
        events.publish(run_id, Event(id=1, kind="error", data={}, cause=ValueError()))
    await events.settle(run_id, event(3, "result"))
    assert (await events.ended(run_id)).kind == "result"


async def test_only_the_newest_runs_and_their_newest_events_are_kept() -> None:
    events = InProcessEvents(kept_s=60, most_runs=3)
    for number in range(5):
        events.publish(f"run {number}", event(1))
    assert await events.after("run 0", 0, wait_s=0) == []
    assert len(await events.after("run 4", 0, wait_s=0)) == 1
    for number in range(1, run_events.MOST_EVENTS + 11):
        events.publish("long", event(number))
    kept = await events.after("long", 0, wait_s=0)
    assert (len(kept), kept[0].id) == (run_events.MOST_EVENTS, 11)


async def test_what_nobody_asked_for_in_time_is_forgotten_but_never_under_its_reader() -> None:
    events = InProcessEvents(kept_s=0.05)
    events.publish("old", event(1))
    reading = asyncio.create_task(events.after("read", 0, wait_s=5))
    await asyncio.sleep(0.1)
    for number in range(3):
        events.publish(f"new {number}", event(1))
    assert await events.after("old", 0, wait_s=0) == []
    events.publish("read", event(1))
    assert len(await reading) == 1


async def test_one_process_alone_has_nobody_to_signal() -> None:
    signals = NoSignals()
    await signals.send(Signal(kind="sweep"))
    async with aclosing(signals.received()) as received:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await anext(received)
