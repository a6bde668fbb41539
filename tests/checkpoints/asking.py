"""Runs as callers and the runner make them, with all that a test does not care about filled in."""

import uuid
from typing import Any
from uuid import UUID

from langchain_core.runnables import RunnableConfig
from psycopg.rows import tuple_row

from checkpoints.database import Connection, Pool
from checkpoints.leases import Leases
from checkpoints.run import Run, Submitted
from checkpoints.runs import Runs
from checkpoints.saver import TurnSaver
from checkpoints.threads import Thread, Threads
from tests.checkpoints.small_graph import Graph


async def ask(runs: Runs, thread_id: UUID | None = None, message: str = "今天的订单", **more: Any) -> Submitted:
    """A message of alex's; the turn's id is new."""
    turn_id = str(uuid.uuid4())
    asked: dict[str, Any] = {
        "thread_id": thread_id,
        "tenant": "acme",
        "user": "alex",
        "turn_id": turn_id,
        "input": {"message": message, "message_id": turn_id},
        "context": {"agent": None, "locale": "zh"},
        "question": message,
    }
    return await runs.submit(**{**asked, **more})


async def end(pool: Pool, runs: Runs, run: Run, owner: str, **more: Any) -> bool:
    """The run succeeds, in a transaction of its own."""
    async with pool.connection() as connection, connection.transaction():
        ending: dict[str, Any] = {"status": "success", "thread_status": "idle", "values": {"messages": []}}
        return await runs.finish(connection, run.run_id, owner, **{**ending, **more}) is not None


async def again(runs: Runs, run: Run) -> Run:
    """The run as it is now."""
    return await runs.get(run.run_id, run.thread_id, run.tenant_id, run.user_id)


async def thread_of(pool: Pool, run: Run) -> Thread:
    """The run's thread as it is now."""
    return await Threads(pool).get(run.thread_id, run.tenant_id, run.user_id)


async def count(pool: Pool, table: str) -> int:
    """How many rows a table has."""
    async with pool.connection() as connection:
        row = await (await connection.execute(f"SELECT count(*) AS n FROM {table}")).fetchone()
    assert row is not None
    return int(row["n"])


async def change(pool: Pool, statement: str, *values: Any) -> None:
    """What time or an accident does to a row."""
    async with pool.connection() as connection:
        await connection.execute(statement, values)


async def play(
    runs: Runs,
    saver: TurnSaver,
    graph: Graph,
    leases: Leases,
    run: Run,
    *,
    given: Any,
    at_checkpoint: str | None = None,
) -> None:
    """One run as the runner plays it: guarded, and closed in the commit of its last steps."""
    where = {"thread_id": str(run.thread_id)}
    config: RunnableConfig = {
        "configurable": where | ({"checkpoint_id": at_checkpoint} if at_checkpoint else {}),
        "metadata": {"run_id": str(run.run_id), **where},
    }

    async def close(connection: Connection) -> None:
        await runs.finish(
            connection,
            run.run_id,
            leases.owner,
            status="success",
            thread_status="idle",
            values={"run": str(run.run_id)},
        )

    async with saver.turn(guard=leases.guard(run.run_id)):
        await graph.ainvoke(given, config, durability="sync")
        await saver.flush(close)


async def checkpoints_of(pool: Pool, thread_id: UUID | str) -> list[tuple[Any, ...]]:
    """Every row of LangGraph's tables that belongs to a thread."""
    rows: list[tuple[Any, ...]] = []
    async with pool.connection() as connection, connection.cursor(row_factory=tuple_row) as cursor:
        for table in ("checkpoints", "checkpoint_blobs", "checkpoint_writes"):
            found = await cursor.execute(
                f"SELECT t::text FROM {table} t WHERE thread_id = %s ORDER BY 1", (str(thread_id),)
            )
            rows += [(table, *row) for row in await found.fetchall()]
    return rows
