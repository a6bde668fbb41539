"""What a function centre or an MCP server listed last, kept for a start while it is down."""

import json
from collections.abc import Sequence
from typing import Any

from checkpoints.database import Pool

LAST = "SELECT functions FROM frontdesk.function_lists WHERE url = %s"
KEEP = """
INSERT INTO frontdesk.function_lists (url, functions) VALUES (%s, %s)
ON CONFLICT (url) DO UPDATE SET functions = excluded.functions, listed_at = now()
WHERE function_lists.functions <> excluded.functions"""


class ToolLists:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def last(self, key: str) -> list[Any] | None:
        """`key`: of a source at its address. None: it has never listed anything to a desk of this database."""
        async with self._pool.connection() as connection:
            row = await (await connection.execute(LAST, (key,))).fetchone()
        return list(json.loads(row["functions"])) if row else None

    async def keep(self, key: str, listed: Sequence[Any]) -> None:
        """The same list again writes nothing."""
        async with self._pool.connection() as connection:
            await connection.execute(KEEP, (key, json.dumps(list(listed))))
