"""What holds after the first seeding, whatever the day and the hour."""

from datetime import UTC, datetime, timedelta
from typing import cast

import pytest

from checkpoints.database import Pool
from demo.days import midnight
from demo.seeding import seed
from demo.tenants import TENANTS
from tests.demo.conftest import NOW, SHANGHAI, rows, value

MOMENTS = [
    NOW,
    datetime(2026, 11, 30, 0, 0, tzinfo=SHANGHAI),
    datetime(2026, 11, 30, 23, 59, 59, tzinfo=SHANGHAI),
    datetime(2026, 3, 8, 7, 30, tzinfo=UTC),  # New York's clocks go forward
    datetime(2026, 11, 1, 6, 30, tzinfo=UTC),  # and back
    datetime(2028, 2, 29, 12, 0, tzinfo=UTC),
]


@pytest.fixture(scope="module", params=MOMENTS, ids=str)
def now(request: pytest.FixtureRequest) -> datetime:
    return cast(datetime, request.param)


@pytest.fixture(scope="module")
async def seeded(pool: Pool, now: datetime) -> Pool:
    async with pool.connection() as connection:
        await connection.execute("drop schema if exists demo cascade")
    await seed(pool, now)
    return pool


async def test_the_first_seeding_holds_300_users_and_2000_orders_whatever_the_day(seeded: Pool, now: datetime) -> None:
    assert await value(seeded, "select count(*) from demo.users") == 300
    assert await value(seeded, "select count(*) from demo.orders") == 2000
    assert await value(seeded, "select count(*) from demo.orders where tenant_id = 'acme'") == 1600
    assert await value(seeded, "select count(*) from demo.knowledge") == 40


async def test_every_day_of_the_last_120_has_orders_and_none_lies_outside(seeded: Pool, now: datetime) -> None:
    for tenant in TENANTS.values():
        found = await rows(
            seeded,
            "select (created_at at time zone %s)::date as day, max(created_at) as latest"
            " from demo.orders where tenant_id = %s group by 1 order by 1",
            tenant.time_zone,
            tenant.tenant_id,
        )
        today = now.astimezone(tenant.zone).date()
        assert [row["day"] for row in found] == [today - timedelta(days=119 - n) for n in range(120)]
        assert found[-1]["latest"] <= now


async def test_today_has_orders_of_every_status_between_midnight_and_now(seeded: Pool, now: datetime) -> None:
    start = midnight(now.astimezone(SHANGHAI).date(), SHANGHAI)
    found = await rows(
        seeded, "select status from demo.orders where tenant_id = 'acme' and created_at between %s and %s", start, now
    )
    assert len(found) >= 8
    assert {row["status"] for row in found} == {"pending_payment", "to_ship", "shipped", "completed", "cancelled"}
