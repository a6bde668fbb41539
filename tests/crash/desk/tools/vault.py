"""Tools whose effect is a row in a table of their own, and who do it as often as they are called."""

import asyncio
import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, Any

from tools.tool import Arg, ToolContext, ToolResult, tool

No = Annotated[str, Arg(description="what it is about", example="a1")]
EFFECT = "INSERT INTO vault.effects (ask, tool, no) VALUES (%s, %s, %s)"


@dataclass(frozen=True, kw_only=True)
class Vault:
    """`slow_s`: the longest that anything takes, before the effect and after it."""

    pool: Any
    slow_s: float

    async def change(self, ctx: ToolContext, tool: str, no: str) -> ToolResult:
        await self.think()
        async with self.pool.connection() as connection:
            await connection.execute(EFFECT, (ctx.extra.get("ask", ""), tool, no))
        await self.think()
        return ToolResult(content=f"{tool} {no} for {ctx.extra.get('ask', '')}")

    async def think(self) -> None:
        await asyncio.sleep(random.uniform(0, self.slow_s))


@asynccontextmanager
async def lifespan(pool: Any, section: Mapping[str, Any]) -> AsyncIterator[Vault]:
    yield Vault(pool=pool, slow_s=float(section.get("slow_s", 0.1)))


@tool(group="vault", permission="vault:write", effect=True)
async def pay(ctx: ToolContext, no: No) -> ToolResult:
    """Pay."""
    return await ctx.resources.change(ctx, "pay", no)  # type: ignore[no-any-return]


@tool(group="vault", permission="vault:write", effect=True)
async def ship(ctx: ToolContext, no: No) -> ToolResult:
    """Ship."""
    return await ctx.resources.change(ctx, "ship", no)  # type: ignore[no-any-return]


@tool(group="vault", permission="vault:write", confirm=True)
async def wire(ctx: ToolContext, no: No) -> ToolResult:
    """Wire money."""
    return await ctx.resources.change(ctx, "wire", no)  # type: ignore[no-any-return]


@tool(group="vault", permission="vault:read")
async def look(ctx: ToolContext, no: No) -> ToolResult:
    """Look, and change nothing."""
    await ctx.resources.think()
    return ToolResult(content=f"look {no} for {ctx.extra.get('ask', '')}")
