"""A background tool that packs parcels, and a worker that does it over a real database."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from auth.principal import Principal
from checkpoints.database import Pool
from checkpoints.task import Task as Row
from checkpoints.task_work import TaskWork
from tests.checkpoints.asking import change, count
from tests.checkpoints.working import job_of
from tests.tools.samples import NOW, agent
from tools.registry import Registry
from tools.tasks import Task
from tools.tool import Arg, TaskContext, Tool, ToolResult, tool
from tools.work import Place, Worker

During = Callable[[TaskContext, int], Awaitable[object]]


def packing(during: During | None = None, **metadata: Any) -> Tool:
    """`during`: what happens before each parcel, which is an effect on the step's connection."""

    @tool(
        **{
            "group": "shop",
            "permission": "parcel:write",
            "background": True,
            "title": {"zh": "打包", "en": "packing"},
            **metadata,
        }
    )
    async def pack(ctx: TaskContext, number: Annotated[int, Arg(description="how many", example=3)] = 3) -> ToolResult:
        """Pack parcels."""
        done = int(ctx.resume.get("done", 0))
        while done < number:
            if during is not None:
                await during(ctx, done)
            async with ctx.step() as step:
                await step.connection.execute("INSERT INTO parcels VALUES (%s, %s)", (ctx.idempotency_key, done))
                done += 1
                step.reached(stage="packing", done=done, total=number, resume={"done": done})
        return ToolResult(content=f"packed {done}", data={"done": done})

    return pack


async def tables(pool: Pool) -> None:
    await change(pool, "CREATE TABLE IF NOT EXISTS parcels (key text, no int)")


async def parcels(pool: Pool, task: Row) -> int:
    return await count(pool, f"parcels WHERE key = '{task.effect_key}'")


def place(*tools: Tool, **more: Any) -> Place:
    async def nothing(_: Tool) -> None:
        return None

    def principal(task: Task) -> Principal:
        return Principal(tenant=task.tenant_id, user=task.user_id, roles=tuple(task.roles))

    given: dict[str, Any] = {
        "registry": Registry(tools),
        "resources": {},
        "cards": {},
        "agents": {"shop": agent().model_copy(update={"name": "shop"})},
        "principal": principal,
        "now": lambda _: NOW,
        "stopping": nothing,
    }
    return Place(**{**given, **more})


def worker(pool: Pool, at: Place, *, beat_s: float = 0.05) -> Worker:
    return Worker(TaskWork(pool), at, beat_s=beat_s)


async def perform(pool: Pool, task: Row, by: Worker) -> None:
    """As the queue has a worker do it."""
    await by.perform(task.task_id, await job_of(pool, task.task_id))
