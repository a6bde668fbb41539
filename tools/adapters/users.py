"""Users: find them by name, city, telephone or the days on which they registered."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import date, datetime
from typing import Annotated, Any

from demo.rows import Pool
from demo.users import LEVEL_NAMES, Level, User, Users
from tools.adapters._arguments import EndDate, Limit, Phone, StartDate
from tools.adapters._phrases import (
    Asked,
    Noun,
    Result,
    answered,
    days,
    listing,
    local,
    over,
    period,
    pick,
    words,
    wrong_order,
)
from tools.tool import Arg, ToolContext, ToolResult, tool

LEVEL_WORDS = words(LEVEL_NAMES, {"金卡": "gold", "银卡": "silver", "普通": "standard"})
USERS = Noun(measure="位", zh="用户", one="user", many="users")


class UserRow(Result):
    """`orders`: how many this user placed; `registered_at`: in the tenant's zone."""

    user_id: str
    name: str
    latin_name: str
    phone: str
    city: str
    level: str
    level_name: str
    orders: int
    registered_at: datetime


class UserList(Result):
    """`total` and `found`: how many there are; `users`: the latest to register."""

    total: int
    found: int
    start: date | None
    end: date | None
    users: list[UserRow]


@asynccontextmanager
async def lifespan(pool: Pool, resources: Mapping[str, Any]) -> AsyncIterator[Users]:  # noqa: ARG001  needs no settings
    yield Users(pool)


@tool(group="business", permission="user:read", cards=("user_list",), result=UserList)
async def find_users(
    ctx: ToolContext,
    *,
    keyword: Annotated[
        str | None,
        Arg(
            description="A name or a part of one, a city, or a user's id",
            zh="姓名",
            example="李四",
            aliases=("name", "query"),
        ),
    ] = None,
    phone: Phone = None,
    start_date: StartDate = None,
    end_date: EndDate = None,
    city: Annotated[str | None, Arg(description="Only users of this city", zh="城市", example="上海")] = None,
    level: Annotated[
        Level | None,
        Arg(description="Only members of this level", zh="会员等级", example="gold", words=LEVEL_WORDS),
    ] = None,
    limit: Limit = 10,
) -> ToolResult:
    """Find registered users by name, city, level, telephone or the days on which they registered."""
    if refusal := wrong_order(ctx, start_date, end_date):
        return refusal
    users: Users = ctx.resources
    page = await users.find(
        ctx.principal.tenant,
        days=days(ctx, start_date, end_date),
        keyword=keyword,
        phone=phone,
        city=city,
        level=level,
        limit=limit,
    )
    result = UserList(
        total=page.total,
        found=page.total,
        start=start_date,
        end=end_date,
        users=[_row(ctx, user) for user in page.rows],
    )
    city = page.rows[0].city if city and page.rows else city
    asked = Asked(
        which=_which(ctx, keyword, phone) + _of(ctx, city, level),
        after=f"in {city}" if city and ctx.locale == "en" else "",
        when=_registered(ctx, start_date, end_date),
        past=over(ctx, end_date),
    )
    content = listing(ctx, page, USERS, lambda user: _line(ctx, user), asked)
    return answered(content, result, "user_list" if page.rows else None)


def _which(ctx: ToolContext, keyword: str | None, phone: str | None) -> str:
    asked_for = " ".join(part for part in (keyword, phone) if part)
    return pick(ctx.locale, f"“{asked_for}”的" if asked_for else "", f"“{asked_for}”" if asked_for else "")


def _of(ctx: ToolContext, city: str | None, level: Level | None) -> str:
    name = LEVEL_NAMES[level][ctx.locale] if level else ""
    return pick(ctx.locale, f"{city or ''}{name}", name)


def _registered(ctx: ToolContext, start: date | None, end: date | None) -> str:
    when = period(ctx, start, end)
    return pick(ctx.locale, f"{when.rstrip()}注册" if when else "", f"registered {when}" if when else "")


def _row(ctx: ToolContext, user: User) -> UserRow:
    level_name = LEVEL_NAMES[user.level][ctx.locale]
    return UserRow(**user.model_dump() | {"level_name": level_name, "registered_at": local(ctx, user.registered_at)})


def _line(ctx: ToolContext, user: User) -> str:
    level, since = LEVEL_NAMES[user.level][ctx.locale], f"{local(ctx, user.registered_at):%Y-%m-%d}"
    zh = f"{user.name}（{user.user_id}），{user.phone}，{user.city}，{level}，{since} 注册，{user.orders} 个订单"
    en = f"{user.name} ({user.user_id}), {user.phone}, {user.city}, {level}, registered {since}, orders: {user.orders}"
    return pick(ctx.locale, zh, en)
