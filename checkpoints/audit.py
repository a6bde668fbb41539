"""The audit: a row for each call that was made, refused or asked about, inserted once and never changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol
from uuid import UUID

from langchain_core.utils.uuid import uuid7

from checkpoints.database import Connection, Pool
from checkpoints.jsonb import lenient
from checkpoints.saver import TurnSaver

Json = dict[str, Any]

# Of a run whose row is gone the thread was deleted meanwhile: nothing is kept of it but what was done, and by whom. The
# same row comes twice where nobody knows whether the first commit was one.
INSERT = """
INSERT INTO frontdesk.audit (id, at, tenant_id, user_id, roles, agent, tool, source, outcome, reason, elapsed_ms,
    thread_id, turn_id, run_id, call_id, undoes, arguments, result, confirmation)
SELECT id, at, tenant_id, user_id, roles, agent, tool, source, outcome, reason, elapsed_ms,
    CASE WHEN stays THEN thread_id END, CASE WHEN stays THEN turn_id END, CASE WHEN stays THEN run_id END,
    CASE WHEN stays THEN call_id END, CASE WHEN stays THEN undoes END, CASE WHEN stays THEN arguments END,
    CASE WHEN stays THEN result END, CASE WHEN stays THEN confirmation END
FROM jsonb_to_recordset(%s) AS told (id uuid, at timestamptz, tenant_id text, user_id text, roles jsonb, agent text,
    tool text, source text, outcome text, reason text, elapsed_ms double precision, thread_id text, turn_id text,
    run_id text, call_id text, undoes text, arguments jsonb, result text, confirmation jsonb, run uuid),
LATERAL (SELECT run IS NULL OR EXISTS (SELECT FROM frontdesk.runs r WHERE r.run_id = run) AS stays) AS owner
ON CONFLICT DO NOTHING"""
FIND = """
SELECT * FROM frontdesk.audit
WHERE id < %(before)s AND id >= %(after)s{conditions}
ORDER BY id DESC LIMIT %(limit)s"""
CONDITIONS = {
    "tenant": "tenant_id = %(tenant)s",
    "since": "at >= %(since)s",
    "until": "at < %(until)s",
    "tool": "tool = %(tool)s",
    "user": "user_id = %(user)s",
    "thread_id": "thread_id = %(thread_id)s",
    "outcome": "outcome = %(outcome)s",
}
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST, LAST = UUID(int=0), UUID(int=2**128 - 1)
LONGEST_MS = 2**48 - 1


class Entry(Protocol):
    def columns(self) -> Json:
        """One row of the table by its columns, without `id` and `at`, in JSON's own types, masked."""
        ...


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """One row. `at`: when the call ended. Of a deleted thread only what was done, when and by whom is left."""

    id: UUID
    at: datetime
    tenant_id: str
    user_id: str
    roles: list[str]
    thread_id: str | None
    turn_id: str | None
    run_id: str | None
    call_id: str | None
    undoes: str | None
    agent: str
    tool: str
    arguments: Json | None
    result: str | None
    source: str
    outcome: str
    reason: str
    confirmation: Json | None
    elapsed_ms: float


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Which rows; None: whatever it is. `since` belongs to the time, `until` does not; both aware."""

    tenant: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    tool: str | None = None
    user: str | None = None
    thread_id: str | None = None
    outcome: str | None = None


class AuditStore:
    """The audit that tools ask for, over a table; rows go with the saver's turn, all of a commit in one statement."""

    def __init__(self, pool: Pool, saver: TurnSaver) -> None:
        self._pool = pool
        self._saver = saver

    async def record(self, entry: Entry) -> None:
        """Keep it with the turn's next commit, also where the turn fails; outside of a turn at once, or Unavailable."""
        await self._saver.gather_row(_insert, _row(entry))

    async def write(self, connection: Connection, entries: Sequence[Entry]) -> None:
        """Keep them in the caller's transaction."""
        if entries:
            await _insert(connection, [_row(entry) for entry in entries])

    async def find(self, wanted: Wanted, *, before: UUID | None = None, limit: int = 50) -> list[Recorded]:
        """The newest first. `before`: the id of a row; only older ones come."""
        values = {name: value for name, value in vars(wanted).items() if value is not None}
        conditions = "".join(f" AND {CONDITIONS[name]}" for name in values)
        bounds = {
            "limit": limit,
            "after": audit_id_at(wanted.since) if wanted.since else FIRST,
            "before": min(before or LAST, audit_id_at(wanted.until, end=True) if wanted.until else LAST),
        }
        async with self._pool.connection() as connection:
            found = await connection.execute(FIND.format(conditions=conditions), {**values, **bounds})
            return [Recorded(**row) for row in await found.fetchall()]


def audit_id_at(moment: datetime, *, end: bool = False) -> UUID:
    """The lowest id that a row of this millisecond could have; the lowest above it with `end` (RFC 9562, 5.7)."""
    ms = (moment - EPOCH) // timedelta(milliseconds=1) + end
    return UUID(int=min(max(ms, 0), LONGEST_MS) << 80)


async def _insert(connection: Connection, rows: Sequence[Json]) -> None:
    await connection.execute(INSERT, (lenient(list(rows)),))


def _row(entry: Entry) -> Json:
    columns = entry.columns()
    row_id = uuid7()
    at = datetime.fromtimestamp((row_id.int >> 80) / 1000, UTC)
    return {**columns, "id": str(row_id), "at": at.isoformat(), "run": _uuid(columns.get("run_id"))}


def _uuid(text: str | None) -> str | None:
    try:
        return None if text is None else str(UUID(text))
    except ValueError:
        return None
