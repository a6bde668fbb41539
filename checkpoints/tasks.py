"""Background tasks as their owners see them: accepted once, listed, looked at and cancelled."""

from collections.abc import Mapping, Sequence
from typing import Any

from checkpoints.database import Connection, Pool
from checkpoints.jsonb import lenient
from checkpoints.queue import enqueue
from checkpoints.task import COLUMNS, HAS_JOB, Task, TaskStatus
from errors import NotFound, StaleThread

LARGEST = 2**63 - 1
# A run that is gone was deleted with its thread: nothing of it is to come back.
RUN_IS_THERE = "SELECT 1 FROM frontdesk.runs WHERE run_id = %(run_id)s::uuid FOR KEY SHARE"
ACCEPT = f"""
INSERT INTO frontdesk.tasks
    (effect_key, tenant_id, user_id, roles, agent, thread_id, turn_id, run_id, tool, title, arguments, extra, locale)
VALUES (%(effect_key)s, %(tenant)s, %(user)s, %(roles)s, %(agent)s, %(thread_id)s, %(turn_id)s, %(run_id)s, %(tool)s,
    %(title)s, %(arguments)s, %(extra)s, %(locale)s)
ON CONFLICT (effect_key) DO NOTHING RETURNING {COLUMNS}"""  # noqa: S608
BY_KEY = f"SELECT {COLUMNS} FROM frontdesk.tasks WHERE effect_key = %(effect_key)s"  # noqa: S608
OWN = "tenant_id = %(tenant)s AND user_id = %(user)s"
GET = f"SELECT {COLUMNS} FROM frontdesk.tasks WHERE task_id = %(task_id)s AND {OWN}"  # noqa: S608
FOUND = f"""
FROM frontdesk.tasks WHERE {OWN} AND (%(status)s::text IS NULL OR status = %(status)s)
    AND (%(thread_id)s::text IS NULL OR thread_id = %(thread_id)s)"""
SEARCH = f"SELECT {COLUMNS} {FOUND} ORDER BY task_id DESC LIMIT %(limit)s OFFSET %(offset)s"
COUNT = f"SELECT count(*) AS total {FOUND}"
# Those of the thread before those of other threads, those that are open before the rest.
LATEST = f"""
SELECT {COLUMNS}, thread_id IS NOT DISTINCT FROM %(thread_id)s::text AS here, finished_at IS NULL AS open
FROM frontdesk.tasks WHERE {OWN} ORDER BY here DESC, open DESC, task_id DESC LIMIT %(limit)s"""  # noqa: S608
CANCEL = f"""
UPDATE frontdesk.tasks SET cancel_requested = true, updated_at = clock_timestamp(),
    status = CASE WHEN status = 'queued' THEN 'cancelled' ELSE status END,
    finished_at = CASE WHEN status = 'queued' THEN clock_timestamp() END
WHERE task_id = %(task_id)s AND {OWN} AND status IN ('queued', 'running') RETURNING {COLUMNS}"""  # noqa: S608


class Tasks:
    """The table of background tasks, for callers; somebody else's task is one that there is not."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def accept(
        self,
        *,
        effect_key: str,
        tenant: str,
        user: str,
        roles: Sequence[str],
        agent: str,
        thread_id: str,
        turn_id: str,
        run_id: str,
        tool: str,
        title: str,
        arguments: Mapping[str, Any],
        extra: Mapping[str, Any],
        locale: str,
    ) -> Task:
        """Store it and put it into the queue, both or neither; again with the same `effect_key` gives the first one.

        Raises StaleThread where the run that asks for it was deleted meanwhile.
        """
        row = {
            "effect_key": effect_key,
            "tenant": tenant,
            "user": user,
            "roles": list(roles),
            "agent": agent,
            "thread_id": thread_id or None,
            "turn_id": turn_id or None,
            "run_id": run_id or None,
            "tool": tool,
            "title": title,
            "arguments": lenient(dict(arguments)),
            "extra": lenient(dict(extra)),
            "locale": locale,
        }
        async with self._pool.connection() as connection, connection.transaction():
            if run_id and await (await connection.execute(RUN_IS_THERE, row)).fetchone() is None:
                raise StaleThread("this run was deleted")
            return await _accepted(connection, row)

    async def get(self, task_id: int, tenant: str, user: str) -> Task:
        """Raises NotFound for a task of nobody and for one of somebody else alike."""
        if not 0 < task_id <= LARGEST:
            raise NotFound(f"Task {task_id} not found")
        async with self._pool.connection() as connection:
            row = await (await connection.execute(GET, _whose(tenant, user, task_id))).fetchone()
        if row is None:
            raise NotFound(f"Task {task_id} not found")
        return Task(**row)

    async def search(
        self,
        tenant: str,
        user: str,
        *,
        status: TaskStatus | None = None,
        thread_id: str | None = None,
        limit: int = 10,
        offset: int = 0,
    ) -> tuple[list[Task], int]:
        """One page of the caller's tasks, the newest first, and how many there are."""
        row = {**_whose(tenant, user), "status": status, "thread_id": thread_id, "limit": limit, "offset": offset}
        async with self._pool.connection() as connection, connection.pipeline():
            page = await connection.execute(SEARCH, row)
            count = await connection.execute(COUNT, row)
            tasks, total = [Task(**each) for each in await page.fetchall()], await count.fetchone()
        return tasks, total["total"] if total else 0

    async def latest(self, tenant: str, user: str, thread_id: str, *, limit: int) -> list[Task]:
        """Those that are open, else the last one: of this thread, or where it has none, of all. The newest first."""
        values = {**_whose(tenant, user), "thread_id": thread_id or None, "limit": limit}
        async with self._pool.connection() as connection:
            rows = await (await connection.execute(LATEST, values)).fetchall()
        like_first = [row for row in rows if (row["here"], row["open"]) == (rows[0]["here"], rows[0]["open"])]
        meant = like_first if rows and rows[0]["open"] else like_first[:1]
        return [Task(**{k: v for k, v in row.items() if k not in ("here", "open")}) for row in meant]

    async def cancel(self, task_id: int, tenant: str, user: str) -> Task:
        """As it is then: `cancelled` where it waited, `cancel_requested` where it runs, as it was where it is over.

        Can be repeated. Raises NotFound.
        """
        if 0 < task_id <= LARGEST:
            async with self._pool.connection() as connection:
                row = await (await connection.execute(CANCEL, _whose(tenant, user, task_id))).fetchone()
            if row is not None:
                return Task(**row)
        return await self.get(task_id, tenant, user)


async def _accepted(connection: Connection, row: dict[str, Any]) -> Task:
    made = await (await connection.execute(ACCEPT, row)).fetchone()
    if made is None:
        made = await (await connection.execute(BY_KEY, row)).fetchone()
        assert made is not None  # noqa: S101 - it was in the way, and nothing deletes a task whose run is there
        return Task(**made)
    task = Task(**made)
    job = await enqueue(connection, task.task_id)
    await connection.execute(HAS_JOB, {"task_id": task.task_id, "job": job})
    return task


def _whose(tenant: str, user: str, task_id: int | None = None) -> dict[str, Any]:
    return {"tenant": tenant, "user": user, "task_id": task_id}
