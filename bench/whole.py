"""How often a whole turn commits: the run's row, the graph's steps, the ledger, its end; with effects and without."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from bench.desk import free_port, port_answers, process
from bench.savers import create_database
from checkpoints.database import Pool, migrate, open_pool
from checkpoints.embedded import EmbeddedPostgres
from config.settings import Settings
from graphs.runner import Asked, Runner
from nodes.context import Context
from server import create_app
from tests.crash.setting import DESK, VAULT

# What each asks for, and how many effects it has.
ASKED = {
    "small talk": ("你好", 0),
    "one reading tool": ("lookium a1", 0),
    "one effect": ("rulium a1", 1),
    "two effects at once": ("pairium a1", 2),
    "two effects, one after the other": ("chainium a1", 2),
}
# Transactions that wrote, and how many of them were a tool's own.
COUNTED = """
SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS writing,
    (SELECT count(*) FROM vault.effects) AS effects"""
# What ended a turn a moment ago may still be written.
AFTERWARDS_S = 0.3


@dataclass(frozen=True, kw_only=True)
class Commits:
    """`commits`: transactions of the desk that wrote something, for one turn; those of the tools are left out."""

    turn: str
    effects: int
    commits: float


@asynccontextmanager
async def desk_with_a_vault(postgres: EmbeddedPostgres, database: str) -> AsyncIterator[tuple[Runner, Pool]]:
    """The whole desk in process, with tools that only have an effect, and a scripted model that answers at once."""
    async with AsyncExitStack() as stack:
        port = free_port()
        model = (sys.executable, "-m", "tests.crash.model", "--port", str(port), "--slow-ms", "0")
        await stack.enter_async_context(process(*model))
        await port_answers(port)
        create_database(postgres, database)
        pool = await open_pool(postgres.url_of(database), 4)
        stack.push_async_callback(pool.close)
        await migrate(pool)
        async with pool.connection() as connection:
            await connection.execute(VAULT, prepare=False)
        app = create_app(_settings(postgres.url_of(database), f"http://127.0.0.1:{port}/v1"))
        opened: Mapping[str, Any] | None = await stack.enter_async_context(app.router.lifespan_context(app))
        yield (opened or {})["runner"], pool


async def commits(runner: Runner, pool: Pool, turns: int) -> list[Commits]:
    found = []
    for name, (message, effects) in ASKED.items():
        await _turns(runner, message, 2)
        writing, had = await _count(pool)
        await _turns(runner, message, turns)
        now_writing, now_had = await _count(pool)
        if now_had - had != effects * turns:
            raise RuntimeError(f"{message!r} had {now_had - had} effects in {turns} turns")
        own = (now_writing - writing - (now_had - had)) / turns
        found.append(Commits(turn=name, effects=effects, commits=round(own, 2)))
    return found


async def _turns(runner: Runner, message: str, turns: int) -> None:
    for number in range(turns):
        run = await runner.start(Asked(context=Context(extra={"ask": f"{message} {number}"}), message=message))
        result = await run.result()
        if result["status"] != "completed":
            raise RuntimeError(f"not completed: {json.dumps(result, ensure_ascii=False)}")
    await asyncio.sleep(AFTERWARDS_S)


async def _count(pool: Pool) -> tuple[int, int]:
    async with pool.connection() as connection:
        row = await (await connection.execute(COUNTED)).fetchone() or {}
    return row["writing"], row["effects"]


def _settings(url: str, model_url: str) -> Settings:
    # What goes on beside the turns is not counted: renewals, sweeps, and the beat of a worker.
    return Settings(
        _env_file=None,
        database_url=SecretStr(url),
        model_base_url=model_url,
        model_name="scripted",
        demo=False,
        tool_dirs=(Path(DESK / "tools"),),
        agent_dirs=(Path(DESK / "agents"),),
        resources={"vault": {"slow_s": 0}},
        lease_s=300,
        renew_s=100,
        sweep_s=3_600,
        worker=False,
        similarity=False,
        prune_every_hours=0,
        log_level="warning",
    )  # type: ignore[call-arg]  # pydantic-settings
