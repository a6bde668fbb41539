"""Looks after the embedded PostgreSQL while a process uses it."""

import asyncio
import logging

import psycopg

from checkpoints.embedded import EmbeddedPostgres
from errors import ConfigurationError, Unavailable

logger = logging.getLogger(__name__)


async def watch(server: EmbeddedPostgres, every_s: float = 2.0) -> None:
    """Starts the server again when it has gone, for as long as this runs; to be cancelled.

    A start that fails is told to the log and tried again. Cancelled within a look, it waits for the end of that look:
    a thread cannot be stopped, and `server.stop` must not meet a start.
    """
    while True:
        await asyncio.sleep(every_s)
        look = asyncio.ensure_future(asyncio.to_thread(server.revive))
        try:
            if await asyncio.shield(look):
                logger.warning("the embedded PostgreSQL was gone and was started again")
        except asyncio.CancelledError:
            await asyncio.wait([look])
            raise
        except (Unavailable, ConfigurationError, psycopg.Error, OSError) as error:
            logger.error("the embedded PostgreSQL cannot be started again: %s", error)
