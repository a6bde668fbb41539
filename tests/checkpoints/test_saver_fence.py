"""Two writers on one thread: exactly one wins, and the history stays one line."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import id as ids
from langgraph.types import Command

from checkpoints.database import Connection, Pool, open_pool
from checkpoints.retention import checkpoint_id_at
from checkpoints.saver import TurnSaver
from errors import StaleThread
from tests.checkpoints.small_graph import Graph, at, build, is_one_line, rows_of, said
from tests.fakes.cut_connection import CutConnection

Race = tuple[tuple[Any, RunnableConfig], tuple[Any, RunnableConfig]]


class Rivals:
    """Two processes in small: a saver with connections of its own each, and a point where both wait for the other."""

    def __init__(self, pools: tuple[Pool, Pool]) -> None:
        self.savers = [TurnSaver(pool) for pool in pools]
        self.meeting: asyncio.Barrier | None = None
        self.graphs = [build(saver, self.meet) for saver in self.savers]

    async def meet(self, _: str) -> None:
        if self.meeting is not None:
            await self.meeting.wait()

    async def run(self, which: int, given: Any, config: RunnableConfig) -> None:
        async with self.savers[which].turn(every_s=None):
            await self.graphs[which].ainvoke(given, config, durability="sync")

    async def race(self, *runs: Awaitable[None]) -> list[str]:
        """The names of what each got, in order of the alphabet."""
        self.meeting = asyncio.Barrier(len(runs))
        try:
            results = await asyncio.gather(*runs, return_exceptions=True)
        finally:
            self.meeting = None
        return sorted(type(result).__name__ for result in results)


@pytest.fixture
async def rivals(database_url: str) -> AsyncIterator[Rivals]:
    pools = await open_pool(database_url, 3), await open_pool(database_url, 3)
    yield Rivals(pools)
    for pool in pools:
        await pool.close()


@pytest.fixture
def thread() -> str:
    return str(uuid.uuid4())


ONE_WINS = ["NoneType", "StaleThread"]


async def test_of_two_first_turns_one_wins(rivals: Rivals, pool: Pool, thread: str) -> None:
    runs = (rivals.run(n, {"asked": f"by {n}"}, at(thread)) for n in range(2))
    assert await rivals.race(*runs) == ONE_WINS
    assert await said(rivals.graphs[0], thread) in (["by 0", "did by 0"], ["by 1", "did by 1"])
    assert await is_one_line(pool, thread)


async def test_of_two_later_turns_one_wins_and_the_other_can_be_sent_again(
    rivals: Rivals, pool: Pool, thread: str
) -> None:
    await rivals.run(0, {"asked": "first"}, at(thread))
    assert await rivals.race(*(rivals.run(n, {"asked": f"by {n}"}, at(thread)) for n in range(2))) == ONE_WINS
    await rivals.run(1, {"asked": "again"}, at(thread))
    assert (await said(rivals.graphs[0], thread))[-2:] == ["again", "did again"]
    assert len(await said(rivals.graphs[0], thread)) == 6
    assert await is_one_line(pool, thread)


async def test_of_two_answers_to_one_question_one_wins(rivals: Rivals, pool: Pool, thread: str) -> None:
    await rivals.run(0, {"asked": "a?"}, at(thread))
    runs = (rivals.run(n, Command(resume=f"by {n}"), at(thread)) for n in range(2))
    assert await rivals.race(*runs) == ONE_WINS
    assert len(await said(rivals.graphs[0], thread)) == 2
    assert await is_one_line(pool, thread)


async def test_of_two_partial_answers_at_once_one_wins_and_the_other_question_stays_open(
    rivals: Rivals, thread: str
) -> None:
    await rivals.run(0, {"asked": "a??"}, at(thread))
    questions = (await rivals.graphs[0].aget_state(at(thread))).interrupts
    runs = (rivals.run(n, Command(resume={questions[n].id: f"by {n}"}), at(thread)) for n in range(2))
    assert await rivals.race(*runs) == ONE_WINS
    (still_open,) = (await rivals.graphs[0].aget_state(at(thread))).interrupts
    await rivals.run(0, Command(resume={still_open.id: "late"}), at(thread))
    assert len(await said(rivals.graphs[0], thread)) == 3


async def test_of_a_fork_and_a_turn_one_wins(rivals: Rivals, thread: str) -> None:
    await rivals.run(0, {"asked": "first"}, at(thread))
    await rivals.run(0, {"asked": "second"}, at(thread))
    states = [state async for state in rivals.graphs[0].aget_state_history(at(thread))]
    old = next(state.config for state in reversed(states) if state.next == ("act",))
    runs = (rivals.run(0, None, old), rivals.run(1, {"asked": "third"}, at(thread)))
    assert await rivals.race(*runs) == ONE_WINS


async def test_a_change_of_the_state_from_outside_makes_a_running_turn_stale(
    rivals: Rivals, pool: Pool, thread: str
) -> None:
    await rivals.run(0, {"asked": "first"}, at(thread))

    async def turn() -> None:
        async with rivals.savers[0].turn(every_s=None):
            await rivals.graphs[0].ainvoke({"asked": "second"}, at(thread), durability="sync")
            await rivals.graphs[1].aupdate_state(at(thread), {"said": ["edited"]})

    with pytest.raises(StaleThread):
        await turn()
    assert await said(rivals.graphs[0], thread) == ["first", "did first", "edited"]
    assert await is_one_line(pool, thread)


async def test_the_loser_of_a_race_writes_nothing_that_was_to_go_with_it(
    rivals: Rivals, pool: Pool, thread: str
) -> None:
    called = []

    async def also(connection: Connection) -> None:
        called.append(connection)

    async def turn() -> None:
        async with rivals.savers[0].turn(every_s=None):
            await rivals.graphs[0].aget_state(at(thread))
            await rivals.run(1, {"asked": "other"}, at(thread))
            await rivals.savers[0].flush(also)

    with pytest.raises(StaleThread):
        await turn()
    assert called == []
    assert await rows_of(pool, thread) == 4


async def _put_ahead(pool: Pool, thread: str, ahead: timedelta) -> None:
    """As a process whose clock was that much ahead would have left the newest checkpoint."""
    async with pool.connection() as connection:
        await connection.execute(
            "UPDATE checkpoints SET checkpoint_id = %(id)s::text, "
            "checkpoint = jsonb_set(checkpoint, '{id}', to_jsonb(%(id)s::text)) "
            "WHERE thread_id = %(thread)s AND checkpoint_id = "
            "(SELECT max(checkpoint_id) FROM checkpoints WHERE thread_id = %(thread)s)",
            {"thread": thread, "id": checkpoint_id_at(datetime.now(UTC) + ahead)},
        )


@pytest.fixture
def _counter_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """LangGraph's counter of ids stands afterwards where it stood: other tests compare ids with times."""
    monkeypatch.setattr(ids, "_last_v6_timestamp", ids._last_v6_timestamp)


@pytest.mark.usefixtures("_counter_set_back")
async def test_a_process_whose_clock_went_back_catches_up_with_the_thread(
    rivals: Rivals, pool: Pool, thread: str
) -> None:
    await rivals.run(0, {"asked": "first"}, at(thread))
    await _put_ahead(pool, thread, timedelta(hours=1))
    with pytest.raises(StaleThread, match="clock is behind"):
        await rivals.run(0, {"asked": "second"}, at(thread))
    assert await rows_of(pool, thread) == 4
    await rivals.run(0, {"asked": "second"}, at(thread))
    assert await said(rivals.graphs[0], thread) == ["first", "did first", "second", "did second"]
    assert await is_one_line(pool, thread)


@pytest.mark.usefixtures("_counter_set_back")
async def test_a_checkpoint_from_far_ahead_takes_no_other_thread_along(rivals: Rivals, pool: Pool, thread: str) -> None:
    await rivals.run(0, {"asked": "first"}, at(thread))
    await _put_ahead(pool, thread, timedelta(days=400))
    for _ in range(2):
        with pytest.raises(StaleThread, match="clock is behind"):
            await rivals.run(0, {"asked": "second"}, at(thread))
    assert await rows_of(pool, thread) == 4
    other = str(uuid.uuid4())
    await rivals.run(0, {"asked": "elsewhere"}, at(other))
    head = await rivals.graphs[0].aget_state(at(other))
    assert head.config["configurable"]["checkpoint_id"] < checkpoint_id_at(datetime.now(UTC) + timedelta(minutes=1))


async def test_many_races_leave_every_history_in_one_line(rivals: Rivals, pool: Pool) -> None:
    for _ in range(15):
        name = str(uuid.uuid4())
        runs = [rivals.run(n % 2, {"asked": f"by {n}"}, at(name)) for n in range(4)]
        assert await rivals.race(*runs) == ["NoneType", "StaleThread", "StaleThread", "StaleThread"]
        assert await is_one_line(pool, name)


async def test_connections_that_end_just_before_the_flush_are_replaced(
    rivals: Rivals, database_url: str, thread: str
) -> None:
    async with rivals.savers[0].turn(every_s=None):
        await rivals.graphs[0].ainvoke({"asked": "a"}, at(thread), durability="sync")
        _terminate_everybody(database_url)
    assert await said(rivals.graphs[0], thread) == ["a", "did a"]


async def test_a_connection_that_ends_in_the_middle_of_a_flush_is_tried_again(
    rivals: Rivals, database_url: str, thread: str
) -> None:
    tries = 0

    async def also(connection: Connection) -> int:
        nonlocal tries
        tries += 1
        if tries == 1:
            _terminate_everybody(database_url)
        await connection.execute("SELECT 1")
        return tries

    async with rivals.savers[0].turn(every_s=None):
        await rivals.graphs[0].ainvoke({"asked": "a"}, at(thread), durability="sync")
        assert await rivals.savers[0].flush(also) == 2
    assert await said(rivals.graphs[0], thread) == ["a", "did a"]


def _terminate_everybody(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


@pytest.fixture
async def cut_graph(cut: CutConnection) -> AsyncIterator[tuple[TurnSaver, Graph]]:
    pool = await open_pool(cut.url, 2)
    saver = TurnSaver(pool)
    yield saver, build(saver)
    await pool.close()


async def test_a_commit_whose_answer_was_lost_is_not_done_twice(
    cut: CutConnection, cut_graph: tuple[TurnSaver, Graph], pool: Pool, thread: str
) -> None:
    saver, graph = cut_graph
    calls = 0

    async def also(_: Connection) -> str:
        nonlocal calls
        calls += 1
        return "once"

    async with saver.turn(every_s=None):
        await graph.ainvoke({"asked": "a?"}, at(thread), durability="sync")
        cut.cut_after_commit = 1
        assert await saver.flush(also) == "once"
        assert (calls, cut.cut_after_commit) == (1, 0)
        # The fence stands at our own commit, so the turn goes on.
        await graph.ainvoke(Command(resume="yes"), at(thread), durability="sync")
        cut.cut_after_commit = 1
    assert cut.cut_after_commit == 0
    assert await said(graph, thread) == ["a?", "yes"]
    assert await is_one_line(pool, thread)


async def test_a_lost_answer_does_not_hide_that_somebody_else_came_in_between(
    cut: CutConnection, cut_graph: tuple[TurnSaver, Graph], rivals: Rivals, pool: Pool, thread: str
) -> None:
    saver, graph = cut_graph

    async def turn() -> None:
        async with saver.turn(every_s=None):
            await graph.ainvoke({"asked": "a"}, at(thread), durability="sync")
            cut.cut_after_commit = 1
            await saver.flush()
            await rivals.run(1, {"asked": "b"}, at(thread))
            await graph.ainvoke({"asked": "c"}, at(thread), durability="sync")

    with pytest.raises(StaleThread):
        await turn()
    assert await said(graph, thread) == ["a", "did a", "b", "did b"]
    assert await is_one_line(pool, thread)
