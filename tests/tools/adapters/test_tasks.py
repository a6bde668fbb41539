"""How far background tasks are, as their owner reads it, and how one is stopped."""

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from auth.principal import Principal
from checkpoints.database import Pool
from checkpoints.task import Task as Row
from checkpoints.task_work import TaskWork
from checkpoints.tasks import Tasks
from tests.checkpoints.working import accept, again, job_of
from tools.adapters.tasks import cancel_task, task_progress
from tools.background import Background
from tools.tool import Locale, Tool, ToolContext, ToolResult


class Owner:
    """Somebody who asks about tasks on a thread."""

    def __init__(self, pool: Pool, user: str, thread_id: str = "here") -> None:
        self._pool, self.user, self.thread_id = pool, user, thread_id

    async def put_in(self, **more: Any) -> Row:
        given = {"user": self.user, "thread_id": self.thread_id, "title": "发放优惠券", "locale": "zh", **more}
        return await accept(self._pool, **given)

    async def begin(self, task: Row, *, done: int, total: int | None = 500) -> Row:
        work = TaskWork(self._pool)
        claimed = await work.claim(task.task_id, await job_of(self._pool, task.task_id))
        assert claimed is not None
        async with work.step(task.task_id, claimed.attempt) as step:
            assert step is not None
            step.reached(stage="正在发放", done=done, total=total)
        return claimed

    async def ask(self, asked: Tool, locale: Locale = "zh", **arguments: Any) -> ToolResult:
        principal = Principal(user=self.user)
        now = datetime.now().astimezone()
        context = ToolContext(
            principal=principal,
            locale=locale,
            now=now,
            deadline_s=5,
            idempotency_key="k",
            thread_id=self.thread_id,
            tasks=Background(Tasks(self._pool)).of(principal),
        )
        return await asked.call(context, **arguments)

    async def far(self, locale: Locale = "zh", **arguments: Any) -> str:
        return (await self.ask(task_progress, locale, **arguments)).content


@pytest.fixture
def owner(pool: Pool, request: pytest.FixtureRequest) -> Owner:
    return Owner(pool, request.node.name[:60])


async def test_who_has_none_is_told_so(owner: Owner) -> None:
    assert await owner.far() == "您没有后台任务。"
    assert await owner.far("en") == "You have no background task."
    assert await owner.far(task_no="77") == "没有找到任务 77。"


async def test_the_real_state_is_read_at_each_stage(pool: Pool, owner: Owner) -> None:
    task = await owner.put_in()
    assert "排队中" in await owner.far()
    claimed = await owner.begin(task, done=150)
    said = await owner.far()
    assert said.startswith(f"任务 {task.task_id}（发放优惠券，")
    assert said.endswith("进行中，正在发放，150/500（30%）。")
    assert (await owner.far("en")).endswith("is on its way, 正在发放, 150 of 500 (30%).")
    await TaskWork(pool).finish(task.task_id, claimed.attempt, status="done", result={"summary": "已发 500 张"})
    assert (await owner.far()).endswith("已完成：已发 500 张")


async def test_a_failed_one_says_why_and_how_far_it_was(pool: Pool, owner: Owner) -> None:
    task = await owner.put_in()
    claimed = await owner.begin(task, done=20)
    await TaskWork(pool).finish(task.task_id, claimed.attempt, status="failed", result={"summary": "没有权限"})
    assert (await owner.far()).endswith("失败，20/500（4%）：没有权限")


async def test_what_cannot_be_counted_has_no_percentage(owner: Owner) -> None:
    await owner.begin(await owner.put_in(), done=3, total=None)
    assert (await owner.far()).endswith("进行中，正在发放。")


async def test_several_that_are_open_are_all_told(owner: Owner) -> None:
    tasks = [await owner.put_in() for _ in range(2)]
    result = await owner.ask(task_progress)
    assert [row["task_id"] for row in result.data["tasks"]] == [str(task.task_id) for task in reversed(tasks)]
    assert len(result.content.splitlines()) == 2
    assert (await owner.far(task_no=str(tasks[0].task_id))).startswith(f"任务 {tasks[0].task_id}（")


async def test_the_only_open_one_is_stopped_without_its_number(pool: Pool, owner: Owner) -> None:
    task = await owner.put_in()
    result = await owner.ask(cancel_task)
    assert (result.outcome, result.content) == ("done", f"任务 {task.task_id}（发放优惠券）已取消。")
    assert (await again(pool, task)).status == "cancelled"
    assert (await owner.ask(cancel_task)).outcome == "refused"


async def test_one_that_runs_is_asked_to_stop(pool: Pool, owner: Owner) -> None:
    task = await owner.put_in()
    await owner.begin(task, done=100)
    result = await owner.ask(cancel_task, "en", task_no=str(task.task_id))
    assert "is being stopped, 正在发放, 100 of 500 (20%); what is done stays done." in result.content
    assert (await again(pool, task)).cancel_requested
    assert "正在停止" in await owner.far()


async def test_of_several_one_has_to_be_named(pool: Pool, owner: Owner) -> None:
    tasks = [await owner.put_in() for _ in range(2)]
    result = await owner.ask(cancel_task)
    assert (result.outcome, result.content.splitlines()[0]) == ("refused", "有多个任务，请说明编号：")
    assert {(await again(pool, task)).status for task in tasks} == {"queued"}
    assert (await owner.ask(cancel_task, task_no=str(tasks[1].task_id))).outcome == "done"
    assert (await again(pool, tasks[0])).status == "queued"


async def test_somebody_elses_is_not_there(pool: Pool, owner: Owner) -> None:
    theirs = await accept(pool, user="kim", thread_id="here")
    assert await owner.far(task_no=str(theirs.task_id)) == f"没有找到任务 {theirs.task_id}。"
    result = await owner.ask(cancel_task, task_no=str(theirs.task_id))
    assert (result.outcome, result.content) == ("refused", "没有可以取消的任务。")
    assert (await again(pool, theirs)).status == "queued"


async def test_where_there_is_no_background_work_nothing_is_found(owner: Owner) -> None:
    context = ToolContext(
        principal=Principal(),
        locale="en",
        now=datetime.now().astimezone(),
        deadline_s=5,
        idempotency_key="k",
    )
    assert (await task_progress.call(context)).content == "You have no background task."
    assert (await cancel_task.call(replace(context, locale="zh"))).outcome == "refused"
