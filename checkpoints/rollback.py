"""Takes back a run: its checkpoints, what it wrote onto an earlier run's, its row; the thread stands where it stood."""

from uuid import UUID

from checkpoints import run_statements as sql
from checkpoints.database import Connection
from checkpoints.jsonb import lenient
from checkpoints.run import Closed, cancelled
from checkpoints.statements import LOCK_THREAD

THREAD = "SELECT thread_id::text FROM frontdesk.runs WHERE run_id = %(run_id)s"
# A blob that was there before is shown by the checkpoint from which the run went on; all others are the run's own.
DELETE_CHECKPOINTS = """
WITH gone AS (
    DELETE FROM checkpoints WHERE thread_id = %(thread)s AND metadata ->> 'run_id' = %(run_id)s::text
    RETURNING checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint -> 'channel_versions' AS versions
), before AS (
    SELECT c.checkpoint_ns, c.checkpoint -> 'channel_versions' AS versions FROM checkpoints c
    WHERE c.thread_id = %(thread)s AND EXISTS (
        SELECT 1 FROM gone g WHERE (g.checkpoint_ns, g.parent_checkpoint_id) = (c.checkpoint_ns, c.checkpoint_id))
    AND NOT EXISTS (
        SELECT 1 FROM gone g WHERE (g.checkpoint_ns, g.checkpoint_id) = (c.checkpoint_ns, c.checkpoint_id))
), writes AS (
    DELETE FROM checkpoint_writes w USING gone g
    WHERE w.thread_id = %(thread)s AND (w.checkpoint_ns, w.checkpoint_id) = (g.checkpoint_ns, g.checkpoint_id)
)
DELETE FROM checkpoint_blobs b USING (
    SELECT checkpoint_ns, v.key, v.value FROM gone, jsonb_each_text(versions) v
    EXCEPT SELECT checkpoint_ns, v.key, v.value FROM before, jsonb_each_text(versions) v
) AS own
WHERE b.thread_id = %(thread)s AND (b.checkpoint_ns, b.channel, b.version) = (own.checkpoint_ns, own.key, own.value)"""
# A resume answers on the checkpoint that asked: there its answer would win over the next one.
DELETE_ANSWERS = """
DELETE FROM checkpoint_writes w
WHERE w.thread_id = %(thread)s AND w.checkpoint_ns = '' AND w.checkpoint_id = %(checkpoint_id)s
    AND NOT %(kept)s::jsonb @> jsonb_build_array(jsonb_build_array(w.task_id, w.idx))"""


async def roll_back(connection: Connection, run_id: UUID, owner: str) -> Closed | None:
    """In the caller's transaction, when the run's turn is over; None, with nothing done, where it is not `owner`'s.

    The thread's values and questions need no change: only the end of a run writes them.
    """
    row = {"run_id": run_id, "owner": owner}
    found = await (await connection.execute(THREAD, row)).fetchone()
    if found is None:
        return None
    row["thread"] = found["thread_id"]
    await connection.execute(LOCK_THREAD, (row["thread"],))
    await connection.execute(sql.LOCK_THREAD_OF_RUN, row)
    run = await (await connection.execute(sql.DELETE_MINE, row)).fetchone()
    if run is None:
        return None
    await connection.execute(DELETE_CHECKPOINTS, row)
    if run["first_checkpoint_id"] is not None:
        kept = lenient(run["first_writes"] or [])
        await connection.execute(DELETE_ANSWERS, {**row, "checkpoint_id": run["first_checkpoint_id"], "kept": kept})
    place = {"thread_id": run["thread_id"], "error": lenient(cancelled("rollback"))}
    await connection.execute(sql.CALM_THREAD, place)
    waiting = await (await connection.execute(sql.NEXT_WAITING, place)).fetchone()
    return Closed(waiting=waiting["run_id"] if waiting else None)
