"""Background work that says how far it is in a commit of its own, to show that the check would find it out."""

import asyncio
import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Annotated, Any

from tools.tool import Arg, TaskContext, ToolResult, tool

PART = 25
SEND = """
INSERT INTO demo.coupons (tenant_id, campaign, serial, user_id, value, sent_by)
SELECT 'acme', %s, serial, (SELECT min(user_id) FROM demo.users WHERE tenant_id = 'acme'), 1, 'careless'
FROM generate_series(%s::int, %s) AS serial"""


@asynccontextmanager
async def lifespan(pool: Any, _: Mapping[str, Any]) -> AsyncIterator[Any]:
    yield pool


@tool(group="vault", permission="vault:write", background=True)
async def send_carelessly(
    ctx: TaskContext, count: Annotated[int, Arg(description="how many", example=500)] = 500
) -> ToolResult:
    """Send coupons, and lose count of them where the process is killed."""
    last = int(ctx.resume.get("last", 0))
    while last < count:
        async with ctx.resources.connection() as connection:
            await connection.execute(SEND, (ctx.idempotency_key, last + 1, min(last + PART, count)))
        await asyncio.sleep(random.uniform(0, 0.05))
        last = min(last + PART, count)
        await ctx.progress(done=last, total=count, resume={"last": last})
    return ToolResult(content=f"{last} coupons", data={"sent": last})
