"""Coupons: sent to hundreds of users in the background, a part at a time."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal

from demo.coupons import Coupons, Level
from demo.rows import Pool
from demo.tenants import money
from demo.users import LEVEL_NAMES
from tools.adapters._phrases import Result, answered, pick, refused, words
from tools.tool import Arg, TaskContext, ToolResult, tool

LEVEL_WORDS = words(LEVEL_NAMES, {"金卡": "gold", "银卡": "silver", "普通": "standard"})
MOST, PART = 5_000, 25
Value = Literal["5", "10", "20", "50", "100"]


@dataclass(frozen=True, kw_only=True)
class Sending:
    """`pause_s`: between two parts, so that whoever really sends them is not overrun."""

    coupons: Coupons
    pause_s: float


class Sent(Result):
    """`campaign`: what these coupons have in common; `users`: among how many they were dealt out."""

    campaign: str
    sent: int
    users: int
    value: float
    value_text: str


@asynccontextmanager
async def lifespan(pool: Pool, resources: Mapping[str, Any]) -> AsyncIterator[Sending]:
    yield Sending(coupons=Coupons(pool), pause_s=float(resources.get("pause_s", 0.2)))


@tool(
    group="business",
    permission="coupon:write",
    confirm=True,
    confirm_text={
        "zh": "向用户发放 {count} 张优惠券（面值：{value} 元，会员等级：{level}），确认吗？",
        "en": "Send {count} coupons to users (value: {value}, members: {level})?",
    },
    background=True,
    title={"zh": "发放优惠券", "en": "sending coupons"},
    result=Sent,
)
async def send_coupons(
    ctx: TaskContext,
    *,
    count: Annotated[
        int, Arg(description="How many coupons", zh="数量", example=500, clamp=(1, MOST), aliases=("limit", "number"))
    ] = 500,
    value: Annotated[
        Value, Arg(description="What a coupon is worth", zh="面值", example="20", aliases=("amount", "worth"))
    ] = "20",
    level: Annotated[
        Level | None, Arg(description="Only to members of this level", zh="会员等级", example="gold", words=LEVEL_WORDS)
    ] = None,
) -> ToolResult:
    """Send many coupons, dealt out to the users in turn, in the background; the answer is the number of a task."""
    sending: Sending = ctx.resources
    tenant = ctx.principal.tenant
    users = await sending.coupons.count_users(tenant, level=level)
    if not users:
        return refused(pick(ctx.locale, "没有符合条件的用户，没有发放。", "There is no such user; nothing was sent."))
    last, sent = int(ctx.resume.get("last", 0)), int(ctx.resume.get("sent", 0))
    while last < count:
        async with ctx.step() as step:
            first, last = last + 1, min(last + PART, count)
            sent += await sending.coupons.send(
                step.connection,
                tenant,
                campaign=ctx.idempotency_key,
                value=Decimal(value),
                first=first,
                last=last,
                sender=ctx.principal.user,
                level=level,
            )
            resume = {"last": last, "sent": sent}
            step.reached(stage=pick(ctx.locale, "正在发放", "sending"), done=sent, total=count, resume=resume)
        await asyncio.sleep(sending.pause_s)
    worth, among = money(tenant, Decimal(value)), min(users, sent)
    result = Sent(campaign=ctx.idempotency_key, sent=sent, users=among, value=float(value), value_text=worth)
    zh = f"已向 {among} 位用户发放 {sent} 张 {worth} 优惠券。"
    return answered(pick(ctx.locale, zh, f"{sent} coupons of {worth} were sent to {among} users."), result)
