"""The queue of background work: procrastinate over the desk's own PostgreSQL."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from typing import Any

import psycopg
from procrastinate import App, JobContext, PsycopgConnector
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job
from procrastinate.manager import JobManager
from psycopg import AsyncConnection
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from checkpoints.database import CONNECT_TIMEOUT_S, WAIT_FOR_CONNECTION_S, Connection, Pool, opened, out_of_pipeline
from checkpoints.queue_schema import BESIDE, SCHEMA
from errors import Unavailable

logger = logging.getLogger(__name__)
QUEUE, JOB = "frontdesk", "frontdesk.task"
AGAIN_S = 1.0
FINDING = f'SET search_path TO {SCHEMA}, "$user", public'
DATABASE = (ConnectorException, psycopg.Error, PoolTimeout, Unavailable)

# The number of a task and of the job under which it was put into the queue.
Perform = Callable[[int, int], Awaitable[None]]


async def enqueue(connection: Connection, task_id: int, *, at: datetime | None = None) -> int:
    """The job's number. In the caller's transaction, whose unqualified names mean the queue's tables from then on.

    `at`: not before that moment.
    """
    await connection.execute(BESIDE)
    job = Job(
        queue=QUEUE,
        task_name=JOB,
        priority=0,
        lock=None,
        queueing_lock=None,
        task_kwargs={"task_id": task_id},
        scheduled_at=at,
    )
    try:
        made = await JobManager(PsycopgConnector()).defer_job_async(job, connection=connection)
    except ConnectorException as error:
        raise error.__cause__ if isinstance(error.__cause__, psycopg.Error) else Unavailable() from error
    assert made.id is not None  # noqa: S101 - a stored job has a number
    return made.id


async def open_worker_pool(url: str, size: int, *, timeout_s: float = CONNECT_TIMEOUT_S) -> Pool:
    """Connections that find the queue's tables as well; the caller closes it. Raises Unavailable."""
    pool: Pool = AsyncConnectionPool(
        url,
        connection_class=AsyncConnection[DictRow],
        # The queue listens on a connection of its own, made with these; it commits by itself.
        kwargs={"row_factory": dict_row, "prepare_threshold": 0},
        configure=_ready,
        min_size=1,
        max_size=size,
        timeout=WAIT_FOR_CONNECTION_S,
        check=AsyncConnectionPool.check_connection,
        reset=out_of_pipeline,
        open=False,
    )
    return await opened(pool, timeout_s)


async def _ready(connection: Connection) -> None:
    await connection.set_autocommit(True)
    await connection.execute(FINDING)


class QueueWorker:
    """Takes jobs out of the queue, `concurrency` at once, until it is closed. `polling_s`: how often it looks where no
    notice reaches it. `drain_s`: how long it waits for its jobs when it is closed, before it cancels them."""

    def __init__(self, pool: Pool, perform: Perform, *, concurrency: int, polling_s: float, drain_s: float) -> None:
        self._pool = pool
        self._perform = perform
        self._options: dict[str, Any] = {
            "queues": [QUEUE],
            "concurrency": concurrency,
            "fetch_job_polling_interval": polling_s,
            "shutdown_graceful_timeout": drain_s,
            "delete_jobs": "always",
            "install_signal_handlers": False,
            "listen_notify": True,
        }
        self._closing = False
        self._running: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._running = asyncio.create_task(self._run_for_ever())

    async def close(self) -> None:
        """Take no more jobs, and wait for those that run."""
        self._closing = True
        if self._running is not None:
            self._running.cancel()
            with suppress(asyncio.CancelledError):
                await self._running

    async def _run_for_ever(self) -> None:
        while not self._closing:
            app = App(connector=PsycopgConnector())
            app.task(name=JOB, queue=QUEUE, pass_context=True)(self._job)
            try:
                async with app.open_async(self._pool):
                    await app.run_worker_async(**self._options)
            except DATABASE as error:
                logger.warning("the queue cannot be read: %s", type(error).__name__)
            await asyncio.sleep(AGAIN_S)

    async def _job(self, context: JobContext, task_id: int) -> None:
        assert context.job.id is not None  # noqa: S101 - a stored job has a number
        try:
            await self._perform(task_id, context.job.id)
        except DATABASE as error:
            # The sweep puts it into the queue again.
            logger.warning("task %d is left where it is: %s", task_id, type(error).__name__)
