"""A checkpointer over PostgreSQL that keeps every step and commits once a turn.

    async with saver.turn():                         # one run, in the runner's own task
        await graph.ainvoke(..., durability="sync")  # a put is only a memory write
        await saver.flush(also=close_run)            # the run's row goes with the last steps

Outside a turn it writes through.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar, overload

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
    get_serializable_checkpoint_metadata,
)
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from psycopg import AsyncCursor
from psycopg.rows import DictRow, dict_row, tuple_row
from psycopg_pool import PoolTimeout

from checkpoints import jsonb
from checkpoints.database import Connection, Pool
from checkpoints.statements import COPY_THREAD, DELETE_RUNS, ONE_SNAPSHOT, READ
from checkpoints.turn_buffer import NOWHERE, Also, Guard, TurnBuffer, Write
from checkpoints.turn_commit import FlushTimer, close, finished, flush, head_of, write
from errors import StaleThread, Unavailable

Result = TypeVar("Result")

_TURN: ContextVar[TurnBuffer | None] = ContextVar("turn", default=None)


class TurnSaver(AsyncPostgresSaver):
    """LangGraph's own tables, reads and serialised forms; our way of writing.

    `allowed_types`: the classes of the application that may be read back from a checkpoint, beside LangGraph's safe
    ones and those of the state's schema. One saver serves any number of runs at once.
    """

    SELECT_SQL = READ

    def __init__(self, pool: Pool, *, allowed_types: Collection[type] = ()) -> None:
        super().__init__(pool, serde=JsonPlusSerializer(allowed_msgpack_modules=tuple(allowed_types)))
        self._pool = pool

    @asynccontextmanager
    async def turn(
        self, *, every_s: float | None = 1.0, guard: Guard | None = None, empty: Collection[str] = ()
    ) -> AsyncIterator[None]:
        """Gather what is put inside, and commit it at the end, however the end comes, and each `every_s` before that.

        Open it in the task that runs the graph, never in an asynchronous generator. `empty`: threads that are known to
        have no checkpoint yet, which need not be read. Raises StaleThread where somebody
        else moved the thread on meanwhile or `guard` does not hold, Unavailable where the database does not answer.
        """
        turn, unwinding = TurnBuffer(self._pool, guard, empty), None
        token = _TURN.set(turn)
        timer = FlushTimer(turn, every_s)
        try:
            yield
        except asyncio.CancelledError as error:
            # LangGraph hands over the task in which it is still writing what was done.
            unwinding = next((part for part in error.args if isinstance(part, asyncio.Future)), None)
            raise
        finally:
            try:
                await finished(close(turn, timer, unwinding))
            finally:
                turn.closed = True
                _TURN.reset(token)

    @overload
    async def flush(self) -> None: ...
    @overload
    async def flush(self, also: Callable[[Connection], Awaitable[Result]], *, closes: bool = False) -> Result: ...
    async def flush(self, also: Callable[[Connection], Awaitable[Any]] | None = None, *, closes: bool = False) -> Any:
        """Make durable what this turn has put so far; `also(connection)` joins the transaction, and its result returns.

        `closes`: nothing is put after it, and `also` looks for itself whether what the turn's guard guards still holds.
        Call it before an effect that must not come twice. Raises StaleThread and Unavailable, with nothing written.
        """
        if (turn := self._turn()) is not None:
            return await finished(flush(turn, also, last=closes, guarded=not closes))
        if also is None:
            return None
        async with self._pool.connection() as connection, connection.transaction():
            return await also(connection)

    async def gather(self, also: Also) -> None:
        """Do `also` with the turn's next commit, or at once outside of a turn; it is done though the turn fails.

        Never later than a moment, so that little is lost if the process dies. Raises Unavailable outside of a turn.
        """
        if (turn := self._open_turn()) is not None:
            turn.gather(also)
        else:
            await self._at_once(also)

    async def gather_row(self, write: Write, row: Any) -> None:
        """The same for one of many rows: `write(connection, rows)` does all that came together, in one statement.

        It may take until the turn's next commit, so that no commit is made for it.
        """
        if (turn := self._open_turn()) is not None:
            turn.gather_row(write, row)
        else:
            await self._at_once(lambda connection: write(connection, [row]))

    def forget(self) -> None:
        """Drop the steps that this turn has put and not committed: they are nobody's any more."""
        if (turn := _TURN.get()) is not None and turn.pool is self._pool:
            turn.forget()

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Raises ValueError at once for a value that PostgreSQL would refuse at the end, with the whole turn."""
        turn = self._turn()
        if turn is None:
            return await super().aput(config, checkpoint, metadata, new_versions)
        asked = config["configurable"]
        thread_id, namespace = asked["thread_id"], asked.get("checkpoint_ns", "")
        inline, blobs = _split(checkpoint["channel_values"])
        versions = {channel: version for channel, version in new_versions.items() if channel in blobs}
        row = (
            asked.get("checkpoint_id"),
            jsonb.strict({**checkpoint, "channel_values": inline}),
            jsonb.strict(get_serializable_checkpoint_metadata(config, metadata)),
        )
        for blob in self._dump_blobs(thread_id, namespace, blobs, versions):
            turn.put_blob(blob[:4], blob[4:])
        turn.put_checkpoint((thread_id, namespace, checkpoint["id"]), row)
        await _relieve(turn)
        return {"configurable": {"thread_id": thread_id, "checkpoint_ns": namespace, "checkpoint_id": checkpoint["id"]}}

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        turn = self._turn()
        if turn is None:
            return await super().aput_writes(config, writes, task_id, task_path)
        asked = config["configurable"]
        place = asked["thread_id"], asked.get("checkpoint_ns", ""), asked["checkpoint_id"]
        newer_wins = all(channel in WRITES_IDX_MAP for channel, _ in writes)
        for row in self._dump_writes(*place, task_id, task_path, writes):
            *key, path, index, channel, kind, blob = row
            turn.put_write((*key, index), (path, channel, kind, blob), newer_wins=newer_wins)
        await _relieve(turn)
        return None

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        asked, turn = config["configurable"], self._turn()
        thread_id, namespace = asked["thread_id"], asked.get("checkpoint_ns", "")
        if turn is None or turn.touches(thread_id, namespace):
            return await super().aget_tuple(config)
        is_first, at = namespace == "" and thread_id not in turn.heads, get_checkpoint_id(config)
        if not at and turn.knows_empty(thread_id):
            turn.heads.setdefault(thread_id, NOWHERE)
            return None
        if is_first and at:
            # A fork or a replay: the fence is the newest checkpoint, not the one that is asked for.
            async with self._pool.connection() as connection, connection.cursor(row_factory=tuple_row) as cursor:
                turn.heads.setdefault(thread_id, await head_of(cursor, thread_id))
        with _outside():
            found = await super().aget_tuple(config)
        if is_first and not at:
            head = (found.checkpoint["id"], len(found.pending_writes or ())) if found else (None, 0)
            turn.heads.setdefault(thread_id, head)
        return found

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        # All of it first: whoever reads slowly would keep a connection, and the turn's lock.
        found = [each async for each in super().alist(config, filter=filter, before=before, limit=limit)]
        for each in found:
            yield each

    async def adelete_thread(self, thread_id: str) -> None:
        async with self._whole_threads():
            await super().adelete_thread(thread_id)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        async with self._whole_threads():
            await super().aprune(thread_ids, strategy=strategy)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        names = {"source": str(source_thread_id), "target": str(target_thread_id)}
        async with self._whole_threads(), self._pool.connection() as connection, connection.transaction():
            await connection.execute(ONE_SNAPSHOT)
            for statement in COPY_THREAD:
                await connection.execute(statement, names)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        async with self._whole_threads(), self._pool.connection() as connection:
            await connection.execute(DELETE_RUNS, ([str(run_id) for run_id in run_ids],))

    def _open_turn(self) -> TurnBuffer | None:
        turn = _TURN.get()
        return turn if turn is not None and turn.pool is self._pool and not turn.closed else None

    async def _at_once(self, also: Also) -> None:
        try:
            async with self._pool.connection() as connection, connection.transaction():
                await also(connection)
        except (psycopg.OperationalError, PoolTimeout) as error:
            raise Unavailable("the database does not answer") from error

    def _turn(self) -> TurnBuffer | None:
        turn = _TURN.get()
        if turn is None or turn.pool is not self._pool:
            return None
        if turn.closed:
            raise StaleThread("the turn that this belongs to is over")
        return turn

    @asynccontextmanager
    async def _cursor(self, *, pipeline: bool = False) -> AsyncIterator[AsyncCursor[DictRow]]:
        """What LangGraph's reads and writes go through. A read inside a turn sees the turn's own rows."""
        turn = None if pipeline else self._turn()
        if turn is not None and not turn.is_empty:
            async with self._overlay(turn) as cursor:
                yield cursor
            return
        async with (
            self._pool.connection() as connection,
            connection.cursor(binary=True, row_factory=dict_row) as cursor,
        ):
            if not pipeline:
                yield cursor
                return
            async with connection.pipeline():
                yield cursor

    @asynccontextmanager
    async def _overlay(self, turn: TurnBuffer) -> AsyncIterator[AsyncCursor[DictRow]]:
        """Insert, let the caller select, roll back: the same SQL as any read, so the same answer."""
        async with turn.lock, self._pool.connection() as connection, connection.transaction(force_rollback=True):
            async with connection.cursor(binary=True, row_factory=tuple_row) as cursor:
                await write(cursor, turn.snapshot())
            async with connection.cursor(binary=True, row_factory=dict_row) as cursor_:
                yield cursor_

    @asynccontextmanager
    async def _whole_threads(self) -> AsyncIterator[None]:
        """After what the turn has put, and past its fence, which afterwards stands where the threads stand."""
        turn = self._turn()
        await self.flush()
        with _outside():
            yield
        if turn is not None:
            async with self._pool.connection() as connection, connection.cursor(row_factory=tuple_row) as cursor:
                turn.heads = {thread_id: await head_of(cursor, thread_id) for thread_id in turn.heads}


@contextmanager
def _outside() -> Iterator[None]:
    token = _TURN.set(None)
    try:
        yield
    finally:
        _TURN.reset(token)


async def _relieve(turn: TurnBuffer) -> None:
    if turn.is_full:
        await finished(flush(turn))


def _split(values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What stays in the checkpoint's own row, and what goes into rows of its own, as LangGraph splits it."""
    inline: dict[str, Any] = {}
    blobs: dict[str, Any] = {}
    for channel, value in values.items():
        if isinstance(value, _DeltaSnapshot):
            inline[channel], blobs[channel] = True, value
        elif value is None or isinstance(value, str | int | float | bool):
            inline[channel] = value
        else:
            blobs[channel] = value
    return inline, blobs
