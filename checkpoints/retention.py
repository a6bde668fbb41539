"""Lets go of what is older than it is to be kept, a little at a time, beside turns that run."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from checkpoints.audit import audit_id_at
from checkpoints.database import Connection, Pool
from checkpoints.deletion import delete_threads
from checkpoints.statements import LOCK_THREAD

BATCH = 200
UUID_EPOCH = datetime(1582, 10, 15, tzinfo=UTC)

IN_FLIGHT = """
SELECT thread_id::text FROM frontdesk.runs WHERE status = 'running'
UNION ALL SELECT thread_id::text FROM frontdesk.runs WHERE status = 'pending'"""
# The ids of checkpoints are ordered by time. The newest of each namespace stays, whatever its age.
OLD = f"""
c.checkpoint_id COLLATE "C" < %(bound)s::text AND c.thread_id NOT IN ({IN_FLIGHT}) AND EXISTS (
    SELECT 1 FROM checkpoints newer WHERE newer.thread_id = c.thread_id AND newer.checkpoint_ns = c.checkpoint_ns
    AND newer.checkpoint_id > c.checkpoint_id)"""  # noqa: S608
THREADS_WITH_OLD = f"""
SELECT DISTINCT thread_id FROM checkpoints c WHERE thread_id > %(after)s AND {OLD}
ORDER BY thread_id LIMIT %(limit)s"""  # noqa: S608
DELETE_OLD = f"""
WITH gone AS (
    DELETE FROM checkpoints c WHERE c.thread_id = %(thread)s AND {OLD}
    RETURNING checkpoint_ns, checkpoint_id, checkpoint -> 'channel_versions' AS versions
), writes AS (
    DELETE FROM checkpoint_writes w USING gone g
    WHERE w.thread_id = %(thread)s AND (w.checkpoint_ns, w.checkpoint_id) = (g.checkpoint_ns, g.checkpoint_id)
), unseen AS (
    SELECT g.checkpoint_ns, v.key, v.value FROM gone g, jsonb_each_text(g.versions) v
    EXCEPT SELECT c.checkpoint_ns, v.key, v.value
    FROM checkpoints c, jsonb_each_text(c.checkpoint -> 'channel_versions') v
    WHERE c.thread_id = %(thread)s AND (c.checkpoint_ns, c.checkpoint_id) NOT IN (
        SELECT checkpoint_ns, checkpoint_id FROM gone)
), blobs AS (
    DELETE FROM checkpoint_blobs b USING unseen u
    WHERE b.thread_id = %(thread)s AND (b.checkpoint_ns, b.channel, b.version) = (u.checkpoint_ns, u.key, u.value)
)
SELECT count(*) AS n FROM gone"""  # noqa: S608
OLD_RUNS = "frontdesk.runs WHERE finished_at < %(before)s AND input <> '{}'"
EMPTY_RUNS = f"""
WITH old AS (SELECT run_id FROM {OLD_RUNS} LIMIT %(limit)s FOR UPDATE SKIP LOCKED), wordless AS (
    UPDATE frontdesk.feedback f SET comment = NULL FROM old WHERE f.run_id = old.run_id
), emptied AS (
    UPDATE frontdesk.runs r SET input = '{{}}', context = '{{}}', kwargs = '{{}}', result = NULL, transcript = NULL,
        error = NULL, idempotency_key = NULL, first_writes = NULL
    FROM old WHERE r.run_id = old.run_id RETURNING 1
)
SELECT count(*) AS n FROM emptied"""  # noqa: S608
IDLE_THREADS = "frontdesk.threads WHERE updated_at < %(before)s AND status <> 'busy'"
SOME_IDLE = f"SELECT thread_id FROM {IDLE_THREADS} ORDER BY updated_at LIMIT %(limit)s"  # noqa: S608
STILL_IDLE = f"SELECT 1 FROM {IDLE_THREADS} AND thread_id = %(thread_id)s FOR UPDATE"  # noqa: S608
SETTLED = "frontdesk.ledger WHERE status <> 'started' AND finished_at < %(before)s"
DELETE_SETTLED = f"""
WITH old AS (SELECT id FROM {SETTLED} LIMIT %(limit)s), gone AS (
    DELETE FROM frontdesk.ledger l USING old WHERE l.id = old.id RETURNING 1
)
SELECT count(*) AS n FROM gone"""  # noqa: S608
OLD_TASKS = "frontdesk.tasks WHERE finished_at < %(before)s"
DELETE_OLD_TASKS = f"""
WITH old AS (SELECT task_id FROM {OLD_TASKS} LIMIT %(limit)s), gone AS (
    DELETE FROM frontdesk.tasks t USING old WHERE t.task_id = old.task_id RETURNING 1
)
SELECT count(*) AS n FROM gone"""  # noqa: S608
OLD_CALLS = "frontdesk.audit WHERE id < %(bound)s"
DELETE_OLD_CALLS = "SELECT frontdesk.delete_audit_below(%(bound)s, %(limit)s) AS n"


@dataclass(frozen=True, kw_only=True)
class Keep:
    """How many days each of it is kept; None: for ever.

    `checkpoints_days`: the steps of the past, without which a turn cannot be replayed; a thread's newest checkpoint
    stays. `transcripts_days`: what was asked and answered. `audit_days`: which calls were made, in the audit and, as
    far as their end is known, in the ledger; afterwards their keys may begin again. `threads_days`: threads that nobody
    used since, with all they own. `tasks_days`: background tasks that are over.
    """

    checkpoints_days: float | None = None
    transcripts_days: float | None = None
    audit_days: float | None = None
    threads_days: float | None = None
    tasks_days: float | None = None


@dataclass(frozen=True, kw_only=True)
class Pruned:
    """How many of each went. `audit`: rows of the audit and of the ledger."""

    threads: int = 0
    checkpoints: int = 0
    transcripts: int = 0
    audit: int = 0
    tasks: int = 0


async def prune(pool: Pool, keep: Keep, *, dry_run: bool = False) -> Pruned:
    """Safe beside turns and beside another one that prunes; what is in flight is left alone.

    `dry_run`: count only. A thread's other things are counted then as if the thread stayed.
    """
    days = (keep.threads_days, keep.checkpoints_days, keep.transcripts_days, keep.audit_days, keep.tasks_days)
    threads, checkpoints, transcripts, audit, tasks = [await _before(pool, each) for each in days]
    if dry_run:
        bound = {"bound": checkpoint_id_at(checkpoints) if checkpoints else None}
        calls = {"bound": audit_id_at(audit) if audit else None}
        return Pruned(
            threads=await _counted(pool, IDLE_THREADS, {"before": threads}),
            checkpoints=await _counted(pool, f"checkpoints c WHERE {OLD}", bound),
            transcripts=await _counted(pool, OLD_RUNS, {"before": transcripts}),
            audit=await _counted(pool, SETTLED, {"before": audit}) + await _counted(pool, OLD_CALLS, calls),
            tasks=await _counted(pool, OLD_TASKS, {"before": tasks}),
        )
    return Pruned(
        threads=await _prune_threads(pool, threads) if threads else 0,
        checkpoints=await _prune_checkpoints(pool, checkpoints) if checkpoints else 0,
        transcripts=await _in_batches(pool, EMPTY_RUNS, {"before": transcripts}) if transcripts else 0,
        audit=await _prune_audit(pool, audit) if audit else 0,
        tasks=await _in_batches(pool, DELETE_OLD_TASKS, {"before": tasks}) if tasks else 0,
    )


async def _before(pool: Pool, days: float | None) -> datetime | None:
    if days is None:
        return None
    async with pool.connection() as connection:
        row = await (await connection.execute("SELECT clock_timestamp() AS now")).fetchone()
    assert row is not None  # noqa: S101 - a SELECT without FROM gives one row
    now: datetime = row["now"]
    return now - timedelta(days=days)


async def _counted(pool: Pool, which: str, values: dict[str, Any]) -> int:
    """Nothing is older than NULL."""
    async with pool.connection() as connection:
        return await _count(connection, f"SELECT count(*) AS n FROM {which}", values)  # noqa: S608


async def _prune_threads(pool: Pool, before: datetime) -> int:
    deleted = 0
    while True:
        async with pool.connection() as connection:
            rows = await (await connection.execute(SOME_IDLE, {"before": before, "limit": BATCH})).fetchall()
            gone = 0
            for row in rows:
                async with connection.transaction():
                    await connection.execute(LOCK_THREAD, (str(row["thread_id"]),))
                    if await (await connection.execute(STILL_IDLE, {**row, "before": before})).fetchone():
                        gone += await delete_threads(connection, [row["thread_id"]])
        deleted += gone
        if not gone:
            return deleted


async def _prune_checkpoints(pool: Pool, before: datetime) -> int:
    deleted, values = 0, {"bound": checkpoint_id_at(before), "after": "", "limit": BATCH}
    while True:
        async with pool.connection() as connection:
            rows = await (await connection.execute(THREADS_WITH_OLD, values)).fetchall()
            for row in rows:
                deleted += await _prune_thread(connection, {**values, "thread": row["thread_id"]})
        if not rows:
            return deleted
        values["after"] = rows[-1]["thread_id"]


async def _prune_thread(connection: Connection, values: dict[str, Any]) -> int:
    async with connection.transaction():
        await connection.execute(LOCK_THREAD, (values["thread"],))
        return await _count(connection, DELETE_OLD, values)


async def _prune_audit(pool: Pool, before: datetime) -> int:
    calls = await _in_batches(pool, DELETE_OLD_CALLS, {"bound": audit_id_at(before)})
    return calls + await _in_batches(pool, DELETE_SETTLED, {"before": before})


async def _in_batches(pool: Pool, statement: str, which: dict[str, Any]) -> int:
    total = 0
    while True:
        async with pool.connection() as connection:
            some = await _count(connection, statement, {**which, "limit": BATCH})
        total += some
        if not some:
            return total


async def _count(connection: Connection, statement: str, values: dict[str, Any]) -> int:
    row = await (await connection.execute(statement, values)).fetchone()
    return int(row["n"]) if row else 0


def checkpoint_id_at(moment: datetime) -> str:
    """The lowest id that a checkpoint of this moment could have: they are UUIDs of version 6 (RFC 9562, 5.6)."""
    ticks = (moment - UUID_EPOCH) // timedelta(microseconds=1) * 10
    return f"{ticks >> 28:08x}-{ticks >> 12 & 0xFFFF:04x}-6{ticks & 0xFFF:03x}-0000-000000000000"
