"""Orders: finding them, counting them by day, and the legal steps of their status."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, Literal

from psycopg import AsyncCursor
from psycopg.rows import dict_row

from demo.days import Days, every_day
from demo.rows import Page, Pool, Record, fetch, fetch_page


class OrderStatus(StrEnum):
    PENDING_PAYMENT = "pending_payment"
    """Placed, not paid."""
    TO_SHIP = "to_ship"
    """Paid; the material is still here."""
    SHIPPED = "shipped"
    """On its way."""
    COMPLETED = "completed"
    """Received."""
    CANCELLED = "cancelled"
    """Given up before it was shipped."""


OrderSort = Literal["newest", "amount"]
STATUS_NAMES: dict[OrderStatus, dict[str, str]] = {
    OrderStatus.PENDING_PAYMENT: {"zh": "待付款", "en": "awaiting payment"},
    OrderStatus.TO_SHIP: {"zh": "待发货", "en": "to be shipped"},
    OrderStatus.SHIPPED: {"zh": "已发货", "en": "shipped"},
    OrderStatus.COMPLETED: {"zh": "已完成", "en": "completed"},
    OrderStatus.CANCELLED: {"zh": "已取消", "en": "cancelled"},
}
LEGAL_STEPS: dict[OrderStatus, tuple[OrderStatus, ...]] = {
    OrderStatus.PENDING_PAYMENT: (OrderStatus.TO_SHIP, OrderStatus.CANCELLED),
    OrderStatus.TO_SHIP: (OrderStatus.SHIPPED, OrderStatus.CANCELLED),
    OrderStatus.SHIPPED: (OrderStatus.COMPLETED,),
    OrderStatus.COMPLETED: (),
    OrderStatus.CANCELLED: (),
}
# The buyer has been told, and the place or the parcel given to somebody else.
NEVER_TAKEN_BACK = (OrderStatus.CANCELLED,)


class Order(Record):
    """`customer`: the buyer's name; `note`: what the buyer wrote; `created_at`: aware."""

    order_no: str
    user_id: str
    customer: str
    course: str
    status: OrderStatus
    amount: Decimal
    note: str | None
    created_at: datetime


class DayOfOrders(Record):
    """`revenue`: of the orders that were paid and not cancelled."""

    day: date
    orders: int
    revenue: Decimal


class StatusChanged(Record):
    order_no: str
    before: OrderStatus
    after: OrderStatus


class StatusRefused(Record):
    """Nothing was written. `current` is None where there is no such order; `possible`: what it could become.

    `final`: the step was one that is never taken back. `moved_on`: somebody has taken another step since.
    """

    reason: Literal["no_such_order", "already_so", "illegal_step", "final", "moved_on"]
    order_no: str
    current: OrderStatus | None = None
    possible: tuple[OrderStatus, ...] = ()


_LIST = """
    select o.order_no, o.user_id, u.name as customer, c.title as course, o.status, o.amount, o.note, o.created_at,
        count(*) over () as total
    from demo.orders o
        join demo.users u using (tenant_id, user_id)
        join demo.courses c using (tenant_id, course_id)
    where o.tenant_id = %(tenant)s
        and (%(order_no)s::text is null or o.order_no = %(order_no)s)
        and (%(status)s::text is null or o.status = %(status)s)
        and (%(since)s::timestamptz is null or o.created_at >= %(since)s)
        and (%(before)s::timestamptz is null or o.created_at < %(before)s)
        and (%(customer)s::text is null or o.user_id in (select demo.users_named(%(tenant)s, %(customer)s)))
        and (%(least)s::numeric is null or o.amount >= %(least)s::numeric)
        and (%(most)s::numeric is null or o.amount <= %(most)s::numeric)
    order by case when %(sort)s = 'amount' then o.amount end desc, o.created_at desc, o.order_no desc"""
_BY_DAY = """
    select d.day, count(o.order_no) as orders,
        coalesce(sum(o.amount) filter (where o.status in ('to_ship', 'shipped', 'completed')), 0) as revenue
    from unnest(%(days)s::date[], %(starts)s::timestamptz[], %(ends)s::timestamptz[]) as d (day, since, before)
        left join demo.orders o
            on o.tenant_id = %(tenant)s and o.created_at >= d.since and (d.before is null or o.created_at < d.before)
    group by d.day order by d.day"""


class Orders:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def find(
        self,
        tenant: str,
        *,
        days: Days,
        order_no: str | None = None,
        customer: str | None = None,
        status: OrderStatus | None = None,
        least: float | None = None,
        most: float | None = None,
        sort: OrderSort = "newest",
        limit: int = 10,
    ) -> Page[Order]:
        """The newest first, or the dearest. `customer`: a name, whole if there is somebody of that name, else a part of
        one; `least`, `most`: bounds of the amount, both included."""
        values = {
            "tenant": tenant,
            "order_no": order_no,
            "customer": customer,
            "status": status,
            "least": least,
            "most": most,
            "sort": sort,
            **days.bounds,
        }
        return await fetch_page(self._pool, Order, _LIST, values, limit=limit)

    async def by_day(self, tenant: str, days: Days) -> list[DayOfOrders]:
        """One for each day, also for those without an order; `days` must have both ends."""
        if days.start is None or days.end is None:
            raise ValueError("by_day needs a first and a last day")
        listed = [Days(zone=days.zone, start=day, end=day) for day in every_day(days.start, days.end)]
        values = {
            "tenant": tenant,
            "days": [one.start for one in listed],
            "starts": [one.since for one in listed],
            "ends": [one.before for one in listed],
        }
        return [DayOfOrders(**row) for row in await fetch(self._pool, _BY_DAY, values)]

    async def change_status(
        self, tenant: str, order_no: str, status: OrderStatus, *, user: str, at: datetime
    ) -> StatusChanged | StatusRefused:
        """Takes one legal step and writes it down in the order's events, both or neither."""
        async with self._order(tenant, order_no) as (cursor, before):
            if before is None:
                return StatusRefused(reason="no_such_order", order_no=order_no)
            if status not in LEGAL_STEPS[before]:
                reason: Literal["already_so", "illegal_step"] = "already_so" if status == before else "illegal_step"
                return StatusRefused(reason=reason, order_no=order_no, current=before, possible=LEGAL_STEPS[before])
            changed = StatusChanged(order_no=order_no, before=before, after=status)
            await _write(cursor, tenant, changed, user, at)
        return changed

    async def take_back(
        self, tenant: str, order_no: str, *, before: OrderStatus, after: OrderStatus, user: str, at: datetime
    ) -> StatusChanged | StatusRefused:
        """Sets an order that went from `before` to `after` back to where it was; repeatable."""
        async with self._order(tenant, order_no) as (cursor, current):
            if current is None:
                return StatusRefused(reason="no_such_order", order_no=order_no)
            changed = StatusChanged(order_no=order_no, before=after, after=before)
            if current == before:
                return changed
            if current != after:
                return StatusRefused(reason="moved_on", order_no=order_no, current=current)
            if after in NEVER_TAKEN_BACK:
                return StatusRefused(reason="final", order_no=order_no, current=current)
            await _write(cursor, tenant, changed, user, at)
        return changed

    @asynccontextmanager
    async def _order(
        self, tenant: str, order_no: str
    ) -> AsyncIterator[tuple[AsyncCursor[dict[str, Any]], OrderStatus | None]]:
        """Its status, and a cursor in a transaction that holds it."""
        async with (
            self._pool.connection() as connection,
            connection.transaction(),
            connection.cursor(row_factory=dict_row) as cursor,
        ):
            await cursor.execute(
                "select status from demo.orders where tenant_id = %(tenant)s and order_no = %(order_no)s for update",
                {"tenant": tenant, "order_no": order_no},
            )
            row = await cursor.fetchone()
            yield cursor, OrderStatus(row["status"]) if row else None


async def _write(
    cursor: AsyncCursor[dict[str, Any]], tenant: str, changed: StatusChanged, user: str, at: datetime
) -> None:
    step = {**changed.model_dump(), "tenant": tenant, "user": user, "at": at}
    await cursor.execute(
        "update demo.orders set status = %(after)s, updated_at = %(at)s, changed_by = %(user)s"
        " where tenant_id = %(tenant)s and order_no = %(order_no)s",
        step,
    )
    await cursor.execute(
        "insert into demo.order_events (tenant_id, order_no, from_status, to_status, user_id, at)"
        " values (%(tenant)s, %(order_no)s, %(before)s, %(after)s, %(user)s, %(at)s)",
        step,
    )
