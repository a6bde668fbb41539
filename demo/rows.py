"""The rows of a query as records, with the number of all that would have come without its limit."""

from typing import Any, Generic, LiteralString, TypeVar

from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool
from pydantic import BaseModel, ConfigDict

Pool = AsyncConnectionPool[Any]


class Record(BaseModel):
    """What a service hands out; it does not change."""

    model_config = ConfigDict(frozen=True, extra="forbid")


RecordT = TypeVar("RecordT", bound=Record)


class Page(Record, Generic[RecordT]):
    """`total`: how many there are; `rows`: the first of them."""

    total: int
    rows: tuple[RecordT, ...]


async def fetch(pool: Pool, query: LiteralString, values: dict[str, Any]) -> list[dict[str, Any]]:
    async with pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
        rows: list[dict[str, Any]] = await (await cursor.execute(query, values)).fetchall()
        return rows


async def fetch_one(pool: Pool, query: LiteralString, values: dict[str, Any]) -> dict[str, Any]:
    """The one row of a query that always has one."""
    return (await fetch(pool, query, values))[0]


async def fetch_page(
    pool: Pool, kind: type[RecordT], query: LiteralString, values: dict[str, Any], *, limit: int
) -> Page[RecordT]:
    """`query` ends before its limit and selects, beside the fields of `kind`, `count(*) over () as total`."""
    rows = await fetch(pool, query + " limit %(limit)s", {**values, "limit": max(limit, 1)})
    total = rows[0]["total"] if rows else 0
    return Page(total=total, rows=tuple(kind(**{k: v for k, v in row.items() if k != "total"}) for row in rows))
