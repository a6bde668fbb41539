"""The ledger: one row for one effect, committed before the call together with the steps that led to it."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest

from checkpoints.database import Connection, Pool, open_pool
from checkpoints.leases import Leases
from checkpoints.ledger import LedgerStore, Row
from checkpoints.runs import Runs
from checkpoints.saver import TurnSaver
from errors import Conflict, NotFound, StaleThread, Unavailable
from tests.checkpoints.asking import ask, change, count, end
from tests.checkpoints.small_graph import at, build, rows_of


@pytest.fixture
async def rival(database_url: str) -> AsyncIterator[Pool]:
    """Connections of another process."""
    opened = await open_pool(database_url, 4)
    yield opened
    await opened.close()


@pytest.fixture
def ledger(pool: Pool, saver: TurnSaver) -> LedgerStore:
    return LedgerStore(pool, saver)


@pytest.fixture
async def there(rival: Pool) -> LedgerStore:
    return LedgerStore(rival, TurnSaver(rival))


def call(**changes: Any) -> dict[str, Any]:
    """A call that nobody made before."""
    entry: dict[str, Any] = {
        "effect_key": uuid.uuid4().hex,
        "business_key": None,
        "tenant": "acme",
        "user": "alex",
        "thread_id": str(uuid.uuid4()),
        "turn_id": "turn",
        "run_id": str(uuid.uuid4()),
        "tool": "update_order_status",
        "arguments": {"order_no": "1001"},
    }
    return {**entry, **changes}


async def stored(pool: Pool, row: Row) -> dict[str, Any]:
    async with pool.connection() as connection:
        found = await connection.execute("SELECT * FROM frontdesk.ledger WHERE id = %s", (row.id,))
        return dict(await found.fetchone() or {})


async def test_what_is_done_is_given_back_and_not_begun_again(ledger: LedgerStore, there: LedgerStore) -> None:
    entry = call()
    begun = await ledger.begin(**entry)
    assert (begun.state, begun.result) == ("begun", None)
    await ledger.settle(begun.id, "done", {"content": "好的\x00", "data": {"n": float("nan")}})
    recorded = await there.begin(**entry)
    assert recorded == Row(id=begun.id, state="recorded", result={"content": "好的\ufffd", "data": {"n": None}})


async def test_what_began_and_has_no_end_is_unknown(ledger: LedgerStore, there: LedgerStore) -> None:
    entry = call()
    begun = await ledger.begin(**entry)
    assert await there.begin(**entry) == Row(id=begun.id, state="unknown")
    await there.settle(begun.id, "done", {"again": True})
    assert (await ledger.begin(**entry)).result == {"again": True}


async def test_what_failed_may_begin_again_in_its_row(ledger: LedgerStore, pool: Pool) -> None:
    entry = call(arguments={"n": 1})
    first = await ledger.begin(**entry)
    await ledger.settle(first.id, "failed", {"reason": "refused"})
    second = await ledger.begin(**{**entry, "run_id": "another", "arguments": {"n": 2}})
    assert second == Row(id=first.id, state="begun")
    row = await stored(pool, second)
    assert (row["status"], row["run_id"], row["arguments"], row["result"]) == ("started", "another", {"n": 2}, None)
    assert row["finished_at"] is None


async def test_the_first_end_counts(ledger: LedgerStore, pool: Pool) -> None:
    begun = await ledger.begin(**call())
    await ledger.settle(begun.id, "done", {"n": 1})
    await ledger.settle(begun.id, "failed", {"n": 2})
    row = await stored(pool, begun)
    assert (row["status"], row["result"]) == ("done", {"n": 1})


async def test_of_two_that_begin_at_once_one_may(ledger: LedgerStore, there: LedgerStore) -> None:
    for _ in range(20):
        entry = call()
        rows = await asyncio.gather(*(each.begin(**entry) for each in (ledger, there, ledger, there)))
        assert sorted(row.state for row in rows) == ["begun", "unknown", "unknown", "unknown"]
        assert len({row.id for row in rows}) == 1


async def test_a_business_key_holds_across_turns_for_one_tool_of_one_tenant(ledger: LedgerStore) -> None:
    key = {"business_key": "1001:shipped"}
    first = await ledger.begin(**call(**key))
    assert await ledger.begin(**call(**key)) == Row(id=first.id, state="unknown", own=False)
    await ledger.settle(first.id, "done", {"ok": True})
    again = await ledger.begin(**call(**key, user="kim"))
    assert again == Row(id=first.id, state="recorded", result={"ok": True}, own=False)
    for other in ({"tenant": "globex"}, {"tool": "add_todo"}, {"business_key": "1001:paid"}):
        assert (await ledger.begin(**call(**{**key, **other}))).state == "begun"


async def test_a_business_key_is_free_again_when_the_call_failed(ledger: LedgerStore) -> None:
    key = {"business_key": "2002:shipped"}
    entry = call(**key)
    first = await ledger.begin(**entry)
    await ledger.settle(first.id, "failed", None)
    second = await ledger.begin(**call(**key))
    assert second.state == "begun"
    assert second.id != first.id
    assert await ledger.begin(**entry) == Row(id=second.id, state="unknown", own=False)
    await ledger.settle(second.id, "done", {"ok": True})
    assert await ledger.begin(**entry) == Row(id=second.id, state="recorded", result={"ok": True}, own=False)


async def test_of_many_with_one_business_key_at_once_one_may_though_some_failed_before(
    ledger: LedgerStore, there: LedgerStore
) -> None:
    for _ in range(10):
        entries = [call(business_key=str(uuid.uuid4()))]
        entries += [call(business_key=entries[0]["business_key"]) for _ in range(3)]
        for entry in entries:
            await ledger.settle((await ledger.begin(**entry)).id, "failed", None)
        stores = (ledger, there, ledger, there)
        rows = await asyncio.gather(*(store.begin(**entry) for store, entry in zip(stores, entries, strict=True)))
        assert sorted(row.state for row in rows) == ["begun", "unknown", "unknown", "unknown"]


async def test_the_key_of_the_business_is_not_readable_in_the_table(ledger: LedgerStore, pool: Pool) -> None:
    row = await stored(pool, await ledger.begin(**call(business_key="13800138000:张三")))
    assert "13800138000" not in str(row["business_key"])


async def test_begin_commits_the_steps_that_led_to_the_call(pool: Pool, saver: TurnSaver, ledger: LedgerStore) -> None:
    thread, seen, begun = str(uuid.uuid4()), [], []

    async def work(_: str) -> None:
        seen.append(await rows_of(pool, thread))
        begun.append(await ledger.begin(**call(thread_id=thread)))
        seen.append(await rows_of(pool, thread))

    async with saver.turn(every_s=None):
        await build(saver, work).ainvoke({"asked": "pay"}, at(thread), durability="sync")
    before, after = seen
    assert before == 0 < after
    assert (await stored(pool, begun[0]))["status"] == "started"


async def test_two_effects_one_after_the_other_cost_two_commits_and_the_closing_one(
    pool: Pool, saver: TurnSaver, ledger: LedgerStore
) -> None:
    commits: set[str] = set()

    async def work(_: str) -> None:
        for entry in (call(), call()):
            await ledger.settle((await ledger.begin(**entry)).id, "done", {})

    async with saver.turn(every_s=None):
        await build(saver, work).ainvoke({"asked": "pay"}, at(thread := str(uuid.uuid4())), durability="sync")
    async with pool.connection() as connection:
        for table, where in (("checkpoints", "thread_id = %s"), ("checkpoint_writes", "thread_id = %s")):
            rows = await connection.execute(f"SELECT xmin::text AS x FROM {table} WHERE {where}", (thread,))
            commits |= {row["x"] async for row in rows}
        rows = await connection.execute("SELECT xmin::text AS x FROM frontdesk.ledger ORDER BY id DESC LIMIT 2")
        commits |= {row["x"] async for row in rows}
    assert len(commits) <= 3


async def test_an_end_is_on_disk_a_moment_later_though_the_turn_goes_on(
    pool: Pool, saver: TurnSaver, ledger: LedgerStore
) -> None:
    async with saver.turn(every_s=None):
        begun = await ledger.begin(**call())
        await ledger.settle(begun.id, "done", {})
        for _ in range(100):
            await asyncio.sleep(0.02)
            if (await stored(pool, begun))["status"] == "done":
                break
        else:
            pytest.fail("the end was not written")


async def test_an_end_is_written_though_the_turn_lost_its_thread(
    pool: Pool, saver: TurnSaver, ledger: LedgerStore, rival: Pool
) -> None:
    thread, rows = str(uuid.uuid4()), []
    other = build(TurnSaver(rival))

    async def work(_: str) -> None:
        rows.append(await ledger.begin(**call(thread_id=thread)))
        await other.aupdate_state(at(thread), {"said": ["edited"]}, as_node="act")
        await ledger.settle(rows[0].id, "done", {"ok": True})

    with pytest.raises(StaleThread):
        async with saver.turn(every_s=None):
            await build(saver, work).ainvoke({"asked": "pay"}, at(thread), durability="sync")
    assert (await stored(pool, rows[0]))["status"] == "done"


async def test_an_end_that_comes_after_its_turn_is_written_at_once(
    pool: Pool, saver: TurnSaver, ledger: LedgerStore
) -> None:
    async with saver.turn(every_s=None):
        begun = await ledger.begin(**call())
        open_ = asyncio.Event()

        async def late() -> None:
            await open_.wait()
            await ledger.settle(begun.id, "failed", {})

        task = asyncio.create_task(late())
    open_.set()
    await task
    assert (await stored(pool, begun))["status"] == "failed"


async def test_an_end_that_comes_after_the_closing_commit_does_not_fail_the_turn(
    pool: Pool, saver: TurnSaver, ledger: LedgerStore
) -> None:
    runs, leases = Runs(pool), Leases(pool, "here", 10)
    run = (await ask(runs, start=leases)).run

    async def close(connection: Connection) -> None:
        await runs.finish(connection, run.run_id, "here", status="success", thread_status="idle")

    async with saver.turn(every_s=None, guard=leases.guard(run.run_id)):
        begun = await ledger.begin(**call(run_id=str(run.run_id)))
        await saver.flush(close)
        await ledger.settle(begun.id, "done", {})
    assert (await stored(pool, begun))["status"] == "done"


async def test_nothing_begins_for_a_run_that_is_not_ours_any_more(
    pool: Pool, saver: TurnSaver, ledger: LedgerStore
) -> None:
    runs, leases = Runs(pool), Leases(pool, "here", 10)
    run = (await ask(runs, start=leases)).run
    before = await count(pool, "frontdesk.ledger")
    async with saver.turn(every_s=None, guard=leases.guard(run.run_id)):
        await change(pool, "UPDATE frontdesk.runs SET lease_owner = 'there' WHERE run_id = %s", run.run_id)
        with pytest.raises(StaleThread, match="not ours any more"):
            await ledger.begin(**call(run_id=str(run.run_id)))
    assert await count(pool, "frontdesk.ledger") == before


async def test_a_dead_database_is_unavailable_and_nothing_is_begun(database_url: str) -> None:
    dead = await open_pool(database_url, 1)
    await dead.close()
    ledger = LedgerStore(dead, TurnSaver(dead))
    with pytest.raises((Unavailable, psycopg.OperationalError)):
        await ledger.settle(1, "done", {})


async def test_an_operator_sees_what_nobody_knows_the_end_of_and_settles_it(
    pool: Pool, ledger: LedgerStore, there: LedgerStore
) -> None:
    runs, leases = Runs(pool), Leases(pool, "here", 10)
    run = (await ask(runs, start=leases)).run
    entry = call(thread_id=str(run.thread_id), run_id=str(run.run_id), business_key="3003:shipped")
    begun = await ledger.begin(**entry)
    assert begun.id not in [effect.id for effect in await there.unknown(limit=1000)]
    with pytest.raises(Conflict, match="still running"):
        await there.resolve(begun.id, "done", "operator")
    await end(pool, runs, run, "here")
    (mine,) = [effect for effect in await there.unknown(limit=1000) if effect.id == begun.id]
    assert (mine.tool, mine.arguments, mine.run_id) == ("update_order_status", {"order_no": "1001"}, str(run.run_id))
    settled = await there.resolve(begun.id, "done", "operator", "seen in the shop")
    assert (settled.status, settled.settled_by, settled.note) == ("done", "operator", "seen in the shop")
    assert settled.finished_at is not None
    assert await ledger.begin(**entry) == Row(id=begun.id, state="recorded", result=None)
    with pytest.raises(Conflict, match="settled already: done"):
        await there.resolve(begun.id, "failed", "operator")
    with pytest.raises(NotFound):
        await there.resolve(10**9, "done", "operator")


async def test_a_call_whose_run_nobody_holds_any_more_is_for_the_operator(
    pool: Pool, ledger: LedgerStore, there: LedgerStore
) -> None:
    """Its process is gone, and no desk runs that could take the run over."""
    run = (await ask(Runs(pool), start=Leases(pool, "here", 10))).run
    begun = await ledger.begin(**call(thread_id=str(run.thread_id), run_id=str(run.run_id)))
    assert begun.id not in [effect.id for effect in await there.unknown(limit=1000)]
    await change(pool, "UPDATE frontdesk.runs SET lease_until = clock_timestamp() WHERE run_id = %s", run.run_id)
    assert begun.id in [effect.id for effect in await there.unknown(limit=1000)]
    assert (await there.resolve(begun.id, "done", "operator")).status == "done"


async def test_the_ends_of_calls_are_found_by_row_and_by_key_within_the_tenant(ledger: LedgerStore) -> None:
    entries = [call() for _ in range(4)]
    rows = [await ledger.begin(**entry) for entry in entries]
    for row in rows[:3]:
        await ledger.settle(row.id, "done", {"n": row.id})
    keys = [entry["effect_key"] for entry in entries]
    found = await ledger.settled("acme", [rows[0].id], keys[1:2] + keys[3:])
    assert sorted(effect.id for effect in found) == [rows[0].id, rows[1].id]
    assert await ledger.settled("globex", [rows[0].id], keys) == []
    assert await ledger.settled("acme", [], []) == []


async def test_of_a_run_all_calls_are_found_and_those_of_its_turn_by_their_keys(ledger: LedgerStore) -> None:
    run = {"run_id": str(uuid.uuid4()), "thread_id": str(uuid.uuid4())}
    mine, earlier, other = call(**run), call(), call()
    rows = [await ledger.begin(**entry) for entry in (mine, earlier, other)]
    found = await ledger.of_run(run["run_id"], run["thread_id"], [earlier["effect_key"]])
    assert sorted(effect.id for effect in found) == [row.id for row in rows[:2]]


async def test_what_an_operator_settles_as_failed_may_begin_again(ledger: LedgerStore, pool: Pool) -> None:
    entry = call()
    begun = await ledger.begin(**entry)
    await ledger.resolve(begun.id, "failed", "operator", "never arrived")
    assert await ledger.begin(**entry) == Row(id=begun.id, state="begun")
    assert (await stored(pool, begun))["settled_by"] is None


async def test_of_two_operators_one_settles(ledger: LedgerStore, there: LedgerStore) -> None:
    begun = await ledger.begin(**call())
    both = await asyncio.gather(
        ledger.resolve(begun.id, "done", "one"), there.resolve(begun.id, "failed", "two"), return_exceptions=True
    )
    assert sum(isinstance(each, Conflict) for each in both) == 1


async def test_a_call_outside_of_any_thread_has_a_row_too(ledger: LedgerStore) -> None:
    assert (await ledger.begin(**call(thread_id="", run_id=""))).state == "begun"
