"""The pool of connections, the migrations, and whether the database answers."""

import asyncio
import hashlib
import selectors
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psycopg
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import AsyncConnection
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import PipelineStatus
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from checkpoints.queue_schema import apply_queue_schema, migration_files
from errors import ConfigurationError, Unavailable

Connection = AsyncConnection[DictRow]
Pool = AsyncConnectionPool[Connection]

MIGRATIONS = Path(__file__).parent / "migrations"
MIGRATION_LOCK = 0x66726F6E74  # one number per database for "somebody migrates"
LOCK_TIMEOUT_S = 60.0
CONNECT_TIMEOUT_S = 10.0
WAIT_FOR_CONNECTION_S = 5.0
REACHABLE_TIMEOUT_S = 3.0
# For one look at one connection, it need not be made by the kernel.
Selector = getattr(selectors, "PollSelector", selectors.DefaultSelector)


async def open_pool(url: str, size: int, *, timeout_s: float = CONNECT_TIMEOUT_S) -> Pool:
    """A pool of at most `size` connections, open and tried for at most `timeout_s`; the caller closes it.

    Raises ConfigurationError for an address that is none, Unavailable where nothing answers there.
    """
    try:
        conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        # Its text repeats the address, and with it a password.
        raise ConfigurationError("DATABASE_URL is not an address such as postgresql://user@host:5432/name") from None
    pool: Pool = AsyncConnectionPool(
        url,
        connection_class=AsyncConnection[DictRow],
        kwargs={"autocommit": True, "row_factory": dict_row, "prepare_threshold": 0},
        min_size=1,
        max_size=size,
        timeout=WAIT_FOR_CONNECTION_S,
        check=_lively,
        reset=out_of_pipeline,
        open=False,
    )
    return await opened(pool, timeout_s)


async def opened(pool: Pool, timeout_s: float) -> Pool:
    """The same pool, with a connection. Raises Unavailable, with the pool closed, where there is none in time."""
    try:
        await pool.open(wait=True, timeout=timeout_s)
    except PoolTimeout:
        await pool.close()
        raise Unavailable(f"the database does not answer within {timeout_s:g} s") from None
    return pool


async def out_of_pipeline(connection: Connection) -> None:
    """Raises OperationalError where a cancellation has left the connection in pipeline mode.

    psycopg says of it that it is idle; but what is done on it later is never committed, and keeps its locks.
    """
    if connection.info.pipeline_status is not PipelineStatus.OFF:
        raise psycopg.OperationalError("left in pipeline mode")


async def _lively(connection: Connection) -> None:
    """Raises OperationalError where the server has ended the connection. It is asked only if it has said something."""
    with Selector() as selector:
        selector.register(connection.fileno(), selectors.EVENT_READ)
        has_news = selector.select(0)
    if has_news:
        await AsyncConnectionPool.check_connection(connection)


async def reachable(pool: Pool) -> str | None:
    """None: the database answers; else why not, in words that may be shown to anybody."""
    try:
        async with asyncio.timeout(REACHABLE_TIMEOUT_S), pool.connection() as connection:
            await connection.execute("SELECT 1")
    except (TimeoutError, PoolTimeout):
        return f"the database does not answer within {REACHABLE_TIMEOUT_S:g} s"
    except psycopg.Error:
        return "the database does not answer"
    return None


async def migrate(pool: Pool, folder: Path = MIGRATIONS) -> tuple[str, ...]:
    """Bring the database to this version's tables; the names of the files that were applied.

    Safe from several processes at once, and repeatable. Our tables are in the schema `frontdesk`, the queue's in
    `frontdesk_queue`, LangGraph's in `public`. Raises ConfigurationError for a file that was changed after it had been
    applied.
    """
    files = await asyncio.to_thread(lambda: [(file.name, file.read_bytes()) for file in sorted(folder.glob("*.sql"))])
    of_queue = await asyncio.to_thread(migration_files)
    async with pool.connection() as connection, _alone(connection):
        # Not in a transaction: it creates indexes concurrently.
        await AsyncPostgresSaver(connection).setup()
        await connection.execute("CREATE SCHEMA IF NOT EXISTS frontdesk")
        await connection.execute(
            "CREATE TABLE IF NOT EXISTS frontdesk.migrations (name text PRIMARY KEY, checksum text NOT NULL, "
            "applied_at timestamptz NOT NULL DEFAULT now())"
        )
        rows = await (await connection.execute("SELECT name, checksum FROM frontdesk.migrations")).fetchall()
        applied = {row["name"]: row["checksum"] for row in rows}
        done = tuple([name for name, text in files if await _apply(connection, name, text, applied)])
        if folder == MIGRATIONS:
            await apply_queue_schema(connection, of_queue)
        return done


async def _apply(connection: Connection, name: str, text: bytes, applied: dict[str, str]) -> bool:
    checksum = hashlib.sha256(text).hexdigest()
    if name in applied:
        if applied[name] != checksum:
            raise ConfigurationError(
                f"migration {name!r} was changed after it had been applied: restore it, and add a new file instead"
            )
        return False
    async with connection.transaction():
        # Several statements at once cannot be prepared.
        await connection.execute(text, prepare=False)
        await connection.execute("INSERT INTO frontdesk.migrations (name, checksum) VALUES (%s, %s)", (name, checksum))
    return True


@asynccontextmanager
async def _alone(connection: Connection) -> AsyncIterator[None]:
    """Hold the migration lock. Polled: whoever waits inside a statement would block CREATE INDEX CONCURRENTLY."""
    end = time.monotonic() + LOCK_TIMEOUT_S
    while not await _try_lock(connection):
        if time.monotonic() > end:
            raise Unavailable("another process is still migrating the database")
        await asyncio.sleep(0.05)
    try:
        yield
    finally:
        if not connection.closed:
            await connection.execute("SELECT pg_advisory_unlock(%s)", (MIGRATION_LOCK,))


async def _try_lock(connection: Connection) -> bool:
    row = await (await connection.execute("SELECT pg_try_advisory_lock(%s) AS got", (MIGRATION_LOCK,))).fetchone()
    return bool(row and row["got"])
