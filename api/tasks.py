"""Background tasks: GET /tasks, GET /tasks/{id}, and POST /tasks/{id}/cancel, of the caller's own."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from fastapi.responses import JSONResponse, Response
from typing_extensions import TypedDict

from api.dependencies import Caller, House
from api.paging import page_headers
from api.snapshots import utc
from api.thread_bodies import Limit, Offset
from api.thread_examples import answered
from checkpoints.task import Task, TaskStatus
from checkpoints.threads import parse_thread_id
from errors import Conflict, InvalidInput, NotFound

router = APIRouter(prefix="/tasks", tags=["tasks"])
Json = dict[str, Any]
LONGEST_NUMBER = 18
NOT_FOUND: dict[int | str, Json] = {404: {"description": "There is no such task of the caller"}}
OVER: dict[int | str, Json] = {409: {"description": "It is over"}}
EXAMPLE: Json = {
    "task_id": "1001",
    "tool": "send_coupons",
    "title": "发放优惠券",
    "arguments": {"count": 500, "value": "20"},
    "status": "running",
    "stage": "正在发放",
    "done": 150,
    "total": 500,
    "cancel_requested": False,
    "summary": None,
    "data": None,
    "card": None,
    "agent": "business",
    "thread_id": "0199c0de-7a00-7000-8000-000000000001",
    "run_id": "0199c0de-7a01-7000-8000-000000000002",
    "attempt": 1,
    "created_at": "2026-11-30T02:00:00.123000+00:00",
    "started_at": "2026-11-30T02:00:00.150000+00:00",
    "updated_at": "2026-11-30T02:00:01.900000+00:00",
    "finished_at": None,
}


class ShownTask(TypedDict):
    """One task. `stage`: what it is at, in the language in which it was asked for. `done` of `total`: how far it is;
    null where it cannot be counted. `cancel_requested`: it is being stopped, or was. `summary`, `data`, `card`: what it
    came to; null as long as it is open. `attempt`: how often it was taken up.
    """

    task_id: str
    tool: str
    title: str
    arguments: Json
    status: TaskStatus
    stage: str
    done: int | None
    total: int | None
    cancel_requested: bool
    summary: str | None
    data: Json | None
    card: Json | None
    agent: str
    thread_id: str | None
    run_id: str | None
    attempt: int
    created_at: str
    started_at: str | None
    updated_at: str
    finished_at: str | None


Number = Annotated[str, Path(description="its number", examples=["1001"])]


@router.get(
    "", summary="The caller's tasks, the newest first", response_model=list[ShownTask], responses=answered([EXAMPLE])
)
async def tasks(
    house: House,
    caller: Caller,
    *,
    limit: Limit = 10,
    offset: Offset = 0,
    status: TaskStatus | None = None,
    thread_id: Annotated[str | None, Query(description="only what was asked for on this thread; a UUID")] = None,
) -> Response:
    thread = None if thread_id is None else str(parse_thread_id(thread_id))
    found, total = await house["tasks"].search(
        caller.tenant, caller.user, status=status, thread_id=thread, limit=limit, offset=offset
    )
    headers = page_headers(offset=offset, shown=len(found), total=total)
    return JSONResponse([shown(task) for task in found], headers=headers)


@router.get("/{task_id}", summary="One task", response_model=ShownTask, responses={**answered(EXAMPLE), **NOT_FOUND})
async def task(task_id: Number, house: House, caller: Caller) -> Response:
    return JSONResponse(shown(await house["tasks"].get(_number(task_id), caller.tenant, caller.user)))


@router.post(
    "/{task_id}/cancel",
    summary="Stop a task",
    response_model=ShownTask,
    responses={**answered(EXAMPLE), **NOT_FOUND, **OVER},
)
async def cancel(task_id: Number, house: House, caller: Caller) -> Response:
    """One that waits is `cancelled` at once, one that runs before its next step; what it has done so far stays done."""
    stopped = await house["tasks"].cancel(_number(task_id), caller.tenant, caller.user)
    if stopped.is_over and stopped.status != "cancelled":
        raise Conflict(f"Task {task_id} is over: {stopped.status}")
    return JSONResponse(shown(stopped))


def _number(said: str) -> int:
    """Raises InvalidInput for what is no number."""
    if not (said.isascii() and said.isdigit()):
        raise InvalidInput("Invalid task ID: must be a number")
    if len(said) > LONGEST_NUMBER:
        raise NotFound("Task not found")
    return int(said)


def shown(task: Task) -> ShownTask:
    result = task.result or {}
    return ShownTask(
        task_id=str(task.task_id),
        tool=task.tool,
        title=task.title,
        arguments=task.arguments,
        status=task.status,
        stage=task.stage,
        done=task.done,
        total=task.total,
        cancel_requested=task.cancel_requested,
        summary=result.get("summary"),
        data=result.get("data"),
        card=result.get("card"),
        agent=task.agent,
        thread_id=task.thread_id,
        run_id=task.run_id,
        attempt=task.attempt,
        created_at=utc(task.created_at),
        started_at=None if task.started_at is None else utc(task.started_at),
        updated_at=utc(task.updated_at),
        finished_at=None if task.finished_at is None else utc(task.finished_at),
    )
