"""The composition root: opens every part in order, joins them, and closes them in reverse."""

import asyncio
import logging
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import uuid4

import psycopg
from fastapi import FastAPI
from langgraph.checkpoint.base import BaseCheckpointSaver
from psycopg.conninfo import make_conninfo
from psycopg_pool import PoolTimeout

from api.application import application
from api.dependencies import Opened
from auth.principal import DEV_TENANT
from checkpoints.database import Pool, migrate, open_pool
from checkpoints.embedded import EmbeddedPostgres
from checkpoints.leases import Leases
from checkpoints.ledger import LedgerStore
from checkpoints.retention import Keep, Pruned, prune
from checkpoints.runs import Runs
from checkpoints.saver import TurnSaver
from checkpoints.threads import Threads
from checkpoints.watching import watch
from config.catalogue import Catalogue
from config.check import check
from config.loading import read_catalogue
from config.models import ModelsConfig, load_models
from config.settings import Settings
from demo.seeding import seed
from errors import ConfigurationError
from graphs.assistant import Desk, Services, build_graph
from graphs.conductor import Stage
from graphs.plain_words import PlainWords
from graphs.redis_connection import open_redis
from graphs.redis_events import RedisEvents, RedisSignals
from graphs.replay import Replays
from graphs.run_events import InProcessEvents, NoSignals, RunEvents, Signals
from graphs.runner import Runner
from graphs.transcript import facts_of
from models.client import open_client
from models.registry import build_models
from nodes.reading import reader_of
from nodes.summary import summarise
from tools.executor import Executor
from tools.providers.python import AdapterFile, load_adapters, open_adapters
from tools.registry import Registry

logger = logging.getLogger(__name__)
DEMO_EVERY_S = 900.0
PRUNE_FIRST_AFTER_S = 300.0
LONGEST_NAME = 60
ALONE = "REDIS_URL is not set: enough for one process, several need it"
NOT_ALONE = (
    "%d other processes serve this database and REDIS_URL is not set: what one of them plays the others see in the "
    "database alone, and a cancellation takes up to %g s"
)
OTHERS = """
SELECT count(DISTINCT application_name) AS n FROM pg_stat_activity
WHERE datname = current_database() AND application_name LIKE 'frontdesk %%' AND application_name <> %s"""


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
    """The app; what it needs is opened when its lifespan starts. `settings`: None reads the environment."""
    chosen = settings or Settings()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[Opened]:
        name = process_name()
        async with (
            open_house(chosen, name) as house,
            open_runner(house, chosen, name) as runner,
            _pruning(house, chosen),
        ):
            yield opened(house, runner, chosen)

    return application(lifespan, chosen.cors_origins)


def opened(house: House, runner: Runner, settings: Settings) -> Opened:
    """What the routes need of it."""
    services = house.services
    return Opened(
        catalogue=services.catalogue,
        registry=services.registry,
        pool=house.pool,
        threads=Threads(house.pool),
        runs=Runs(house.pool),
        graph=build_graph(services).compile(checkpointer=house.saver),
        runner=runner,
        replays=Replays(
            services,
            house.saver,
            house.pool,
            known_models=tuple(house.written.models.models),
            turn_timeout_s=settings.turn_timeout_s,
        ),
        clock=settings.clock,
        models=services.models,
    )


def process_name() -> str:
    """Nobody else has it, and nobody had it before."""
    return f"frontdesk {socket.gethostname()[:30]} {os.getpid()} {uuid4().hex[:8]}"[:LONGEST_NAME]


@asynccontextmanager
async def open_house(settings: Settings, name: str = "frontdesk") -> AsyncIterator[House]:
    """`name`: under which the database knows this process.

    Raises ConfigurationError where a file or variable is wrong, Unavailable where the database does not answer.
    """
    async with AsyncExitStack() as stack:
        written = await asyncio.to_thread(read, settings)
        url = await _database_url(settings, written.catalogue, stack)
        pool = await open_pool(_named(url, name), settings.database_pool_size)
        stack.push_async_callback(pool.close)
        await migrate(pool)
        if settings.with_demo:
            await seed(pool, settings.clock or datetime.now(UTC))
            await stack.enter_async_context(_moving_on(pool, settings.clock))
        resources = await stack.enter_async_context(open_adapters(written.adapters, pool, settings.resources))
        http = await stack.enter_async_context(open_client())
        saver = TurnSaver(pool)
        ledger = LedgerStore(pool, saver)
        services = Services(
            catalogue=written.catalogue,
            reader=reader_of(written.catalogue),
            registry=written.registry,
            executor=Executor(written.registry, resources, written.catalogue.cards, ledger=ledger),
            models=build_models(written.models, settings, http),
            confirmation_minutes=settings.confirmation_minutes,
            deadline_s=settings.turn_timeout_s,
        )
        yield House(written=written, pool=pool, saver=saver, services=services)


@asynccontextmanager
async def open_runner(house: House, settings: Settings, name: str) -> AsyncIterator[Runner]:
    """It takes over at once what dead processes left. Raises as `open_house` does, for Redis."""
    services = house.services
    async with AsyncExitStack() as stack:
        events, signals = await _events(settings, house.pool, name, stack)
        stage = Stage(
            graph=build_graph(services).compile(checkpointer=house.saver),
            saver=house.saver,
            runs=Runs(house.pool),
            leases=Leases(house.pool, name, settings.lease_s),
            events=events,
            words=PlainWords.of(services.catalogue),
            facts=facts_of(services.catalogue, services.models),
            summarise=partial(summarise, catalogue=services.catalogue, models=services.models),
            turn_timeout_s=settings.turn_timeout_s,
        )
        runner = Runner(
            stage,
            Threads(house.pool),
            signals,
            renew_s=settings.renew_s,
            sweep_s=settings.sweep_s,
            drain_s=settings.drain_s,
        )
        yield await stack.enter_async_context(runner)


def read(settings: Settings) -> Written:
    """Blocks while it reads files. Raises ConfigurationError naming file and key."""
    adapters = load_adapters(settings.tool_dirs)
    registry = Registry(tool for file in adapters for tool in file.tools)
    models = load_models(settings.config_dir / "models.yaml")
    loaded = read_catalogue(settings.config_dir, settings.agent_dirs)
    catalogue, problems = loaded.catalogue, list(loaded.problems)
    if catalogue is not None:
        problems += check(catalogue, registry, models.models)
        if DEV_TENANT not in catalogue.tenants:
            problems.append(f"tenants.yaml: tenants: the development identity's tenant {DEV_TENANT!r} is missing")
    if catalogue is None or problems:
        raise ConfigurationError("\n".join(problems))
    return Written(catalogue=catalogue, models=models, adapters=adapters, registry=registry)


async def _database_url(settings: Settings, catalogue: Catalogue, stack: AsyncExitStack) -> str:
    if settings.database_url is not None:
        return settings.database_url.get_secret_value()
    server = EmbeddedPostgres(settings.data_dir, time_zone=catalogue.tenants[DEV_TENANT].time_zone)
    await asyncio.to_thread(server.start)
    stack.push_async_callback(asyncio.to_thread, server.stop)
    await stack.enter_async_context(_running(watch(server)))
    return server.url


def _named(url: str, name: str) -> str:
    try:
        return make_conninfo(url, application_name=name)
    except psycopg.ProgrammingError:
        return url  # whoever opens it says what is wrong with it


async def _events(settings: Settings, pool: Pool, name: str, stack: AsyncExitStack) -> tuple[RunEvents, Signals]:
    kept_s = settings.keep_events_minutes * 60
    if settings.redis_url is None:
        async with pool.connection() as connection:
            row = await (await connection.execute(OTHERS, (name,))).fetchone()
        if others := row["n"] if row else 0:
            logger.warning(NOT_ALONE, others, settings.renew_s)
        else:
            logger.info(ALONE)
        return InProcessEvents(kept_s=kept_s), NoSignals()
    redis = await stack.enter_async_context(open_redis(settings.redis_url.get_secret_value()))
    events = RedisEvents(redis, kept_s=kept_s)
    await stack.enter_async_context(events.running())
    return events, RedisSignals(redis)


@asynccontextmanager
async def _moving_on(pool: Pool, clock: datetime | None) -> AsyncIterator[None]:
    """The demo's dates move with the day, also while the desk runs."""

    async def move_on() -> None:
        await seed(pool, clock or datetime.now(UTC))

    async with _again_and_again(move_on, first_s=DEMO_EVERY_S, every_s=DEMO_EVERY_S, what="the demo was not moved on"):
        yield


@asynccontextmanager
async def _pruning(house: House, settings: Settings) -> AsyncIterator[None]:
    async def clean() -> None:
        pruned = await prune(house.pool, Keep(**settings.kept_days))
        if pruned != Pruned():
            logger.info("pruned: %s", pruned)

    if not settings.prune_every_hours:
        yield
        return
    every_s = settings.prune_every_hours * 3600
    async with _again_and_again(clean, first_s=PRUNE_FIRST_AFTER_S, every_s=every_s, what="nothing was pruned"):
        yield


@asynccontextmanager
async def _again_and_again(
    work: Callable[[], Awaitable[None]], *, first_s: float, every_s: float, what: str
) -> AsyncIterator[None]:
    """`what`: said in the log where it could not be done."""

    async def for_ever() -> None:
        await asyncio.sleep(first_s)
        while True:
            try:
                await work()
            except (psycopg.Error, PoolTimeout) as error:
                logger.warning("%s: %s", what, type(error).__name__)
            await asyncio.sleep(every_s)

    async with _running(for_ever()):
        yield


@asynccontextmanager
async def _running(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Beside everything else, as long as this is open."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


class Studio:
    """What LangGraph's development server asks for again and again, opened once and closed with its saver."""

    def __init__(self) -> None:
        self._stack = AsyncExitStack()
        self._lock = asyncio.Lock()
        self._open: tuple[Desk, TurnSaver] | None = None

    async def open(self) -> tuple[Desk, TurnSaver]:
        """The graph without a saver, and the saver."""
        async with self._lock:
            if self._open is None:
                settings = await asyncio.to_thread(Settings)
                house = await self._stack.enter_async_context(open_house(settings))
                self._open = build_graph(house.services).compile(), house.saver
            return self._open

    async def close(self) -> None:
        async with self._lock:
            self._open = None
            await self._stack.aclose()


_studio = Studio()


async def studio_graph() -> Desk:
    """The graph for `langgraph dev`, which brings the saver of `studio_saver` to it."""
    graph, _ = await _studio.open()
    return graph


@asynccontextmanager
async def studio_saver() -> AsyncIterator[BaseCheckpointSaver[str]]:
    """Our own saver for `langgraph dev`, so that it reads and writes the same checkpoints as the desk."""
    _, saver = await _studio.open()
    try:
        yield saver
    finally:
        await _studio.close()
