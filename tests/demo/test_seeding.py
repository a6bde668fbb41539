"""Filling the demo's schema, and moving it on with the day."""

import asyncio
from collections import Counter
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from checkpoints.database import Pool, open_pool
from demo.seeding import INJECTED_NOTE, seed
from demo.tenants import TENANTS
from tests.demo.conftest import NOW, SHANGHAI, rows, value

TABLES = (
    "tenants", "seeded_days", "users", "courses", "orders", "order_events", "reviews", "activities", "posts",
    "community_days", "alerts", "todos", "calendar_events", "contacts", "knowledge", "coupons",
)  # fmt: skip


@pytest.fixture
async def empty(pool: Pool) -> Pool:
    async with pool.connection() as connection:
        await connection.execute("drop schema if exists demo cascade")
    return pool


async def everything(pool: Pool) -> dict[str, Counter[str]]:
    """All rows of all tables, as text."""
    return {
        table: Counter(row["text"] for row in await rows(pool, f"select t::text as text from demo.{table} t"))
        for table in TABLES
    }


async def test_an_order_number_is_the_day_of_the_tenant_and_a_serial_that_no_other_tenant_has(empty: Pool) -> None:
    await seed(empty, NOW)
    assert await value(empty, "select count(distinct order_no) from demo.orders") == 2000
    found = await rows(
        empty,
        "select order_no, to_char(created_at at time zone time_zone, 'YYYYMMDD') as day"
        " from demo.orders join demo.tenants using (tenant_id)",
    )
    assert all(len(row["order_no"]) == 11 and row["order_no"].startswith(row["day"]) for row in found)


async def test_every_table_has_a_tenant(empty: Pool) -> None:
    await seed(empty, NOW)
    found = await rows(
        empty,
        "select table_name, bool_or(column_name = 'tenant_id') as has from information_schema.columns"
        " where table_schema = 'demo' group by table_name",
    )
    assert {row["table_name"]: row["has"] for row in found} == dict.fromkeys(TABLES, True)


async def test_the_regulars_have_recent_orders_and_reviews(empty: Pool) -> None:
    await seed(empty, NOW)
    found = await rows(
        empty,
        "select name, count(distinct o.order_no) as orders, count(distinct r.review_no) as reviews,"
        " count(distinct o.order_no) filter (where o.created_at > %s) as recent"
        " from demo.users join demo.orders o using (tenant_id, user_id) join demo.reviews r using (tenant_id, user_id)"
        " where name = any(%s) group by name",
        NOW - timedelta(days=7),
        ["张三", "李四", "王小明"],
    )
    assert len(found) == 3
    assert all(row["orders"] >= 5 and row["reviews"] >= 5 and row["recent"] >= 1 for row in found)


async def test_names_are_told_apart(empty: Pool) -> None:
    await seed(empty, NOW)
    assert await value(empty, "select count(distinct (tenant_id, name)) from demo.users") == 300
    assert await value(empty, "select count(distinct phone) from demo.users") == 300


async def test_one_note_reads_like_an_order_to_the_system(empty: Pool) -> None:
    for days in (0, 1, 60, 200):
        await seed(empty, NOW + timedelta(days=days))
        found = await rows(
            empty,
            "select name from demo.orders join demo.users using (tenant_id, user_id) where note = %s",
            INJECTED_NOTE,
        )
        assert [row["name"] for row in found] == ["张三"]


async def test_the_note_stands_on_the_newest_order_at_first(empty: Pool) -> None:
    await seed(empty, NOW)
    newest = (
        "select note from demo.orders where user_id = 'u0001' and tenant_id = 'acme' order by created_at desc limit 1"
    )
    assert await value(empty, newest) == INJECTED_NOTE


async def test_the_same_day_gives_the_same_data(empty: Pool) -> None:
    await seed(empty, NOW)
    first = await everything(empty)
    async with empty.connection() as connection:
        await connection.execute("drop schema demo cascade")
    await seed(empty, NOW)
    assert await everything(empty) == first


async def test_a_second_seeding_on_a_day_changes_nothing(empty: Pool) -> None:
    await seed(empty, NOW)
    first = await everything(empty)
    await seed(empty, NOW)
    await seed(empty, NOW + timedelta(hours=5))
    assert await everything(empty) == first


async def test_what_a_person_removed_does_not_come_back(empty: Pool) -> None:
    await seed(empty, NOW)
    async with empty.connection() as connection:
        await connection.execute("delete from demo.todos where tenant_id = 'acme'")
    await seed(empty, NOW + timedelta(hours=1))
    assert await value(empty, "select count(*) from demo.todos where tenant_id = 'acme'") == 0


@pytest.mark.parametrize("later", [1, 2, 45, 300])
async def test_the_data_moves_with_the_day(empty: Pool, later: int) -> None:
    await seed(empty, NOW)
    before = {row["order_no"]: row["amount"] for row in await rows(empty, "select order_no, amount from demo.orders")}
    await seed(empty, NOW + timedelta(days=later))
    after = {row["order_no"]: row["amount"] for row in await rows(empty, "select order_no, amount from demo.orders")}
    assert len(after) == 2000
    assert min(after) >= f"{(NOW - timedelta(days=121 - later)):%Y%m%d}"
    assert all(before[order_no] == after[order_no] for order_no in before.keys() & after.keys())
    assert len(before.keys() & after.keys()) == pytest.approx(2000 * max(0, 120 - later) / 120, abs=12)


async def test_a_clock_that_goes_back_finds_its_own_days(empty: Pool) -> None:
    await seed(empty, NOW + timedelta(days=10))
    await seed(empty, NOW)
    assert await value(empty, "select count(*) from demo.orders") == 2000
    assert await value(empty, "select max(order_no) from demo.orders") < f"{NOW + timedelta(days=1):%Y%m%d}"


async def test_orders_that_nobody_touches_go_their_legal_way(empty: Pool) -> None:
    await seed(empty, NOW)
    await seed(empty, NOW + timedelta(days=30))
    old = NOW + timedelta(days=30 - 17)
    assert await value(
        empty, "select array_agg(distinct status order by status) from demo.orders where created_at < %s", old
    ) == ["cancelled", "completed"]
    steps = await rows(empty, "select distinct from_status, to_status, user_id from demo.order_events")
    assert sorted((s["from_status"], s["to_status"]) for s in steps) == [
        ("pending_payment", "cancelled"), ("shipped", "completed"), ("to_ship", "shipped"),
    ]  # fmt: skip
    assert {s["user_id"] for s in steps} == {"system"}


async def test_what_a_person_changed_is_kept(empty: Pool) -> None:
    await seed(empty, NOW)
    async with empty.connection() as connection:
        await connection.execute(
            "update demo.orders set status = 'pending_payment', changed_by = 'alex' where order_no ="
            " (select min(order_no) from demo.orders where tenant_id = 'acme')"
        )
        await connection.execute("update demo.todos set content = 'mine', changed_by = 'alex' where todo_no = 1001")
        await connection.execute(
            "update demo.calendar_events set title = 'mine', changed_by = 'alex' where event_no = 501"
        )
    for days in (1, 200):
        await seed(empty, NOW + timedelta(days=days))
        assert await value(empty, "select status from demo.orders where changed_by = 'alex'") == "pending_payment"
        assert await value(empty, "select content from demo.todos where todo_no = 1001") == "mine"
        assert await value(empty, "select title from demo.calendar_events where event_no = 501") == "mine"


async def test_several_processes_may_start_at_once(empty: Pool, database_url: str) -> None:
    pools = [await open_pool(database_url, 2) for _ in range(3)]
    try:
        await asyncio.gather(*(seed(pool, NOW) for pool in pools for _ in range(2)))
    finally:
        for pool in pools:
            await pool.close()
    assert await value(empty, "select count(*) from demo.orders") == 2000
    assert await value(empty, "select count(*) from demo.users") == 300


async def test_each_tenant_has_its_own_today(empty: Pool) -> None:
    await seed(empty, datetime(2026, 11, 30, 8, 0, tzinfo=SHANGHAI))
    newest = await rows(empty, "select tenant_id, max(order_no) as newest from demo.orders group by 1 order by 1")
    assert [row["newest"][:8] for row in newest] == ["20261130", "20261129"]


async def test_there_is_something_for_the_desk_user_today_and_tomorrow(empty: Pool) -> None:
    await seed(empty, NOW)
    today = NOW.date()
    for day in (today, today + timedelta(days=1)):
        entries = "select count(*) from demo.calendar_events where tenant_id = 'acme' and owner = 'alex' and day = %s"
        assert await value(empty, entries, day) >= 1
    todos = "select count(*) from demo.todos where tenant_id = 'acme' and owner = 'alex' and not done and due_on >= %s"
    assert await value(empty, todos, today) >= 1


def test_tenants_know_their_zone() -> None:
    assert {t.tenant_id: t.zone for t in TENANTS.values()} == {
        "acme": ZoneInfo("Asia/Shanghai"),
        "globex": ZoneInfo("America/New_York"),
    }
