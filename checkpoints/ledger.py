"""The ledger: a row for each call with an effect, written before the call, so that the effect happens once."""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import psycopg

from checkpoints.database import Connection, Pool
from checkpoints.jsonb import lenient
from checkpoints.saver import TurnSaver
from errors import Conflict, NotFound

Json = dict[str, Any]
EffectStatus = Literal["started", "done", "failed"]
SettledStatus = Literal["done", "failed"]
State = Literal["begun", "recorded", "unknown"]

BEGIN = """
INSERT INTO frontdesk.ledger
    (effect_key, business_key, tenant_id, user_id, thread_id, turn_id, run_id, tool, arguments, started_at)
VALUES (%(effect_key)s, %(business_key)s, %(tenant)s, %(user)s, %(thread_id)s, %(turn_id)s, %(run_id)s, %(tool)s,
    %(arguments)s, clock_timestamp())
ON CONFLICT DO NOTHING RETURNING id"""
IN_THE_WAY = """
SELECT id, status, result, effect_key = %(effect_key)s AS own FROM frontdesk.ledger
WHERE effect_key = %(effect_key)s OR (tenant_id = %(tenant)s AND tool = %(tool)s AND business_key = %(business_key)s
    AND status <> 'failed')
ORDER BY array_position('{done,started,failed}', status) LIMIT 1 FOR UPDATE"""
BEGIN_AGAIN = """
UPDATE frontdesk.ledger SET status = 'started', result = NULL, finished_at = NULL, settled_by = NULL, note = NULL,
    business_key = %(business_key)s, user_id = %(user)s, thread_id = %(thread_id)s, turn_id = %(turn_id)s,
    run_id = %(run_id)s, arguments = %(arguments)s, started_at = clock_timestamp()
WHERE id = %(id)s AND status = 'failed' RETURNING id"""
# A row without arguments belonged to a thread that was deleted meanwhile: its result is not kept either.
SETTLE = """
UPDATE frontdesk.ledger SET status = %(status)s, finished_at = clock_timestamp(),
    result = CASE WHEN arguments IS NULL THEN NULL ELSE %(result)s::jsonb END
WHERE id = %(id)s AND status = 'started'"""
# By a process that still says so: the run of one that is gone may wait for long until somebody takes it over.
IS_RUNNING = """EXISTS (
    SELECT 1 FROM frontdesk.runs r
    WHERE r.status = 'running' AND r.run_id::text = l.run_id AND r.lease_until > clock_timestamp())"""
UNKNOWN = f"""
SELECT * FROM frontdesk.ledger l WHERE status = 'started' AND NOT {IS_RUNNING}
ORDER BY started_at, id LIMIT %(limit)s"""  # noqa: S608
RESOLVE = f"""
UPDATE frontdesk.ledger l SET status = %(status)s, settled_by = %(by)s, note = %(note)s,
    finished_at = clock_timestamp()
WHERE id = %(id)s AND status = 'started' AND NOT {IS_RUNNING} RETURNING *"""  # noqa: S608
OF_RUN = """
SELECT * FROM frontdesk.ledger
WHERE effect_key = ANY(%(effect_keys)s) OR (thread_id = %(thread_id)s AND run_id = %(run_id)s)"""
SETTLED = (
    "SELECT * FROM frontdesk.ledger WHERE tenant_id = %(tenant)s AND status <> 'started' "
    "AND (id = ANY(%(ids)s::bigint[]) OR effect_key = ANY(%(keys)s))"
)
GET = f"SELECT l.*, {IS_RUNNING} AS is_running FROM frontdesk.ledger l WHERE id = %(id)s"  # noqa: S608


@dataclass(frozen=True, kw_only=True)
class Row:
    """What `begin` found or made. `begun`: ours, the call is to be made; `recorded`: it was made, with this result.

    `own`: the row is this very call's, not of another one with the same business key.
    """

    id: int
    state: State
    result: Json | None = None
    own: bool = True


@dataclass(frozen=True, kw_only=True)
class Effect:
    """One call with an effect, as it is in the table. Of a deleted thread only tool, times and outcome are left."""

    id: int
    effect_key: str
    business_key: str | None
    tenant_id: str
    user_id: str
    thread_id: str | None
    turn_id: str | None
    run_id: str | None
    tool: str
    arguments: Json | None
    status: EffectStatus
    result: Json | None
    started_at: datetime
    finished_at: datetime | None
    settled_by: str | None
    note: str | None


class LedgerStore:
    """The ledger that tools ask for, over a table; `begin` commits together with the saver's turn."""

    def __init__(self, pool: Pool, saver: TurnSaver) -> None:
        self._pool = pool
        self._saver = saver

    async def begin(
        self,
        *,
        effect_key: str,
        business_key: str | None,
        tenant: str,
        user: str,
        thread_id: str,
        turn_id: str,
        run_id: str,
        tool: str,
        arguments: Mapping[str, Any],
    ) -> Row:
        """Commit a `started` row with what the turn has gathered. Raises StaleThread and Unavailable: nothing is begun.

        A row in the way, by either key: `done` is recorded, `started` is unknown, `failed` is started again and ours.
        """
        row = {
            "effect_key": effect_key,
            "business_key": None if business_key is None else _digest(business_key),
            "tenant": tenant,
            "user": user,
            "thread_id": thread_id or None,
            "turn_id": turn_id,
            "run_id": run_id or None,
            "tool": tool,
            "arguments": lenient(dict(arguments)),
        }
        while True:
            try:
                return await self._saver.flush(lambda connection: _begin(connection, row))
            except (psycopg.errors.UniqueViolation, _Vanished):
                # Another one with our business key began in the same moment: then it is in the way now.
                continue

    async def settle(self, row_id: int, status: SettledStatus, result: Mapping[str, Any] | None) -> None:
        """The end of a call, written with the turn's next commit or a moment later, also where the turn fails.

        A row that is not `started` any more stays as it is. Outside of a turn it is written at once, or raises
        Unavailable.
        """
        row = {"id": row_id, "status": status, "result": None if result is None else lenient(dict(result))}

        async def write(connection: Connection) -> None:
            await connection.execute(SETTLE, row)

        await self._saver.gather(write)

    async def of_run(self, run_id: str, thread_id: str, effect_keys: Collection[str]) -> list[Effect]:
        """The calls of these keys, and all others of the run, as far as they are committed."""
        row = {"run_id": run_id, "thread_id": thread_id, "effect_keys": list(effect_keys)}
        async with self._pool.connection() as connection:
            rows = await (await connection.execute(OF_RUN, row)).fetchall()
        return [Effect(**each) for each in rows]

    async def settled(self, tenant: str, ids: Collection[int], effect_keys: Collection[str]) -> list[Effect]:
        """Those of these calls whose end is known."""
        row = {"tenant": tenant, "ids": list(ids), "keys": list(effect_keys)}
        async with self._pool.connection() as connection:
            rows = await (await connection.execute(SETTLED, row)).fetchall()
        return [Effect(**each) for each in rows]

    async def unknown(self, *, limit: int = 100) -> list[Effect]:
        """Calls that began, whose end nobody knows, and whose run nobody holds any more; the oldest first."""
        async with self._pool.connection() as connection:
            rows = await (await connection.execute(UNKNOWN, {"limit": limit})).fetchall()
        return [Effect(**row) for row in rows]

    async def resolve(self, row_id: int, status: SettledStatus, by: str, note: str | None = None) -> Effect:
        """What an operator found out about a call. Raises NotFound, and Conflict where there is nothing to settle."""
        values = {"id": row_id, "status": status, "by": by, "note": note}
        async with self._pool.connection() as connection, connection.transaction():
            settled = await (await connection.execute(RESOLVE, values)).fetchone()
            if settled is not None:
                return Effect(**settled)
            found = await (await connection.execute(GET, values)).fetchone()
        if found is None:
            raise NotFound(f"The ledger has no row {row_id}")
        if found["status"] == "started":
            raise Conflict(f"The run of row {row_id} is still running; its call may still end by itself")
        raise Conflict(f"Row {row_id} of the ledger is settled already: {found['status']}")


class _Vanished(Exception):
    """The row in the way was pruned between two looks."""


async def _begin(connection: Connection, row: Json) -> Row:
    made = await (await connection.execute(BEGIN, row)).fetchone()
    if made is not None:
        return Row(id=made["id"], state="begun")
    found = await (await connection.execute(IN_THE_WAY, row)).fetchone()
    if found is None:
        raise _Vanished
    if found["status"] == "done":
        return Row(id=found["id"], state="recorded", result=found["result"], own=found["own"])
    if found["status"] == "started":
        return Row(id=found["id"], state="unknown", own=found["own"])
    await connection.execute(BEGIN_AGAIN, {**row, "id": found["id"]})
    return Row(id=found["id"], state="begun")


def _digest(business_key: str) -> str:
    """It is made of a call's arguments, and must go on to count when those are deleted with their thread."""
    return hashlib.sha256(business_key.encode()).hexdigest()
