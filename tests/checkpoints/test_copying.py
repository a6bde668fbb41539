"""Copies of threads: the same history under another id, or one moment of it to begin from."""

from uuid import uuid4

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.types import Command, StateSnapshot

from checkpoints.database import Pool
from checkpoints.leases import Leases
from checkpoints.run import Run
from checkpoints.runs import Runs
from checkpoints.saver import TurnSaver
from checkpoints.threads import Threads
from errors import NotFound
from tests.checkpoints.asking import ask, change, checkpoints_of, end, play, thread_of
from tests.checkpoints.small_graph import Graph, at, build, said


@pytest.fixture
def threads(pool: Pool) -> Threads:
    return Threads(pool)


@pytest.fixture
async def graph(saver: TurnSaver) -> Graph:
    return build(saver)


@pytest.fixture
async def source(pool: Pool, saver: TurnSaver, graph: Graph) -> Run:
    """A thread of two turns; the second asks."""
    runs, leases = Runs(pool), Leases(pool, "here", 60)
    first = (await ask(runs, start=leases, labels={"graph_id": "frontdesk"})).run
    await play(runs, saver, graph, leases, first, given={"asked": "one"})
    second = (await ask(runs, first.thread_id, start=leases)).run
    await play(runs, saver, graph, leases, second, given={"asked": "pay?"})
    return first


async def history(graph: Graph, thread_id: object) -> list[StateSnapshot]:
    return [state async for state in graph.aget_state_history(at(str(thread_id)))]


def told(states: list[StateSnapshot]) -> list[object]:
    return [(s.values, s.next, s.interrupts, (s.metadata or {}).get("step")) for s in states]


def id_of(config: RunnableConfig | None) -> str:
    assert config is not None
    return str(config["configurable"]["checkpoint_id"])


async def test_a_copy_has_the_whole_history_and_goes_its_own_way(
    threads: Threads, graph: Graph, source: Run, pool: Pool
) -> None:
    before = await checkpoints_of(pool, source.thread_id)
    copy = await threads.copy(source.thread_id, "acme", "alex", metadata={"why": "fork"})
    row = await thread_of(pool, source)
    assert (copy.title, copy.values, copy.status) == (row.title, row.values, row.status)
    stood = (await graph.aget_state(at(str(source.thread_id)))).config["configurable"]["checkpoint_id"]
    came_from = {"thread_id": str(source.thread_id), "checkpoint_id": stood}
    assert copy.metadata == {"graph_id": "frontdesk", "why": "fork", "copied_from": came_from}
    again = await threads.copy(copy.thread_id, "acme", "alex")
    assert again.metadata["copied_from"] == {**came_from, "thread_id": str(copy.thread_id)}
    assert told(await history(graph, copy.thread_id)) == told(await history(graph, source.thread_id))
    (question,) = (await graph.aget_state(at(str(copy.thread_id)))).interrupts
    await graph.ainvoke(Command(resume={question.id: "yes"}), at(str(copy.thread_id)))
    assert (await said(graph, str(copy.thread_id)))[-1] == "yes"
    assert await checkpoints_of(pool, source.thread_id) == before


async def test_a_copy_names_itself_and_not_its_source(threads: Threads, source: Run, pool: Pool) -> None:
    noted = (
        "UPDATE checkpoints SET metadata = metadata || jsonb_build_object('thread_id', thread_id) WHERE thread_id = %s"
    )
    await change(pool, noted, str(source.thread_id))
    copy = await threads.copy(source.thread_id, "acme", "alex")
    rows = str(await checkpoints_of(pool, copy.thread_id))
    assert str(source.thread_id) not in rows
    async with pool.connection() as connection:
        found = await connection.execute(
            "SELECT DISTINCT metadata ->> 'thread_id' AS id FROM checkpoints WHERE thread_id = %s",
            (str(copy.thread_id),),
        )
        assert await found.fetchall() == [{"id": str(copy.thread_id)}]


async def test_a_copy_until_a_checkpoint_ends_there(threads: Threads, graph: Graph, source: Run) -> None:
    states = await history(graph, source.thread_id)
    end_of_first = next(state for state in states if state.next == ())
    copy = await threads.copy(source.thread_id, "acme", "alex", until=id_of(end_of_first.config))
    copied = await history(graph, copy.thread_id)
    assert told(copied) == told(states[states.index(end_of_first) :])
    assert (copy.status, copy.values, copy.interrupts, copy.error) == ("idle", None, {}, None)
    await graph.ainvoke({"asked": "other"}, at(str(copy.thread_id)))
    assert await said(graph, str(copy.thread_id)) == ["one", "did one", "other", "did other"]


async def test_one_checkpoint_alone_is_enough_to_begin_from(
    threads: Threads, graph: Graph, source: Run, pool: Pool
) -> None:
    states = await history(graph, source.thread_id)
    end_of_first = next(state for state in states if state.next == ())
    copy = await threads.copy(source.thread_id, "acme", "alex", until=id_of(end_of_first.config), with_history=False)
    (only,) = await history(graph, copy.thread_id)
    assert (only.values, only.parent_config) == (end_of_first.values, None)
    tables = [row[0] for row in await checkpoints_of(pool, copy.thread_id)]
    assert tables.count("checkpoints") == 1
    assert tables.count("checkpoint_writes") == 0
    await graph.ainvoke({"asked": "other"}, at(str(copy.thread_id)))
    assert await said(graph, str(copy.thread_id)) == ["one", "did one", "other", "did other"]


@pytest.mark.parametrize("with_history", [True, False])
async def test_an_old_answer_does_not_come_along(
    threads: Threads, graph: Graph, source: Run, with_history: bool
) -> None:
    """Otherwise it would win over the next one."""
    asking = await graph.aget_state(at(str(source.thread_id)))
    (question,) = asking.interrupts
    await graph.ainvoke(Command(resume={question.id: "yes"}), at(str(source.thread_id)))
    copy = await threads.copy(source.thread_id, "acme", "alex", until=id_of(asking.config), with_history=with_history)
    await graph.ainvoke(None, at(str(copy.thread_id)))
    (again,) = (await graph.aget_state(at(str(copy.thread_id)))).interrupts
    await graph.ainvoke(Command(resume={again.id: "no"}), at(str(copy.thread_id)))
    assert (await said(graph, str(copy.thread_id)))[-1] == "no"


@pytest.mark.parametrize("with_history", [True, False])
async def test_an_open_question_comes_along(threads: Threads, graph: Graph, source: Run, with_history: bool) -> None:
    asking = await graph.aget_state(at(str(source.thread_id)))
    copy = await threads.copy(source.thread_id, "acme", "alex", until=id_of(asking.config), with_history=with_history)
    (question,) = (await graph.aget_state(at(str(copy.thread_id)))).interrupts
    assert question == asking.interrupts[0]


async def test_a_checkpoint_of_another_thread_is_not_found(threads: Threads, graph: Graph, source: Run) -> None:
    empty = await threads.create("acme", "alex")
    for until in (id_of((await graph.aget_state(at(str(source.thread_id)))).config), str(uuid4()), ""):
        with pytest.raises(NotFound, match="Checkpoint"):
            await threads.copy(empty.thread_id, "acme", "alex", until=until)
    _, total = await threads.search("acme", "alex", ids=[empty.thread_id])
    assert total == 1


@pytest.mark.parametrize(("tenant", "user"), [("acme", "kim"), ("globex", "alex")])
async def test_nobody_copies_the_thread_of_somebody_else(threads: Threads, source: Run, tenant: str, user: str) -> None:
    with pytest.raises(NotFound, match=f"Thread with ID {source.thread_id} not found"):
        await threads.copy(source.thread_id, tenant, user)
    assert await threads.newest(tenant, user) is None


async def test_a_copy_of_a_busy_thread_is_not_busy(pool: Pool, threads: Threads) -> None:
    runs, leases = Runs(pool), Leases(pool, "here", 60)
    run = (await ask(runs, start=leases)).run
    assert (await threads.copy(run.thread_id, "acme", "alex")).status == "idle"
    await end(pool, runs, run, "here", thread_status="interrupted", interrupts={"task": []})
    await ask(runs, run.thread_id)
    copy = await threads.copy(run.thread_id, "acme", "alex")
    assert (copy.status, copy.interrupts) == ("interrupted", {"task": []})
    assert await runs.of_thread(copy.thread_id, "acme", "alex") == []


async def test_a_copy_of_a_replay_is_a_thread_like_any_other(threads: Threads) -> None:
    replay = await threads.create("acme", "alex", metadata={"replay_of": "x", "replay": True, "kept": 1})
    copy = await threads.copy(replay.thread_id, "acme", "alex")
    assert copy.metadata == {"kept": 1, "copied_from": {"thread_id": str(replay.thread_id), "checkpoint_id": None}}
