"""Deletes threads with everything that they own. Of their calls ledger and audit keep tool, times and outcome."""

from collections.abc import Collection
from uuid import UUID

from checkpoints.database import Connection
from checkpoints.statements import LOCK_THREAD

# A replay shows what was said in its source.
REPLAYS = "SELECT thread_id FROM frontdesk.threads WHERE metadata @> jsonb_build_object('replay_of', %s::text)"
# First, and with it the runs: a turn that still runs finds its run gone, and commits nothing more.
DELETE = "DELETE FROM frontdesk.threads WHERE thread_id = ANY(%s)"
DELETE_STEPS = (
    # A worker that is at it finds it gone before its next step.
    "DELETE FROM frontdesk.tasks WHERE thread_id = ANY(%s)",
    "DELETE FROM checkpoint_writes WHERE thread_id = ANY(%s)",
    "DELETE FROM checkpoint_blobs WHERE thread_id = ANY(%s)",
    "DELETE FROM checkpoints WHERE thread_id = ANY(%s)",
    "UPDATE frontdesk.ledger SET thread_id = NULL, turn_id = NULL, run_id = NULL, arguments = NULL, result = NULL, "
    "note = NULL WHERE thread_id = ANY(%s)",
    "SELECT frontdesk.blank_audit_of(%s)",
    # Copies go on, without a word on whence they came.
    "UPDATE frontdesk.threads t SET metadata = metadata - 'copied_from' FROM unnest(%s::text[]) AS gone (thread_id) "
    "WHERE t.metadata @> jsonb_build_object('copied_from', jsonb_build_object('thread_id', gone.thread_id))",
)


async def delete_threads(connection: Connection, thread_ids: Collection[UUID]) -> int:
    """In the caller's transaction; also their replays. How many threads there were, replays among them.

    Can be repeated. It waits for a commit of a turn that is on its way, and the next one of that turn is refused.
    """
    every = set(thread_ids)
    for thread_id in thread_ids:
        rows = await (await connection.execute(REPLAYS, (str(thread_id),))).fetchall()
        every |= {row["thread_id"] for row in rows}
    names = sorted(str(thread_id) for thread_id in every)
    for name in names:
        await connection.execute(LOCK_THREAD, (name,))
    deleted = await connection.execute(DELETE, (list(every),))
    for statement in DELETE_STEPS:
        await connection.execute(statement, (names,))
    return deleted.rowcount
