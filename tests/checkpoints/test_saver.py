"""The saver's turn: gathered, flushed, committed however it ends, and read from inside."""

import asyncio
import uuid
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, StateGraph
from langgraph.types import Command
from typing_extensions import TypedDict

from checkpoints.database import Connection, Pool
from checkpoints.saver import TurnSaver
from errors import StaleThread, Unavailable
from tests.checkpoints.small_graph import at, build, rows_of, said


@pytest.fixture
def thread() -> str:
    return str(uuid.uuid4())


@pytest.fixture
async def notes(pool: Pool) -> str:
    """A table of somebody else's, to be written in the same commit."""
    async with pool.connection() as connection:
        await connection.execute("CREATE TABLE IF NOT EXISTS notes (thread_id text PRIMARY KEY)")
    return "INSERT INTO notes VALUES (%s)"


async def _noted(pool: Pool, thread: str) -> bool:
    async with pool.connection() as connection:
        return await (await connection.execute("SELECT 1 FROM notes WHERE thread_id = %s", (thread,))).fetchone() == {
            "?column?": 1
        }


async def test_nothing_is_written_before_the_end_of_the_turn_and_then_every_step(
    pool: Pool, saver: TurnSaver, thread: str
) -> None:
    seen = []

    async def look(_: str) -> None:
        seen.append(await rows_of(pool, thread))

    graph = build(saver, look)
    async with saver.turn():
        await graph.ainvoke({"asked": "a"}, at(thread), durability="sync")
        seen.append(await rows_of(pool, thread))
    assert seen == [0, 0]
    assert await rows_of(pool, thread) == 4
    assert [state.next async for state in graph.aget_state_history(at(thread))] == [
        (),
        ("act",),
        ("hear",),
        ("__start__",),
    ]


async def test_outside_a_turn_every_step_is_written_at_once(pool: Pool, saver: TurnSaver, thread: str) -> None:
    seen = []

    async def look(_: str) -> None:
        seen.append(await rows_of(pool, thread))

    await build(saver, look).ainvoke({"asked": "a"}, at(thread), durability="sync")
    assert seen == [3]


async def test_a_flush_makes_the_plan_durable_before_the_effect(pool: Pool, saver: TurnSaver, thread: str) -> None:
    seen = []

    async def effect(_: str) -> None:
        await saver.flush()
        seen.append(await rows_of(pool, thread))

    graph = build(saver, effect)
    async with saver.turn():
        await graph.ainvoke({"asked": "a"}, at(thread), durability="sync")
    assert seen == [3]
    assert await said(graph, thread) == ["a", "did a"]


async def test_what_joins_a_flush_is_committed_with_it_and_gives_its_result(
    pool: Pool, saver: TurnSaver, thread: str, notes: str
) -> None:
    async def note(connection: Connection) -> str:
        await connection.execute(notes, (thread,))
        assert not await _noted(pool, thread)
        return "noted"

    graph = build(saver)
    async with saver.turn():
        await graph.ainvoke({"asked": "a"}, at(thread), durability="sync")
        assert await saver.flush(note) == "noted"
        assert await rows_of(pool, thread) == 4
        assert await _noted(pool, thread)


async def test_outside_a_turn_what_joins_a_flush_has_a_transaction_of_its_own(
    pool: Pool, saver: TurnSaver, thread: str, notes: str
) -> None:
    async def fail(connection: Connection) -> None:
        await connection.execute(notes, (thread,))
        raise LookupError

    with pytest.raises(LookupError):
        await saver.flush(fail)
    assert not await _noted(pool, thread)
    await saver.flush(lambda connection: connection.execute(notes, (thread,)))
    assert await _noted(pool, thread)


@pytest.mark.parametrize("kind", ["of its own", "of the database", "of the database, unread"])
async def test_when_what_joins_a_flush_fails_nothing_is_written_and_nothing_is_lost(
    pool: Pool, saver: TurnSaver, thread: str, notes: str, kind: str
) -> None:
    calls = 0

    async def fail(connection: Connection) -> None:
        nonlocal calls
        calls += 1
        await connection.execute(notes, (thread,))
        if kind == "of its own":
            raise LookupError
        cursor = await connection.execute("INSERT INTO notes VALUES (NULL)")
        if kind == "of the database":
            await cursor.fetchone()

    graph = build(saver)
    async with saver.turn():
        await graph.ainvoke({"asked": "a"}, at(thread), durability="sync")
        with pytest.raises((LookupError, psycopg.errors.NotNullViolation)):
            await saver.flush(fail)
        assert (await rows_of(pool, thread), await _noted(pool, thread), calls) == (0, False, 1)
    assert await rows_of(pool, thread) == 4


@pytest.mark.parametrize("error", [ValueError("bad"), StaleThread("inner")])
async def test_a_turn_that_fails_keeps_what_was_done(saver: TurnSaver, thread: str, error: Exception) -> None:
    async def fail(_: str) -> None:
        raise error

    graph = build(saver, fail)
    with pytest.raises(type(error)):
        async with saver.turn():
            await graph.ainvoke({"asked": "a"}, at(thread), durability="sync")
    state = await graph.aget_state(at(thread))
    assert state.next == ("act",)
    assert str(state.tasks[0].error) == repr(error)


async def test_a_turn_that_stops_at_a_question_can_be_answered_in_another(saver: TurnSaver, thread: str) -> None:
    graph = build(saver)
    async with saver.turn():
        await graph.ainvoke({"asked": "a?"}, at(thread), durability="sync")
    (question,) = (await graph.aget_state(at(thread))).interrupts
    async with saver.turn():
        await graph.ainvoke(Command(resume={question.id: "yes"}), at(thread), durability="sync")
    assert await said(graph, thread) == ["a?", "yes"]


@pytest.mark.parametrize("times", [1, 3])
async def test_a_cancelled_turn_keeps_what_was_done_however_often_it_is_cancelled(
    saver: TurnSaver, thread: str, times: int
) -> None:
    started, hanging = asyncio.Event(), True

    async def hang(_: str) -> None:
        started.set()
        if hanging:
            await asyncio.sleep(30)

    graph = build(saver, hang)

    async def run() -> None:
        async with saver.turn():
            await graph.ainvoke({"asked": "a"}, at(thread), durability="sync")

    running = asyncio.create_task(run())
    await started.wait()
    for _ in range(times):
        running.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await running
    assert (await graph.aget_state(at(thread))).next == ("act",)
    hanging = False
    async with saver.turn():
        await graph.ainvoke(None, at(thread), durability="sync")
    assert await said(graph, thread) == ["a", "did a"]


async def test_a_time_limit_around_a_turn_is_still_a_time_limit(saver: TurnSaver, thread: str) -> None:
    graph = build(saver, lambda _: asyncio.sleep(30))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2), saver.turn():
            await graph.ainvoke({"asked": "a"}, at(thread), durability="sync")
    assert (await graph.aget_state(at(thread))).next == ("act",)


async def test_a_read_inside_a_turn_sees_the_turns_own_steps_and_others_do_not(
    pool: Pool, saver: TurnSaver, thread: str
) -> None:
    inside: list[Any] = []

    async def look(_: str) -> None:
        inside.append((await graph.aget_state(at(thread))).next)
        inside.append([state.next async for state in graph.aget_state_history(at(thread), limit=2)])
        inside.append(await saver.aget_tuple(at("nobody's")))

    graph = build(saver, look)
    async with saver.turn():
        await graph.ainvoke({"asked": "a"}, at(thread), durability="sync")
        assert await build(TurnSaver(pool)).aget_state(at(thread)) == await graph.aget_state(at(thread))
    assert inside == [("act",), [("act",), ("hear",)], None]


async def test_a_slow_reader_of_a_list_does_not_hold_the_turn_up(saver: TurnSaver, thread: str) -> None:
    graph = build(saver)
    async with saver.turn(every_s=None):
        await graph.ainvoke({"asked": "a"}, at(thread), durability="sync")
        async with asyncio.timeout(5):
            async for _ in saver.alist(at(thread)):
                await saver.flush()


async def test_a_timer_shows_others_how_far_a_long_turn_is(pool: Pool, saver: TurnSaver, thread: str) -> None:
    seen = []

    async def wait(_: str) -> None:
        async with asyncio.timeout(20):
            while (rows := await rows_of(pool, thread)) < 3:  # noqa: ASYNC110 - the other side is a timer
                await asyncio.sleep(0.01)
        seen.append(rows)

    async with saver.turn(every_s=0.02):
        await build(saver, wait).ainvoke({"asked": "a"}, at(thread), durability="sync")
    assert seen == [3]


async def test_a_full_buffer_is_written_before_the_end(pool: Pool, saver: TurnSaver, thread: str) -> None:
    many, big = f"{thread}-many", f"{thread}-big"
    async with saver.turn(every_s=None):
        await build(saver).ainvoke({"asked": "a"}, at(many), durability="sync")
        there = (await saver.aget_tuple(at(many))).config  # type: ignore[union-attr] # it was just put
        await saver.aput_writes(there, [("said", [str(n)]) for n in range(450)], str(uuid.uuid4()))
        assert await rows_of(pool, many) == 0
        await saver.aput_writes(there, [("said", [str(n)]) for n in range(100)], str(uuid.uuid4()))
        assert await rows_of(pool, many) == 4
        await build(saver).ainvoke({"asked": "x" * 600_000}, at(big), durability="sync")
        assert await rows_of(pool, big) >= 2
    assert await said(build(saver), big) == ["x" * 600_000, f"did {'x' * 600_000}"]


@pytest.mark.parametrize("value", ["a\x00b", "a\ud800b", float("nan"), float("inf")])
async def test_a_value_that_the_database_would_refuse_fails_its_step_and_not_the_turn(
    pool: Pool, saver: TurnSaver, thread: str, value: Any
) -> None:
    graph = build(saver)

    async def ask_both() -> None:
        async with saver.turn():
            await graph.ainvoke({"asked": "a"}, at(thread), durability="sync")
            await graph.ainvoke({"asked": value}, at(thread), durability="sync")

    with pytest.raises(ValueError):  # noqa: PT011 - the serialiser's own words
        await ask_both()
    assert await rows_of(pool, thread) >= 4
    async with saver.turn():
        await graph.ainvoke({"asked": "b"}, at(thread), durability="sync")
    assert (await said(graph, thread))[-1] == "did b"


async def test_text_that_only_looks_like_a_nul_is_kept(saver: TurnSaver, thread: str) -> None:
    graph = build(saver)
    async with saver.turn():
        await graph.ainvoke({"asked": "\\u0000 \\\\u0000 订单"}, at(thread), durability="sync")
    assert (await graph.aget_state(at(thread))).values["asked"] == "\\u0000 \\\\u0000 订单"


@dataclass(frozen=True)
class Money:
    amount: int


class Purse(TypedDict):
    holds: Any


@pytest.mark.parametrize(("allowed", "kept"), [((Money,), Money(5)), ((), {"amount": 5})])
async def test_only_allowed_classes_come_back_from_a_checkpoint(
    pool: Pool, thread: str, allowed: tuple[type, ...], kept: Any
) -> None:
    saver = TurnSaver(pool, allowed_types=allowed)

    async def fill(state: Purse) -> Purse:
        return {"holds": Money(5)}

    purse: StateGraph[Any, Any, Any, Any] = StateGraph(Purse)
    purse.add_node("fill", fill)
    purse.add_edge(START, "fill")
    graph = purse.compile(checkpointer=saver)
    async with saver.turn():
        await graph.ainvoke({"holds": None}, at(thread), durability="sync")
    assert (await graph.aget_state(at(thread))).values == {"holds": kept}


async def test_a_task_that_outlives_its_turn_cannot_write_into_the_thread(
    pool: Pool, saver: TurnSaver, thread: str
) -> None:
    graph, over = build(saver), asyncio.Event()

    async def late() -> None:
        await over.wait()
        await graph.ainvoke({"asked": "late"}, at(thread), durability="sync")

    async with saver.turn():
        task = asyncio.create_task(late())
        await graph.ainvoke({"asked": "a"}, at(thread), durability="sync")
    over.set()
    with pytest.raises(StaleThread, match="is over"):
        await task
    assert await said(graph, thread) == ["a", "did a"]


async def test_one_saver_serves_many_threads_at_once(fresh_pool: Pool) -> None:
    saver = TurnSaver(fresh_pool)
    graph = build(saver, lambda _: asyncio.sleep(0.001))

    async def converse(thread_id: str) -> list[str]:
        for turn in range(3):
            async with saver.turn():
                await graph.ainvoke({"asked": f"{thread_id} {turn}"}, at(thread_id), durability="sync")
        return await said(graph, thread_id)

    names = [f"t{n}" for n in range(30)]
    heard = await asyncio.gather(*(converse(name) for name in names))
    assert heard == [[f"{did}{name} {turn}" for turn in range(3) for did in ("", "did ")] for name in names]


async def test_a_database_that_stays_away_is_said_in_one_clear_error(fresh_pool: Pool, thread: str) -> None:
    saver = TurnSaver(fresh_pool)

    async def lose(_: str) -> None:
        await fresh_pool.close()

    with pytest.raises(Unavailable):
        async with saver.turn(every_s=None):
            await build(saver, lose).ainvoke({"asked": "a"}, at(thread), durability="sync")


async def test_whole_threads_can_be_copied_and_deleted_and_leave_nothing(pool: Pool, saver: TurnSaver) -> None:
    graph, one, two = build(saver), str(uuid.uuid4()), str(uuid.uuid4())
    async with saver.turn():
        await graph.ainvoke({"asked": "a"}, at(one), durability="sync")
        await saver.acopy_thread(one, two)
        await graph.ainvoke({"asked": "b"}, at(two), durability="sync")
    assert (await said(graph, one), await said(graph, two)) == (["a", "did a"], ["a", "did a", "b", "did b"])
    await saver.adelete_thread(two)
    assert await _left(pool, two) == 0
    assert await said(graph, one) == ["a", "did a"]


async def test_deleting_a_run_takes_its_blobs_along_and_keeps_the_others(pool: Pool, saver: TurnSaver) -> None:
    graph, thread = build(saver), str(uuid.uuid4())
    for run in ("first", "second"):
        async with saver.turn():
            run_at: RunnableConfig = {**at(thread), "metadata": {"run_id": run}}
            await graph.ainvoke({"asked": run}, run_at, durability="sync")
    both = await _left(pool, thread)
    await saver.adelete_for_runs(["second"])
    assert await said(graph, thread) == ["first", "did first"]
    assert await _left(pool, thread) == both // 2
    await saver.adelete_for_runs(["first"])
    assert await _left(pool, thread) == 0


async def _left(pool: Pool, thread: str) -> int:
    """Rows in all three tables."""
    count = 0
    async with pool.connection() as connection:
        for table in ("checkpoints", "checkpoint_blobs", "checkpoint_writes"):
            found = await connection.execute(f"SELECT 1 FROM {table} WHERE thread_id = %s", (thread,))
            count += len(await found.fetchall())
    return count
