"""Threads: who owns a conversation, what it is called, and where it stands."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import psycopg
from langchain_core.utils.uuid import uuid7

from checkpoints.database import Connection, Pool
from checkpoints.jsonb import lenient
from errors import Conflict, InvalidInput, NotFound

Status = Literal["idle", "busy", "interrupted", "error"]
Json = dict[str, Any]
TITLE_LENGTH = 60

CREATE = """
INSERT INTO frontdesk.threads (thread_id, tenant_id, user_id, title, metadata) VALUES (%s, %s, %s, %s, %s)
RETURNING *"""
GET = "SELECT * FROM frontdesk.threads WHERE thread_id = %s AND tenant_id = %s AND user_id = %s"
MARK_BUSY = """
UPDATE frontdesk.threads SET status = 'busy', error = NULL, title = coalesce(title, %(title)s),
    metadata = metadata || %(metadata)s, config = coalesce(%(config)s, config), updated_at = clock_timestamp()
WHERE thread_id = %(thread_id)s RETURNING thread_id"""
FINISH = """
UPDATE frontdesk.threads SET status = %(status)s, "values" = %(values)s, interrupts = %(interrupts)s,
    error = %(error)s, updated_at = clock_timestamp(), state_updated_at = clock_timestamp()
WHERE thread_id = %(thread_id)s RETURNING thread_id"""


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

    async def mark_busy(
        self,
        thread_id: UUID,
        *,
        question: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        config: Mapping[str, Any] | None = None,
        conn: Connection | None = None,
    ) -> None:
        """A run begins: the first `question` becomes the title, `metadata` is laid over the thread's; repeatable."""
        change = {
            "thread_id": thread_id,
            "title": title_of(question or "") or None,
            "metadata": lenient(dict(metadata or {})),
            "config": None if config is None else lenient(dict(config)),
        }
        await self._update(MARK_BUSY, change, conn)

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
