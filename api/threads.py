"""Threads: where a conversation stands, and how it came there."""

from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response
from langchain_core.runnables import RunnableConfig

from api.dependencies import House, Opened, OwnThread
from api.errors import Problem
from api.schemas import CheckpointBody, ConfigurableBody, HistoryBody
from api.snapshots import ThreadRow, ThreadState, thread_row, thread_state
from checkpoints.threads import Thread

router = APIRouter(prefix="/threads", tags=["threads"])
NOT_FOUND: dict[int | str, dict[str, Any]] = {
    404: {"model": Problem, "description": "There is no such thread for this caller"},
}


@router.get("/{thread_id}", summary="One thread", response_model=ThreadRow, responses=NOT_FOUND)
async def thread(own: OwnThread) -> Response:
    return JSONResponse(thread_row(own))


@router.get("/{thread_id}/state", summary="The newest state", response_model=ThreadState, responses=NOT_FOUND)
async def state(own: OwnThread, house: House) -> Response:
    snapshot = await house["graph"].aget_state(_config(own))
    return JSONResponse(thread_state(snapshot))


@router.get(
    "/{thread_id}/history",
    summary="Every state, the newest first",
    response_model=list[ThreadState],
    responses=NOT_FOUND,
)
async def history(
    own: OwnThread,
    house: House,
    limit: Annotated[int, Query(ge=1, le=1000)] = 10,
    before: Annotated[str | None, Query(description="A checkpoint id: only what is older")] = None,
) -> Response:
    return await _history(own, house, HistoryBody(limit=limit, before=before))


@router.post(
    "/{thread_id}/history",
    summary="Every state, the newest first, with filters",
    response_model=list[ThreadState],
    responses=NOT_FOUND,
)
async def search_history(own: OwnThread, house: House, wanted: HistoryBody | None = None) -> Response:
    return await _history(own, house, wanted or HistoryBody())


async def _history(own: Thread, house: Opened, wanted: HistoryBody) -> Response:
    before = _id_of(wanted.before)
    snapshots = house["graph"].aget_state_history(
        _config(own, wanted.checkpoint),
        filter=wanted.metadata,
        before=_config(own, CheckpointBody(checkpoint_id=before)) if before else None,
        limit=wanted.limit,
    )
    return JSONResponse([thread_state(snapshot) async for snapshot in snapshots])


def _config(own: Thread, checkpoint: CheckpointBody | None = None) -> RunnableConfig:
    """A checkpoint of this thread, whatever thread the client names in it."""
    where = {"thread_id": str(own.thread_id), "checkpoint_ns": ""}
    if checkpoint and checkpoint.checkpoint_ns:
        where["checkpoint_ns"] = checkpoint.checkpoint_ns
    if checkpoint and checkpoint.checkpoint_id:
        where["checkpoint_id"] = checkpoint.checkpoint_id
    return {"configurable": where}


def _id_of(before: ConfigurableBody | CheckpointBody | str | None) -> str | None:
    if isinstance(before, ConfigurableBody):
        return before.configurable.checkpoint_id
    return before.checkpoint_id if isinstance(before, CheckpointBody) else before
