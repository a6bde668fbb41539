"""What a turn has put and not yet committed."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from checkpoints.database import Connection, Pool
from checkpoints.statements import BLOBS, CHECKPOINTS, NEWER_WRITES, WRITES, Insert

Key = tuple[Any, ...]
Row = tuple[Any, ...]
Rows = dict[Insert, dict[Key, Row]]
# A thread's newest root checkpoint, None before the first, and how many writes it has.
Head = tuple[str | None, int]
Also = Callable[[Connection], Awaitable[Any]]
Write = Callable[[Connection, Sequence[Any]], Awaitable[Any]]

NOWHERE: Head = (None, 0)

MAX_ROWS = 500
MAX_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class Guard:
    """A query that gives a row as long as the turn may write."""

    sql: str
    values: dict[str, Any]


class Batch:
    """Rows of one kind that go together, in one statement. A batch takes no more once it has been written."""

    def __init__(self, write: Write) -> None:
        self.rows: list[Any] = []
        self.is_open = True
        self._write = write

    async def __call__(self, connection: Connection) -> None:
        self.is_open = False
        await self._write(connection, self.rows)


@dataclass(kw_only=True)
class Attempt:
    """One try to commit, kept until its outcome is known. `transaction`: None before the server gave it a number."""

    rows: Rows
    gathered: Sequence[Also] = ()
    transaction: str | None = None
    heads: dict[str, Head] = field(default_factory=dict)
    result: Any = None


class TurnBuffer:
    """Rows are serialised before they come here, so that a later change of the state does not reach them.

    `heads`: where each thread stood when the turn first read it, or after its own last commit. `lock`: held while the
    rows are on their way. `guard`: what must hold in each commit. `gathered`: what else goes with the next one.
    """

    def __init__(self, pool: Pool, guard: Guard | None = None, empty: Collection[str] = ()) -> None:
        self.pool = pool
        self.guard = guard
        self._empty = frozenset(empty)
        self.gathered: list[Also] = []
        self._batches: dict[Write, Batch] = {}
        self.when_gathered: Callable[[], None] | None = None
        self.closed = False
        self.lock = asyncio.Lock()
        self.heads: dict[str, Head] = {}
        self.attempt: Attempt | None = None
        self._rows: Rows = {BLOBS: {}, CHECKPOINTS: {}, WRITES: {}, NEWER_WRITES: {}}
        self._bytes = 0

    @property
    def is_empty(self) -> bool:
        return not any(self._rows.values())

    @property
    def is_full(self) -> bool:
        return self._bytes > MAX_BYTES or sum(map(len, self._rows.values())) > MAX_ROWS

    def touches(self, thread_id: str, namespace: str) -> bool:
        return any(key[:2] == (thread_id, namespace) for rows in self._rows.values() for key in rows)

    def knows_empty(self, thread_id: str) -> bool:
        """Nothing was ever put on this thread, so that nothing need be read; the fence sees to it that it was so."""
        return thread_id in self._empty and self.heads.get(thread_id, NOWHERE) == NOWHERE

    def put_blob(self, key: Key, row: Row) -> None:
        if key not in self._rows[BLOBS]:
            self._put(BLOBS, key, row)

    def put_checkpoint(self, key: Key, row: Row) -> None:
        before = self._rows[CHECKPOINTS].get(key)
        self._put(CHECKPOINTS, key, row if before is None else (before[0], *row[1:]))

    def put_write(self, key: Key, row: Row, *, newer_wins: bool) -> None:
        """As the database would do it: the first row of a key stays, unless `newer_wins`."""
        if newer_wins:
            self._rows[WRITES].pop(key, None)
            self._put(NEWER_WRITES, key, row)
        elif key not in self._rows[WRITES] and key not in self._rows[NEWER_WRITES]:
            self._put(WRITES, key, row)

    def gather(self, also: Also) -> None:
        self.gathered.append(also)
        if self.when_gathered is not None:
            self.when_gathered()

    def gather_row(self, write: Write, row: Any) -> None:
        """Unlike what `gather` takes it does not hurry: it waits for the turn's next commit, whatever that is for."""
        batch = self._batches.get(write)
        if batch is None or not batch.is_open:
            batch = self._batches[write] = Batch(write)
            self.gathered.append(batch)
        batch.rows.append(row)

    def forget(self) -> None:
        self._rows = {insert: {} for insert in self._rows}
        self._bytes = 0

    def snapshot(self) -> Rows:
        return {insert: dict(rows) for insert, rows in self._rows.items() if rows}

    def drop(self, committed: Attempt) -> None:
        """Forget what is in the database now; what was put over it meanwhile stays."""
        self.gathered = self.gathered[len(committed.gathered) :]
        for insert, rows in committed.rows.items():
            waiting = self._rows[insert]
            for key, row in rows.items():
                if waiting.get(key) is row:
                    del waiting[key]
        self._bytes = sum(_size(row) for rows in self._rows.values() for row in rows.values())

    def fenced(self, rows: Rows) -> list[str]:
        """The threads whose heads must not have moved, in an order that cannot deadlock."""
        written = {key[0] for keys in rows.values() for key in keys}
        return sorted(written & self.heads.keys() if written else self.heads)

    def _put(self, insert: Insert, key: Key, row: Row) -> None:
        self._rows[insert][key] = row
        self._bytes += _size(row)


def _size(row: Row) -> int:
    return sum(len(value) for value in row if isinstance(value, str | bytes))
