"""The composition root: opens every part in order, joins them, and closes them in reverse."""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

from fastapi import FastAPI
from langgraph.checkpoint.base import BaseCheckpointSaver

from api.application import VERSION, application
from api.dependencies import Opened
from api.mcp_endpoint import McpEndpoint
from api.mcp_tools import McpTools
from auth.principal import DEV_ROLES, DEV_TENANT, Principal
from checkpoints.audit import AuditStore
from checkpoints.database import Pool, migrate, open_pool
from checkpoints.embedded import EmbeddedPostgres
from checkpoints.feedback import FeedbackStore
from checkpoints.leases import Leases
from checkpoints.ledger import LedgerStore
from checkpoints.queue import open_worker_pool
from checkpoints.runs import Runs
from checkpoints.saver import TurnSaver
from checkpoints.switches import SwitchBoard
from checkpoints.tasks import Tasks
from checkpoints.threads import Threads
from checkpoints.watching import watch
from config.catalogue import Catalogue
from config.settings import Settings
from demo.seeding import seed
from graphs.assistant import Desk, Services, build_graph
from graphs.conductor import Stage
from graphs.plain_words import PlainWords
from graphs.replay import Replays
from graphs.runner import Runner
from graphs.task_worker import place_of, working
from graphs.transcript import facts_of
from graphs.unfinished import Unfinished
from models.client import open_client
from models.registry import build_models
from nodes.context import context_of_default
from nodes.reading import reader_of
from nodes.similarity import Alike
from nodes.summary import summarise
from opening.processes import named, open_events, process_name
from opening.remote_tools import open_remote_tools
from opening.similarity import similarity_of
from opening.upkeep import moving_on, pruning, running
from opening.written import Written, read
from tools.background import Background
from tools.executor import Executor
from tools.providers.python import open_adapters
from tools.registry import Registry
from tools.switches import Stops, Switches

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class House:
    """Everything that is open."""

    written: Written
    url: str
    pool: Pool
    saver: TurnSaver
    services: Services
    resources: Mapping[str, Any]


def create_app(settings: Settings | None = None) -> FastAPI:
    """The app; what it needs is opened when its lifespan starts. `settings`: None reads the environment."""
    chosen = settings or Settings()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[Opened]:
        name = process_name()
        async with (
            open_house(chosen, name) as house,
            open_runner(house, chosen, name) as runner,
            open_worker(house, chosen) if chosen.worker else nullcontext(),
            pruning(house.pool, chosen),
        ):
            state = opened(house, runner, chosen)
            async with state["mcp"].running():
                yield state

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
        tasks=Tasks(house.pool),
        ledger=LedgerStore(house.pool, house.saver),
        audit=AuditStore(house.pool, house.saver),
        feedback=FeedbackStore(house.pool),
        graph=build_graph(services).compile(checkpointer=house.saver),
        runner=runner,
        switches=services.executor.switches,
        replays=Replays(
            services,
            house.saver,
            house.pool,
            known_models=tuple(house.written.models.models),
            turn_timeout_s=settings.turn_timeout_s,
        ),
        clock=settings.clock,
        models=services.models,
        similarity=services.alike.similarity is not None,
        mcp=mcp_endpoint(services, settings),
    )


def mcp_endpoint(services: Services, settings: Settings) -> McpEndpoint:
    """What the desk offers to MCP clients."""
    tools = McpTools(
        catalogue=services.catalogue,
        executor=services.executor,
        deadline_s=settings.turn_timeout_s,
        clock=settings.clock,
    )
    return McpEndpoint(
        tools,
        version=VERSION,
        hosts=(settings.host, *settings.mcp_hosts),
        origins=settings.cors_origins,
        confirm_s=settings.confirmation_minutes * 60,
    )


@asynccontextmanager
async def open_house(settings: Settings, name: str = "frontdesk") -> AsyncIterator[House]:
    """`name`: under which the database knows this process.

    Raises ConfigurationError where a file or variable is wrong, Unavailable where the database does not answer.
    """
    async with AsyncExitStack() as stack:
        written = await asyncio.to_thread(read, settings)
        url = named(await _database_url(settings, written.catalogue, stack), name)
        pool = await open_pool(url, settings.database_pool_size)
        stack.push_async_callback(pool.close)
        await migrate(pool)
        if settings.with_demo:
            await seed(pool, settings.clock or datetime.now(UTC))
            await stack.enter_async_context(moving_on(pool, settings.clock))
        resources = await stack.enter_async_context(open_adapters(written.adapters, pool, settings.resources))
        await open_remote_tools(settings, written, pool, stack)
        http = await stack.enter_async_context(open_client())
        saver = TurnSaver(pool)
        ledger = LedgerStore(pool, saver)
        services = Services(
            catalogue=written.catalogue,
            reader=reader_of(written.catalogue),
            registry=written.registry,
            executor=Executor(
                written.registry,
                resources,
                written.catalogue.cards,
                ledger=ledger,
                audit=AuditStore(pool, saver),
                switches=await _switches(settings, written.registry, pool),
                background=Background(Tasks(pool)),
                max_parallel=settings.max_tool_calls,
            ),
            models=build_models(written.models, settings, http),
            alike=Alike(
                similarity=await asyncio.to_thread(similarity_of, settings, written.catalogue),
                rules=written.models.similarity,
            ),
            confirmation_minutes=settings.confirmation_minutes,
            deadline_s=settings.turn_timeout_s,
        )
        yield House(written=written, url=url, pool=pool, saver=saver, services=services, resources=resources)


async def _switches(settings: Settings, registry: Registry, pool: Pool) -> Switches:
    start = Stops(read_only=settings.read_only, disabled=frozenset(settings.disabled_tools))
    if strange := start.disabled - registry.keys():
        logger.warning("DISABLED_TOOLS names tools that there are not here: %s", ", ".join(sorted(strange)))
    switches = Switches(start, await SwitchBoard.opened(pool))
    if (stops := await switches.now()) != Stops():
        logger.warning("stopped: %s", stops)
    return switches


@asynccontextmanager
async def open_runner(house: House, settings: Settings, name: str) -> AsyncIterator[Runner]:
    """It takes over at once what dead processes left. Raises as `open_house` does, for Redis."""
    services = house.services
    async with AsyncExitStack() as stack:
        events, signals = await open_events(settings, house.pool, name, stack)
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
            permissions=services.catalogue.permissions,
            unfinished=Unfinished(LedgerStore(house.pool, house.saver), services.registry),
            audit=AuditStore(house.pool, house.saver),
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


@asynccontextmanager
async def open_worker(house: House, settings: Settings) -> AsyncIterator[None]:
    """Does background tasks as long as it is open; then what it is at is handed back, at its last step.

    Raises Unavailable where the database does not answer.
    """
    pool = await open_worker_pool(house.url, settings.task_concurrency + 2)
    audit = AuditStore(house.pool, house.saver)
    place = place_of(house.services, house.resources, audit, clock=settings.clock)
    limits = {"stalled_s": settings.task_stalled_s, "drain_s": settings.drain_s}
    try:
        async with working(pool, place, concurrency=settings.task_concurrency, **limits):
            yield
    finally:
        await pool.close()


async def _database_url(settings: Settings, catalogue: Catalogue, stack: AsyncExitStack) -> str:
    if settings.database_url is not None:
        return settings.database_url.get_secret_value()
    server = EmbeddedPostgres(settings.data_dir, time_zone=catalogue.tenants[DEV_TENANT].time_zone)
    await asyncio.to_thread(server.start)
    stack.push_async_callback(asyncio.to_thread, server.stop)
    await stack.enter_async_context(running(watch(server)))
    return server.url


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
                permitted = house.services.catalogue.permissions(DEV_ROLES)
                context = context_of_default(Principal(permissions=permitted))
                self._open = build_graph(house.services, context).compile(), house.saver
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
