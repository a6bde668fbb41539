"""The composition root: opens every part in order, joins them, and closes them in reverse."""

import asyncio
import ipaddress
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime

import psycopg
from fastapi import FastAPI
from langgraph.checkpoint.base import BaseCheckpointSaver
from psycopg_pool import PoolTimeout

from api.application import application
from api.dependencies import Opened
from auth.principal import DEV_TENANT
from checkpoints.database import Pool, migrate, open_pool
from checkpoints.embedded import EmbeddedPostgres
from checkpoints.saver import TurnSaver
from checkpoints.threads import Threads
from config.catalogue import Catalogue
from config.loading import load_catalogue
from config.models import ModelsConfig, load_models
from config.settings import Settings
from demo.seeding import seed
from errors import ConfigurationError
from graphs.assistant import Desk, Services, build_graph
from graphs.plain_words import PlainWords
from graphs.runner import Runner
from models.client import open_client
from models.registry import build_models
from nodes.reading import reader_of
from tools.executor import Executor
from tools.providers.python import AdapterFile, load_adapters, open_adapters
from tools.registry import Registry

logger = logging.getLogger(__name__)
AFTER_THE_TURN_S = 5.0
DEMO_EVERY_S = 900.0


@dataclass(frozen=True, kw_only=True)
class Written:
    """What the operator wrote, read and found sound; nothing is open yet."""

    catalogue: Catalogue
    models: ModelsConfig
    adapters: tuple[AdapterFile, ...]
    registry: Registry


@dataclass(frozen=True, kw_only=True)
class House:
    """Everything that is open."""

    written: Written
    pool: Pool
    saver: TurnSaver
    services: Services


def create_app(settings: Settings | None = None) -> FastAPI:
    """The app; what it needs is opened when its lifespan starts. Raises ConfigurationError for an unsafe address.

    `settings`: None reads the environment.
    """
    chosen = settings or Settings()
    _only_loopback(chosen.host)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[Opened]:
        async with open_house(chosen) as house:
            graph = build_graph(house.services).compile(checkpointer=house.saver)
            catalogue, threads = house.services.catalogue, Threads(house.pool)
            words = PlainWords.of(catalogue)
            runner = Runner(graph, house.saver, threads, words, turn_timeout_s=chosen.turn_timeout_s)
            try:
                yield Opened(
                    catalogue=catalogue,
                    registry=house.services.registry,
                    pool=house.pool,
                    threads=threads,
                    graph=graph,
                    runner=runner,
                    clock=chosen.clock,
                    models=house.services.models,
                )
            finally:
                await runner.close(chosen.turn_timeout_s + AFTER_THE_TURN_S)

    return application(lifespan, chosen.cors_origins)


@asynccontextmanager
async def open_house(settings: Settings) -> AsyncIterator[House]:
    """Raises ConfigurationError where a file or variable is wrong, Unavailable where the database does not answer."""
    async with AsyncExitStack() as stack:
        written = await asyncio.to_thread(read, settings)
        url = await _database_url(settings, written.catalogue, stack)
        pool = await open_pool(url, settings.database_pool_size)
        stack.push_async_callback(pool.close)
        await migrate(pool)
        if settings.with_demo:
            await seed(pool, settings.clock or datetime.now(UTC))
            await stack.enter_async_context(_moving_on(pool, settings.clock))
        resources = await stack.enter_async_context(open_adapters(written.adapters, pool, settings.resources))
        http = await stack.enter_async_context(open_client())
        services = Services(
            catalogue=written.catalogue,
            reader=reader_of(written.catalogue),
            registry=written.registry,
            executor=Executor(written.registry, resources, written.catalogue.cards),
            models=build_models(written.models, settings, http),
            confirmation_minutes=settings.confirmation_minutes,
            deadline_s=settings.turn_timeout_s,
        )
        yield House(written=written, pool=pool, saver=TurnSaver(pool), services=services)


def read(settings: Settings) -> Written:
    """Blocks while it reads files. Raises ConfigurationError naming file and key."""
    if settings.clock is not None and settings.environment != "development":
        raise ConfigurationError("CLOCK pins the clock in development only")
    adapters = load_adapters(settings.tool_dirs)
    registry = Registry(tool for file in adapters for tool in file.tools)
    catalogue = load_catalogue(settings.config_dir, settings.agent_dirs, registry)
    if DEV_TENANT not in catalogue.tenants:
        raise ConfigurationError(f"tenants.yaml: the development identity's tenant {DEV_TENANT!r} is missing")
    models = load_models(settings.config_dir / "models.yaml")
    return Written(catalogue=catalogue, models=models, adapters=adapters, registry=registry)


async def _database_url(settings: Settings, catalogue: Catalogue, stack: AsyncExitStack) -> str:
    if settings.database_url is not None:
        return settings.database_url.get_secret_value()
    server = EmbeddedPostgres(settings.data_dir, time_zone=catalogue.tenants[DEV_TENANT].time_zone)
    await asyncio.to_thread(server.start)
    stack.push_async_callback(asyncio.to_thread, server.stop)
    return server.url


@asynccontextmanager
async def _moving_on(pool: Pool, clock: datetime | None) -> AsyncIterator[None]:
    """The demo's dates move with the day, also while the desk runs."""

    async def keep_seeding() -> None:
        while True:
            await asyncio.sleep(DEMO_EVERY_S)
            try:
                await seed(pool, clock or datetime.now(UTC))
            except (psycopg.Error, PoolTimeout) as error:
                logger.warning("the demo was not moved on: %s", type(error).__name__)

    task = asyncio.create_task(keep_seeding())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def _only_loopback(host: str) -> None:
    """Until identity arrives, whoever can reach the port can be anybody."""
    if host == "localhost":
        return
    with suppress(ValueError):
        if ipaddress.ip_address(host).is_loopback:
            return
    raise ConfigurationError(f"HOST: {host!r} is not loopback; use 127.0.0.1, requests are not identified yet")


class Studio:
    """What LangGraph's development server asks for again and again, opened once and closed with its saver."""

    def __init__(self) -> None:
        self._stack = AsyncExitStack()
        self._lock = asyncio.Lock()
        self._house: House | None = None

    async def house(self) -> House:
        async with self._lock:
            if self._house is None:
                settings = await asyncio.to_thread(Settings)
                self._house = await self._stack.enter_async_context(open_house(settings))
            return self._house

    async def close(self) -> None:
        async with self._lock:
            self._house = None
            await self._stack.aclose()


_studio = Studio()


async def studio_graph() -> Desk:
    """The graph for `langgraph dev`, which brings the saver of `studio_saver` to it."""
    house = await _studio.house()
    return build_graph(house.services).compile()


@asynccontextmanager
async def studio_saver() -> AsyncIterator[BaseCheckpointSaver[str]]:
    """Our own saver for `langgraph dev`, so that it reads and writes the same checkpoints as the desk."""
    house = await _studio.house()
    try:
        yield house.saver
    finally:
        await _studio.close()
