"""One commit of what a turn has gathered, behind the fence, repeated safely when the connection is lost."""

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

import psycopg
from psycopg import AsyncCursor
from psycopg.rows import TupleRow, tuple_row

from checkpoints.clock import catch_up
from checkpoints.database import Pool
from checkpoints.statements import CHECKPOINTS, FENCE, HEAD, LOCK_THREAD, OUTCOME, STATEMENTS, TRANSACTION
from checkpoints.turn_buffer import Also, Attempt, Guard, Head, Rows, TurnBuffer
from errors import StaleThread, Unavailable

logger = logging.getLogger(__name__)
RETRY_PAUSES_S = (0.1, 0.5)
ATTEMPT_TIMEOUT_S = 15.0
UNWIND_TIMEOUT_S = 10.0
SOON_S = 0.05


async def flush(turn: TurnBuffer, also: Also | None = None, *, last: bool = False, guarded: bool = True) -> Any:
    """Commit what `turn` holds, together with what `also` does on the connection; the result of `also`.

    The connection is in pipeline mode: fetch to see a result. `also` is called again only after a transaction that is
    known to be rolled back. `last`: the turn ends, so nobody needs the heads any more. `guarded`: False where `also`
    refuses for itself what the guard would refuse. Raises StaleThread where
    somebody else moved a thread on or the turn's guard does not hold, Unavailable where the database does not answer;
    nothing is written then, and all is kept.
    """
    async with turn.lock:
        mine: Attempt | None = None
        for pause_s in (*RETRY_PAUSES_S, None):
            try:
                async with asyncio.timeout(ATTEMPT_TIMEOUT_S):
                    settled = await _settle(turn)
                    if settled is not None and settled is mine:
                        return settled.result
                    rows = turn.snapshot()
                    if not rows and not turn.gathered and also is None:
                        return None
                    mine = turn.attempt = Attempt(rows=rows, gathered=tuple(turn.gathered))
                    await _commit(turn, mine, also, last=last, guard=turn.guard if guarded else None)
                    return mine.result
            except (psycopg.OperationalError, TimeoutError) as error:
                if pause_s is None:
                    raise Unavailable("the database does not answer, so this turn could not be saved") from error
                await asyncio.sleep(pause_s)
    return None


async def _settle(turn: TurnBuffer) -> Attempt | None:
    """Learn what became of an attempt whose answer was lost; the attempt, if it was committed."""
    attempt = turn.attempt
    if attempt is None:
        return None
    if attempt.transaction is None or await _outcome(turn.pool, attempt.transaction) != "committed":
        turn.attempt = None
        return None
    _accept(turn, attempt)
    return attempt


async def _outcome(pool: Pool, transaction: str) -> str:
    async with pool.connection() as connection, connection.cursor(row_factory=tuple_row) as cursor:
        while True:
            row = await (await cursor.execute(OUTCOME, (transaction,))).fetchone()
            if row is None or row[0] != "in progress":
                return row[0] or "unknown" if row else "unknown"
            await asyncio.sleep(0.05)


async def _commit(turn: TurnBuffer, attempt: Attempt, also: Also | None, *, last: bool, guard: Guard | None) -> None:
    async with (
        turn.pool.connection() as connection,
        connection.pipeline(),
        connection.transaction(),
        connection.cursor(binary=True, row_factory=tuple_row) as cursor,
    ):
        fenced = turn.fenced(attempt.rows)
        for thread_id in fenced:
            await cursor.execute(LOCK_THREAD, (thread_id,))
        # After the locks: whoever deletes a thread holds them, too.
        held = await connection.execute(guard.sql, guard.values) if guard else None
        for thread_id in fenced:
            await _check(turn, attempt, thread_id, cursor)
        if held is not None and await held.fetchone() is None:
            raise StaleThread("this run is not ours any more")
        if not fenced:
            await cursor.execute(TRANSACTION)
            (attempt.transaction,) = await cursor.fetchone() or (None,)
        await write(cursor, attempt.rows)
        for gathered in attempt.gathered:
            await gathered(connection)
        if also is not None:
            attempt.result = await also(connection)
        if not last:
            attempt.heads = {thread_id: await head_of(cursor, thread_id) for thread_id in fenced}
    _accept(turn, attempt)


def _accept(turn: TurnBuffer, attempt: Attempt) -> None:
    turn.heads.update(attempt.heads)
    turn.drop(attempt)
    turn.attempt = None


async def _check(turn: TurnBuffer, attempt: Attempt, thread_id: str, cursor: AsyncCursor[TupleRow]) -> None:
    await cursor.execute(FENCE, (thread_id,))
    attempt.transaction, *head = await cursor.fetchone() or (None, None, 0)
    if tuple(head) != turn.heads[thread_id]:
        raise StaleThread
    new = [key[2] for key in attempt.rows.get(CHECKPOINTS, ()) if key[:2] == (thread_id, "")]
    # Ids are ordered by time: below the head, nobody would ever see them. Those of the next attempt are above it.
    if new and head[0] is not None and min(new) < head[0]:
        catch_up(head[0])
        raise StaleThread("this process's clock is behind the newest checkpoint of the thread; send the request again")


async def head_of(cursor: AsyncCursor[TupleRow], thread_id: str) -> Head:
    await cursor.execute(HEAD, (thread_id,))
    row = await cursor.fetchone()
    return (row[0], row[1]) if row else (None, 0)


async def write(cursor: AsyncCursor[TupleRow], rows: Rows) -> None:
    for insert, sql in STATEMENTS.items():
        if of_table := rows.get(insert):
            columns = zip(*[(*key, *row) for key, row in of_table.items()], strict=True)
            await cursor.execute(sql, [list(column) for column in columns])


class FlushTimer:
    """Flushes beside a turn: each `every_s`, and soon after something was gathered; a shorter turn pays nothing."""

    def __init__(self, turn: TurnBuffer, every_s: float | None) -> None:
        self._turn, self._every_s = turn, every_s
        self._tasks: set[asyncio.Task[None]] = set()
        self._over = False
        loop = asyncio.get_running_loop()
        self._first = loop.call_later(every_s, self._start) if every_s else None
        self._soon: asyncio.TimerHandle | None = None
        turn.when_gathered = self._hurry

    def _start(self) -> None:
        self._tasks.add(asyncio.create_task(self._flush_for_ever()))

    def _hurry(self) -> None:
        if self._soon is None:
            self._soon = asyncio.get_running_loop().call_later(SOON_S, self._start_once)

    def _start_once(self) -> None:
        self._soon = None
        self._tasks.add(asyncio.create_task(self._flush()))

    async def _flush(self) -> None:
        # A turn that lost its thread learns it from its own flush.
        with suppress(StaleThread, Unavailable):
            await finished(flush(self._turn))

    async def _flush_for_ever(self) -> None:
        # A flush that fails has used up the cancellation that came meanwhile.
        while not self._over:
            await self._flush()
            await asyncio.sleep(self._every_s or 0)

    async def stop(self) -> None:
        self._over = True
        self._turn.when_gathered = None
        for handle in (self._first, self._soon):
            if handle is not None:
                handle.cancel()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def close(turn: TurnBuffer, timer: FlushTimer, unwinding: asyncio.Future[Any] | None) -> None:
    """Commit the rest. `unwinding`: what a cancelled graph is still busy with."""
    if unwinding is not None:
        await asyncio.wait({unwinding}, timeout=UNWIND_TIMEOUT_S)
    await timer.stop()
    try:
        if not turn.is_empty:
            await flush(turn, last=True)
    finally:
        # It happened, whatever became of the turn, and also after the commit that closed it.
        if turn.gathered:
            await _write_gathered(turn)


async def _write_gathered(turn: TurnBuffer) -> None:
    try:
        async with asyncio.timeout(ATTEMPT_TIMEOUT_S), turn.pool.connection() as connection, connection.transaction():
            for thread_id in sorted(turn.heads):
                # Whoever deletes a thread holds it, too: what is written after that can see that it is gone.
                await connection.execute(LOCK_THREAD, (thread_id,))
            for gathered in turn.gathered:
                await gathered(connection)
    except (psycopg.OperationalError, TimeoutError):
        logger.exception("%d records of what a turn did could not be written", len(turn.gathered))


async def finished(work: Coroutine[Any, Any, Any]) -> Any:
    """Await to the end though the caller is cancelled meanwhile, even over and over; then be cancelled."""
    task, cancelled = asyncio.ensure_future(work), None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None and (task.cancelled() or task.exception() is None):
        raise cancelled
    return task.result()
