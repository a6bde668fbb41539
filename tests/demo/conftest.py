"""The demo business, filled in on one fixed day."""

from datetime import datetime
from typing import Any, LiteralString
from zoneinfo import ZoneInfo

import pytest

from checkpoints.database import Pool
from demo.seeding import seed

SHANGHAI, NEW_YORK = ZoneInfo("Asia/Shanghai"), ZoneInfo("America/New_York")
NOW = datetime(2026, 11, 30, 15, 20, tzinfo=SHANGHAI)


@pytest.fixture(scope="module")
async def business(pool: Pool) -> Pool:
    await seed(pool, NOW)
    return pool


async def rows(pool: Pool, query: LiteralString, *values: Any) -> list[dict[str, Any]]:
    async with pool.connection() as connection:
        return await (await connection.execute(query, values)).fetchall()


async def value(pool: Pool, query: LiteralString, *values: Any) -> Any:
    return next(iter((await rows(pool, query, *values))[0].values()))
