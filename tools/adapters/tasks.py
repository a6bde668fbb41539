"""Background tasks, as their owner asks about them: how far they are, and to stop one."""

from collections.abc import Sequence
from typing import Annotated

from tools.adapters._phrases import Result, answered, local, moment, pick, refused
from tools.tasks import OPEN, OwnTasks, Task
from tools.tool import Arg, Locale, ToolContext, ToolResult, tool

MOST = 5
TaskNo = Annotated[
    str | None,
    Arg(description="The number of a background task", zh="任务编号", example="1001", aliases=("task_id", "number")),
]
STATUS_NAMES: dict[str, dict[Locale, str]] = {
    "queued": {"zh": "排队中", "en": "waiting to begin"},
    "running": {"zh": "进行中", "en": "on its way"},
    "done": {"zh": "已完成", "en": "done"},
    "failed": {"zh": "失败", "en": "failed"},
    "cancelled": {"zh": "已取消", "en": "cancelled"},
}


class TaskRow(Result):
    """`done` of `total`: how far it is; None where it cannot be counted. `created_at`: in the tenant's zone."""

    task_id: str
    title: str
    status: str
    status_name: str
    stage: str
    done: int | None
    total: int | None
    cancel_requested: bool
    created_at: str


class TaskList(Result):
    found: int
    tasks: list[TaskRow]


@tool(group="task", permission="task:read", result=TaskList)
async def task_progress(ctx: ToolContext, *, task_no: TaskNo = None) -> ToolResult:
    """Say how far the caller's background tasks are: the one with this number, else the latest ones."""
    tasks = await _meant(ctx, task_no)
    if not tasks:
        return answered(_none(ctx, task_no), TaskList(found=0, tasks=[]), direct=True)
    rows = [_row(ctx, task) for task in tasks]
    return answered("\n".join(_line(ctx, task) for task in tasks), TaskList(found=len(rows), tasks=rows), direct=True)


@tool(group="task", permission="task:write", effect=True, idempotent=True, result=TaskList)
async def cancel_task(ctx: ToolContext, *, task_no: TaskNo = None) -> ToolResult:
    """Stop one of the caller's background tasks: the one with this number, else the only one that is not over."""
    meant = await _meant(ctx, task_no)
    tasks = [task for task in meant if task.status in OPEN]
    if not tasks or ctx.tasks is None:
        over = "\n".join(_line(ctx, task) for task in meant)
        zh, en = "没有可以取消的任务。", "There is no task that could be stopped."
        return refused("\n".join(filter(None, [over, pick(ctx.locale, zh, en)])))
    if len(tasks) > 1:
        listed = "\n".join(_line(ctx, task) for task in tasks)
        which = pick(ctx.locale, "有多个任务，请说明编号：", "There are several; please say the number of one:")
        return refused(f"{which}\n{listed}")
    stopped = await ctx.tasks.cancel(str(tasks[0].task_id)) or tasks[0]
    result = TaskList(found=1, tasks=[_row(ctx, stopped)])
    return answered(_stopped(ctx.locale, stopped), result, direct=True)


async def _meant(ctx: ToolContext, task_no: str | None) -> Sequence[Task]:
    own: OwnTasks | None = ctx.tasks
    if own is None:
        return []
    if task_no is not None:
        found = await own.find(task_no)
        return [found] if found else []
    return await own.latest(ctx.thread_id, limit=MOST)


def _row(ctx: ToolContext, task: Task) -> TaskRow:
    return TaskRow(
        task_id=str(task.task_id),
        title=task.title,
        status=task.status,
        status_name=STATUS_NAMES[task.status][ctx.locale],
        stage=task.stage,
        done=task.done,
        total=task.total,
        cancel_requested=task.cancel_requested,
        created_at=local(ctx, task.created_at).isoformat(),
    )


def _line(ctx: ToolContext, task: Task) -> str:
    status, since = STATUS_NAMES[task.status][ctx.locale], moment(ctx, task.created_at)
    if task.cancel_requested and task.status in OPEN:
        status = pick(ctx.locale, "正在停止", "being stopped")
    said = str((task.result or {}).get("summary") or "")
    after = pick(ctx.locale, f"：{said}" if said else "。", f": {said}" if said else ".")
    far = _far(ctx.locale, task) if task.status != "done" else ""
    if ctx.locale == "en":
        return f"Task {task.task_id} ({task.title}, since {since}) is {status}{far}{after}"
    return f"任务 {task.task_id}（{task.title}，{since} 提交）{status}{far}{after}"


def _far(locale: Locale, task: Task) -> str:
    """，正在发放，150/500（30%）"""
    parts = [task.stage] if task.stage and task.status in OPEN else []
    if task.done is not None and task.total:
        percent = task.done * 100 // task.total
        parts.append(
            pick(locale, f"{task.done}/{task.total}（{percent}%）", f"{task.done} of {task.total} ({percent}%)")
        )
    return "".join(pick(locale, f"，{part}", f", {part}") for part in parts)


def _none(ctx: ToolContext, task_no: str | None) -> str:
    if task_no is not None:
        return pick(ctx.locale, f"没有找到任务 {task_no}。", f"There is no task {task_no}.")
    return pick(ctx.locale, "您没有后台任务。", "You have no background task.")


def _stopped(locale: Locale, task: Task) -> str:
    number, far = task.task_id, _far(locale, task)
    if task.status == "cancelled":
        return pick(
            locale, f"任务 {number}（{task.title}）已取消{far}。", f"Task {number} ({task.title}) is cancelled{far}."
        )
    if task.status in OPEN:
        zh = f"任务 {number}（{task.title}）正在停止{far}；已完成的部分不会撤回。"
        return pick(locale, zh, f"Task {number} ({task.title}) is being stopped{far}; what is done stays done.")
    return pick(locale, f"任务 {number} 已经结束，无需取消。", f"Task {number} is over already.")
