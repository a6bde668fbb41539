"""A tool that takes its time, for tests of what happens meanwhile."""

import asyncio
from typing import Annotated, Literal

from tools.tool import Arg, ToolContext, ToolResult, tool


@tool(group="patience", permission="patience:read")
async def wait_a_second(ctx: ToolContext) -> ToolResult:
    """Wait for a second."""
    await asyncio.sleep(1)
    return ToolResult(content=f"waited for {ctx.principal.user}")


@tool(group="patience", permission="patience:write", effect=True)
async def write_slowly(
    ctx: ToolContext, line: Annotated[str, Arg(description="what to write", example="7", zh="内容")]
) -> ToolResult:
    """Write a line, which takes a while."""
    await asyncio.sleep(1.5 if "long" in line else 0.5)
    outcome: Literal["done", "failed"] = "failed" if "badly" in line else "done"
    return ToolResult(content=f"{outcome}: {line}", data={"line": line}, outcome=outcome)


@tool(group="patience", permission="patience:write", effect=True, timeout_s=0.3)
async def write_and_hang(
    ctx: ToolContext, line: Annotated[str, Arg(description="what to write", example="7", zh="内容")]
) -> ToolResult:
    """Write a line, of which nobody knows whether it is there."""
    await asyncio.sleep(60)
    return ToolResult(content="never")
