"""Coupons: dealt out to the users in turn, a part of them at a time."""

from decimal import Decimal
from typing import Any, Literal

from psycopg import AsyncConnection
from psycopg.rows import scalar_row

from demo.rows import Pool

Level = Literal["standard", "silver", "gold"]
_COUNT = """
    select count(*) from demo.users
    where tenant_id = %(tenant)s and (%(level)s::text is null or level = %(level)s)"""
_SEND = """
    insert into demo.coupons (tenant_id, campaign, serial, user_id, value, sent_by)
    select %(tenant)s, %(campaign)s, serial, user_id, %(value)s, %(sender)s
    from generate_series(%(first)s::int, %(last)s) as serial join (
        select user_id, row_number() over (order by user_id) as place, count(*) over () as users from demo.users
        where tenant_id = %(tenant)s and (%(level)s::text is null or level = %(level)s)
    ) as listed on place = (serial - 1) %% users + 1"""


class Coupons:
    """A part is sent in its caller's transaction, so that what the caller notes about it comes about with it or not at
    all: nothing here keeps a coupon from being sent a second time."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def count_users(self, tenant: str, *, level: Level | None = None) -> int:
        """How many there are to be sent one."""
        async with self._pool.connection() as connection, connection.cursor(row_factory=scalar_row) as cursor:
            found: int | None = await (await cursor.execute(_COUNT, {"tenant": tenant, "level": level})).fetchone()
        return found or 0

    async def send(
        self,
        connection: AsyncConnection[Any],
        tenant: str,
        *,
        campaign: str,
        value: Decimal,
        first: int,
        last: int,
        sender: str,
        level: Level | None = None,
    ) -> int:
        """The coupons `first` to `last` of a campaign, counted from 1, to the next users in turn. How many."""
        values = {
            "tenant": tenant,
            "campaign": campaign,
            "value": value,
            "first": first,
            "last": last,
            "sender": sender,
            "level": level,
        }
        return (await connection.execute(_SEND, values)).rowcount
