"""Threads: who owns a conversation, what it is called, and where it stands."""

from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args
from uuid import UUID

import psycopg
from langchain_core.utils.uuid import uuid7

from checkpoints.copying import copy_checkpoints
from checkpoints.database import Connection, Pool
from checkpoints.deletion import delete_threads
from checkpoints.jsonb import lenient
from checkpoints.statements import ONE_SNAPSHOT
from errors import Conflict, InvalidInput, NotFound

Status = Literal["idle", "busy", "interrupted", "error"]
SortBy = Literal["thread_id", "status", "created_at", "updated_at", "state_updated_at"]
SortOrder = Literal["asc", "desc"]
Json = dict[str, Any]
TITLE_LENGTH = 60

CREATE = """
INSERT INTO frontdesk.threads (thread_id, tenant_id, user_id, title, metadata) VALUES (%s, %s, %s, %s, %s)
RETURNING *"""
GET = "SELECT * FROM frontdesk.threads WHERE thread_id = %s AND tenant_id = %s AND user_id = %s"
FINISH = """
UPDATE frontdesk.threads SET status = %(status)s, "values" = %(values)s, interrupts = %(interrupts)s,
    error = %(error)s, updated_at = clock_timestamp(), state_updated_at = clock_timestamp()
WHERE thread_id = %(thread_id)s RETURNING thread_id"""
REVISE = """
UPDATE frontdesk.threads SET "values" = %(values)s, state_updated_at = clock_timestamp()
WHERE thread_id = %(thread_id)s AND status = 'idle' RETURNING thread_id"""
PATCH = """
UPDATE frontdesk.threads SET metadata = metadata || %(metadata)s, updated_at = clock_timestamp()
WHERE thread_id = %(thread_id)s AND tenant_id = %(tenant)s AND user_id = %(user)s RETURNING *"""
# A replay is looked at, not talked to.
NEWEST = """
SELECT * FROM frontdesk.threads
WHERE tenant_id = %(tenant)s AND user_id = %(user)s AND NOT metadata ? 'replay_of' AND (
    status = 'busy' OR %(idle_s)s::float IS NULL OR updated_at > clock_timestamp() - make_interval(secs => %(idle_s)s))
ORDER BY updated_at DESC, thread_id DESC LIMIT 1"""
FOUND = """
FROM frontdesk.threads WHERE tenant_id = %(tenant)s AND user_id = %(user)s AND metadata @> %(metadata)s
    AND (%(with_replays)s OR NOT metadata ? 'replay_of')
    AND (%(ids)s::uuid[] IS NULL OR thread_id = ANY(%(ids)s)) AND (%(status)s::text IS NULL OR status = %(status)s)
    AND (%(values)s::jsonb IS NULL OR "values" @> %(values)s) """
SEARCH = f"SELECT * {FOUND} ORDER BY {{order}}, thread_id LIMIT %(limit)s OFFSET %(offset)s"
COUNT = f"SELECT count(*) AS total {FOUND}"
ORDERS = {(by, direction): f"{by} {direction}" for by in get_args(SortBy) for direction in get_args(SortOrder)}
COPY = """
INSERT INTO frontdesk.threads
    (thread_id, tenant_id, user_id, title, status, metadata, config, "values", interrupts, error)
SELECT %(target)s, tenant_id, user_id, title, CASE WHEN NOT %(whole)s THEN 'idle' WHEN status <> 'busy' THEN status
    WHEN interrupts = '{}' THEN 'idle' ELSE 'interrupted' END, (metadata - '{replay,replay_of,copied_from}'::text[])
    || CASE WHEN %(metadata)s ? 'replay_of' THEN '{}' ELSE jsonb_build_object('copied_from', jsonb_build_object(
        'thread_id', %(thread_id)s::uuid, 'checkpoint_id', (SELECT max(checkpoint_id) FROM checkpoints
            WHERE thread_id = %(target)s::uuid::text AND checkpoint_ns = ''))) END || %(metadata)s, config,
    CASE WHEN %(whole)s THEN "values" END, CASE WHEN %(whole)s THEN interrupts ELSE '{}' END,
    CASE WHEN %(whole)s THEN error END
FROM frontdesk.threads WHERE thread_id = %(thread_id)s RETURNING *"""


@dataclass(frozen=True, kw_only=True)
class Thread:
    """One row, as it was when it was read.

    `values`: the state's latest values as JSON; None before the first run. `interrupts`: task id to its open questions.
    `error`: `{"error", "message"}` of the last run, if it failed.
    """

    thread_id: UUID
    tenant_id: str
    user_id: str
    title: str | None
    status: Status
    metadata: Json
    config: Json
    values: Json | None
    interrupts: Json
    error: Json | None
    created_at: datetime
    updated_at: datetime
    state_updated_at: datetime


def parse_thread_id(text: str) -> UUID:
    """Raises InvalidInput for what is no UUID in its usual form."""
    try:
        thread_id = UUID(text)
    except ValueError:
        thread_id = None
    if thread_id is None or str(thread_id) != text.lower():
        raise InvalidInput("Invalid thread ID: must be a UUID")
    return thread_id


def title_of(question: str) -> str:
    """A question, short enough for a list of threads."""
    words = " ".join("".join(c if c.isprintable() else " " for c in question).split())
    return words if len(words) <= TITLE_LENGTH else words[: TITLE_LENGTH - 1].rstrip() + "…"


class Threads:
    """The table of threads. Where a method takes `conn`, it joins that connection's transaction."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def create(
        self,
        tenant: str,
        user: str,
        *,
        thread_id: UUID | None = None,
        title: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        conn: Connection | None = None,
    ) -> Thread:
        """A new, idle thread. Raises Conflict where the id is taken, by whomever."""
        row = (thread_id or uuid7(), tenant, user, title, lenient(dict(metadata or {})))
        try:
            async with self._connection(conn) as connection:
                made = await (await connection.execute(CREATE, row)).fetchone()
        except psycopg.errors.UniqueViolation:
            raise Conflict(f"Thread with ID {thread_id} already exists") from None
        assert made is not None  # noqa: S101 - an INSERT without a conflict clause returns its row
        return Thread(**made)

    async def get(self, thread_id: UUID, tenant: str, user: str, *, conn: Connection | None = None) -> Thread:
        """Raises NotFound for a thread of nobody and for one of somebody else alike."""
        async with self._connection(conn) as connection:
            row = await (await connection.execute(GET, (thread_id, tenant, user))).fetchone()
        if row is None:
            raise NotFound(f"Thread with ID {thread_id} not found")
        return Thread(**row)

    async def search(
        self,
        tenant: str,
        user: str,
        *,
        ids: Collection[UUID] | None = None,
        metadata: Mapping[str, Any] | None = None,
        values: Mapping[str, Any] | None = None,
        status: Status | None = None,
        limit: int = 10,
        offset: int = 0,
        sort_by: SortBy = "created_at",
        sort_order: SortOrder = "desc",
    ) -> tuple[list[Thread], int]:
        """One page of the caller's threads, and how many there are. `metadata`, `values`: what they must contain.

        Replays are among them only where `ids` are given or `metadata` asks for them.
        """
        row = {
            "tenant": tenant,
            "user": user,
            "ids": None if ids is None else list(ids),
            "metadata": lenient(dict(metadata or {})),
            "values": None if values is None else lenient(dict(values)),
            "with_replays": ids is not None or "replay_of" in (metadata or {}),
            "status": status,
            "limit": limit,
            "offset": offset,
        }
        async with self._pool.connection() as connection, connection.pipeline():
            page = await connection.execute(SEARCH.format(order=ORDERS[sort_by, sort_order]), row)
            count = await connection.execute(COUNT, row)
            threads, total = [Thread(**each) for each in await page.fetchall()], await count.fetchone()
        return threads, total["total"] if total else 0

    async def newest(self, tenant: str, user: str, *, idle_minutes: float | None = None) -> Thread | None:
        """The caller's thread that was last in use, if that is not longer ago than `idle_minutes`."""
        row = {"tenant": tenant, "user": user, "idle_s": None if idle_minutes is None else idle_minutes * 60}
        async with self._pool.connection() as connection:
            found = await (await connection.execute(NEWEST, row)).fetchone()
        return Thread(**found) if found else None

    async def patch(self, thread_id: UUID, tenant: str, user: str, metadata: Mapping[str, Any]) -> Thread:
        """Lay `metadata` over the thread's. Raises NotFound."""
        row = {"thread_id": thread_id, "tenant": tenant, "user": user, "metadata": lenient(dict(metadata))}
        async with self._pool.connection() as connection:
            found = await (await connection.execute(PATCH, row)).fetchone()
        if found is None:
            raise NotFound(f"Thread with ID {thread_id} not found")
        return Thread(**found)

    async def revise(self, thread_id: UUID, values: Mapping[str, Any], *, conn: Connection) -> bool:
        """New latest values of a thread on which nothing runs; False: something does, or the thread is gone.

        The thread's row stays locked to the end of the transaction, so that nothing begins there before it.
        """
        change = {"thread_id": thread_id, "values": lenient(dict(values))}
        return await (await conn.execute(REVISE, change)).fetchone() is not None

    async def copy(
        self,
        thread_id: UUID,
        tenant: str,
        user: str,
        *,
        until: str | None = None,
        with_history: bool = True,
        metadata: Mapping[str, Any] | None = None,
    ) -> Thread:
        """A new thread of the same caller that stands where this one stands, or stood at checkpoint `until`.

        Without `with_history` that checkpoint is copied alone. `values` and `interrupts` of a copy that does not stand
        where its source stands are not known here: None and empty. Runs, and with them the transcript, stay with
        their thread; `metadata.copied_from` says which one that is, and at which checkpoint the copy stood first.
        Raises NotFound for the thread, and for a checkpoint that is not the thread's.
        """
        target = uuid7()
        async with self._pool.connection() as connection, connection.transaction():
            await connection.execute(ONE_SNAPSHOT)
            await self.get(thread_id, tenant, user, conn=connection)
            names = (str(thread_id), str(target))
            whole = await copy_checkpoints(connection, *names, until, with_history=with_history)
            row = {"thread_id": thread_id, "target": target, "whole": whole, "metadata": lenient(dict(metadata or {}))}
            made = await (await connection.execute(COPY, row)).fetchone()
        assert made is not None  # noqa: S101 - its source is in the snapshot
        return Thread(**made)

    async def delete(self, thread_id: UUID, tenant: str, user: str) -> None:
        """The thread, its replays, and all that they own, in every table. Raises NotFound."""
        async with self._pool.connection() as connection, connection.transaction():
            await self.get(thread_id, tenant, user, conn=connection)
            await delete_threads(connection, [thread_id])

    async def finish(
        self,
        thread_id: UUID,
        *,
        status: Status,
        values: Mapping[str, Any] | None,
        interrupts: Mapping[str, Any],
        error: Mapping[str, Any] | None = None,
        conn: Connection | None = None,
    ) -> None:
        """A run ended and left the state like this; all of it JSON. What `jsonb` cannot hold is replaced."""
        change = {
            "thread_id": thread_id,
            "status": status,
            "values": None if values is None else lenient(dict(values)),
            "interrupts": lenient(dict(interrupts)),
            "error": None if error is None else lenient(dict(error)),
        }
        await self._update(FINISH, change, conn)

    async def _update(self, statement: str, change: Json, conn: Connection | None) -> None:
        async with self._connection(conn) as connection:
            updated = await (await connection.execute(statement, change)).fetchone()
        if updated is None:
            raise NotFound(f"Thread with ID {change['thread_id']} not found")

    @asynccontextmanager
    async def _connection(self, conn: Connection | None) -> AsyncIterator[Connection]:
        if conn is not None:
            yield conn
            return
        async with self._pool.connection() as connection:
            yield connection
