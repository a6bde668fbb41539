"""The savers that are compared: ours, LangGraph's own in each of its modes, and none; each over its own database."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote

import psycopg
from langchain_core.runnables import RunnableConfig
from langchain_core.utils.uuid import uuid7
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import sql

from bench.measure import Layer, Turn
from checkpoints.database import Pool, migrate, open_pool
from checkpoints.embedded import EmbeddedPostgres
from checkpoints.saver import TurnSaver

Build = Callable[[BaseCheckpointSaver[str] | None], Any]
Durability = Literal["sync", "async", "exit"]
OURS, REFERENCE = "ours", "stock async"
SAVERS: dict[str, tuple[str | None, Durability]] = {
    "none": (None, "sync"),
    "stock sync": ("stock", "sync"),
    "stock async": ("stock", "async"),
    "stock exit": ("stock", "exit"),
    OURS: ("ours", "sync"),
}
POOL_SIZE = 10
# A disk on which each commit takes 2.5 ms, whoever else is committing.
SLOW_DISK = "-c commit_delay=2500 -c commit_siblings=0"


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What is measured: a graph, what it is given, and its context."""

    build: Build
    given: Callable[[], Any]
    context: Any = None


@dataclass(frozen=True, kw_only=True)
class Contender:
    """`pool`: to the database of this contender alone; None without a saver."""

    name: str
    turn: Turn
    pool: Pool | None

    @property
    def layer(self) -> Layer:
        return Layer(name=self.name, turn=self.turn)


@asynccontextmanager
async def contenders(
    postgres: EmbeddedPostgres, subject: Subject, *, slow_disk: bool, only: str | None = None
) -> AsyncIterator[list[Contender]]:
    """`only`: one of SAVERS."""
    async with AsyncExitStack() as stack:
        found = []
        for name, (kind, durability) in SAVERS.items():
            if only in (None, name):
                pool = await _pool(postgres, name, stack, slow_disk=slow_disk) if kind else None
                found.append(Contender(name=name, turn=_turn(subject, kind, durability, pool), pool=pool))
        yield found


def database_of(name: str) -> str:
    return "bench_" + name.replace(" ", "_")


def create_database(postgres: EmbeddedPostgres, database: str) -> None:
    """Unless it is there."""
    with psycopg.connect(postgres.url_of("postgres"), autocommit=True) as connection:
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (database,)).fetchone():
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(database)))


async def _pool(postgres: EmbeddedPostgres, name: str, stack: AsyncExitStack, *, slow_disk: bool) -> Pool:
    database = database_of(name)
    create_database(postgres, database)
    options = f"&options={quote(SLOW_DISK)}" if slow_disk else ""
    pool = await open_pool(postgres.url_of(database) + options, POOL_SIZE)
    stack.push_async_callback(pool.close)
    await migrate(pool)
    return pool


def _turn(subject: Subject, kind: str | None, durability: Durability, pool: Pool | None) -> Turn:
    saver: AsyncPostgresSaver | None = None
    if pool is not None:
        saver = TurnSaver(pool) if kind == "ours" else AsyncPostgresSaver(pool)
    graph = subject.build(saver)
    kept: dict[str, Any] = {"durability": durability} if saver else {}

    async def turn(_: int, __: str) -> float:
        thread_id = str(uuid7())
        # An id for each run, as the desk gives one: without it LangGraph would not know a new call from an old one.
        config: RunnableConfig = {"configurable": {"thread_id": thread_id}, "metadata": {"run_id": str(uuid7())}}
        began = time.perf_counter()
        async with saver.turn() if isinstance(saver, TurnSaver) else nullcontext():
            await graph.ainvoke(subject.given(), config, context=subject.context, **kept)
        return time.perf_counter() - began

    return turn
