"""Figures of a period, today's unless another one is named: the overview, users, community and alerts."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import date, datetime
from typing import Any

from demo.dashboard import LEVEL_NAMES, Alert, Dashboard
from demo.orders import OrderStatus
from demo.rows import Pool
from demo.tenants import money
from demo.users import LEVEL_NAMES as MEMBER_NAMES
from tools.adapters._arguments import EndDate, StartDate
from tools.adapters._phrases import (
    Result,
    answered,
    days_or_today,
    local,
    moment,
    numbered,
    numbers,
    period_of,
    pick,
    wrong_order,
)
from tools.tool import Locale, ToolContext, ToolResult, tool

SHOWN = 10


class UsersResult(Result):
    """`total`: at the end of the period; `new`: registered in it; `buyers`: with an order in it."""

    found: int
    start: date | None
    end: date | None
    total: int
    new: int
    buyers: int
    by_level: dict[str, int]


class CommunityResult(Result):
    """`found`: days with figures; `active_members`: the average of a day; the others are sums."""

    found: int
    start: date | None
    end: date | None
    active_members: int
    posts: int
    comments: int
    likes: int


class AlertRow(Result):
    alert_no: int
    level: str
    level_name: str
    title: str
    open: bool
    raised_at: datetime


class AlertsResult(Result):
    """`found`: alerts raised in the period; `open`: how many of them are not resolved."""

    found: int
    start: date | None
    end: date | None
    open: int
    alerts: list[AlertRow]


class OverviewResult(Result):
    start: date | None
    end: date | None
    orders: int
    revenue: float
    revenue_text: str
    by_status: dict[OrderStatus, int]
    new_users: int
    total_users: int
    reviews: int
    average_rating: float | None
    active_members: int
    open_alerts: int


@asynccontextmanager
async def lifespan(pool: Pool, resources: Mapping[str, Any]) -> AsyncIterator[Dashboard]:  # noqa: ARG001  needs no settings
    yield Dashboard(pool)


@tool(group="business", permission="dashboard:read", cards=("dashboard_overview",), result=OverviewResult)
async def dashboard_overview(ctx: ToolContext, *, start_date: StartDate = None, end_date: EndDate = None) -> ToolResult:
    """Show how the business stands: orders, revenue, users, reviews, community and open alerts; today by default."""
    if refusal := wrong_order(ctx, start_date, end_date):
        return refusal
    span = days_or_today(ctx, start_date, end_date)
    dashboard: Dashboard = ctx.resources
    figures = await dashboard.overview(ctx.principal.tenant, span, now=ctx.now)
    revenue = money(ctx.principal.tenant, figures.orders.revenue)
    result = OverviewResult(
        start=span.start,
        end=span.end,
        orders=figures.orders.total,
        revenue=float(figures.orders.revenue),
        revenue_text=revenue,
        by_status=figures.orders.by_status,
        new_users=figures.users.new,
        total_users=figures.users.total,
        reviews=figures.reviews.total,
        average_rating=figures.reviews.average,
        active_members=figures.community.active_members,
        open_alerts=figures.open_alerts,
    )
    when = period_of(ctx, span)
    zh = (
        f"{when}概览：订单 {result.orders} 个，成交额 {revenue}；新用户 {result.new_users} 位，"
        f"共 {result.total_users} 位；评价 {result.reviews} 条；社区日活 {result.active_members} 人；"
        f"未处理告警 {result.open_alerts} 个。"
    )
    en = (
        f"Overview {when}: orders {result.orders}, revenue {revenue}; new users {result.new_users} "
        f"of {result.total_users}; reviews {result.reviews}; active members {result.active_members}; "
        f"open alerts {result.open_alerts}."
    )
    return answered(pick(ctx.locale, zh, en), result, "dashboard_overview")


@tool(group="business", permission="dashboard:read", cards=("dashboard_users",), result=UsersResult)
async def dashboard_users(ctx: ToolContext, *, start_date: StartDate = None, end_date: EndDate = None) -> ToolResult:
    """Show figures of users: how many there are, how many are new and how many bought; today by default."""
    if refusal := wrong_order(ctx, start_date, end_date):
        return refusal
    span = days_or_today(ctx, start_date, end_date)
    dashboard: Dashboard = ctx.resources
    figures = await dashboard.users(ctx.principal.tenant, span)
    result = UsersResult(
        found=figures.total,
        start=span.start,
        end=span.end,
        total=figures.total,
        new=figures.new,
        buyers=figures.buyers,
        by_level=figures.by_level,
    )
    when = period_of(ctx, span)
    levels = numbers(ctx.locale, {MEMBER_NAMES[level][ctx.locale]: n for level, n in figures.by_level.items()})
    zh = f"{when}新增用户 {figures.new} 位，下单用户 {figures.buyers} 位，累计 {figures.total} 位（{levels}）。"
    en = f"Users {when}: new {figures.new}, buyers {figures.buyers}, {figures.total} in all ({levels})."
    return answered(pick(ctx.locale, zh, en), result, "dashboard_users")


@tool(group="business", permission="dashboard:read", cards=("dashboard_community",), result=CommunityResult)
async def dashboard_community(
    ctx: ToolContext, *, start_date: StartDate = None, end_date: EndDate = None
) -> ToolResult:
    """Show how lively the community is: active members, posts, comments and likes; today by default."""
    if refusal := wrong_order(ctx, start_date, end_date):
        return refusal
    span = days_or_today(ctx, start_date, end_date)
    dashboard: Dashboard = ctx.resources
    figures = await dashboard.community(ctx.principal.tenant, span)
    result = CommunityResult(found=figures.days, start=span.start, end=span.end, **figures.model_dump(exclude={"days"}))
    when = period_of(ctx, span)
    if not figures.days:
        return answered(pick(ctx.locale, f"没有{when}的社区数据。", f"There are no community figures {when}."), result)
    zh = (
        f"{when}社区：日均活跃 {figures.active_members} 人，发帖 {figures.posts} 篇，评论 {figures.comments} 条，"
        f"点赞 {figures.likes} 次。"
    )
    en = (
        f"Community {when}: {figures.active_members} active members a day, posts {figures.posts}, "
        f"comments {figures.comments}, likes {figures.likes}."
    )
    return answered(pick(ctx.locale, zh, en), result, "dashboard_community")


@tool(group="business", permission="dashboard:read", cards=("dashboard_alerts",), result=AlertsResult)
async def dashboard_alerts(ctx: ToolContext, *, start_date: StartDate = None, end_date: EndDate = None) -> ToolResult:
    """Show the alerts that were raised and which of them are still open; today by default."""
    if refusal := wrong_order(ctx, start_date, end_date):
        return refusal
    span = days_or_today(ctx, start_date, end_date)
    dashboard: Dashboard = ctx.resources
    alerts = await dashboard.alerts(ctx.principal.tenant, span, now=ctx.now)
    still_open = sum(alert.open for alert in alerts)
    rows = [_alert_row(ctx, alert) for alert in alerts[:SHOWN]]
    result = AlertsResult(found=len(alerts), start=span.start, end=span.end, open=still_open, alerts=rows)
    when = period_of(ctx, span)
    if not alerts:
        return answered(pick(ctx.locale, f"{when}没有告警。", f"There were no alerts {when}."), result)
    zh = f"{when}共有 {len(alerts)} 个告警，{still_open} 个未处理"
    en = f"Alerts {when}: {len(alerts)}, {still_open} open"
    head = pick(ctx.locale, zh, en) + _first(ctx.locale, len(rows), len(alerts))
    return answered(
        "\n".join([head, *numbered([_alert(ctx, one) for one in alerts[:SHOWN]])]), result, "dashboard_alerts"
    )


def _first(locale: Locale, shown: int, total: int) -> str:
    if shown == total:
        return pick(locale, "：", ":")
    return pick(locale, f"，前 {shown} 个：", f", the first {shown}:")


def _alert_row(ctx: ToolContext, alert: Alert) -> AlertRow:
    name = LEVEL_NAMES[alert.level][ctx.locale]
    return AlertRow(**alert.model_dump() | {"level_name": name, "raised_at": local(ctx, alert.raised_at)})


def _alert(ctx: ToolContext, alert: Alert) -> str:
    state = pick(ctx.locale, "未处理", "open") if alert.open else pick(ctx.locale, "已处理", "resolved")
    parts = (alert.title, LEVEL_NAMES[alert.level][ctx.locale], state, moment(ctx, alert.raised_at))
    return pick(ctx.locale, "，", ", ").join(parts)
