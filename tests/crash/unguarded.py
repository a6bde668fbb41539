"""The desk without what keeps an effect from coming twice, to show that the check would find it.

`main(["none"])` serves without a ledger, `main(["unflushed"])` with one that commits its rows by itself instead of
together with the plan. The rest is the server as it is.
"""

import socket
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

import uvicorn
from fastapi import FastAPI

import server
from api.application import application
from api.dependencies import Opened
from checkpoints.database import Pool, open_pool
from checkpoints.ledger import LedgerStore
from checkpoints.saver import TurnSaver
from commands.settings import read_settings
from config.settings import Settings
from opening.processes import process_name
from telemetry import logs
from tools.executor import Executor
from tools.providers.python import open_adapters


def main(arguments: Sequence[str]) -> int:
    settings = read_settings()
    logs.configure(settings.log_level, settings.log_format)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        app = create_app(settings, with_ledger="unflushed" in arguments)
        Announcing(uvicorn.Config(app, lifespan="on", log_config=None)).run(sockets=[listener])
    return 0


class Announcing(uvicorn.Server):
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and sockets:
            sys.stdout.write(f"ready on http://127.0.0.1:{sockets[0].getsockname()[1]}\n")
            sys.stdout.flush()


def create_app(settings: Settings, *, with_ledger: bool) -> FastAPI:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[Opened]:
        name = process_name()
        async with AsyncExitStack() as stack:
            house = await stack.enter_async_context(server.open_house(settings, name))
            services, adapters = house.services, house.written.adapters
            opening = open_adapters(adapters, house.pool, settings.resources)
            resources = await stack.enter_async_context(opening)
            ledger = unflushed(await another_pool(settings, stack)) if with_ledger else None
            executor = Executor(services.registry, resources, services.catalogue.cards, ledger=ledger)
            house = replace(house, services=replace(services, executor=executor))
            runner = await stack.enter_async_context(server.open_runner(house, settings, name))
            yield server.opened(house, runner, settings)

    return application(lifespan, settings.cors_origins)


def unflushed(pool: Pool) -> LedgerStore:
    """A saver over a pool of its own knows nothing of the turn: what it flushes is the ledger's row alone."""
    return LedgerStore(pool, TurnSaver(pool))


async def another_pool(settings: Settings, stack: AsyncExitStack) -> Pool:
    assert settings.database_url is not None
    pool = await open_pool(settings.database_url.get_secret_value(), settings.database_pool_size)
    stack.push_async_callback(pool.close)
    return pool
