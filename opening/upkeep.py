"""What goes on beside the turns as long as the desk is open."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from typing import Any

import psycopg
from psycopg_pool import PoolTimeout

from checkpoints.database import Pool
from checkpoints.retention import Keep, Pruned, prune
from config.settings import Settings
from demo.seeding import seed

logger = logging.getLogger(__name__)
DEMO_EVERY_S = 900.0
PRUNE_FIRST_AFTER_S = 300.0


@asynccontextmanager
async def moving_on(pool: Pool, clock: datetime | None) -> AsyncIterator[None]:
    """The demo's dates move with the day, also while the desk runs."""

    async def move_on() -> None:
        await seed(pool, clock or datetime.now(UTC))

    async with again_and_again(move_on, first_s=DEMO_EVERY_S, every_s=DEMO_EVERY_S, what="the demo was not moved on"):
        yield


@asynccontextmanager
async def pruning(pool: Pool, settings: Settings) -> AsyncIterator[None]:
    async def clean() -> None:
        pruned = await prune(pool, Keep(**settings.kept_days))
        if pruned != Pruned():
            logger.info("pruned: %s", pruned)

    if not settings.prune_every_hours:
        yield
        return
    every_s = settings.prune_every_hours * 3600
    async with again_and_again(clean, first_s=PRUNE_FIRST_AFTER_S, every_s=every_s, what="nothing was pruned"):
        yield


@asynccontextmanager
async def again_and_again(
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

    async with running(for_ever()):
        yield


@asynccontextmanager
async def running(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Beside everything else, as long as this is open."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
