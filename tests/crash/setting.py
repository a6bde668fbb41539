"""Everything around the servers of a trial: the database, the scripted model, Redis, and the folders of the vault."""

import asyncio
import json
import shutil
import socket
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql

from checkpoints.database import Pool, migrate, open_pool
from checkpoints.embedded import EmbeddedPostgres
from tests.crash.servers import ROOT, Nursery, Program, Servers
from tests.fakes.local_redis import LocalRedis, server_binary

DESK = Path(__file__).parent / "desk"
# Short, so that a trial takes seconds; and long, as anybody has them.
LEASE_S = 0.9
SHORT = {"LEASE_S": str(LEASE_S), "RENEW_S": "0.25", "SWEEP_S": "0.2"}
USUAL: dict[str, str] = {}
MODEL_S = 60.0
VAULT = """
CREATE SCHEMA vault;
CREATE TABLE vault.effects (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ask text NOT NULL, tool text NOT NULL, no text NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
)"""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """`pool`: the judge's own connections to the database. `redis`: whether the servers have one."""

    folder: Path
    pool: Pool
    nursery: Nursery
    environment: dict[str, str]
    redis: bool

    def servers(self, number: int, program: Program | None = None) -> Servers:
        return Servers(self.nursery, self.environment, self.folder, number, program or Program())


@asynccontextmanager
async def setting(
    postgres: EmbeddedPostgres,
    nursery: Nursery,
    name: str,
    folder: Path,
    *,
    leases: Mapping[str, str] = SHORT,
    slow_s: float = 0.1,
    with_redis: bool = False,
) -> AsyncIterator[Setting]:
    """`name`: of a database of its own. `folder`: outside the repository. `slow_s`: how long each tool and answer of
    the model may take."""
    async with AsyncExitStack() as stack:
        redis_url = await _redis(stack) if with_redis else None
        model_url = await _model(stack, slow_s)
        pool = await open_pool(await asyncio.to_thread(_create_database, postgres, name), 4)
        stack.push_async_callback(pool.close)
        await migrate(pool)
        async with pool.connection() as connection:
            await connection.execute(VAULT, prepare=False)
        await asyncio.to_thread(shutil.copytree, DESK, folder / "desk", ignore=shutil.ignore_patterns("__pycache__"))
        environment = {
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": str(ROOT),
            "DATABASE_URL": postgres.url_of(name),
            "DATA_DIR": str(folder / "unused"),
            "DEMO": "false",
            "SIMILARITY": "0",
            "MODEL_BASE_URL": model_url,
            "MODEL_NAME": "scripted",
            "TOOL_DIRS": str(folder / "desk" / "tools"),
            "AGENT_DIRS": str(folder / "desk" / "agents"),
            "RESOURCES": json.dumps({"vault": {"slow_s": slow_s}}),
            **leases,
            "LOG_LEVEL": "info",
            **({"REDIS_URL": redis_url} if redis_url else {}),
        }
        yield Setting(folder=folder, pool=pool, nursery=nursery, environment=environment, redis=redis_url is not None)


def _create_database(postgres: EmbeddedPostgres, name: str) -> str:
    with psycopg.connect(postgres.url_of("postgres"), autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    return postgres.url_of(name)


async def _redis(stack: AsyncExitStack) -> str | None:
    """None where this machine has no Redis."""
    if server_binary() is None:
        return None
    redis = LocalRedis()
    await asyncio.to_thread(redis.start)
    stack.push_async_callback(asyncio.to_thread, redis.remove)
    return redis.url


async def _model(stack: AsyncExitStack, slow_s: float) -> str:
    with socket.create_server(("127.0.0.1", 0)) as one:
        port = one.getsockname()[1]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.crash.model", "--port", str(port), "--slow-ms", str(slow_s * 1000)),
        cwd=ROOT,
        stdin=asyncio.subprocess.DEVNULL,
    )

    async def stop() -> None:
        process.terminate()
        await process.wait()

    stack.push_async_callback(stop)
    async with asyncio.timeout(MODEL_S):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except ConnectionError:
                await asyncio.sleep(0.05)
                continue
            writer.close()
            return f"http://127.0.0.1:{port}/v1"
