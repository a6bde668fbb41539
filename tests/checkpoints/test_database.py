"""The pool, the migrations from several processes at once, and the answer for /readyz."""

import asyncio
import socket
import sys
import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path

import psycopg
import pytest

from checkpoints.database import Pool, migrate, open_pool, reachable
from checkpoints.queue import open_worker_pool
from checkpoints.threads import Threads
from errors import ConfigurationError, Unavailable
from tests.fakes.cut_connection import CutConnection

ROOT = Path(__file__).parents[2]
MIGRATE = """
import asyncio, sys
from checkpoints.database import migrate, open_pool
async def main():
    pool = await open_pool(sys.argv[1], 2)
    print(*await migrate(pool))
    await pool.close()
asyncio.run(main())
"""


async def _tables(pool: Pool) -> set[str]:
    async with pool.connection() as connection:
        rows = await connection.execute(
            "SELECT schemaname || '.' || tablename AS name FROM pg_tables WHERE schemaname IN ('public', 'frontdesk')"
        )
        return {row["name"] async for row in rows}


async def test_migrating_an_empty_database_makes_our_tables_and_those_of_langgraph(empty_database_url: str) -> None:
    pool = await open_pool(empty_database_url, 2)
    assert "0001_threads.sql" in await migrate(pool)
    tables = await _tables(pool)
    assert {"frontdesk.threads", "frontdesk.migrations", "public.checkpoints", "public.checkpoint_writes"} <= tables
    assert await migrate(pool) == ()
    await pool.close()


async def test_several_processes_may_migrate_an_empty_database_at_once(empty_database_url: str) -> None:
    running = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", MIGRATE, empty_database_url, cwd=ROOT, stdout=asyncio.subprocess.PIPE
        )
        for _ in range(3)
    ]
    outputs = [(await process.communicate())[0].decode().split() for process in running]
    assert [process.returncode for process in running] == [0, 0, 0]
    assert sorted(len(output) for output in outputs)[:2] == [0, 0]
    assert "0001_threads.sql" in max(outputs, key=len)


async def test_several_callers_in_one_process_may_migrate_at_once(empty_database_url: str) -> None:
    pool = await open_pool(empty_database_url, 4)
    async with asyncio.timeout(20):
        applied = await asyncio.gather(*(migrate(pool) for _ in range(4)))
    assert sum(len(names) > 0 for names in applied) == 1
    await pool.close()


async def test_a_changed_migration_stops_the_start_and_names_the_file(empty_database_url: str, tmp_path: Path) -> None:
    file = tmp_path / "0001_first.sql"
    file.write_text("CREATE TABLE frontdesk.first (a int); CREATE TABLE frontdesk.second (b int);")
    pool = await open_pool(empty_database_url, 2)
    assert await migrate(pool, tmp_path) == ("0001_first.sql",)
    file.write_text("CREATE TABLE frontdesk.first (a bigint);")
    with pytest.raises(ConfigurationError, match=r"'0001_first\.sql' was changed"):
        await migrate(pool, tmp_path)
    await pool.close()


async def test_a_migration_that_fails_leaves_nothing_behind_and_can_be_mended(
    empty_database_url: str, tmp_path: Path
) -> None:
    (tmp_path / "0001_first.sql").write_text("CREATE TABLE frontdesk.first (a int)")
    broken = tmp_path / "0002_second.sql"
    broken.write_text("CREATE TABLE frontdesk.second (a int); SELECT 1/0;")
    pool = await open_pool(empty_database_url, 2)
    with pytest.raises(psycopg.errors.DivisionByZero):
        await migrate(pool, tmp_path)
    tables = await _tables(pool)
    assert "frontdesk.first" in tables
    assert "frontdesk.second" not in tables
    broken.write_text("CREATE TABLE frontdesk.second (a int)")
    assert await migrate(pool, tmp_path) == ("0002_second.sql",)
    await pool.close()


async def test_a_reachable_database_gives_no_reason(pool: Pool) -> None:
    assert await reachable(pool) is None


async def test_a_database_that_went_away_gives_a_reason_without_its_address(fresh_database_url: str) -> None:
    pool = await open_pool(fresh_database_url, 2)
    await pool.close()
    reason = await reachable(pool)
    assert reason == "the database does not answer"


async def test_the_pool_replaces_connections_that_the_server_ended(fresh_database_url: str) -> None:
    pool = await open_pool(fresh_database_url, 2)
    with psycopg.connect(fresh_database_url, autocommit=True) as admin:
        admin.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    async with pool.connection() as connection:
        await connection.execute("SELECT 1")
    await pool.close()


@pytest.mark.parametrize("opening", [open_pool, open_worker_pool])
async def test_what_follows_a_cancellation_within_a_pipeline_is_committed(
    cut: CutConnection, pool: Pool, opening: Callable[[str, int], Awaitable[Pool]]
) -> None:
    small = await opening(cut.url, 1)
    began = asyncio.Event()

    async def leave() -> None:
        async with small.connection() as connection, connection.pipeline():
            cut.passing.clear()
            began.set()
            async with connection.transaction():
                await connection.execute("SELECT 1")

    leaving = asyncio.create_task(leave())
    await began.wait()
    leaving.cancel()
    # The server answers in the end: the connection lives, and nothing but its mode is wrong with it.
    asyncio.get_running_loop().call_later(0.2, cut.passing.set)
    with pytest.raises(asyncio.CancelledError):
        await leaving
    thread_id = uuid.uuid4()
    async with small.connection() as connection:
        made = await connection.execute(
            "INSERT INTO frontdesk.threads (thread_id, tenant_id, user_id) VALUES (%s, 'acme', 'alex') RETURNING *",
            (thread_id,),
        )
        assert await made.fetchone()
    assert (await Threads(pool).get(thread_id, "acme", "alex")).thread_id == thread_id
    await small.close()


@pytest.mark.parametrize("url", ["postgres:hunter2@db", "postgresql://me:hunter2@db/x?sslmod=on"])
async def test_a_malformed_address_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        await open_pool(url, 2)
    assert "hunter2" not in str(caught.value)


async def test_an_address_where_nothing_listens_is_unavailable() -> None:
    with pytest.raises(Unavailable, match="does not answer within"):
        await open_pool("postgresql://me:hunter2@127.0.0.1:1/x", 2, timeout_s=0.3)


async def test_sql_reads_dates_in_the_zone_that_the_server_was_given(pool: Pool) -> None:
    async with pool.connection() as connection:
        row = await (await connection.execute("SHOW timezone")).fetchone()
    assert row == {"TimeZone": "Asia/Shanghai"}


def test_tests_cannot_reach_the_network() -> None:
    with socket.socket() as plain, pytest.raises(PermissionError):
        plain.connect(("192.0.2.1", 80))
    with pytest.raises(PermissionError):
        socket.getaddrinfo("example.com", 80)
