"""What takes a change back when a later step of its plan fails. No agent has this group: nobody can ask for it."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, Any

from demo.calendar import Calendar
from demo.orders import STATUS_NAMES, Orders, OrderStatus, StatusRefused
from demo.rows import Pool
from demo.todos import Todos
from tools.adapters._order_arguments import STATUS_WORDS, OrderNo
from tools.adapters._phrases import Result, answered, pick, refused
from tools.tool import Arg, Locale, ToolContext, ToolResult, tool


@dataclass(frozen=True, kw_only=True)
class Services:
    orders: Orders
    todos: Todos
    calendar: Calendar


class Restored(Result):
    """`status`: what the order has again."""

    order_no: str
    status: OrderStatus


class Removed(Result):
    """`no`: of what is no more."""

    no: int


@asynccontextmanager
async def lifespan(pool: Pool, resources: Mapping[str, Any]) -> AsyncIterator[Services]:  # noqa: ARG001  needs no settings
    yield Services(orders=Orders(pool), todos=Todos(pool), calendar=Calendar(pool))


@tool(group="undo", permission="order:write", effect=True, idempotent=True, retries=2, result=Restored)
async def restore_order_status(
    ctx: ToolContext,
    *,
    order_no: OrderNo,
    before: Annotated[
        OrderStatus,
        Arg(description="The status it had", zh="原来的状态", example="to_ship", words=STATUS_WORDS, aliases=("old",)),
    ],
    after: Annotated[
        OrderStatus,
        Arg(description="The status it was given", zh="现在的状态", example="shipped", words=STATUS_WORDS),
    ],
) -> ToolResult:
    """Set an order back to the status that it had before a step; refuses where the step is final, or not the last."""
    services: Services = ctx.resources
    principal = ctx.principal
    done = await services.orders.take_back(
        principal.tenant, order_no, before=before, after=after, user=principal.user, at=ctx.now
    )
    if isinstance(done, StatusRefused):
        return refused(_why(ctx.locale, done, after), done.model_dump(mode="json"))
    old, new = STATUS_NAMES[before][ctx.locale], STATUS_NAMES[after][ctx.locale]
    zh = f"订单 {order_no} 的状态已从{new}改回{old}。"
    content = pick(ctx.locale, zh, f"Order {order_no} was {new} and is {old} again.")
    return answered(content, Restored(order_no=order_no, status=before))


@tool(group="undo", permission="todo:write", effect=True, idempotent=True, retries=2, result=Removed)
async def remove_todo(
    ctx: ToolContext,
    *,
    todo_no: Annotated[int, Arg(description="The number of the todo", zh="待办编号", example=1001)],
    content: Annotated[str, Arg(description="What it says", zh="待办内容", example="给李四回电话")],
) -> ToolResult:
    """Take a todo of the caller's own off the list; one that is gone already is as good as removed."""
    services: Services = ctx.resources
    await services.todos.remove(ctx.principal.tenant, ctx.principal.user, todo_no)
    zh, en = f"已删除待办：[{todo_no}] {content}", f"Removed the todo: [{todo_no}] {content}"
    return answered(pick(ctx.locale, zh, en), Removed(no=todo_no))


@tool(group="undo", permission="calendar:write", effect=True, idempotent=True, retries=2, result=Removed)
async def remove_event(
    ctx: ToolContext,
    *,
    event_no: Annotated[int, Arg(description="The number of the entry", zh="日程编号", example=501)],
    title: Annotated[str, Arg(description="What it is", zh="标题", example="部门周会")],
) -> ToolResult:
    """Take an entry of the caller's own out of the calendar; one that is gone already is as good as removed."""
    services: Services = ctx.resources
    await services.calendar.remove(ctx.principal.tenant, ctx.principal.user, event_no)
    zh, en = f"已删除日程：[{event_no}] {title}", f"Removed the entry: [{event_no}] {title}"
    return answered(pick(ctx.locale, zh, en), Removed(no=event_no))


def _why(locale: Locale, no: StatusRefused, after: OrderStatus) -> str:
    if no.current is None:
        return pick(locale, f"没有找到订单 {no.order_no}", f"there is no order {no.order_no}")
    now, then = STATUS_NAMES[no.current][locale], STATUS_NAMES[after][locale]
    if no.reason == "final":
        return pick(locale, f"{then}的订单不能恢复", f"an order that was {then} stays so")
    zh = f"订单 {no.order_no} 之后又被改为{now}"
    return pick(locale, zh, f"order {no.order_no} has become {now} since")
