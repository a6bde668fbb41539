"""The figures agree with the rows that they are of."""

from datetime import timedelta
from decimal import Decimal

import pytest

from checkpoints.database import Pool
from demo.dashboard import Dashboard
from demo.days import Days
from demo.orders import Orders, OrderStatus
from demo.reviews import Reviews
from tests.demo.conftest import NOW, SHANGHAI

TODAY = NOW.date()
WEEK = Days(zone=SHANGHAI, start=TODAY - timedelta(days=6), end=TODAY)
FUTURE = Days(zone=SHANGHAI, start=TODAY + timedelta(days=1))


@pytest.fixture
def dashboard(business: Pool) -> Dashboard:
    return Dashboard(business)


@pytest.mark.parametrize("customer", [None, "张三"])
async def test_the_figures_of_orders_are_those_of_the_listed_ones(
    dashboard: Dashboard, business: Pool, customer: str | None
) -> None:
    figures = await dashboard.orders("acme", WEEK, customer=customer)
    listed = (await Orders(business).find("acme", days=WEEK, customer=customer, limit=1000)).rows
    paid = [o for o in listed if o.status not in (OrderStatus.PENDING_PAYMENT, OrderStatus.CANCELLED)]
    assert figures.total == len(listed) == sum(figures.by_status.values())
    assert figures.revenue == sum((o.amount for o in paid), Decimal(0))
    assert figures.buyers == len({o.user_id for o in listed})


async def test_the_figures_of_reviews_are_those_of_the_listed_ones(dashboard: Dashboard, business: Pool) -> None:
    figures = await dashboard.reviews("acme", WEEK)
    listed = (await Reviews(business).find("acme", days=WEEK, limit=1000)).rows
    assert figures.total == len(listed)
    assert figures.average == round(sum(r.rating for r in listed) / len(listed), 2)


async def test_nothing_happened_in_the_future(dashboard: Dashboard) -> None:
    assert (await dashboard.orders("acme", FUTURE)).total == 0
    assert (await dashboard.reviews("acme", FUTURE)).average is None
    assert (await dashboard.community("acme", FUTURE)).days == 0
    assert await dashboard.alerts("acme", FUTURE, now=NOW) == []
    assert {course.sold for course in await dashboard.courses("acme", FUTURE)} == {0}


async def test_users_are_counted_at_the_end_of_the_days(dashboard: Dashboard) -> None:
    now = await dashboard.users("acme", WEEK)
    assert now.total == 240 == sum(now.by_level.values())
    assert now.new >= 7
    earlier = await dashboard.users("acme", Days(zone=SHANGHAI, end=TODAY - timedelta(days=7)))
    assert earlier.total == 240 - now.new


async def test_courses_are_ranked_by_what_they_sold(dashboard: Dashboard) -> None:
    courses = await dashboard.courses("acme", WEEK)
    assert len(courses) == 24
    sold = [course.sold for course in courses]
    assert sold == sorted(sold, reverse=True)
    orders = await dashboard.orders("acme", WEEK)
    assert sum(sold) == orders.total - orders.by_status[OrderStatus.CANCELLED]


async def test_community_sums_up_its_days(dashboard: Dashboard) -> None:
    week = await dashboard.community("acme", WEEK)
    assert week.days == 7
    assert min(week.active_members, week.posts, week.comments, week.likes) > 0


async def test_an_alert_is_open_until_it_is_resolved(dashboard: Dashboard) -> None:
    always = Days(zone=SHANGHAI)
    now = await dashboard.alerts("acme", always, now=NOW)
    assert any(alert.open for alert in now)
    assert any(not alert.open for alert in now)
    assert [alert.open for alert in now] == sorted((alert.open for alert in now), reverse=True)
    later = await dashboard.alerts("acme", always, now=NOW + timedelta(days=30))
    assert not any(alert.open for alert in later)


async def test_the_overview_is_made_of_the_others(dashboard: Dashboard) -> None:
    overview = await dashboard.overview("acme", WEEK, now=NOW)
    assert overview.orders == await dashboard.orders("acme", WEEK)
    assert overview.users == await dashboard.users("acme", WEEK)
    assert overview.reviews == await dashboard.reviews("acme", WEEK)
    alerts = await dashboard.alerts("acme", Days(zone=SHANGHAI), now=NOW)
    assert overview.open_alerts == sum(alert.open for alert in alerts)


async def test_tenants_do_not_mix(dashboard: Dashboard) -> None:
    always = Days(zone=SHANGHAI)
    assert (await dashboard.orders("acme", always)).total == 1600
    assert (await dashboard.orders("globex", always)).total == 400
    assert len(await dashboard.courses("globex", always)) == 8
