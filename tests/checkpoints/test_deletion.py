"""A deleted thread leaves nothing in any table, and a turn that still runs puts nothing back."""

import asyncio
import json
from uuid import UUID, uuid4

import pytest
from psycopg import sql

from checkpoints.audit import AuditStore
from checkpoints.database import Pool, open_pool
from checkpoints.leases import Leases
from checkpoints.ledger import LedgerStore
from checkpoints.run import Run
from checkpoints.runs import Runs
from checkpoints.saver import TurnSaver
from checkpoints.threads import Threads
from errors import NotFound, StaleThread
from tests.checkpoints.asking import ask, checkpoints_of, count, play
from tests.checkpoints.entries import Entry, of_run
from tests.checkpoints.small_graph import build
from tests.checkpoints.working import accept

TABLES = """
SELECT schemaname, tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"""


@pytest.fixture
def pool(fresh_pool: Pool) -> Pool:
    """A database of the test's own, all of which is looked at."""
    return fresh_pool


async def traces(pool: Pool, *texts: str) -> list[str]:
    """Every row of every table of the database in which one of the texts stands, also inside of blobs."""
    found = []
    async with pool.connection() as connection:
        tables = await (await connection.execute(TABLES)).fetchall()
        for table in tables:
            name = sql.Identifier(table["schemaname"], table["tablename"])
            rows = await connection.execute(sql.SQL("SELECT * FROM {} t").format(name))
            async for row in rows:
                content = b"".join(
                    value if isinstance(value, bytes) else json.dumps(value, default=str, ensure_ascii=False).encode()
                    for value in row.values()
                )
                if any(text.encode() in content for text in texts):
                    found.append(f"{table['tablename']}: {content[:200]!r}")
    return found


def told_of(run: Run, secret: str) -> Entry:
    confirmation = {"asked": {"content": secret}, "answer": "approve"}
    return of_run(run, arguments={"content": secret}, result=secret, confirmation=confirmation, call_id=run.turn_id)


async def conversation(pool: Pool, saver: TurnSaver, leases: Leases, secret: str) -> Run:
    """Two turns, an effect, a question that is open, a run that waits: something in every table."""
    runs, ledger, rows = Runs(pool), LedgerStore(pool, saver), []
    first = (await ask(runs, message=secret, start=leases, idempotency_key=secret, metadata={"note": secret})).run

    async def work(_: str) -> None:
        row = await ledger.begin(
            effect_key=uuid4().hex,
            business_key=secret,
            tenant="acme",
            user="alex",
            thread_id=str(first.thread_id),
            turn_id=first.turn_id,
            run_id=str(first.run_id),
            tool="add_todo",
            arguments={"content": secret},
        )
        rows.append(row)
        await ledger.settle(row.id, "done", {"content": secret})
        await AuditStore(pool, saver).record(told_of(first, secret))
        of_run = {"thread_id": str(first.thread_id), "run_id": str(first.run_id), "turn_id": first.turn_id}
        await accept(pool, **of_run, arguments={"content": secret}, extra={"note": secret})

    await play(runs, saver, build(saver, work), leases, first, given={"asked": secret})
    second = (await ask(runs, first.thread_id, message=secret, start=leases)).run
    await play(runs, saver, build(saver), leases, second, given={"asked": f"{secret}?"})
    await ask(runs, first.thread_id, message=secret)
    return first


async def test_nothing_is_left_of_a_deleted_thread_in_any_table(pool: Pool, saver: TurnSaver, leases: Leases) -> None:
    gone, kept = "张三的秘密", "李四的事"
    run, other = (
        await conversation(pool, saver, leases, gone),
        await conversation(pool, saver, leases, kept),
    )
    names = (str(run.thread_id), run.thread_id.hex, gone, run.turn_id)
    seen = {trace.partition(":")[0] for trace in await traces(pool, *names)}
    assert seen == {
        "threads",
        "runs",
        "ledger",
        "audit",
        "tasks",
        "checkpoints",
        "checkpoint_blobs",
        "checkpoint_writes",
    }
    before = await traces(pool, kept, str(other.thread_id))
    await Threads(pool).delete(run.thread_id, "acme", "alex")
    assert await traces(pool, *names) == []
    assert await traces(pool, kept, str(other.thread_id)) == before


async def test_the_ledger_keeps_tool_and_outcome_and_the_effect_stays_unique(
    pool: Pool, saver: TurnSaver, leases: Leases
) -> None:
    run = await conversation(pool, saver, leases, "1001:shipped")
    await Threads(pool).delete(run.thread_id, "acme", "alex")
    async with pool.connection() as connection:
        row = await (await connection.execute("SELECT * FROM frontdesk.ledger")).fetchone()
    assert row is not None
    assert (row["tool"], row["status"], row["tenant_id"]) == ("add_todo", "done", "acme")
    assert row["finished_at"] is not None
    assert [row[name] for name in ("thread_id", "turn_id", "run_id", "arguments", "result", "note")] == [None] * 6
    again = await LedgerStore(pool, saver).begin(
        effect_key="other",
        business_key="1001:shipped",
        tenant="acme",
        user="kim",
        thread_id="",
        turn_id="",
        run_id="",
        tool="add_todo",
        arguments={},
    )
    assert (again.state, again.result) == ("recorded", None)


async def test_a_copy_goes_on_without_its_source_and_a_replay_goes_with_it(
    pool: Pool, saver: TurnSaver, leases: Leases
) -> None:
    threads, run = Threads(pool), await conversation(pool, saver, leases, "secret")
    source = run.thread_id
    copy = await threads.copy(source, "acme", "alex")
    replay = await threads.copy(source, "acme", "alex", metadata={"replay_of": str(source)})
    rows = await checkpoints_of(pool, copy.thread_id)
    assert len(rows) == len(await checkpoints_of(pool, source))
    await threads.delete(source, "acme", "alex")
    assert await checkpoints_of(pool, copy.thread_id) == rows
    left = await threads.get(copy.thread_id, "acme", "alex")
    assert copy.metadata["copied_from"]["thread_id"] == str(source)
    assert vars(left) == {**vars(copy), "metadata": {k: v for k, v in copy.metadata.items() if k != "copied_from"}}
    with pytest.raises(NotFound):
        await threads.get(replay.thread_id, "acme", "alex")
    assert await checkpoints_of(pool, replay.thread_id) == []
    assert await traces(pool, str(source)) == []


@pytest.mark.parametrize(("tenant", "user"), [("acme", "kim"), ("globex", "alex")])
async def test_nobody_deletes_the_thread_of_somebody_else(
    pool: Pool, saver: TurnSaver, leases: Leases, tenant: str, user: str
) -> None:
    run = await conversation(pool, saver, leases, "mine")
    rows = await checkpoints_of(pool, run.thread_id)
    for thread_id in (run.thread_id, uuid4()):
        with pytest.raises(NotFound, match=f"Thread with ID {thread_id} not found"):
            await Threads(pool).delete(thread_id, tenant, user)
    assert await checkpoints_of(pool, run.thread_id) == rows


async def test_a_first_turn_that_still_plays_puts_nothing_back(
    pool: Pool, saver: TurnSaver, runs: Runs, leases: Leases
) -> None:
    """Its thread has no checkpoint before the turn and none after the deletion: only the guard tells."""
    run = (await ask(runs, start=leases)).run

    async def work(_: str) -> None:
        await Threads(pool).delete(run.thread_id, "acme", "alex")
        with pytest.raises(StaleThread):
            await saver.flush()

    with pytest.raises(StaleThread):
        await play(runs, saver, build(saver, work), leases, run, given={"asked": "one"})
    assert await traces(pool, str(run.thread_id)) == []
    assert (await leases.renew([run.run_id])).lost == {run.run_id}


async def test_an_effect_that_ends_after_the_deletion_leaves_no_result(
    pool: Pool, saver: TurnSaver, runs: Runs, leases: Leases
) -> None:
    run, ledger = (await ask(runs, start=leases)).run, LedgerStore(pool, saver)
    row = await ledger.begin(
        effect_key="k",
        business_key=None,
        tenant="acme",
        user="alex",
        thread_id=str(run.thread_id),
        turn_id=run.turn_id,
        run_id=str(run.run_id),
        tool="add_todo",
        arguments={"content": "secret"},
    )
    await Threads(pool).delete(run.thread_id, "acme", "alex")
    await ledger.settle(row.id, "done", {"content": "secret"})
    assert await traces(pool, "secret") == []


async def test_a_deletion_beside_turns_never_leaves_a_half(
    pool: Pool, saver: TurnSaver, runs: Runs, leases: Leases, fresh_database_url: str
) -> None:
    elsewhere = await open_pool(fresh_database_url, 2)
    graph = build(saver)
    deleted: list[UUID] = []
    for pause_s in [n / 1000 for n in range(0, 20, 2)]:
        run = (await ask(runs, start=leases)).run
        turn = asyncio.create_task(play(runs, saver, graph, leases, run, given={"asked": "one"}))
        await asyncio.sleep(pause_s)
        await Threads(elsewhere).delete(run.thread_id, "acme", "alex")
        await asyncio.gather(turn, return_exceptions=True)
        deleted.append(run.thread_id)
    await elsewhere.close()
    assert await traces(pool, *map(str, deleted)) == []
    assert await count(pool, "checkpoints") == 0


async def test_two_that_delete_one_thread_both_find_it_gone(pool: Pool, runs: Runs) -> None:
    run = (await ask(runs)).run
    both = await asyncio.gather(
        *(Threads(pool).delete(run.thread_id, "acme", "alex") for _ in range(2)), return_exceptions=True
    )
    assert all(each is None or isinstance(each, NotFound) for each in both)
    assert await count(pool, "frontdesk.threads") == 0
