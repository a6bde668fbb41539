"""Runs in the shape of LangGraph's own API, and how one is stopped."""

from dataclasses import dataclass
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Path, Query
from fastapi.responses import JSONResponse, Response
from typing_extensions import TypedDict

from api.asking import headers
from api.dependencies import Caller, House, Opened, OwnThread
from api.schemas import THREAD_ID
from api.snapshots import utc
from api.thread_bodies import Flag, Limit, Offset, parse_id
from api.thread_examples import RUN_EXAMPLE, RUN_ID, answered
from api.threads import NOT_FOUND
from auth.principal import Principal
from checkpoints.run import CancelAction, Run, RunStatus
from checkpoints.threads import parse_thread_id
from errors import Conflict, NotFound
from graphs.live import ASSISTANT_ID, LABELS

router = APIRouter(prefix="/threads/{thread_id}/runs", tags=["runs"], responses=NOT_FOUND)
Json = dict[str, Any]
NO_RUN, NOTHING_TO_CANCEL = "Not Found", "No runs found to cancel."
# A client that waits longer than that reads that the run is being stopped.
WAIT_S = 60.0
# What of a run's context its caller gave, or may know.
SHOWN_CONTEXT = ("agent", "model", "locale", "extra", "time_zone", "clock", "mode")


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a run would be; whether it is there, and is the caller's, is seen when it is read."""

    thread_id: UUID
    run_id: UUID


async def place(
    thread_id: Annotated[str, Path(description="a UUID", examples=[THREAD_ID])],
    run_id: Annotated[str, Path(description="a UUID", examples=[RUN_ID])],
) -> Place:
    """Raises InvalidInput for what is no UUID."""
    return Place(thread_id=parse_thread_id(thread_id), run_id=parse_id(run_id, "run"))


InPlace = Annotated[Place, Depends(place)]


class RunRow(TypedDict):
    """A run. `status`: `success` also where it stopped at a question for a yes; `interrupted` where it was cancelled.

    `kwargs`: what was asked, as LangGraph's server would have been asked.
    """

    run_id: str
    thread_id: str
    assistant_id: str
    metadata: Json
    status: RunStatus
    kwargs: Json
    multitask_strategy: str
    created_at: str
    updated_at: str
    langsmith_session_name: None


@router.get(
    "",
    summary="The runs of a thread, the newest first",
    response_model=list[RunRow],
    responses=answered([RUN_EXAMPLE]),
)
async def runs(
    own: OwnThread, house: House, limit: Limit = 10, offset: Offset = 0, status: RunStatus | None = None
) -> Response:
    found = await house["runs"].of_thread(
        own.thread_id, own.tenant_id, own.user_id, status=status, limit=limit, offset=offset
    )
    return JSONResponse([run_row(run) for run in found])


@router.get("/{run_id}", summary="One run", response_model=RunRow, responses=answered(RUN_EXAMPLE))
async def run(where: InPlace, house: House, caller: Caller) -> Response:
    found = await _own(house, caller, where)
    if found is None:
        raise NotFound(NO_RUN)
    return JSONResponse(run_row(found))


@router.post(
    "/{run_id}/cancel",
    summary="Stop a run",
    status_code=202,
    responses={**answered({}, "It has ended"), 202: {"description": "It is being stopped"}},
)
async def cancel(
    where: InPlace,
    house: House,
    caller: Caller,
    wait: Annotated[Flag, Query(description="answer when it has ended")] = False,
    action: Annotated[CancelAction, Query(description="keep what was done, or take it back")] = "interrupt",
) -> Response:
    """`interrupt` keeps what the run has done; `rollback` takes run and checkpoints back. Calls that had their effect
    keep it."""
    wait_s = WAIT_S if wait else 0
    try:
        await house["runner"].cancel(where.run_id, where.thread_id, caller, action, wait_s=wait_s)
    except (Conflict, NotFound):
        raise NotFound(NOTHING_TO_CANCEL) from None
    if not wait:
        return Response(status_code=202)
    left = await _own(house, caller, where)
    if left is not None and not left.is_over:
        return Response(status_code=202)
    return JSONResponse({}, headers=headers(str(where.thread_id), str(where.run_id)))


async def _own(house: Opened, caller: Principal, where: Place) -> Run | None:
    try:
        return await house["runs"].get(where.run_id, where.thread_id, caller.tenant, caller.user)
    except NotFound:
        return None


def run_row(run: Run) -> RunRow:
    return RunRow(
        run_id=str(run.run_id),
        thread_id=str(run.thread_id),
        assistant_id=run.metadata.get("assistant_id", ASSISTANT_ID),
        metadata={"created_by": "system", **LABELS, **run.metadata},
        status=run.status,
        kwargs={**_kwargs(run), **run.kwargs},
        multitask_strategy=run.multitask_strategy,
        created_at=utc(run.created_at),
        updated_at=utc(run.updated_at),
        langsmith_session_name=None,
    )


def _kwargs(run: Run) -> Json:
    """What a message or a resume of ours is in LangGraph's words; nothing of it where it was pruned."""
    message, resume = run.input.get("message"), run.input.get("resume")
    asked = {"role": "user", "content": message, "id": run.input.get("message_id")}
    place = {"thread_id": str(run.thread_id), "run_id": str(run.run_id), **LABELS}
    return {
        "input": None if message is None else {"messages": [asked]},
        "command": None if resume is None else {"resume": _answer(resume)},
        "config": {"configurable": place, "metadata": {**LABELS, "run_attempt": run.attempt}},
        "context": {name: run.context[name] for name in SHOWN_CONTEXT if name in run.context},
        "stream_mode": ["values"],
        "interrupt_before": None,
        "interrupt_after": None,
        "webhook": None,
        "feedback_keys": None,
        "temporary": False,
        "subgraphs": False,
        "resumable": True,
        "checkpoint_during": True,
        "durability": "sync",
    }


def _answer(resume: Json) -> Json:
    return {str(resume.get("interrupt_id")): {"decisions": resume.get("decisions")}}
