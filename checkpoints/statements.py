"""The SQL of the saver: many rows in one statement, the fence, and operations on whole threads."""

from dataclasses import dataclass

TYPES = {"checkpoint": "jsonb", "metadata": "jsonb", "blob": "bytea", "idx": "int"}


@dataclass(frozen=True, kw_only=True)
class Insert:
    """Rows of one table in one statement, one binary array for each column: `key`, then `columns`.

    `update`: what a row that is there already takes over from the new one; empty: it stays as it is.
    """

    table: str
    key: tuple[str, ...]
    columns: tuple[str, ...]
    update: tuple[str, ...] = ()

    def __hash__(self) -> int:
        return id(self)

    @property
    def sql(self) -> str:
        every = self.key + self.columns
        names = ", ".join(every)
        # jsonb has no binary arrays that psycopg could fill: it travels as text.
        arrays = ", ".join(f"%b::{TYPES.get(c, 'text').replace('jsonb', 'text')}[]" for c in every)
        values = ", ".join(f"{c}::jsonb" if TYPES.get(c) == "jsonb" else c for c in every)
        changes = ", ".join(f"{c} = EXCLUDED.{c}" for c in self.update)
        conflict = f"UPDATE SET {changes}" if changes else "NOTHING"
        return (
            f"INSERT INTO {self.table} ({names}) SELECT {values} FROM unnest({arrays}) AS rows ({names}) "  # noqa: S608
            f"ON CONFLICT ({', '.join(self.key)}) DO {conflict}"
        )


BLOBS = Insert(
    table="checkpoint_blobs",
    key=("thread_id", "checkpoint_ns", "channel", "version"),
    columns=("type", "blob"),
)
CHECKPOINTS = Insert(
    table="checkpoints",
    key=("thread_id", "checkpoint_ns", "checkpoint_id"),
    columns=("parent_checkpoint_id", "checkpoint", "metadata"),
    update=("checkpoint", "metadata"),
)
_WRITES_KEY = ("thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "idx")
_WRITES_COLUMNS = ("task_path", "channel", "type", "blob")
WRITES = Insert(table="checkpoint_writes", key=_WRITES_KEY, columns=_WRITES_COLUMNS)
NEWER_WRITES = Insert(
    table="checkpoint_writes", key=_WRITES_KEY, columns=_WRITES_COLUMNS, update=("channel", "type", "blob")
)
STATEMENTS = {insert: insert.sql for insert in (BLOBS, CHECKPOINTS, WRITES, NEWER_WRITES)}

# LangGraph's own, with the blobs looked up one by one: a plan for its join that was made while the table was small
# would read all blobs of the thread.
READ = """
SELECT thread_id, checkpoint, checkpoint_ns, checkpoint_id, parent_checkpoint_id, metadata, (
    SELECT array_agg(array[b.channel::bytea, b.type::bytea, b.blob])
    FROM jsonb_each_text(checkpoint -> 'channel_versions') AS v CROSS JOIN LATERAL (
        SELECT channel, type, blob FROM checkpoint_blobs
        WHERE thread_id = checkpoints.thread_id AND checkpoint_ns = checkpoints.checkpoint_ns
            AND channel = v.key AND version = v.value LIMIT 1
    ) AS b
) AS channel_values, (
    SELECT array_agg(array[w.task_id::bytea, w.channel::bytea, w.type::bytea, w.blob, convert_to(w.task_path, 'UTF8'),
        w.idx::text::bytea])
    FROM checkpoint_writes w
    WHERE w.thread_id = checkpoints.thread_id AND w.checkpoint_ns = checkpoints.checkpoint_ns
        AND w.checkpoint_id = checkpoints.checkpoint_id
) AS pending_writes
FROM checkpoints """

LOCK_THREAD = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"
HEAD = """
SELECT c.checkpoint_id, (
    SELECT count(*) FROM checkpoint_writes w
    WHERE w.thread_id = c.thread_id AND w.checkpoint_ns = '' AND w.checkpoint_id = c.checkpoint_id
) AS writes
FROM checkpoints c WHERE c.thread_id = %s AND c.checkpoint_ns = '' ORDER BY c.checkpoint_id DESC LIMIT 1"""
TRANSACTION = "SELECT pg_current_xact_id()::text"
FENCE = f"""
SELECT pg_current_xact_id()::text, head.checkpoint_id, coalesce(head.writes, 0)
FROM (SELECT 1) AS always LEFT JOIN ({HEAD}) AS head ON true"""  # noqa: S608
OUTCOME = "SELECT pg_xact_status(%s::xid8)"

# Where the thread `picked` stands before a run: its newest checkpoint, and the keys of what is pending there.
HEAD_BEFORE = """
LEFT JOIN LATERAL (
    SELECT c.checkpoint_id, (
        SELECT jsonb_agg(jsonb_build_array(w.task_id, w.idx)) FROM checkpoint_writes w
        WHERE w.thread_id = c.thread_id AND w.checkpoint_ns = '' AND w.checkpoint_id = c.checkpoint_id
    ) AS writes
    FROM checkpoints c WHERE c.thread_id = picked.thread_id::text AND c.checkpoint_ns = ''
    ORDER BY c.checkpoint_id DESC LIMIT 1
) AS head ON true"""

ONE_SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"
# Some writers note the thread's id there; whoever deletes the source must find nothing of it in a copy.
COPIED_METADATA = """
CASE WHEN metadata ? 'thread_id' THEN metadata || jsonb_build_object('thread_id', %(target)s::text)
ELSE metadata END"""
COPY_THREAD = (
    """
INSERT INTO checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob)
SELECT %(target)s, checkpoint_ns, channel, version, type, blob FROM checkpoint_blobs WHERE thread_id = %(source)s""",
    """
INSERT INTO checkpoint_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob)
SELECT %(target)s, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob
FROM checkpoint_writes WHERE thread_id = %(source)s""",
    f"""
INSERT INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata)
SELECT %(target)s, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, {COPIED_METADATA}
FROM checkpoints WHERE thread_id = %(source)s""",  # noqa: S608
)
# A blob goes with the last checkpoint that shows it. All parts see the rows as they were before.
DELETE_RUNS = """
WITH gone AS (
    DELETE FROM checkpoints WHERE metadata ->> 'run_id' = ANY(%s)
    RETURNING thread_id, checkpoint_ns, checkpoint_id, checkpoint -> 'channel_versions' AS versions
), writes AS (
    DELETE FROM checkpoint_writes w USING gone g
    WHERE (w.thread_id, w.checkpoint_ns, w.checkpoint_id) = (g.thread_id, g.checkpoint_ns, g.checkpoint_id)
)
DELETE FROM checkpoint_blobs b
USING (SELECT DISTINCT thread_id, checkpoint_ns, v.key, v.value FROM gone, jsonb_each_text(versions) v) s
WHERE (b.thread_id, b.checkpoint_ns, b.channel, b.version) = (s.thread_id, s.checkpoint_ns, s.key, s.value)
AND NOT EXISTS (
    SELECT 1 FROM checkpoints c
    WHERE c.thread_id = b.thread_id AND c.checkpoint_ns = b.checkpoint_ns
    AND c.checkpoint -> 'channel_versions' ->> b.channel = b.version
    AND NOT EXISTS (
        SELECT 1 FROM gone g
        WHERE (g.thread_id, g.checkpoint_ns, g.checkpoint_id) = (c.thread_id, c.checkpoint_ns, c.checkpoint_id)
    )
)"""
