"""Tools that write down that they ran, for tests of who may call them and how often they do."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

from tools.tool import Arg, ToolContext, ToolResult, tool

Note = Annotated[str, Arg(description="a word for the book", example="left", zh="备注")]
SECRET = "password=hunter2"


@asynccontextmanager
async def lifespan(_: Any, section: Mapping[str, Any]) -> AsyncIterator[Path]:
    """The folder of the book."""
    yield Path(section.get("folder", "."))


@tool(
    group="gate", permission="gate:write", confirm=True, confirm_text={"zh": "开门（{note}）？", "en": "Open ({note})?"}
)
async def open_gate(ctx: ToolContext, note: Note) -> ToolResult:
    """Open the gate."""
    written(ctx, note)
    return ToolResult(content=f"open: {note}", data={"note": note})


@tool(group="gate", permission="gate:write", effect=True)
async def lift_barrier(ctx: ToolContext, note: Note) -> ToolResult:
    """Lift the barrier as soon as somebody gives the sign."""
    (ctx.resources / f"{note}.begun").touch()
    while not (ctx.resources / f"{note}.sign").exists():  # noqa: ASYNC110 - another process may give it
        await asyncio.sleep(0.01)
    written(ctx, note)
    return ToolResult(content=f"lifted: {note}")


@tool(group="gate", permission="gate:read")
async def break_down(ctx: ToolContext) -> ToolResult:
    """Break down."""
    raise RuntimeError(SECRET)


@tool(group="vault", permission="vault:read")
async def look_into_vault(ctx: ToolContext) -> ToolResult:
    """Look into the vault."""
    return ToolResult(content="gold")


def written(ctx: ToolContext, note: str) -> None:
    with (ctx.resources / "book.txt").open("a") as book:
        book.write(f"{ctx.principal.tenant} {ctx.principal.user} {note}\n")
