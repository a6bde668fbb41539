"""One process's part in the background work of all: takes tasks up, looks for abandoned ones, hands back at the end."""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import psycopg
from psycopg_pool import PoolTimeout

from auth.principal import Principal
from checkpoints.database import Pool
from checkpoints.queue import QueueWorker
from checkpoints.task_work import TaskWork
from graphs.assistant import Services
from tools.audit import Audit
from tools.tasks import Task
from tools.work import Place, Worker

logger = logging.getLogger(__name__)
# Notices of new jobs come at once; this is for those that are lost.
POLLING_S = 5.0


@asynccontextmanager
async def working(
    pool: Pool, place: Place, *, concurrency: int, stalled_s: float, drain_s: float
) -> AsyncIterator[None]:
    """As long as this is open. `pool`: of `open_worker_pool`. `stalled_s`: how long a task stays with a silent worker.

    At the end nothing new is begun, and what is being done is handed back at its last step; what takes no step within
    `drain_s` is cut off.
    """
    tasks = TaskWork(pool)
    worker = Worker(tasks, place, beat_s=stalled_s / 5)
    polling_s = min(POLLING_S, stalled_s)
    queue = QueueWorker(pool, worker.perform, concurrency=concurrency, polling_s=polling_s, drain_s=drain_s)
    sweeping = asyncio.create_task(_sweep_for_ever(tasks, stalled_s))
    queue.start()
    try:
        yield
    finally:
        worker.closing = True
        sweeping.cancel()
        with suppress(asyncio.CancelledError):
            await sweeping
        await queue.close()


async def _sweep_for_ever(tasks: TaskWork, stalled_s: float) -> None:
    while True:
        try:
            for number in await tasks.sweep(stalled_s):
                logger.warning("task %d was abandoned and is put into the queue again", number)
        except (psycopg.Error, PoolTimeout) as error:
            logger.warning("abandoned tasks were not looked for: %s", type(error).__name__)
        await asyncio.sleep(stalled_s / 3)


def place_of(services: Services, resources: Mapping[str, Any], audit: Audit, *, clock: datetime | None) -> Place:
    """Where this process does tasks: with the same tools, resources and permissions as its turns. `clock`: pinned."""
    catalogue = services.catalogue

    def principal(task: Task) -> Principal:
        permissions = catalogue.permissions(task.roles)
        return Principal(tenant=task.tenant_id, user=task.user_id, roles=tuple(task.roles), permissions=permissions)

    def now(tenant: str) -> datetime:
        zone = ZoneInfo(catalogue.tenants[tenant].time_zone) if tenant in catalogue.tenants else UTC
        return clock.astimezone(zone) if clock else datetime.now(zone)

    return Place(
        registry=services.registry,
        resources=resources,
        cards=catalogue.cards,
        agents=catalogue.agents,
        principal=principal,
        now=now,
        stopping=services.executor.switches.stopping,
        audit=audit,
    )
