"""Orders: finding them in the tenant's days, and the legal steps of their status."""

import asyncio
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from psycopg.rows import scalar_row

from checkpoints.database import Pool
from demo.days import Days
from demo.orders import (
    LEGAL_STEPS,
    NEVER_TAKEN_BACK,
    STATUS_NAMES,
    Orders,
    OrderStatus,
    StatusChanged,
    StatusRefused,
)
from tests.demo.conftest import NEW_YORK, NOW, SHANGHAI

TODAY = NOW.date()
ALWAYS = Days(zone=SHANGHAI)


@pytest.fixture
def orders(business: Pool) -> Orders:
    return Orders(business)


async def values(pool: Pool, query: Any, **given: Any) -> list[Any]:
    async with pool.connection() as connection, connection.cursor(row_factory=scalar_row) as cursor:
        return await (await cursor.execute(query, given)).fetchall()


async def an_order(pool: Pool, status: OrderStatus, tenant: str = "acme") -> str:
    query = (
        "select order_no from demo.orders where tenant_id = %(tenant)s and status = %(status)s"
        " and changed_by is null order by order_no desc limit 1"
    )
    return str((await values(pool, query, tenant=tenant, status=status))[0])


async def test_a_day_holds_what_was_created_between_its_midnights_in_the_zone(orders: Orders, business: Pool) -> None:
    yesterday = TODAY - timedelta(days=1)
    page = await orders.find("acme", days=Days(zone=SHANGHAI, start=yesterday, end=yesterday), limit=50)
    counted = await values(
        business,
        "select count(*) from demo.orders where tenant_id = 'acme'"
        " and (created_at at time zone 'Asia/Shanghai')::date = %(day)s",
        day=yesterday,
    )
    assert page.total == counted[0] == len(page.rows)
    assert all(order.created_at.astimezone(SHANGHAI).date() == yesterday for order in page.rows)


async def test_the_same_day_is_another_one_in_another_zone(orders: Orders) -> None:
    day = TODAY - timedelta(days=2)
    here = await orders.find("globex", days=Days(zone=NEW_YORK, start=day, end=day), limit=50)
    there = await orders.find("globex", days=Days(zone=SHANGHAI, start=day, end=day), limit=50)
    assert {o.order_no[:8] for o in here.rows} == {f"{day:%Y%m%d}"}
    assert {o.order_no for o in here.rows} != {o.order_no for o in there.rows}


async def test_the_newest_come_first_and_the_total_counts_all(orders: Orders) -> None:
    page = await orders.find("acme", days=ALWAYS, limit=7)
    assert page.total == 1600
    assert len(page.rows) == 7
    assert [o.created_at for o in page.rows] == sorted((o.created_at for o in page.rows), reverse=True)


async def test_an_order_is_found_by_its_number_within_its_tenant_only(orders: Orders) -> None:
    newest = (await orders.find("acme", days=ALWAYS, limit=1)).rows[0]
    assert (await orders.find("acme", days=ALWAYS, order_no=newest.order_no)).rows == (newest,)
    assert (await orders.find("globex", days=ALWAYS, order_no=newest.order_no)).total == 0
    assert (await orders.find("acme", days=ALWAYS, order_no="1001")).total == 0


@pytest.mark.parametrize("name", ["张三", "Zhang San", "zhang san", "u0001"])
async def test_a_customer_is_found_by_either_name_or_number(orders: Orders, name: str) -> None:
    page = await orders.find("acme", days=ALWAYS, customer=name)
    assert page.total >= 5
    assert {order.customer for order in page.rows} == {"张三"}


async def test_a_part_of_a_name_finds_everybody_who_has_it(orders: Orders) -> None:
    page = await orders.find("acme", days=ALWAYS, customer="张", limit=1000)
    names = {order.customer for order in page.rows}
    assert "张三" in names
    assert len(names) > 1
    assert all("张" in name for name in names)


@pytest.mark.parametrize("name", ["nobody of that name", "%", "_", "'; drop table demo.orders; --", "\\"])
async def test_a_strange_name_finds_nothing(orders: Orders, name: str) -> None:
    assert (await orders.find("acme", days=ALWAYS, customer=name)).total == 0


@pytest.mark.parametrize("status", OrderStatus)
async def test_a_status_narrows(orders: Orders, status: OrderStatus) -> None:
    page = await orders.find("acme", days=ALWAYS, status=status)
    assert page.total > 0
    assert {order.status for order in page.rows} == {status}


async def test_the_ends_of_time_are_no_error(orders: Orders) -> None:
    everything = Days(zone=SHANGHAI, start=date.min, end=date.max)
    assert (await orders.find("acme", days=everything)).total == 1600
    assert (await orders.find("globex", days=Days(zone=NEW_YORK, start=date.max, end=date.max))).total == 0
    assert (await orders.find("acme", days=Days(zone=SHANGHAI, start=TODAY, end=date(2020, 1, 1)))).total == 0


async def test_a_trend_has_every_day_and_adds_up(orders: Orders) -> None:
    days = Days(zone=SHANGHAI, start=TODAY - timedelta(days=6), end=TODAY + timedelta(days=2))
    figures = await orders.by_day("acme", days)
    assert [f.day for f in figures] == [TODAY - timedelta(days=6 - n) for n in range(9)]
    assert sum(f.orders for f in figures) == (await orders.find("acme", days=days)).total
    assert [f.orders for f in figures[-2:]] == [0, 0]
    assert figures[0].revenue > Decimal(0)


async def test_a_trend_needs_both_ends(orders: Orders) -> None:
    with pytest.raises(ValueError, match="first and a last day"):
        await orders.by_day("acme", ALWAYS)


def test_every_status_has_names_and_steps() -> None:
    assert set(STATUS_NAMES) == set(LEGAL_STEPS) == set(OrderStatus)
    assert STATUS_NAMES[OrderStatus.TO_SHIP] == {"zh": "待发货", "en": "to be shipped"}


@pytest.mark.parametrize(
    ("before", "after"), [(before, after) for before, steps in LEGAL_STEPS.items() for after in steps], ids=str
)
async def test_a_legal_step_changes_the_order_and_is_written_down(
    orders: Orders, business: Pool, before: OrderStatus, after: OrderStatus
) -> None:
    order_no = await an_order(business, before)
    changed = await orders.change_status("acme", order_no, after, user="alex", at=NOW)
    assert changed == StatusChanged(order_no=order_no, before=before, after=after)
    page = await orders.find("acme", days=ALWAYS, order_no=order_no)
    assert page.rows[0].status == after
    events = await values(
        business,
        "select from_status || '>' || to_status || ':' || user_id from demo.order_events"
        " where order_no = %(order_no)s and user_id <> 'system'",
        order_no=order_no,
    )
    assert events == [f"{before}>{after}:alex"]


@pytest.mark.parametrize(
    ("before", "after"),
    [(before, after) for before in OrderStatus for after in OrderStatus if after not in LEGAL_STEPS[before]],
    ids=str,
)
async def test_an_illegal_step_writes_nothing_and_says_what_is_possible(
    orders: Orders, business: Pool, before: OrderStatus, after: OrderStatus
) -> None:
    order_no = await an_order(business, before)
    events = await values(business, "select count(*) from demo.order_events")
    refused = await orders.change_status("acme", order_no, after, user="alex", at=NOW)
    assert refused == StatusRefused(
        reason="already_so" if before == after else "illegal_step",
        order_no=order_no,
        current=before,
        possible=LEGAL_STEPS[before],
    )
    assert (await orders.find("acme", days=ALWAYS, order_no=order_no)).rows[0].status == before
    assert await values(business, "select count(*) from demo.order_events") == events


async def test_an_order_of_another_tenant_does_not_exist(orders: Orders, business: Pool) -> None:
    order_no = await an_order(business, OrderStatus.TO_SHIP, "globex")
    refused = await orders.change_status("acme", order_no, OrderStatus.SHIPPED, user="alex", at=NOW)
    assert refused == StatusRefused(reason="no_such_order", order_no=order_no)
    assert (await orders.find("globex", days=ALWAYS, order_no=order_no)).rows[0].status == OrderStatus.TO_SHIP


async def test_of_many_who_take_the_same_step_one_does(orders: Orders, business: Pool) -> None:
    order_no = await an_order(business, OrderStatus.TO_SHIP)
    outcomes = await asyncio.gather(
        *(orders.change_status("acme", order_no, OrderStatus.SHIPPED, user=f"u{n}", at=NOW) for n in range(6))
    )
    assert [type(one) for one in outcomes].count(StatusChanged) == 1
    query = "select count(*) from demo.order_events where order_no = %(order_no)s"
    assert await values(business, query, order_no=order_no) == [1]


@pytest.mark.parametrize(
    ("before", "after"),
    [(before, after) for before, steps in LEGAL_STEPS.items() for after in steps if after not in NEVER_TAKEN_BACK],
    ids=str,
)
async def test_a_step_is_taken_back_once_however_often_it_is_asked_for(
    orders: Orders, business: Pool, before: OrderStatus, after: OrderStatus
) -> None:
    order_no = await an_order(business, before)
    await orders.change_status("acme", order_no, after, user="alex", at=NOW)
    for _ in range(2):
        back = await orders.take_back("acme", order_no, before=before, after=after, user="alex", at=NOW)
        assert back == StatusChanged(order_no=order_no, before=after, after=before)
        assert (await orders.find("acme", days=ALWAYS, order_no=order_no)).rows[0].status == before
    events = "select count(*) from demo.order_events where order_no = %(order_no)s and user_id = 'alex'"
    assert await values(business, events, order_no=order_no) == [2]


async def test_a_cancelled_order_stays_cancelled(orders: Orders, business: Pool) -> None:
    order_no, cancelled = await an_order(business, OrderStatus.TO_SHIP), OrderStatus.CANCELLED
    await orders.change_status("acme", order_no, cancelled, user="alex", at=NOW)
    back = await orders.take_back("acme", order_no, before=OrderStatus.TO_SHIP, after=cancelled, user="alex", at=NOW)
    assert back == StatusRefused(reason="final", order_no=order_no, current=cancelled)
    assert (await orders.find("acme", days=ALWAYS, order_no=order_no)).rows[0].status == cancelled


async def test_a_step_that_is_not_the_last_one_is_not_taken_back(orders: Orders, business: Pool) -> None:
    order_no, shipped = await an_order(business, OrderStatus.TO_SHIP), OrderStatus.SHIPPED
    for status in (shipped, OrderStatus.COMPLETED):
        await orders.change_status("acme", order_no, status, user="alex", at=NOW)
    back = await orders.take_back("acme", order_no, before=OrderStatus.TO_SHIP, after=shipped, user="alex", at=NOW)
    assert back == StatusRefused(reason="moved_on", order_no=order_no, current=OrderStatus.COMPLETED)


async def test_a_step_of_another_tenants_order_is_not_taken_back(orders: Orders, business: Pool) -> None:
    order_no, shipped = await an_order(business, OrderStatus.SHIPPED, "globex"), OrderStatus.SHIPPED
    back = await orders.take_back("acme", order_no, before=OrderStatus.TO_SHIP, after=shipped, user="alex", at=NOW)
    assert back == StatusRefused(reason="no_such_order", order_no=order_no)
