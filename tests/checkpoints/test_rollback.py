"""A run that is taken back leaves nothing: not a checkpoint, and no answer on the checkpoint that asked for it."""

from typing import Any
from uuid import uuid4

import pytest
from langgraph.types import Command

from checkpoints.database import Pool
from checkpoints.leases import Leases
from checkpoints.run import Run
from checkpoints.runs import Runs
from checkpoints.saver import TurnSaver
from errors import NotFound, StaleThread
from tests.checkpoints.asking import again, ask, change, checkpoints_of, end, play, thread_of
from tests.checkpoints.small_graph import Graph, at, build, said

RUNNING = """
UPDATE frontdesk.runs SET status = 'running', lease_until = clock_timestamp() + interval '1 minute' WHERE run_id = %s"""


class Conversation:
    """One thread; its runs are played to their end, and the last one can be taken back as if it were still running."""

    def __init__(self, pool: Pool, saver: TurnSaver, leases: Leases) -> None:
        self.pool, self.saver, self.leases = pool, saver, leases
        self.runs, self.graph = Runs(pool), build(saver)
        self.last: Run | None = None

    async def say(self, given: Any, at_checkpoint: str | None = None) -> Run:
        thread_id = self.last.thread_id if self.last else None
        self.last = (await ask(self.runs, thread_id, start=self.leases)).run
        await play(self.runs, self.saver, self.graph, self.leases, self.last, given=given, at_checkpoint=at_checkpoint)
        return self.last

    async def take_back(self) -> None:
        assert self.last is not None
        await change(self.pool, RUNNING, self.last.run_id)
        assert await self.runs.rollback(self.last.run_id, "here") is not None

    async def rows(self) -> list[tuple[Any, ...]]:
        assert self.last is not None
        return await checkpoints_of(self.pool, self.last.thread_id)


@pytest.fixture
async def talk(pool: Pool, saver: TurnSaver, leases: Leases) -> Conversation:
    return Conversation(pool, saver, leases)


async def questions(graph: Graph, run: Run) -> list[str]:
    """The ids of the open ones."""
    return [question.id for question in (await graph.aget_state(at(str(run.thread_id)))).interrupts]


async def test_of_a_first_run_nothing_is_left_but_an_idle_thread(talk: Conversation, runs: Runs, pool: Pool) -> None:
    run = await talk.say({"asked": "one"})
    assert run.first_checkpoint_id is None
    assert await talk.rows() != []
    await talk.take_back()
    assert await talk.rows() == []
    with pytest.raises(NotFound):
        await again(runs, run)
    thread = await thread_of(pool, run)
    assert (thread.status, thread.error) == ("idle", {"error": "UserRollback", "message": "rollback requested"})


async def test_the_thread_stands_where_it_stood_before_the_run(talk: Conversation) -> None:
    first = await talk.say({"asked": "one"})
    before = await talk.rows()
    second = await talk.say({"asked": "two"})
    assert second.first_checkpoint_id is not None
    await talk.take_back()
    assert await talk.rows() == before
    await talk.say({"asked": "three"})
    assert await said(talk.graph, str(first.thread_id)) == ["one", "did one", "three", "did three"]


async def test_an_answer_that_is_taken_back_was_never_given(talk: Conversation) -> None:
    asked = await talk.say({"asked": "pay?"})
    before, (question,) = await talk.rows(), await questions(talk.graph, asked)
    answered = await talk.say(Command(resume={question: "approved"}))
    assert answered.first_writes
    assert await said(talk.graph, str(asked.thread_id)) == ["pay?", "approved"]
    await talk.take_back()
    assert await talk.rows() == before
    assert await questions(talk.graph, asked) == [question]
    await talk.say(Command(resume={question: "rejected"}))
    assert await said(talk.graph, str(asked.thread_id)) == ["pay?", "rejected"]


async def test_the_answer_of_an_earlier_run_to_another_question_stays(talk: Conversation) -> None:
    asked = await talk.say({"asked": "pay??"})
    one, two = await questions(talk.graph, asked)
    await talk.say(Command(resume={one: "first"}))
    before = await talk.rows()
    await talk.say(Command(resume={two: "second"}))
    await talk.take_back()
    assert await talk.rows() == before
    assert await questions(talk.graph, asked) == [two]
    await talk.say(Command(resume={two: "other"}))
    assert set(await said(talk.graph, str(asked.thread_id))) == {"pay??", "first", "other"}


async def test_a_fork_that_is_taken_back_leaves_what_it_shares_with_the_past(talk: Conversation) -> None:
    first = await talk.say({"asked": "one"})
    await talk.say({"asked": "two"})
    before = await talk.rows()
    states = [state async for state in talk.graph.aget_state_history(at(str(first.thread_id)))]
    old = next(state for state in reversed(states) if state.next == ("act",))
    await talk.say(None, at_checkpoint=old.config["configurable"]["checkpoint_id"])
    assert len(await talk.rows()) > len(before)
    await talk.take_back()
    assert await talk.rows() == before
    assert await said(talk.graph, str(first.thread_id)) == ["one", "did one", "two", "did two"]


async def test_only_its_holder_takes_a_run_back(talk: Conversation, runs: Runs) -> None:
    run = await talk.say({"asked": "one"})
    before = await talk.rows()
    assert await runs.rollback(run.run_id, "here") is None
    await change(talk.pool, RUNNING, run.run_id)
    assert await runs.rollback(run.run_id, "there") is None
    assert await runs.rollback(uuid4(), "here") is None
    assert await talk.rows() == before


async def test_a_run_that_waits_behind_it_is_next(runs: Runs, leases: Leases, pool: Pool) -> None:
    running = (await ask(runs, start=leases)).run
    waiting = (await ask(runs, running.thread_id, strategy="rollback")).run
    closed = await runs.rollback(running.run_id, "here")
    assert closed is not None
    assert closed.waiting == waiting.run_id
    thread = await thread_of(pool, running)
    assert (thread.status, thread.error) == ("busy", None)
    claimed = await leases.claim(running.thread_id)
    assert claimed is not None
    assert claimed.run_id == waiting.run_id


async def test_a_thread_with_an_open_question_is_interrupted_again(runs: Runs, leases: Leases, pool: Pool) -> None:
    run = (await ask(runs, start=leases)).run
    await end(pool, runs, run, "here", thread_status="interrupted", interrupts={"task": [{"id": "q"}]})
    resume = (await ask(runs, run.thread_id, start=leases)).run
    await runs.rollback(resume.run_id, "here")
    thread = await thread_of(pool, run)
    assert (thread.status, thread.interrupts) == ("interrupted", {"task": [{"id": "q"}]})


async def test_a_turn_that_still_plays_commits_nothing_after_its_run_was_taken_back(
    pool: Pool, saver: TurnSaver, runs: Runs, leases: Leases
) -> None:
    run = (await ask(runs, start=leases)).run

    async def work(_: str) -> None:
        await runs.rollback(run.run_id, "here")

    with pytest.raises(StaleThread, match="not ours any more"):
        await play(runs, saver, build(saver, work), leases, run, given={"asked": "one"})
    assert await checkpoints_of(pool, run.thread_id) == []


async def test_what_is_forgotten_is_not_written(pool: Pool, saver: TurnSaver, runs: Runs, leases: Leases) -> None:
    run = (await ask(runs, start=leases)).run
    graph = build(saver)
    async with saver.turn(every_s=None, guard=leases.guard(run.run_id)):
        await graph.ainvoke({"asked": "one"}, at(str(run.thread_id)), durability="sync")
        await change(pool, "UPDATE frontdesk.runs SET lease_owner = 'there' WHERE run_id = %s", run.run_id)
        saver.forget()
    assert await checkpoints_of(pool, run.thread_id) == []
