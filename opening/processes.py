"""This process among others that serve the same database: its name there, and how they tell each other of runs."""

import logging
import os
import socket
from contextlib import AsyncExitStack
from uuid import uuid4

import psycopg
from psycopg.conninfo import make_conninfo

from checkpoints.database import Pool
from config.settings import Settings
from graphs.redis_connection import open_redis
from graphs.redis_events import RedisEvents, RedisSignals
from graphs.run_events import InProcessEvents, NoSignals, RunEvents, Signals

logger = logging.getLogger(__name__)
LONGEST_NAME = 60
ALONE = "REDIS_URL is not set: one process needs none, several follow each other through the database alone"
NOT_ALONE = (
    "%d other processes serve this database and REDIS_URL is not set: what one of them plays the others see in the "
    "database alone, and a cancellation takes up to %g s"
)
OTHERS = """
SELECT count(DISTINCT application_name) AS n FROM pg_stat_activity
WHERE datname = current_database() AND application_name LIKE 'frontdesk %%' AND application_name <> %s"""


def process_name() -> str:
    """Nobody else has it, and nobody had it before."""
    return f"frontdesk {socket.gethostname()[:30]} {os.getpid()} {uuid4().hex[:8]}"[:LONGEST_NAME]


def named(url: str, name: str) -> str:
    """The database's address, under which this process shows its name there."""
    try:
        return make_conninfo(url, application_name=name)
    except psycopg.ProgrammingError:
        return url  # whoever opens it says what is wrong with it


async def open_events(settings: Settings, pool: Pool, name: str, stack: AsyncExitStack) -> tuple[RunEvents, Signals]:
    """Redis, or this process alone. Raises as `open_redis` does."""
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
