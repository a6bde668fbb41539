"""Processes that share a Redis tell each other's turns, and stop them at once; without it they get along."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing
from uuid import UUID, uuid4

import pytest

from checkpoints.database import Pool
from errors import ConfigurationError, Unavailable
from graphs.events import Event
from graphs.redis_connection import open_redis
from graphs.redis_events import PREFIX, RedisEvents, RedisSignals
from graphs.run_events import Signal
from tests.fakes.local_redis import LocalRedis
from tests.graphs import toy
from tests.graphs.process import ME, Process, kinds, told, until


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    toy.gate.clear()
    toy.planned_for.clear()
    async with AsyncExitStack() as opened:
        yield opened


async def connected(stack: AsyncExitStack, url: str) -> tuple[RedisEvents, RedisSignals]:
    redis = await stack.enter_async_context(open_redis(url))
    events = RedisEvents(redis, kept_s=60)
    await stack.enter_async_context(events.running())
    return events, RedisSignals(redis)


async def process(stack: AsyncExitStack, pool: Pool, url: str) -> Process:
    """One that renews so seldom that only a signal can have reached it."""
    events, signals = await connected(stack, url)
    made = await stack.enter_async_context(Process(pool, events=events, signals=signals, sweep_s=60, drain_s=0.1))
    stack.callback(toy.gate.set)
    return made


async def _planned() -> bool:
    return "wait" in toy.planned_for


async def test_any_process_tells_what_another_one_plays(
    stack: AsyncExitStack, pool: Pool, redis_server: LocalRedis
) -> None:
    one, other = [await process(stack, pool, redis_server.url) for _ in range(2)]
    run = await one.start("wait")
    await until(_planned)
    following = await other.runner.follow(UUID(run.run_id), ME)
    reading = asyncio.create_task(told(following))
    await asyncio.sleep(0.1)
    toy.gate.set()
    mine, others = await told(run), await reading
    assert [event.kind for event in mine] == ["turn", "decision", "decision", "token", "result"]
    assert others == mine
    assert await told(await other.runner.follow(UUID(run.run_id), ME)) == mine
    assert [e.id for e in await told(await other.runner.follow(UUID(run.run_id), ME), after=3)] == [4, 5]


async def test_a_run_that_waits_behind_another_process_is_told_by_it(
    stack: AsyncExitStack, pool: Pool, redis_server: LocalRedis
) -> None:
    one, other = [await process(stack, pool, redis_server.url) for _ in range(2)]
    first = await one.start("wait")
    second = await other.start("hello", first.thread_id)
    reading = asyncio.create_task(kinds(second))
    toy.gate.set()
    assert await reading == ["turn", "decision", "decision", "token", "result"]


async def test_a_run_of_another_process_is_stopped_at_once(
    stack: AsyncExitStack, pool: Pool, redis_server: LocalRedis
) -> None:
    one, other = [await process(stack, pool, redis_server.url) for _ in range(2)]
    run = await one.start("wait")
    await until(_planned)
    began = time.monotonic()
    await other.runner.cancel(UUID(run.run_id), UUID(run.thread_id), ME, wait_s=5)
    assert time.monotonic() - began < 1
    assert (await one.stored(run)).status == "interrupted"


async def test_what_a_closing_process_leaves_is_taken_up_at_once(
    stack: AsyncExitStack, pool: Pool, redis_server: LocalRedis
) -> None:
    one, other = [await process(stack, pool, redis_server.url) for _ in range(2)]
    run = await one.start("wait")
    await until(_planned)
    await one.runner.close()
    toy.gate.set()
    following = await other.runner.follow(UUID(run.run_id), ME)
    async with asyncio.timeout(3):
        assert (await following.result())["reply"] == "heard wait"
    turns = [event.data["attempt"] for event in await told(following) if event.kind == "turn"]
    assert turns == [1, 2]


async def test_many_events_arrive_whole_and_in_order(stack: AsyncExitStack, redis_server: LocalRedis) -> None:
    one, other = [(await connected(stack, redis_server.url))[0] for _ in range(2)]
    run_ids = [str(uuid4()) for _ in range(10)]

    async def read(run_id: str) -> list[int]:
        seen: list[int] = []
        while not seen or seen[-1] < 500:
            seen += [event.id for event in await other.after(run_id, seen[-1] if seen else 0, wait_s=5)]
        return seen

    reading = [asyncio.create_task(read(run_id)) for run_id in run_ids]
    for number in range(1, 501):
        for run_id in run_ids:
            one.publish(run_id, Event(id=number, kind="token", data={"content": "订单" * 5}))
        if number % 50 == 0:
            await asyncio.sleep(0)
    assert await asyncio.gather(*reading) == [list(range(1, 501))] * 10


async def test_the_stream_of_a_run_is_bounded_and_forgotten_in_time(
    stack: AsyncExitStack, redis_server: LocalRedis
) -> None:
    redis = await stack.enter_async_context(open_redis(redis_server.url))
    events = RedisEvents(redis, kept_s=5)
    run_id = str(uuid4())
    async with events.running():
        events.publish(run_id, Event(id=1, kind="turn", data={}))
        events.publish(run_id, Event(id=2, kind="error", data={}, cause=ValueError("a secret")))
        await asyncio.sleep(0.1)
        assert await redis.ttl(PREFIX + run_id) > 60
        events.publish(run_id, Event(id=3, kind="result", data={}))
    assert await redis.xlen(PREFIX + run_id) == 2
    assert 0 < await redis.ttl(PREFIX + run_id) <= 5


async def test_signals_reach_every_process(stack: AsyncExitStack, redis_server: LocalRedis) -> None:
    signals = [(await connected(stack, redis_server.url))[1] for _ in range(2)]
    received = [await stack.enter_async_context(aclosing(one.received())) for one in signals]
    hearing = [asyncio.ensure_future(anext(one)) for one in received]
    await asyncio.sleep(0.1)
    await signals[0].send(Signal(kind="cancel", run_id="r"))
    assert await asyncio.gather(*hearing) == [Signal(kind="cancel", run_id="r")] * 2


async def test_without_redis_for_a_while_turns_go_on_and_afterwards_all_is_told_again(
    stack: AsyncExitStack, pool: Pool, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    server = LocalRedis()
    stack.callback(server.remove)
    server.start()
    one, other = [await process(stack, pool, server.url) for _ in range(2)]
    assert (await one.say("hello"))["status"] == "completed"
    server.stop()
    run = await one.start("hello again")
    assert await kinds(run) == ["turn", "decision", "decision", "token", "result"]
    following = await other.runner.follow(UUID(run.run_id), ME)
    assert await following.result() == await run.result()
    server.start()
    await asyncio.sleep(1.5)
    toy.gate.clear()
    third = await one.start("wait")
    reading = asyncio.create_task(kinds(await other.runner.follow(UUID(third.run_id), ME)))
    await asyncio.sleep(0.1)
    toy.gate.set()
    assert await reading == ["turn", "decision", "decision", "token", "result"]


async def test_an_address_that_is_none_or_where_nothing_answers_is_told_without_repeating_it() -> None:
    with pytest.raises(ConfigurationError, match="REDIS_URL") as refused:
        async with open_redis("http://user:secret@nowhere"):
            pass
    assert "secret" not in str(refused.value)
    with pytest.raises(Unavailable, match="REDIS_URL") as silent:
        async with open_redis("redis://:secret@127.0.0.1:1/0"):
            pass
    assert "secret" not in str(silent.value)
