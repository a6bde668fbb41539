"""Orders: list them, see how they go from day to day, and set the status of one."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any

from demo.orders import STATUS_NAMES, DayOfOrders, Order, Orders, OrderStatus, StatusRefused
from demo.rows import Pool
from demo.tenants import money
from tools.adapters._arguments import Customer, EndDate, Limit, StartDate
from tools.adapters._order_arguments import (
    STATUS_WORDS,
    LargestAmount,
    LeastAmount,
    OneOrder,
    OrderNo,
    Sort,
    Status,
)
from tools.adapters._phrases import (
    Asked,
    Noun,
    Result,
    answered,
    beside,
    counted,
    days,
    listing,
    local,
    moment,
    over,
    period,
    pick,
    refused,
    today,
    wrong_order,
)
from tools.tool import Arg, Compensation, Locale, ToolContext, ToolResult, tool

ORDERS = Noun(measure="个", zh="订单", one="order", many="orders")
LONGEST_TREND_DAYS = 366


class OrderRow(Result):
    """`amount_text`: with the currency; `created_at`: in the tenant's zone."""

    order_no: str
    customer: str
    course: str
    status: OrderStatus
    status_name: str
    amount: float
    amount_text: str
    note: str | None
    created_at: datetime


class OrderList(Result):
    """`total` and `found`: how many there are; `orders`: the newest of them."""

    total: int
    found: int
    start: date | None
    end: date | None
    orders: list[OrderRow]


class TrendPoint(Result):
    day: date
    orders: int
    revenue: float


class Trend(Result):
    """`found`: orders in all; `revenue`: of the paid ones."""

    found: int
    revenue: float
    revenue_text: str
    start: date
    end: date
    points: list[TrendPoint]


class StatusChange(Result):
    order_no: str
    before: OrderStatus
    after: OrderStatus
    status_name: str


@asynccontextmanager
async def lifespan(pool: Pool, resources: Mapping[str, Any]) -> AsyncIterator[Orders]:  # noqa: ARG001  needs no settings
    yield Orders(pool)


@tool(group="business", permission="order:read", cards=("order_list",), result=OrderList)
async def list_orders(
    ctx: ToolContext,
    *,
    order_no: OneOrder = None,
    customer: Customer = None,
    status: Status = None,
    start_date: StartDate = None,
    end_date: EndDate = None,
    min_amount: LeastAmount = None,
    max_amount: LargestAmount = None,
    sort: Sort = "newest",
    limit: Limit = 10,
) -> ToolResult:
    """List orders and say how many there are, by number, buyer, status, amount or the days of ordering."""
    if refusal := wrong_order(ctx, start_date, end_date):
        return refusal
    orders: Orders = ctx.resources
    page = await orders.find(
        ctx.principal.tenant,
        days=days(ctx, start_date, end_date),
        order_no=order_no,
        customer=customer,
        status=status,
        least=min_amount,
        most=max_amount,
        sort=sort,
        limit=limit,
    )
    result = OrderList(
        total=page.total,
        found=page.total,
        start=start_date,
        end=end_date,
        orders=[_row(ctx, order) for order in page.rows],
    )
    if order_no is not None and not page.rows:
        return answered(pick(ctx.locale, f"没有找到订单 {order_no}。", f"There is no order {order_no}."), result)
    which, after = beside(ctx.locale, STATUS_NAMES[status][ctx.locale] if status else "")
    amount = _amount(ctx, min_amount, max_amount)
    asked = Asked(
        whose=customer or "",
        which=pick(ctx.locale, f"{amount}{which}", which),
        after=pick(ctx.locale, "", f"{after} {amount}".strip()),
        when=period(ctx, start_date, end_date),
        past=over(ctx, end_date),
        by=pick(ctx.locale, "按金额从高到低", "by amount") if sort == "amount" else "",
    )
    content = listing(ctx, page, ORDERS, lambda order: _line(ctx, order), asked)
    return answered(content, result, "order_list" if page.rows else None)


@tool(group="business", permission="order:read", cards=("trend",), result=Trend)
async def order_trend(ctx: ToolContext, *, start_date: StartDate = None, end_date: EndDate = None) -> ToolResult:
    """Count orders and revenue day by day; without a period, over the last 7 days."""
    if refusal := wrong_order(ctx, start_date, end_date):
        return refusal
    last = end_date or max(today(ctx), start_date or today(ctx))
    first = start_date or last - timedelta(days=min(6, (last - date.min).days))
    if (last - first).days >= LONGEST_TREND_DAYS:
        zh = f"趋势最多覆盖 {LONGEST_TREND_DAYS} 天，请缩短时间段。"
        return refused(pick(ctx.locale, zh, f"A trend covers at most {LONGEST_TREND_DAYS} days; ask for fewer."))
    orders: Orders = ctx.resources
    figures = await orders.by_day(ctx.principal.tenant, days(ctx, first, last))
    revenue = sum((figure.revenue for figure in figures), Decimal(0))
    result = Trend(
        found=sum(figure.orders for figure in figures),
        revenue=float(revenue),
        revenue_text=money(ctx.principal.tenant, revenue),
        start=first,
        end=last,
        points=[TrendPoint(day=f.day, orders=f.orders, revenue=float(f.revenue)) for f in figures],
    )
    return answered(_trend(ctx, result, figures), result, "trend")


@tool(
    group="business",
    permission="order:write",
    confirm=True,
    confirm_text={
        "zh": "把订单 {order_no} 的状态改为{status}，确认吗？",
        "en": "Set the status of order {order_no} to {status}?",
    },
    result=StatusChange,
    compensate=Compensation(
        tool="restore_order_status",
        arguments={"order_no": "result.order_no", "before": "result.before", "after": "result.after"},
    ),
)
async def update_order_status(
    ctx: ToolContext,
    *,
    order_no: OrderNo,
    status: Annotated[
        OrderStatus,
        Arg(
            description="The status to set",
            zh="订单状态",
            example="shipped",
            words=STATUS_WORDS,
            aliases=("order_status", "to"),
        ),
    ],
) -> ToolResult:
    """Set the status of one order; refuses a step that this business does not allow."""
    orders: Orders = ctx.resources
    principal = ctx.principal
    done = await orders.change_status(principal.tenant, order_no, status, user=principal.user, at=ctx.now)
    if isinstance(done, StatusRefused):
        return refused(_why(ctx.locale, done, status), done.model_dump(mode="json"))
    name = STATUS_NAMES[done.after][ctx.locale]
    result = StatusChange(order_no=order_no, before=done.before, after=done.after, status_name=name)
    old = STATUS_NAMES[done.before][ctx.locale]
    zh = f"订单 {order_no} 的状态已从{old}改为{name}。"
    return answered(pick(ctx.locale, zh, f"Order {order_no} was {old} and is now {name}."), result)


def _amount(ctx: ToolContext, least: float | None, most: float | None) -> str:
    low, high = (None if one is None else money(ctx.principal.tenant, Decimal(one)) for one in (least, most))
    if low and high:
        return pick(ctx.locale, f"金额 {low} 至 {high} 的", f"of {low} to {high}")
    if low:
        return pick(ctx.locale, f"金额不低于 {low} 的", f"of at least {low}")
    return pick(ctx.locale, f"金额不超过 {high} 的", f"of at most {high}") if high else ""


def _row(ctx: ToolContext, order: Order) -> OrderRow:
    return OrderRow(
        order_no=order.order_no,
        customer=order.customer,
        course=order.course,
        status=order.status,
        status_name=STATUS_NAMES[order.status][ctx.locale],
        amount=float(order.amount),
        amount_text=money(ctx.principal.tenant, order.amount),
        note=order.note,
        created_at=local(ctx, order.created_at),
    )


def _line(ctx: ToolContext, order: Order) -> str:
    status, amount = STATUS_NAMES[order.status][ctx.locale], money(ctx.principal.tenant, order.amount)
    at = moment(ctx, order.created_at)
    if ctx.locale == "en":
        note = f", note: “{order.note}”" if order.note else ""
        return f"{order.order_no}, {order.customer}, {order.course}, {amount}, {status}, {at}{note}"
    note = f"，备注：“{order.note}”" if order.note else ""
    return f"{order.order_no}，{order.customer}，{order.course}，{amount}，{status}，{at}{note}"


def _trend(ctx: ToolContext, result: Trend, figures: list[DayOfOrders]) -> str:
    how_many, when = counted(ctx.locale, result.found, ORDERS), period(ctx, result.start, result.end)
    if not result.found:
        return pick(ctx.locale, f"{when}没有订单。", f"There were no orders {when}.")
    best = max(figures, key=lambda figure: figure.orders)
    zh = f"{when}共有 {how_many}，成交额 {result.revenue_text}，最多的一天是 {best.day}（{best.orders} 个）。"
    en = f"{how_many} {when}, revenue {result.revenue_text}; the best day was {best.day} ({best.orders})."
    shown = [f for f in figures if f.orders][-14:]
    lines = [f"{f.day:%m-%d}  {f.orders}  {money(ctx.principal.tenant, f.revenue)}" for f in shown]
    return "\n".join([pick(ctx.locale, zh, en), *lines])


def _why(locale: Locale, no: StatusRefused, wanted: OrderStatus) -> str:
    if no.current is None:
        return pick(
            locale, f"没有找到订单 {no.order_no}，没有改动。", f"There is no order {no.order_no}; nothing was changed."
        )
    now, then = STATUS_NAMES[no.current][locale], STATUS_NAMES[wanted][locale]
    if no.reason == "already_so":
        return pick(locale, f"订单 {no.order_no} 已经是{now}，没有改动。", f"Order {no.order_no} is {now} already.")
    possible = [STATUS_NAMES[status][locale] for status in no.possible]
    zh_next = f"只能改为{'或'.join(possible)}" if possible else "不能再改"
    en_next = f"it can only become {' or '.join(possible)}" if possible else "it cannot change any more"
    zh = f"订单 {no.order_no} 现在是{now}，不能改为{then}；{zh_next}。没有改动。"
    return pick(locale, zh, f"Order {no.order_no} is {now} and cannot become {then}; {en_next}. Nothing was changed.")
