"""What a turn has put and not yet committed."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from checkpoints.database import Pool
from checkpoints.statements import BLOBS, CHECKPOINTS, NEWER_WRITES, WRITES, Insert

Key = tuple[Any, ...]
Row = tuple[Any, ...]
Rows = dict[Insert, dict[Key, Row]]
# A thread's newest root checkpoint, None before the first, and how many writes it has.
Head = tuple[str | None, int]

MAX_ROWS = 500
MAX_BYTES = 4 * 1024 * 1024


@dataclass(kw_only=True)
class Attempt:
    """One try to commit, kept until its outcome is known. `transaction`: None before the server gave it a number."""

    rows: Rows
    transaction: str | None = None
    heads: dict[str, Head] = field(default_factory=dict)
    result: Any = None


class TurnBuffer:
    """Rows are serialised before they come here, so that a later change of the state does not reach them.

    `heads`: where each thread stood when the turn first read it, or after its own last commit. `lock`: held while the
    rows are on their way.
    """

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
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

    def snapshot(self) -> Rows:
        return {insert: dict(rows) for insert, rows in self._rows.items() if rows}

    def drop(self, committed: Rows) -> None:
        """Forget rows that are in the database now; what was put over them meanwhile stays."""
        for insert, rows in committed.items():
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
