"""The audit's rows go with the turn's commits, are found by what is asked for, and are never changed."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.utils.uuid import uuid7

from checkpoints.audit import AuditStore, Recorded, Wanted, audit_id_at
from checkpoints.database import Pool, open_pool
from checkpoints.leases import Leases
from checkpoints.retention import Keep, Pruned, prune
from checkpoints.run import Run
from checkpoints.runs import Runs
from checkpoints.saver import TurnSaver
from checkpoints.threads import Threads
from errors import StaleThread, Unavailable
from tests.checkpoints.asking import ask, change, count, play
from tests.checkpoints.entries import Entry, of_run
from tests.checkpoints.small_graph import build

EVERYTHING = Wanted()
OWNED = ("thread_id", "turn_id", "run_id", "call_id", "undoes", "arguments", "result", "confirmation")


@pytest.fixture
def pool(fresh_pool: Pool) -> Pool:
    """A database of the test's own, all of which is looked at."""
    return fresh_pool


@pytest.fixture
def audit(pool: Pool, saver: TurnSaver) -> AuditStore:
    return AuditStore(pool, saver)


async def tools(audit: AuditStore, **wanted: Any) -> list[str]:
    return [row.tool for row in await audit.find(Wanted(**wanted))]


async def test_outside_of_a_turn_a_row_is_kept_at_once_and_reads_back_as_it_was_told(audit: AuditStore) -> None:
    before = datetime.now(UTC)
    told = Entry(confirmation={"asked": {"n": 1}, "answer": "approve"}, thread_id="t", roles=["viewer", "auditor"])
    await audit.record(told)
    (row,) = await audit.find(EVERYTHING)
    assert {name: getattr(row, name) for name in told.columns()} == told.columns()
    assert before - timedelta(seconds=1) < row.at < datetime.now(UTC) + timedelta(seconds=1)
    assert row.id.version == 7


async def test_the_rows_of_a_turn_come_with_its_one_commit(
    audit: AuditStore, saver: TurnSaver, runs: Runs, leases: Leases, fresh_database_url: str
) -> None:
    run = (await ask(runs, start=leases)).run
    elsewhere = await open_pool(fresh_database_url, 1)
    seen: list[int] = []

    async def work(_: str) -> None:
        for n in range(3):
            await audit.record(of_run(run, tool=f"tool_{n}"))
        seen.append(await count(elsewhere, "frontdesk.audit"))

    await play(runs, saver, build(saver, work), leases, run, given={"asked": "one"})
    await elsewhere.close()
    assert seen == [0]
    assert await tools(audit) == ["tool_2", "tool_1", "tool_0"]
    async with audit._pool.connection() as connection:
        query = "SELECT count(DISTINCT xmin) AS commits FROM (SELECT xmin::text FROM frontdesk.audit UNION ALL "
        query += "SELECT xmin::text FROM frontdesk.runs UNION ALL SELECT xmin::text FROM checkpoints) AS rows"
        row = await (await connection.execute(query)).fetchone()
    assert row == {"commits": 1}


async def test_a_row_that_was_told_while_others_were_being_written_is_not_lost(
    audit: AuditStore, saver: TurnSaver
) -> None:
    async with saver.turn(every_s=0.001):
        for n in range(60):
            await audit.record(Entry(tool=f"tool_{n:02}"))
            await asyncio.sleep(0.001)
    rows = await audit.find(EVERYTHING, limit=100)
    assert [row.tool for row in reversed(rows)] == [f"tool_{n:02}" for n in range(60)]


async def test_a_turn_that_is_given_up_has_made_its_calls_all_the_same(
    audit: AuditStore, saver: TurnSaver, runs: Runs, leases: Leases
) -> None:
    run = (await ask(runs, start=leases)).run

    async def work(_: str) -> None:
        await audit.record(of_run(run))
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await play(runs, saver, build(saver, work), leases, run, given={"asked": "one"})
    assert await tools(audit) == ["list_orders"]


async def test_a_turn_that_lost_its_thread_keeps_its_rows_and_nothing_else(
    audit: AuditStore, saver: TurnSaver, runs: Runs, leases: Leases, pool: Pool
) -> None:
    run = (await ask(runs, start=leases)).run

    async def work(_: str) -> None:
        await audit.record(of_run(run))
        await change(pool, "UPDATE frontdesk.runs SET lease_owner = 'elsewhere' WHERE run_id = %s", run.run_id)

    with pytest.raises(StaleThread):
        await play(runs, saver, build(saver, work), leases, run, given={"asked": "one"})
    (row,) = await audit.find(EVERYTHING)
    assert row.thread_id == str(run.thread_id)
    assert await count(pool, "checkpoints") == 0


async def test_the_same_commit_tried_twice_makes_one_row(audit: AuditStore, pool: Pool, saver: TurnSaver) -> None:
    tries = 0

    async def lose_the_connection(connection: Any) -> None:
        nonlocal tries
        tries += 1
        if tries == 1:
            raise psycopg.OperationalError("gone")

    async with saver.turn():
        await audit.record(Entry())
        await saver.flush(lose_the_connection)
        await audit.record(Entry(tool="another"))
    assert tries == 2
    assert await tools(audit) == ["another", "list_orders"]


async def test_without_a_database_a_row_that_has_to_be_kept_at_once_is_refused(audit: AuditStore, pool: Pool) -> None:
    await pool.close()
    with pytest.raises((Unavailable, psycopg.OperationalError)):
        await audit.record(Entry())


async def test_what_postgresql_cannot_store_is_replaced(audit: AuditStore) -> None:
    await audit.record(Entry(tool="a\0b", result="x\ud800", arguments={"n\0": float("nan")}, reason="\udfff"))
    (row,) = await audit.find(EVERYTHING)
    assert (row.tool, row.result, row.arguments, row.reason) == ("a�b", "x�", {"n�": None}, "�")


CHANGES = (
    "UPDATE frontdesk.audit SET outcome = 'failed'",
    "UPDATE frontdesk.audit SET arguments = NULL",
    "DELETE FROM frontdesk.audit",
    "TRUNCATE frontdesk.audit",
)


@pytest.mark.parametrize("statement", CHANGES)
async def test_rows_are_never_changed_or_deleted(audit: AuditStore, pool: Pool, statement: str) -> None:
    await audit.record(Entry())
    before = await audit.find(EVERYTHING)
    with pytest.raises(psycopg.errors.RestrictViolation, match="insert only"):
        await change(pool, statement)
    assert await audit.find(EVERYTHING) == before


async def let_go(pool: Pool, statement: str) -> None:
    """As what lets go of rows does it."""
    async with pool.connection() as connection, connection.transaction():
        await connection.execute("SET LOCAL frontdesk.audit_lets_go = 'on'")
        await connection.execute(statement)


async def test_what_lets_go_of_rows_can_blank_them_and_nothing_else(audit: AuditStore, pool: Pool) -> None:
    await audit.record(Entry(thread_id="t"))
    for statement in ("UPDATE frontdesk.audit SET outcome = 'failed'", "TRUNCATE frontdesk.audit"):
        with pytest.raises(psycopg.errors.RestrictViolation):
            await let_go(pool, statement)
    async with pool.connection() as connection, connection.transaction():
        await connection.execute("SELECT frontdesk.blank_audit_of('{t}')")
        with pytest.raises(psycopg.errors.RestrictViolation):
            await connection.execute("DELETE FROM frontdesk.audit")
        raise psycopg.Rollback
    await change(pool, "SELECT frontdesk.blank_audit_of('{t}')")
    (row,) = await audit.find(EVERYTHING)
    assert (row.outcome, row.arguments) == ("done", None)


async def test_of_a_deleted_thread_who_when_tool_and_outcome_are_left(
    audit: AuditStore, saver: TurnSaver, runs: Runs, leases: Leases
) -> None:
    gone, kept = [(await ask(runs, start=leases)).run for _ in range(2)]
    for run in (gone, kept):
        await audit.record(of_run(run, confirmation={"asked": {"n": 1}}))
    newest, before = await audit.find(EVERYTHING)
    await Threads(audit._pool).delete(gone.thread_id, "acme", "alex")
    assert (await audit.find(EVERYTHING))[0] == newest
    (row,) = [row for row in await audit.find(EVERYTHING) if row.id == before.id]
    assert [getattr(row, name) for name in OWNED] == [None] * len(OWNED)
    assert {name: value for name, value in vars(row).items() if name not in OWNED} == {
        name: value for name, value in vars(before).items() if name not in OWNED
    }


async def test_a_call_that_ends_after_its_thread_was_deleted_leaves_nothing_of_it(
    audit: AuditStore, saver: TurnSaver, runs: Runs, leases: Leases, pool: Pool
) -> None:
    run = (await ask(runs, start=leases)).run

    async def work(_: str) -> None:
        await Threads(pool).delete(run.thread_id, "acme", "alex")
        await audit.record(of_run(run))

    with pytest.raises(StaleThread):
        await play(runs, saver, build(saver, work), leases, run, given={"asked": "one"})
    (row,) = await audit.find(EVERYTHING)
    assert (row.tool, row.outcome, row.user_id) == ("list_orders", "done", "alex")
    assert [getattr(row, name) for name in OWNED] == [None] * len(OWNED)


async def test_a_deletion_beside_turns_leaves_no_arguments_behind(
    audit: AuditStore, saver: TurnSaver, runs: Runs, leases: Leases, fresh_database_url: str
) -> None:
    elsewhere = await open_pool(fresh_database_url, 2)
    for pause_s in [*(n / 1000 for n in range(0, 20, 2)), None]:
        run = (await ask(runs, start=leases)).run

        async def work(_: str, run: Run = run) -> None:
            await audit.record(of_run(run))

        turn = asyncio.create_task(play(runs, saver, build(saver, work), leases, run, given={"asked": "one"}))
        await (turn if pause_s is None else asyncio.sleep(pause_s))  # of one turn at least there is a row
        await Threads(elsewhere).delete(run.thread_id, "acme", "alex")
        await asyncio.gather(turn, return_exceptions=True)
    await elsewhere.close()
    rows = await audit.find(EVERYTHING)
    assert {row.arguments is None for row in rows} == {True}


@pytest.fixture
async def some(audit: AuditStore) -> list[Recorded]:
    """Rows of several callers, the newest first."""
    threads = [str(uuid4()) for _ in range(2)]
    for n in range(12):
        await audit.record(
            Entry(
                tenant_id=("acme", "globex")[n % 2],
                user_id=("alex", "kim", "eve")[n % 3],
                tool=("list_orders", "add_todo")[n // 2 % 2],
                outcome=("done", "refused", "failed")[n // 4],
                thread_id=threads[n // 6],
            )
        )
        await asyncio.sleep(0.002)
    return await audit.find(EVERYTHING)


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("tenant", "tenant_id"),
        ("user", "user_id"),
        ("tool", "tool"),
        ("outcome", "outcome"),
        ("thread_id", "thread_id"),
    ],
)
async def test_each_filter_leaves_what_it_names(
    audit: AuditStore, some: list[Recorded], name: str, column: str
) -> None:
    for value in {getattr(row, column) for row in some}:
        assert await audit.find(Wanted(**{name: value})) == [row for row in some if getattr(row, column) == value]
    assert await audit.find(Wanted(**{name: "nobody"})) == []  # type: ignore[arg-type]  # none of them is a time


async def test_filters_together_leave_what_fits_all_of_them(audit: AuditStore, some: list[Recorded]) -> None:
    found = await audit.find(Wanted(tenant="acme", tool="list_orders", outcome="done"))
    assert found == [row for row in some if (row.tenant_id, row.tool, row.outcome) == ("acme", "list_orders", "done")]
    assert found


async def test_a_time_begins_with_its_start_and_ends_before_its_end(audit: AuditStore, some: list[Recorded]) -> None:
    since, until = some[8].at, some[3].at
    assert await audit.find(Wanted(since=since, until=until)) == some[4:9]
    tick = timedelta(microseconds=1)
    assert await audit.find(Wanted(since=since + tick, until=until + tick)) == some[3:8]
    assert await audit.find(Wanted(since=until, until=since)) == []


async def test_pages_are_the_whole_though_rows_come_and_go_meanwhile(audit: AuditStore, some: list[Recorded]) -> None:
    seen: list[Recorded] = []
    page = await audit.find(EVERYTHING, limit=5)
    while page:
        seen += page
        await audit.record(Entry())
        page = await audit.find(EVERYTHING, before=page[-1].id, limit=5)
    assert seen == some


@given(st.datetimes(min_value=datetime(1971, 1, 1), max_value=datetime(9999, 1, 1)))
def test_the_ids_of_a_moment_are_between_its_bounds(moment: datetime) -> None:
    aware = moment.replace(tzinfo=UTC)
    ms = (aware - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
    one = UUID(int=ms << 80 | 7 << 76 | 0xABC << 64 | 2 << 62 | 1)
    assert audit_id_at(aware) <= one < audit_id_at(aware, end=True)


def test_moments_beyond_all_ids_have_bounds_as_well() -> None:
    now = uuid7()
    assert audit_id_at(datetime.min.replace(tzinfo=UTC)) < now < audit_id_at(datetime.max.replace(tzinfo=UTC))


async def test_what_is_older_than_it_is_to_be_kept_goes(audit: AuditStore, pool: Pool, saver: TurnSaver) -> None:
    for n in range(3):
        await audit.record(Entry(tool=f"tool_{n}"))
        await asyncio.sleep(0.005)
    newest, middle, _ = await audit.find(EVERYTHING)
    past = {newest.id: timedelta(0), middle.id: timedelta(days=3)}
    copy = "INSERT INTO frontdesk.audit SELECT %s, at - %s, tenant_id, user_id, roles, thread_id, turn_id, run_id, "
    copy += "call_id, undoes, agent, tool, arguments, result, source, outcome, reason, confirmation, elapsed_ms "
    copy += "FROM frontdesk.audit WHERE id = %s"
    for row_id, age in past.items():
        await change(pool, copy, audit_id_at(datetime.now(UTC) - age - timedelta(days=2)), age, row_id)
    assert await prune(pool, Keep(audit_days=1), dry_run=True) == Pruned(audit=2)
    assert await prune(pool, Keep(audit_days=1)) == Pruned(audit=2)
    assert await tools(audit) == ["tool_2", "tool_1", "tool_0"]
    assert await prune(pool, Keep(audit_days=1)) == Pruned()


async def test_more_than_a_batch_goes_too(pool: Pool) -> None:
    await change(
        pool,
        "INSERT INTO frontdesk.audit SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, now(), "
        "'acme', 'alex', '[]', NULL, NULL, NULL, NULL, NULL, 'business', 'list_orders', NULL, NULL, 'keyword', 'done', "
        "'', NULL, 0 "
        "FROM generate_series(1, 450) AS n",
    )
    assert (await prune(pool, Keep(audit_days=1))).audit == 450
    assert await count(pool, "frontdesk.audit") == 0
