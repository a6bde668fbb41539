"""A tool that takes its time, for tests of what happens meanwhile."""

import asyncio

from tools.tool import ToolContext, ToolResult, tool


@tool(group="patience", permission="patience:read")
async def wait_a_second(ctx: ToolContext) -> ToolResult:
    """Wait for a second."""
    await asyncio.sleep(1)
    return ToolResult(content=f"waited for {ctx.principal.user}")
