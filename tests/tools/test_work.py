"""One attempt at a background task: its end, whatever it is, is written down, and nothing is done twice."""

import asyncio
import logging
from typing import Annotated, Any

import httpx
import pytest

from auth.principal import Principal
from checkpoints.audit import AuditStore
from checkpoints.database import Pool
from checkpoints.saver import TurnSaver
from checkpoints.task_work import TaskWork
from checkpoints.tasks import Tasks
from tests.checkpoints.asking import change, count
from tests.checkpoints.working import accept, again, job_of, silent
from tests.tools.packing import packing, parcels, perform, place, tables, worker
from tests.tools.samples import NOW, answering
from tools.tasks import Task
from tools.tool import Arg, TaskContext, Tool, ToolContext, ToolResult, tool
from tools.work import LONGEST_PAUSE_S, MOST_TRIES

SECRET = "password=hunter2"
Number = Annotated[int, Arg(description="how many", example=3)]


@pytest.fixture(autouse=True)
async def _parcels(pool: Pool) -> None:
    await tables(pool)


async def test_it_is_done_and_says_what_it_came_to(pool: Pool) -> None:
    task = await accept(pool)
    await perform(pool, task, worker(pool, place(packing())))
    over = await again(pool, task)
    assert (over.status, over.done, over.total, over.stage) == ("done", 3, 3, "")
    assert over.result is not None
    assert (over.result["summary"], over.result["data"]) == ("packed 3", {"done": 3})
    assert await parcels(pool, task) == 3


async def test_the_tool_knows_what_it_may_know(pool: Pool) -> None:
    seen: list[TaskContext] = []

    async def look(ctx: TaskContext, _: int) -> None:
        seen.append(ctx)

    task = await accept(pool, thread_id="t1", extra={"channel": "web"}, arguments={"number": 1})
    await perform(pool, task, worker(pool, place(packing(look), resources={"pack": "a box"})))
    (ctx,) = seen
    assert (ctx.principal.tenant, ctx.principal.user, ctx.principal.roles) == ("acme", "alex", ("operator",))
    assert (ctx.locale, ctx.now, ctx.thread_id, ctx.extra) == ("en", NOW, "t1", {"channel": "web"})
    assert (ctx.idempotency_key, ctx.task_id, ctx.resources) == (task.effect_key, str(task.task_id), "a box")
    assert ctx.deadline_s == 3600


async def test_it_goes_on_at_its_last_step_after_its_worker_was_lost(pool: Pool) -> None:
    stuck = asyncio.Event()

    async def hang(_: TaskContext, done: int) -> None:
        if done == 2:
            stuck.set()
            await asyncio.Event().wait()

    task = await accept(pool)
    lost = asyncio.create_task(perform(pool, task, worker(pool, place(packing(hang)), beat_s=60)))
    await asyncio.wait_for(stuck.wait(), 10)
    await silent(pool, task.task_id, 60)
    await TaskWork(pool).sweep(30)
    await perform(pool, task, worker(pool, place(packing())))
    over = await again(pool, task)
    assert (over.status, over.attempt, await parcels(pool, task)) == ("done", 2, 3)
    lost.cancel()
    await asyncio.gather(lost, return_exceptions=True)
    assert await again(pool, task) == over


async def test_a_worker_that_was_only_late_sees_that_it_is_another_ones(pool: Pool) -> None:
    late, go_on = asyncio.Event(), asyncio.Event()

    async def stand_still(_: TaskContext, done: int) -> None:
        if done == 1:
            late.set()
            await go_on.wait()

    task = await accept(pool)
    first = asyncio.create_task(perform(pool, task, worker(pool, place(packing(stand_still)), beat_s=60)))
    await asyncio.wait_for(late.wait(), 10)
    await silent(pool, task.task_id, 60)
    await TaskWork(pool).sweep(30)
    await perform(pool, task, worker(pool, place(packing())))
    go_on.set()
    await asyncio.wait_for(first, 10)
    assert ((await again(pool, task)).status, await parcels(pool, task)) == ("done", 3)


async def test_a_task_that_was_taken_away_is_not_worked_on(pool: Pool) -> None:
    """Also where its tool takes no step: the next beat finds out."""
    begun = asyncio.Event()

    async def hang(_: TaskContext, __: int) -> None:
        begun.set()
        await asyncio.Event().wait()

    task = await accept(pool)
    working = asyncio.create_task(perform(pool, task, worker(pool, place(packing(hang)))))
    await asyncio.wait_for(begun.wait(), 10)
    await change(pool, "DELETE FROM frontdesk.tasks WHERE task_id = %s", task.task_id)
    await asyncio.wait_for(working, 10)


async def test_it_stops_before_the_next_step_when_it_is_cancelled(pool: Pool) -> None:
    task = await accept(pool)

    async def cancel(_: TaskContext, done: int) -> None:
        if done == 2:
            await Tasks(pool).cancel(task.task_id, "acme", "alex")

    await perform(pool, task, worker(pool, place(packing(cancel))))
    over = await again(pool, task)
    assert (over.status, over.done, await parcels(pool, task)) == ("cancelled", 2, 2)
    assert over.result is not None
    assert over.result["summary"] == "stopped as you asked"


async def test_a_closing_worker_hands_back_and_another_goes_on(pool: Pool) -> None:
    task = await accept(pool)

    async def close(_: TaskContext, done: int) -> None:
        if done == 1:
            closing.closing = True

    closing = worker(pool, place(packing(close)))
    await perform(pool, task, closing)
    waiting = await again(pool, task)
    assert (waiting.status, waiting.done, waiting.tries) == ("queued", 1, 0)
    await perform(pool, task, worker(pool, place(packing())))
    assert ((await again(pool, task)).status, await parcels(pool, task)) == ("done", 3)


async def test_one_that_is_cut_off_in_the_middle_is_handed_back(pool: Pool) -> None:
    begun = asyncio.Event()

    async def hang(_: TaskContext, __: int) -> None:
        begun.set()
        await asyncio.Event().wait()

    task = await accept(pool)
    working = asyncio.create_task(perform(pool, task, worker(pool, place(packing(hang)))))
    await asyncio.wait_for(begun.wait(), 10)
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    assert (await again(pool, task)).status == "queued"


async def test_an_exception_fails_it_without_telling_its_text(pool: Pool, caplog: pytest.LogCaptureFixture) -> None:
    async def burst(_: TaskContext, done: int) -> None:
        if done == 1:
            raise ValueError(SECRET)

    task = await accept(pool)
    with caplog.at_level(logging.ERROR):
        await perform(pool, task, worker(pool, place(packing(burst))))
    over = await again(pool, task)
    assert over.result is not None
    assert (over.status, over.done) == ("failed", 1)
    assert SECRET not in str(over.result)
    assert over.result["reason"].removeprefix("error ") in caplog.text


@pytest.mark.parametrize("fault", [ConnectionResetError(), httpx.ReadTimeout("slow"), TimeoutError()])
async def test_a_passing_fault_is_tried_again_later(pool: Pool, fault: Exception) -> None:
    faults = [fault]

    async def break_once(_: TaskContext, done: int) -> None:
        if done == 1 and faults:
            raise faults.pop()

    by, task = worker(pool, place(packing(break_once))), await accept(pool)
    await perform(pool, task, by)
    waiting = await again(pool, task)
    assert (waiting.status, waiting.done) == ("queued", 1)
    jobs = f"frontdesk_queue.procrastinate_jobs WHERE id = {await job_of(pool, task.task_id)} AND scheduled_at > now()"
    assert await count(pool, jobs) == 1
    await perform(pool, task, by)
    assert ((await again(pool, task)).status, await parcels(pool, task)) == ("done", 3)


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), asyncio.CancelledError()])
async def test_what_would_end_its_worker_ends_the_task_alone(pool: Pool, error: BaseException) -> None:
    async def leave(_: TaskContext, __: int) -> None:
        raise error

    task = await accept(pool)
    await perform(pool, task, worker(pool, place(packing(leave))))
    assert (await again(pool, task)).status == "failed"


async def test_it_is_given_up_where_it_never_gets_on(pool: Pool) -> None:
    async def always(_: TaskContext, __: int) -> None:
        raise ConnectionResetError

    by, task = worker(pool, place(packing(always))), await accept(pool)
    for _ in range(MOST_TRIES):
        await perform(pool, task, by)
        assert (await again(pool, task)).status == "queued"
    await perform(pool, task, by)
    over = await again(pool, task)
    assert over.result is not None
    assert (over.status, over.result["reason"]) == ("failed", "gave_up")
    assert LONGEST_PAUSE_S <= 60


async def test_it_has_a_time_limit_of_its_own(pool: Pool) -> None:
    async def hang(_: TaskContext, __: int) -> None:
        await asyncio.Event().wait()

    task = await accept(pool)
    await perform(pool, task, worker(pool, place(packing(hang, timeout_s=0.05))))
    over = await again(pool, task)
    assert over.result is not None
    assert (over.status, over.result["reason"]) == ("failed", "timeout")


@pytest.mark.parametrize("result", [None, "done", ToolResult(content="x", data={"n": float("nan")})])
async def test_what_is_no_result_fails_it(pool: Pool, result: Any) -> None:
    @tool(group="shop", permission="parcel:write", background=True)
    async def pack(ctx: TaskContext, number: Number = 3) -> ToolResult:
        """Pack."""
        return result  # type: ignore[no-any-return]

    task = await accept(pool)
    await perform(pool, task, worker(pool, place(pack)))
    assert (await again(pool, task)).status == "failed"


async def test_an_expected_failure_is_its_own_words(pool: Pool) -> None:
    @tool(group="shop", permission="parcel:write", background=True)
    async def pack(ctx: TaskContext, number: Number = 3) -> ToolResult:
        """Pack."""
        return ToolResult(content="there is no paper", outcome="refused")

    task = await accept(pool)
    await perform(pool, task, worker(pool, place(pack)))
    over = await again(pool, task)
    assert over.result is not None
    assert (over.status, over.result["summary"]) == ("failed", "there is no paper")


async def test_who_has_lost_the_permission_gets_no_further(pool: Pool) -> None:
    def reader(task: Task) -> Principal:
        return Principal(tenant=task.tenant_id, user=task.user_id, permissions=frozenset({"*:read"}))

    task = await accept(pool)
    await perform(pool, task, worker(pool, place(packing(), principal=reader)))
    over = await again(pool, task)
    assert over.result is not None
    assert (over.status, over.result["reason"], await parcels(pool, task)) == ("failed", "not_permitted", 0)


@pytest.mark.parametrize("more", [{"tool": "gone"}, {"agent": "gone"}, {"arguments": {"number": "many"}}])
async def test_a_task_of_another_version_of_the_desk_ends(pool: Pool, more: dict[str, Any]) -> None:
    task = await accept(pool, **more)
    await perform(pool, task, worker(pool, place(packing())))
    assert (await again(pool, task)).status == "failed"


async def test_a_tool_of_that_name_that_is_no_background_tool_is_not_called(pool: Pool) -> None:
    task = await accept(pool, tool="answer", arguments={})
    await perform(pool, task, worker(pool, place(answering("never"))))
    assert (await again(pool, task)).status == "failed"


async def test_it_waits_where_operators_have_stopped_the_tool(pool: Pool) -> None:
    stopped = [True]

    async def stopping(_: Tool) -> str | None:
        return "read_only" if stopped[0] else None

    async def stop(_: TaskContext, done: int) -> None:
        stopped[0] = done == 1

    by, task = worker(pool, place(packing(stop), stopping=stopping)), await accept(pool)
    await perform(pool, task, by)
    assert ((await again(pool, task)).status, await parcels(pool, task)) == ("queued", 0)
    stopped[0] = False
    await perform(pool, task, by)
    assert ((await again(pool, task)).status, await parcels(pool, task)) == ("queued", 1)
    stopped[0] = False
    await perform(pool, task, worker(pool, place(packing())))
    assert ((await again(pool, task)).status, await parcels(pool, task)) == ("done", 3)


async def test_its_end_is_audited(pool: Pool) -> None:
    task = await accept(pool)
    at = place(packing(), audit=AuditStore(pool, TurnSaver(pool)))
    await perform(pool, task, worker(pool, at))
    where = f"source = 'task' AND call_id = 'task {task.task_id}' AND outcome = 'done' AND result = 'packed 3'"
    assert await count(pool, f"frontdesk.audit WHERE {where}") == 1


async def test_progress_is_a_step_without_an_effect(pool: Pool) -> None:
    @tool(group="shop", permission="parcel:write", background=True)
    async def pack(ctx: TaskContext, number: Number = 3) -> ToolResult:
        """Pack."""
        await ctx.progress(stage="looking for paper", done=1, total=2, resume={"paper": True})
        return ToolResult(content="ready", outcome="failed")

    task = await accept(pool)
    await perform(pool, task, worker(pool, place(pack)))
    over = await again(pool, task)
    assert (over.stage, over.done, over.total, over.resume) == ("looking for paper", 1, 2, {"paper": True})


def test_a_background_tool_takes_a_context_of_its_own() -> None:
    assert packing().effect
    assert packing().timeout_s == 3600
    for wrong in (ToolContext, TaskContext):
        with pytest.raises(Exception, match=r"must be annotated (Task|Tool)Context"):
            _made(wrong)


def _made(context: type) -> None:
    async def pack(ctx: Any) -> ToolResult:
        """Pack."""
        return ToolResult(content="")

    pack.__annotations__["ctx"] = context
    tool(group="shop", permission="parcel:write", background=context is ToolContext)(pack)
