"""Threads: ownership, titles, and the row that a run leaves behind."""

from uuid import UUID, uuid4

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoints.database import Pool
from checkpoints.threads import Thread, Threads, parse_thread_id, title_of
from errors import Conflict, InvalidInput, NotFound


@pytest.fixture
def threads(pool: Pool) -> Threads:
    return Threads(pool)


async def test_a_new_thread_is_idle_and_has_a_time_ordered_id_of_ours(threads: Threads) -> None:
    made = [await threads.create("acme", "alex", metadata={"graph_id": "frontdesk"}) for _ in range(3)]
    assert [thread.thread_id for thread in made] == sorted(thread.thread_id for thread in made)
    first = made[0]
    assert first.thread_id.version == 7
    assert (first.status, first.values, first.interrupts, first.error, first.config) == ("idle", None, {}, None, {})
    assert first.metadata == {"graph_id": "frontdesk"}
    assert first.created_at == first.updated_at == first.state_updated_at
    assert first.created_at.tzinfo is not None
    assert await threads.get(first.thread_id, "acme", "alex") == first


@pytest.mark.parametrize(("tenant", "user"), [("acme", "kim"), ("globex", "alex"), ("globex", "kim")])
async def test_somebody_elses_thread_reads_like_one_of_nobody(threads: Threads, tenant: str, user: str) -> None:
    thread = await threads.create("acme", "alex")
    with pytest.raises(NotFound) as of_another:
        await threads.get(thread.thread_id, tenant, user)
    with pytest.raises(NotFound) as of_nobody:
        await threads.get(nobodys := uuid4(), tenant, user)
    assert str(of_another.value) == f"Thread with ID {thread.thread_id} not found"
    assert str(of_nobody.value) == f"Thread with ID {nobodys} not found"


async def test_a_taken_id_is_a_conflict_whoever_has_it(threads: Threads) -> None:
    thread = await threads.create("acme", "alex")
    with pytest.raises(Conflict, match=f"Thread with ID {thread.thread_id} already exists"):
        await threads.create("globex", "kim", thread_id=thread.thread_id)
    assert (await threads.get(thread.thread_id, "acme", "alex")) == thread


async def test_the_first_question_becomes_the_title_and_stays(threads: Threads) -> None:
    thread = await threads.create("acme", "alex", metadata={"a": 1})
    await threads.mark_busy(thread.thread_id, question="  查一下\n今天的订单  ", metadata={"graph_id": "frontdesk"})
    await threads.mark_busy(thread.thread_id, question="昨天的呢", config={"configurable": {}})
    busy = await threads.get(thread.thread_id, "acme", "alex")
    assert (busy.title, busy.status) == ("查一下 今天的订单", "busy")
    assert busy.metadata == {"a": 1, "graph_id": "frontdesk"}
    assert busy.config == {"configurable": {}}
    assert busy.updated_at > thread.updated_at
    assert busy.state_updated_at == thread.state_updated_at


async def test_a_finished_run_leaves_values_questions_and_error_behind(threads: Threads) -> None:
    thread = await threads.create("acme", "alex")
    questions = {"task": [{"id": "1", "value": {"action_requests": []}}]}
    await threads.finish(thread.thread_id, status="interrupted", values={"messages": []}, interrupts=questions)
    interrupted = await threads.get(thread.thread_id, "acme", "alex")
    assert (interrupted.status, interrupted.values, interrupted.interrupts) == (
        "interrupted",
        {"messages": []},
        questions,
    )
    assert interrupted.state_updated_at > thread.state_updated_at
    failure = {"error": "TimeoutError", "message": "the turn took too long"}
    await threads.finish(thread.thread_id, status="error", values=None, interrupts={}, error=failure)
    assert (await threads.get(thread.thread_id, "acme", "alex")).error == failure
    await threads.mark_busy(thread.thread_id)
    assert (await threads.get(thread.thread_id, "acme", "alex")).error is None


async def test_what_jsonb_cannot_hold_does_not_lose_the_row(threads: Threads) -> None:
    thread = await threads.create("acme", "alex")
    values = {"a\x00": "b\x00\ud800", "n": [float("nan"), float("inf"), 1.5], "kept": "\\u0000 订单"}
    await threads.finish(thread.thread_id, status="idle", values=values, interrupts={})
    assert (await threads.get(thread.thread_id, "acme", "alex")).values == {
        "a\ufffd": "b\ufffd\ufffd",
        "n": [None, None, 1.5],
        "kept": "\\u0000 订单",
    }


async def test_a_change_can_join_a_transaction_and_goes_with_it(threads: Threads, pool: Pool) -> None:
    thread = await threads.create("acme", "alex")
    async with pool.connection() as connection, connection.transaction(force_rollback=True):
        await threads.mark_busy(thread.thread_id, conn=connection)
        assert (await threads.get(thread.thread_id, "acme", "alex", conn=connection)).status == "busy"
    assert (await threads.get(thread.thread_id, "acme", "alex")).status == "idle"


async def test_a_thread_of_nobody_cannot_be_changed(threads: Threads) -> None:
    with pytest.raises(NotFound):
        await threads.mark_busy(uuid4())
    with pytest.raises(NotFound):
        await threads.finish(uuid4(), status="idle", values=None, interrupts={})


async def test_the_table_refuses_a_status_that_does_not_exist(pool: Pool, threads: Threads) -> None:
    thread = await threads.create("acme", "alex")
    async with pool.connection() as connection:
        with pytest.raises(psycopg.errors.CheckViolation):
            await connection.execute(
                "UPDATE frontdesk.threads SET status = 'gone' WHERE thread_id = %s", (thread.thread_id,)
            )


@pytest.mark.parametrize(
    "text",
    ["", "xyz", "123", "01a22c4e-e2b2-7427-8ab8-288515f6a23", "' OR 1=1 --", "１" * 32, "_".join("1" * 16) + "1"],
)
def test_what_is_no_uuid_is_refused_in_these_words(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"^Invalid thread ID: must be a UUID$"):
        parse_thread_id(text)


@given(st.uuids())
def test_every_uuid_is_read(thread_id: UUID) -> None:
    assert parse_thread_id(str(thread_id)) == parse_thread_id(str(thread_id).upper()) == thread_id


@given(st.text(max_size=300))
def test_a_title_is_one_short_printable_line(question: str) -> None:
    title = title_of(question)
    assert title.isprintable()
    assert len(title) <= 60
    assert title_of(title) == title


def test_a_thread_cannot_be_changed_in_place() -> None:
    assert Thread.__dataclass_params__.frozen  # type: ignore[attr-defined] # typeshed does not know it
