"""Threads: ownership, titles, and the row that a run leaves behind."""

from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoints.database import Pool
from checkpoints.threads import SortBy, SortOrder, Thread, Threads, parse_thread_id, title_of
from errors import Conflict, InvalidInput, NotFound
from tests.checkpoints.asking import change


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
        await threads.finish(thread.thread_id, status="error", values={}, interrupts={}, conn=connection)
        assert (await threads.get(thread.thread_id, "acme", "alex", conn=connection)).status == "error"
    assert (await threads.get(thread.thread_id, "acme", "alex")).status == "idle"


async def test_a_thread_of_nobody_cannot_be_changed(threads: Threads) -> None:
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


@pytest.fixture
async def owned(pool: Pool) -> tuple[str, list[Thread]]:
    """A user that no other test knows, and three threads; the last one is the newest."""
    user, threads = str(uuid4()), Threads(pool)
    made = [await threads.create("acme", user, title=f"{n}", metadata={"n": n, "odd": n % 2 == 1}) for n in range(3)]
    await threads.finish(made[0].thread_id, status="idle", values={"summary": "订单", "n": 1}, interrupts={})
    await threads.finish(made[1].thread_id, status="error", values={"n": 2}, interrupts={}, error={"error": "E"})
    return user, made


def ids(threads: list[Thread]) -> list[UUID]:
    return [thread.thread_id for thread in threads]


async def test_a_search_finds_by_id_metadata_values_and_status(
    threads: Threads, owned: tuple[str, list[Thread]]
) -> None:
    user, made = owned
    everything, total = await threads.search("acme", user)
    assert (ids(everything), total) == (ids(made)[::-1], 3)
    searches: list[tuple[dict[str, Any], list[int]]] = [
        ({"metadata": {"odd": False}}, [2, 0]),
        ({"metadata": {"n": 7}}, []),
        ({"values": {"summary": "订单"}}, [0]),
        ({"values": {}}, [1, 0]),
        ({"status": "error"}, [1]),
        ({"status": "idle", "metadata": {"n": 2}}, [2]),
        ({"ids": [made[1].thread_id, uuid4()]}, [1]),
        ({"ids": []}, []),
    ]
    for wanted, expected in searches:
        found, total = await threads.search("acme", user, **wanted)
        assert (ids(found), total) == ([made[n].thread_id for n in expected], len(expected)), wanted


async def test_a_search_shows_replays_only_to_whoever_asks_for_them(
    threads: Threads, owned: tuple[str, list[Thread]]
) -> None:
    user, made = owned
    label = {"replay_of": str(made[0].thread_id)}
    replay = await threads.create("acme", user, metadata=label)
    assert replay.thread_id not in ids((await threads.search("acme", user))[0])
    for wanted in ({"ids": [replay.thread_id]}, {"metadata": label}):
        assert await threads.search("acme", user, **wanted) == ([replay], 1)


async def test_a_search_is_paged_and_sorted(threads: Threads, owned: tuple[str, list[Thread]]) -> None:
    user, made = owned
    page, total = await threads.search("acme", user, limit=1, offset=1)
    assert (ids(page), total) == ([made[1].thread_id], 3)
    assert await threads.search("acme", user, limit=1, offset=9) == ([], 3)
    orders: list[tuple[SortBy, SortOrder, list[int]]] = [
        ("created_at", "asc", [0, 1, 2]),
        ("thread_id", "desc", [2, 1, 0]),
        ("updated_at", "desc", [1, 0, 2]),
        ("state_updated_at", "asc", [2, 0, 1]),
        ("status", "asc", [1, 0, 2]),
    ]
    for by, order, expected in orders:
        found, _ = await threads.search("acme", user, sort_by=by, sort_order=order)
        assert ids(found) == [made[n].thread_id for n in expected], (by, order)


@pytest.mark.parametrize("tenant", ["globex", "acme"])
async def test_a_search_sees_nothing_of_somebody_else(
    threads: Threads, owned: tuple[str, list[Thread]], tenant: str
) -> None:
    user, made = owned
    other = user if tenant == "globex" else "kim"
    assert await threads.search(tenant, other, ids=ids(made)) == ([], 0)
    assert await threads.newest(tenant, other) is None
    with pytest.raises(NotFound):
        await threads.patch(made[0].thread_id, tenant, other, {"mine": True})


async def test_current_is_the_thread_that_was_last_in_use(
    threads: Threads, owned: tuple[str, list[Thread]], pool: Pool
) -> None:
    user, made = owned
    assert (newest := await threads.newest("acme", user))
    assert newest.thread_id == made[1].thread_id
    await threads.create("acme", user, metadata={"replay_of": str(made[0].thread_id)})
    assert await threads.newest("acme", user) == newest
    past = "UPDATE frontdesk.threads SET updated_at = updated_at - interval '20 minutes' WHERE user_id = %s"
    await change(pool, past, user)
    assert await threads.newest("acme", user, idle_minutes=15) is None
    assert (late := await threads.newest("acme", user, idle_minutes=30))
    assert late.thread_id == newest.thread_id
    await change(pool, "UPDATE frontdesk.threads SET status = 'busy' WHERE thread_id = %s", made[0].thread_id)
    assert (busy := await threads.newest("acme", user, idle_minutes=15))
    assert busy.thread_id == made[0].thread_id


async def test_metadata_is_laid_over_what_is_there(threads: Threads) -> None:
    thread = await threads.create("acme", "alex", metadata={"a": 1, "b": {"c": 1}})
    patched = await threads.patch(thread.thread_id, "acme", "alex", {"b": {"d": 2}, "e": "x\x00"})
    assert patched.metadata == {"a": 1, "b": {"d": 2}, "e": "x\ufffd"}
    assert await threads.get(thread.thread_id, "acme", "alex") == patched
    assert patched.updated_at > thread.updated_at


async def test_values_are_revised_only_while_nothing_runs(threads: Threads, pool: Pool) -> None:
    thread = await threads.create("acme", "alex")

    async def revise(n: int) -> bool:
        async with pool.connection() as connection, connection.transaction():
            return await threads.revise(thread.thread_id, {"n": n}, conn=connection)

    assert await revise(1)
    await change(pool, "UPDATE frontdesk.threads SET status = 'busy' WHERE thread_id = %s", thread.thread_id)
    assert not await revise(2)
    assert (await threads.get(thread.thread_id, "acme", "alex")).values == {"n": 1}
