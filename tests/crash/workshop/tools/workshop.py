"""Tools whose effect is a row, that can be held before it and after it, and of which the last one always refuses."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Annotated, Any

from tools.tool import Arg, Compensation, ToolContext, ToolResult, tool

No = Annotated[str, Arg(description="what it is about", example="a1")]
REACHED = "UPDATE workshop.holds SET reached = true WHERE tool = %s AND place = %s RETURNING 1"
EFFECT = "INSERT INTO workshop.effects (tool, no) VALUES (%s, %s)"


@asynccontextmanager
async def lifespan(pool: Any, section: Mapping[str, Any]) -> AsyncIterator[Any]:
    yield pool


async def act(ctx: ToolContext, name: str, no: str, *, effect: str | None = EFFECT) -> ToolResult:
    await hold(ctx, name, "before")
    if effect is None:
        return ToolResult(content=f"{name} refused", outcome="refused")
    async with ctx.resources.connection() as connection:
        await connection.execute(effect, (name, no))
    await hold(ctx, name, "after")
    return ToolResult(content=f"{name} done", data={"no": no})


async def hold(ctx: ToolContext, name: str, place: str) -> None:
    """Until whoever holds it lets go."""
    while True:
        async with ctx.resources.connection() as connection:
            held = await (await connection.execute(REACHED, (name, place))).fetchone()
        if held is None:
            return
        await asyncio.sleep(0.02)


@tool(
    group="workshop",
    permission="order:write",
    effect=True,
    compensate=Compensation(tool="release", arguments={"no": "result.no"}),
)
async def reserve(ctx: ToolContext, no: No) -> ToolResult:
    """Reserve."""
    return await act(ctx, "reserve", no)


@tool(
    group="workshop",
    permission="order:write",
    effect=True,
    compensate=Compensation(tool="refund", arguments={"no": "arguments.no"}),
)
async def charge(ctx: ToolContext, no: No) -> ToolResult:
    """Charge."""
    return await act(ctx, "charge", no)


@tool(group="workshop", permission="order:write", effect=True, idempotent=True, timeout_s=60)
async def dispatch(ctx: ToolContext, no: No) -> ToolResult:
    """Dispatch, which is always refused."""
    return await act(ctx, "dispatch", no, effect=None)


@tool(group="undo", permission="order:write", effect=True, idempotent=True, timeout_s=60)
async def release(ctx: ToolContext, no: No) -> ToolResult:
    """Undo a reservation, as often as it is asked for."""
    return await act(ctx, "release", no, effect=f"{EFFECT} ON CONFLICT DO NOTHING")


@tool(group="undo", permission="order:write", effect=True, timeout_s=60)
async def refund(ctx: ToolContext, no: No) -> ToolResult:
    """Undo a charge, each time that it is asked for."""
    return await act(ctx, "refund", no)
