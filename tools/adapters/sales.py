"""Figures of sales in a period, today's unless another one is named: orders, courses and reviews."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import date
from typing import Any

from demo.dashboard import Dashboard, OrderFigures, ReviewFigures
from demo.days import Days
from demo.orders import STATUS_NAMES, OrderStatus
from demo.rows import Pool
from demo.tenants import money
from tools.adapters._arguments import Customer, EndDate, Limit, StartDate
from tools.adapters._phrases import (
    Result,
    answered,
    days,
    days_or_today,
    numbered,
    numbers,
    period_of,
    pick,
    whose_and_when,
    wrong_order,
)
from tools.tool import ToolContext, ToolResult, tool

SHOWN = 10


class OrdersResult(Result):
    """`found`: orders; `revenue`: of the paid ones; `by_status`: status to number."""

    found: int
    start: date | None
    end: date | None
    customer: str | None
    revenue: float
    revenue_text: str
    buyers: int
    by_status: dict[OrderStatus, int]


class CourseRow(Result):
    course_id: str
    title: str
    teacher: str
    sold: int
    revenue: float
    revenue_text: str


class CoursesResult(Result):
    """`found`: courses that were sold; `courses`: the best sold of all."""

    found: int
    start: date | None
    end: date | None
    total: int
    sold: int
    courses: list[CourseRow]


class ReviewsResult(Result):
    """`found`: reviews; `average`: stars, None without a review; `by_rating`: stars to number."""

    found: int
    start: date | None
    end: date | None
    customer: str | None
    average: float | None
    by_rating: dict[int, int]


@asynccontextmanager
async def lifespan(pool: Pool, resources: Mapping[str, Any]) -> AsyncIterator[Dashboard]:  # noqa: ARG001  needs no settings
    yield Dashboard(pool)


@tool(group="business", permission="dashboard:read", cards=("dashboard_orders",), result=OrdersResult)
async def dashboard_orders(
    ctx: ToolContext, *, customer: Customer = None, start_date: StartDate = None, end_date: EndDate = None
) -> ToolResult:
    """Show figures of orders: number, revenue, buyers and number by status; of one buyer if named; today by default."""
    if refusal := wrong_order(ctx, start_date, end_date):
        return refusal
    span = _span(ctx, customer, start_date, end_date)
    dashboard: Dashboard = ctx.resources
    figures = await dashboard.orders(ctx.principal.tenant, span, customer=customer)
    result = OrdersResult(
        found=figures.total,
        start=span.start,
        end=span.end,
        customer=customer,
        revenue=float(figures.revenue),
        revenue_text=money(ctx.principal.tenant, figures.revenue),
        buyers=figures.buyers,
        by_status=figures.by_status,
    )
    return answered(_orders(ctx, span, customer, figures), result, "dashboard_orders")


@tool(group="business", permission="dashboard:read", cards=("dashboard_courses",), result=CoursesResult)
async def dashboard_courses(
    ctx: ToolContext, *, start_date: StartDate = None, end_date: EndDate = None, limit: Limit = SHOWN
) -> ToolResult:
    """Show which courses sold best and what they brought; today by default."""
    if refusal := wrong_order(ctx, start_date, end_date):
        return refusal
    span = days_or_today(ctx, start_date, end_date)
    dashboard: Dashboard = ctx.resources
    tenant = ctx.principal.tenant
    figures = await dashboard.courses(tenant, span)
    sold = [course for course in figures if course.sold]
    rows = [
        CourseRow(**c.model_dump() | {"revenue": float(c.revenue), "revenue_text": money(tenant, c.revenue)})
        for c in (sold or figures)[:limit]
    ]
    number = sum(course.sold for course in figures)
    result = CoursesResult(
        found=len(sold), start=span.start, end=span.end, total=len(figures), sold=number, courses=rows
    )
    when = period_of(ctx, span)
    cut = limit < len(sold)
    zh = f"{when}共有 {len(sold)} 门课程售出 {number} 份（在售 {len(figures)} 门）" + (
        f"，前 {limit} 门" if cut else ""
    )
    en = f"Courses {when}: {len(sold)} of {len(figures)} sold, {number} orders" + (f", the top {limit}" if cut else "")
    zh, en = zh + ("：" if sold else "。"), en + (":" if sold else ".")
    lines = numbered([f"{row.title}  {row.sold}  {row.revenue_text}" for row in rows if row.sold])
    return answered("\n".join([pick(ctx.locale, zh, en), *lines]), result, "dashboard_courses")


@tool(group="business", permission="dashboard:read", cards=("dashboard_reviews",), result=ReviewsResult)
async def dashboard_reviews(
    ctx: ToolContext, *, customer: Customer = None, start_date: StartDate = None, end_date: EndDate = None
) -> ToolResult:
    """Show figures of reviews: number, average and number by stars; of one buyer if named; today by default."""
    if refusal := wrong_order(ctx, start_date, end_date):
        return refusal
    span = _span(ctx, customer, start_date, end_date)
    dashboard: Dashboard = ctx.resources
    figures = await dashboard.reviews(ctx.principal.tenant, span, customer=customer)
    result = ReviewsResult(
        found=figures.total,
        start=span.start,
        end=span.end,
        customer=customer,
        average=figures.average,
        by_rating=figures.by_rating,
    )
    return answered(_reviews(ctx, span, customer, figures), result, "dashboard_reviews" if figures.total else None)


def _span(ctx: ToolContext, customer: str | None, start: date | None, end: date | None) -> Days:
    """The days asked for; without any, today, but all of them for one buyer."""
    return days(ctx, start, end) if customer else days_or_today(ctx, start, end)


def _orders(ctx: ToolContext, span: Days, customer: str | None, figures: OrderFigures) -> str:
    whose, when = customer or "", period_of(ctx, span)
    of = f" of {whose}" if whose else ""
    if not figures.total:
        return pick(
            ctx.locale, f"{whose_and_when(whose, when)}没有订单。", f"There were no orders{of} {when}".rstrip() + "."
        )
    by_status = numbers(ctx.locale, {STATUS_NAMES[status][ctx.locale]: n for status, n in figures.by_status.items()})
    revenue = money(ctx.principal.tenant, figures.revenue)
    who = whose_and_when(whose, when)
    zh = f"{who}共有 {figures.total} 个订单，成交额 {revenue}，下单用户 {figures.buyers} 位：{by_status}。"
    head = f"Orders{of} {when}".rstrip()
    return pick(ctx.locale, zh, f"{head}: {figures.total}, revenue {revenue}, buyers {figures.buyers}; {by_status}.")


def _reviews(ctx: ToolContext, span: Days, customer: str | None, figures: ReviewFigures) -> str:
    whose, when = customer or "", period_of(ctx, span)
    of = f" of {whose}" if whose else ""
    if not figures.total:
        return pick(
            ctx.locale, f"{whose_and_when(whose, when)}没有评价。", f"There were no reviews{of} {when}".rstrip() + "."
        )
    stars = {pick(ctx.locale, f"{rating} 星", f"{rating} stars"): n for rating, n in figures.by_rating.items()}
    who = whose_and_when(whose, when)
    zh = f"{who}共有 {figures.total} 条评价，平均 {figures.average} 星：{numbers(ctx.locale, stars)}。"
    head = f"Reviews{of} {when}".rstrip()
    return pick(ctx.locale, zh, f"{head}: {figures.total}, average {figures.average}; {numbers(ctx.locale, stars)}.")
