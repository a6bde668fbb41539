"""A few tools over nothing, for the tests of this folder."""

import asyncio
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from pydantic import BaseModel, Field

from auth.principal import Principal
from config.catalogue import Agent, Localised
from tools.call import Caller
from tools.tool import Arg, Card, Tool, ToolContext, ToolResult, tool

NOW = datetime(2026, 11, 30, 10, tzinfo=ZoneInfo("Asia/Shanghai"))
WORDS = {"待发货": "to_ship", "已发货": "shipped", "发货了": "shipped", "waiting": "to_ship"}


class Status(StrEnum):
    TO_SHIP = "to_ship"
    SHIPPED = "shipped"


class Line(BaseModel):
    sku: str = Field(min_length=1)
    count: int = Field(ge=1)


@tool(group="shop", permission="order:read")
async def search(
    ctx: ToolContext,
    *,
    order_no: Annotated[
        str | None, Arg(description="order number", example="20261130001", aliases=("number", "编号"))
    ] = None,
    limit: Annotated[int, Arg(description="how many", example=5, clamp=(1, 100))] = 10,
    status: Annotated[Status | None, Arg(description="status", example="shipped", words=WORDS)] = None,
    start_date: Annotated[date | None, Arg(description="first day", example="2026-11-30")] = None,
    price: Annotated[float | None, Arg(description="least price", example=9.5)] = None,
    amount: Annotated[Decimal | None, Arg(description="amount", example="9.50")] = None,
    paid: Annotated[bool | None, Arg(description="paid or not", example=True)] = None,
    order: Annotated[Literal["newest", "oldest"] | None, Arg(description="order of rows", example="newest")] = None,
    tags: Annotated[list[int] | None, Arg(description="tag numbers", example=[1, 2])] = None,
    lines: Annotated[list[Line] | None, Arg(description="lines", example=[{"sku": "a", "count": 1}])] = None,
    floor: Annotated[int | None, Arg(description="floor", example=3), Field(ge=-5, le=50)] = None,
    moment: Annotated[datetime | None, Arg(description="since when", example="2026-11-30T10:00:00+08:00")] = None,
) -> ToolResult:
    """Search the orders of the shop."""
    given = {"order_no": order_no, "limit": limit, "status": status, "paid": paid}
    return ToolResult(content=f"limit {limit}", data={"given": given, "tenant": ctx.principal.tenant})


@tool(
    group="shop",
    permission="order:write",
    confirm=True,
    confirm_text={"zh": "把订单 {order_no} 改为{status}？", "en": "Set order {order_no} to {status}?"},
)
async def set_status(
    ctx: ToolContext,
    order_no: Annotated[str, Arg(description="order number", example="20261130001", zh="订单号")],
    status: Annotated[Status, Arg(description="new status", example="shipped", words=WORDS)],
) -> ToolResult:
    """Set the status of one order."""
    return ToolResult(content=f"{order_no} is {status}", data={"order_no": order_no, "status": status})


def answering(result: Any, **metadata: Any) -> Tool:
    """A tool `answer` that gives back `result`, raises it if it is an exception, or first awaits what it returns."""

    @tool(**{"group": "shop", "permission": "order:read", **metadata})
    async def answer(ctx: ToolContext) -> ToolResult:
        """Answer as the test says."""
        found = result() if callable(result) else result
        if asyncio.iscoroutine(found):
            found = await found
        if isinstance(found, BaseException):
            raise found
        return found  # type: ignore[no-any-return]  # wrong types are what some tests want

    return answer


def agent(name: str = "shop", **values: Any) -> Agent:
    both = Localised(zh=name, en=name)
    return Agent(
        **{"name": name, "title": both, "description": both, "tool_groups": ("shop",), "intents": {}, **values}
    )


def caller(**values: Any) -> Caller:
    base = {
        "principal": Principal(),
        "agent": agent(),
        "locale": "en",
        "now": NOW,
        "turn_id": "t1",
        "source": "keyword",
    }
    return Caller(**{**base, **values})


def order_list(rows: int) -> ToolResult:
    data = {"total": rows, "orders": [{"order_no": str(n), "note": "x" * 90} for n in range(rows)]}
    return ToolResult(content=f"{rows} orders", data=data, card=Card(type="order_list", data=data))
