"""The board of switches that operators stop things with; every process looks at it."""

from dataclasses import dataclass
from datetime import datetime

import psycopg
from psycopg_pool import PoolClosed, PoolTimeout

from checkpoints.database import Pool
from errors import Unavailable

NOW = "SELECT clock_timestamp() AS now"
COLUMNS = "nullif(tool, '') AS tool, stopped, changed_at > %(since)s AS later, changed_at, changed_by, note"
ALL = f"SELECT {COLUMNS} FROM frontdesk.switches ORDER BY frontdesk.switches.tool"  # noqa: S608
SET = f"""
INSERT INTO frontdesk.switches (tool, stopped, changed_at, changed_by, note)
VALUES (%(tool)s, %(stopped)s, clock_timestamp(), %(by)s, %(note)s)
ON CONFLICT (tool) DO UPDATE SET stopped = excluded.stopped, changed_at = excluded.changed_at,
    changed_by = excluded.changed_by, note = excluded.note
RETURNING {COLUMNS}"""  # noqa: S608


@dataclass(frozen=True, kw_only=True)
class Switch:
    """One switch as it was set last. `tool`: None for all changes. `later`: set since the board was opened."""

    tool: str | None
    stopped: bool
    later: bool
    changed_at: datetime
    changed_by: str
    note: str | None


class SwitchBoard:
    """`since`: when the process that looks was started, by the database's clock."""

    def __init__(self, pool: Pool, since: datetime) -> None:
        self._pool, self._since = pool, since

    @classmethod
    async def opened(cls, pool: Pool) -> "SwitchBoard":
        """As a process that starts now sees it."""
        async with pool.connection() as connection:
            row = await (await connection.execute(NOW)).fetchone()
        assert row is not None  # noqa: S101 - a SELECT without FROM gives one row
        return cls(pool, row["now"])

    async def switches(self) -> list[Switch]:
        """All that were ever set, the one for all changes first. Raises Unavailable where the database is away."""
        try:
            async with self._pool.connection() as connection:
                rows = await (await connection.execute(ALL, {"since": self._since})).fetchall()
        except (psycopg.OperationalError, PoolTimeout, PoolClosed) as error:
            raise Unavailable("the database does not answer") from error
        return [Switch(**row) for row in rows]

    async def switch(self, tool: str | None, *, stopped: bool, by: str, note: str | None = None) -> Switch:
        """`tool`: None for all changes. From the next look on it counts in every process."""
        values = {"tool": tool or "", "stopped": stopped, "by": by, "note": note, "since": self._since}
        async with self._pool.connection() as connection:
            row = await (await connection.execute(SET, values)).fetchone()
        assert row is not None  # noqa: S101 - it is written either way
        return Switch(**row)
