"""Copies a thread's checkpoints into another thread: all of them, or one of them with or without what led to it."""

from checkpoints.database import Connection
from checkpoints.statements import COPIED_METADATA, COPY_THREAD
from errors import NotFound

EXISTS = """
SELECT checkpoint_id = (
    SELECT max(checkpoint_id) FROM checkpoints WHERE thread_id = %(source)s AND checkpoint_ns = ''
) AS is_newest
FROM checkpoints WHERE thread_id = %(source)s AND checkpoint_ns = '' AND checkpoint_id = %(until)s"""
# The line that leads to the checkpoint, and what subgraphs left on the way.
LINE = """
WITH RECURSIVE root AS (
    SELECT checkpoint_id, parent_checkpoint_id FROM checkpoints
    WHERE thread_id = %(source)s AND checkpoint_ns = '' AND checkpoint_id = %(until)s
    UNION
    SELECT c.checkpoint_id, c.parent_checkpoint_id FROM checkpoints c JOIN root ON %(with_history)s
        AND c.checkpoint_id = root.parent_checkpoint_id
    WHERE c.thread_id = %(source)s AND c.checkpoint_ns = ''
), line AS (
    SELECT c.* FROM checkpoints c WHERE c.thread_id = %(source)s AND CASE c.checkpoint_ns
        WHEN '' THEN c.checkpoint_id IN (SELECT checkpoint_id FROM root)
        ELSE %(with_history)s AND c.checkpoint_id <= %(until)s END
)"""
COPY_LINE = (
    f"""{LINE}
INSERT INTO checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob)
SELECT DISTINCT %(target)s, b.checkpoint_ns, b.channel, b.version, b.type, b.blob
FROM line, jsonb_each_text(line.checkpoint -> 'channel_versions') v, checkpoint_blobs b
WHERE b.thread_id = %(source)s
    AND (b.checkpoint_ns, b.channel, b.version) = (line.checkpoint_ns, v.key, v.value)""",  # noqa: S608
    # Those of the last one are answers to it that came later, unless nothing came later.
    f"""{LINE}
INSERT INTO checkpoint_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob)
SELECT %(target)s, w.checkpoint_ns, w.checkpoint_id, w.task_id, w.task_path, w.idx, w.channel, w.type, w.blob
FROM line JOIN checkpoint_writes w USING (thread_id, checkpoint_ns, checkpoint_id)
WHERE %(is_newest)s OR w.checkpoint_id <> %(until)s""",  # noqa: S608
    f"""{LINE}
INSERT INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata)
SELECT %(target)s, checkpoint_ns, checkpoint_id, CASE WHEN %(with_history)s THEN parent_checkpoint_id END, type,
    checkpoint, {COPIED_METADATA}
FROM line""",  # noqa: S608
)


async def copy_checkpoints(
    connection: Connection, source: str, target: str, until: str | None, *, with_history: bool
) -> bool:
    """In the caller's transaction, which must be one snapshot, into a thread that has no checkpoints yet.

    `until`: None copies the whole thread as it stands. True: the copy stands where its source stands. Raises NotFound
    for a checkpoint that is not the thread's.
    """
    if until is not None:
        return await _copy_until(connection, source, target, until, with_history=with_history)
    for statement in COPY_THREAD:
        await connection.execute(statement, {"source": source, "target": target})
    return True


async def _copy_until(connection: Connection, source: str, target: str, until: str, *, with_history: bool) -> bool:
    """What was pending on the checkpoint comes along only if it is the newest: an old answer is not to win again."""
    values = {"source": source, "target": target, "until": until, "with_history": with_history}
    found = await (await connection.execute(EXISTS, values)).fetchone()
    if found is None:
        raise NotFound(f"Checkpoint {until} not found")
    for statement in COPY_LINE:
        await connection.execute(statement, {**values, "is_newest": found["is_newest"]})
    return bool(found["is_newest"])
