"""The figures of some days: what was sold, who came, what was said, and what went wrong."""

from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

from demo.days import Days
from demo.orders import OrderStatus
from demo.rows import Pool, Record, fetch, fetch_one
from demo.users import LEVEL_NAMES as MEMBER_LEVELS

AlertLevel = Literal["info", "warning", "critical"]
LEVEL_NAMES: dict[AlertLevel, dict[str, str]] = {
    "info": {"zh": "提示", "en": "info"},
    "warning": {"zh": "警告", "en": "warning"},
    "critical": {"zh": "严重", "en": "critical"},
}


class OrderFigures(Record):
    """`revenue`: of the orders that were paid and not cancelled; `buyers`: different ones."""

    total: int
    revenue: Decimal
    buyers: int
    by_status: dict[OrderStatus, int]


class UserFigures(Record):
    """`total`: at the end of the days; `buyers`: different users with an order in the days."""

    total: int
    new: int
    buyers: int
    by_level: dict[str, int]


class CourseFigures(Record):
    """`sold`: orders that were not cancelled."""

    course_id: str
    title: str
    teacher: str
    sold: int
    revenue: Decimal


class CommunityFigures(Record):
    """`days`: how many of the days have figures; `active_members`: the average of a day; the others are sums."""

    days: int
    active_members: int
    posts: int
    comments: int
    likes: int


class Alert(Record):
    alert_no: int
    level: AlertLevel
    title: str
    open: bool
    raised_at: datetime


class ReviewFigures(Record):
    """`average`: None without a review; `by_rating`: stars to number."""

    total: int
    average: float | None
    by_rating: dict[int, int]


class Overview(Record):
    orders: OrderFigures
    users: UserFigures
    reviews: ReviewFigures
    community: CommunityFigures
    open_alerts: int


_ORDERS = """
    select o.status, count(*) as number, sum(o.amount) as amount, array_agg(distinct o.user_id) as buyers
    from demo.orders o
    where o.tenant_id = %(tenant)s
        and (%(customer)s::text is null or o.user_id in (select demo.users_named(%(tenant)s, %(customer)s)))
        and (%(since)s::timestamptz is null or o.created_at >= %(since)s)
        and (%(before)s::timestamptz is null or o.created_at < %(before)s)
    group by o.status"""
_USERS = """
    select level, count(*) as number,
        count(*) filter (where %(since)s::timestamptz is null or registered_at >= %(since)s) as new
    from demo.users
    where tenant_id = %(tenant)s and (%(before)s::timestamptz is null or registered_at < %(before)s)
    group by level"""
_COURSES = """
    select c.course_id, c.title, c.teacher, count(o.order_no) as sold,
        coalesce(sum(o.amount) filter (where o.status in ('to_ship', 'shipped', 'completed')), 0) as revenue
    from demo.courses c
        left join demo.orders o on o.tenant_id = c.tenant_id and o.course_id = c.course_id and o.status <> 'cancelled'
            and (%(since)s::timestamptz is null or o.created_at >= %(since)s)
            and (%(before)s::timestamptz is null or o.created_at < %(before)s)
    where c.tenant_id = %(tenant)s
    group by c.course_id, c.title, c.teacher
    order by sold desc, revenue desc, c.course_id"""
_COMMUNITY = """
    select count(*) as days, coalesce(round(avg(active_members)), 0)::int as active_members,
        coalesce(sum(posts), 0)::int as posts, coalesce(sum(comments), 0)::int as comments,
        coalesce(sum(likes), 0)::int as likes
    from demo.community_days
    where tenant_id = %(tenant)s
        and (%(start)s::date is null or day >= %(start)s) and (%(end)s::date is null or day <= %(end)s)"""
_ALERTS = """
    select alert_no, level, title, raised_at, resolved_at is null or resolved_at > %(now)s as open
    from demo.alerts
    where tenant_id = %(tenant)s and raised_at <= %(now)s
        and (%(since)s::timestamptz is null or raised_at >= %(since)s)
        and (%(before)s::timestamptz is null or raised_at < %(before)s)
    order by open desc, raised_at desc, alert_no desc"""
_REVIEWS = """
    select rating, count(*) as number from demo.reviews
    where tenant_id = %(tenant)s
        and (%(customer)s::text is null or user_id in (select demo.users_named(%(tenant)s, %(customer)s)))
        and (%(since)s::timestamptz is null or created_at >= %(since)s)
        and (%(before)s::timestamptz is null or created_at < %(before)s)
    group by rating"""
_PAID = (OrderStatus.TO_SHIP, OrderStatus.SHIPPED, OrderStatus.COMPLETED)


class Dashboard:
    """Every figure is of `days`, cut in their own zone. `customer`: a name, as for orders."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def overview(self, tenant: str, days: Days, *, now: datetime) -> Overview:
        return Overview(
            orders=await self.orders(tenant, days),
            users=await self.users(tenant, days),
            reviews=await self.reviews(tenant, days),
            community=await self.community(tenant, days),
            open_alerts=sum(alert.open for alert in await self.alerts(tenant, Days(zone=days.zone), now=now)),
        )

    async def orders(self, tenant: str, days: Days, *, customer: str | None = None) -> OrderFigures:
        rows = await fetch(self._pool, _ORDERS, self._values(tenant, days, customer=customer))
        numbers = {row["status"]: row["number"] for row in rows}
        return OrderFigures(
            total=sum(numbers.values()),
            revenue=sum((row["amount"] for row in rows if row["status"] in _PAID), Decimal(0)),
            buyers=len({buyer for row in rows for buyer in row["buyers"]}),
            by_status={status: numbers.get(status, 0) for status in OrderStatus},
        )

    async def users(self, tenant: str, days: Days) -> UserFigures:
        rows = await fetch(self._pool, _USERS, self._values(tenant, days))
        return UserFigures(
            total=sum(row["number"] for row in rows),
            new=sum(row["new"] for row in rows),
            buyers=(await self.orders(tenant, days)).buyers,
            by_level={level: sum(row["number"] for row in rows if row["level"] == level) for level in MEMBER_LEVELS},
        )

    async def courses(self, tenant: str, days: Days) -> list[CourseFigures]:
        """All courses, the best sold first."""
        return [CourseFigures(**row) for row in await fetch(self._pool, _COURSES, self._values(tenant, days))]

    async def community(self, tenant: str, days: Days) -> CommunityFigures:
        return CommunityFigures(**await fetch_one(self._pool, _COMMUNITY, self._values(tenant, days)))

    async def alerts(self, tenant: str, days: Days, *, now: datetime) -> list[Alert]:
        """Those raised in the days up to `now`: the open ones first, then the newest."""
        return [Alert(**row) for row in await fetch(self._pool, _ALERTS, self._values(tenant, days, now=now))]

    async def reviews(self, tenant: str, days: Days, *, customer: str | None = None) -> ReviewFigures:
        rows = await fetch(self._pool, _REVIEWS, self._values(tenant, days, customer=customer))
        numbers = {row["rating"]: row["number"] for row in rows}
        total = sum(numbers.values())
        stars = sum(rating * number for rating, number in numbers.items())
        return ReviewFigures(
            total=total,
            average=round(stars / total, 2) if total else None,
            by_rating={rating: numbers.get(rating, 0) for rating in range(5, 0, -1)},
        )

    def _values(self, tenant: str, days: Days, **more: Any) -> dict[str, Any]:
        return {"tenant": tenant, **days.bounds, **more}
