"""Threads as resources: found, shown, copied, deleted."""

from contextlib import suppress
from typing import Annotated, Any

from fastapi import APIRouter, Body
from fastapi.responses import JSONResponse, Response

from api.dependencies import Caller, House, Opened, OwnThread
from api.errors import Problem
from api.paging import page_headers
from api.snapshots import ThreadRow, thread_row
from api.thread_bodies import MOST, CopyBody, SearchBody, parse_id
from api.thread_examples import COPY_EXAMPLES, SEARCH_EXAMPLES, THREAD_EXAMPLE, answered
from auth.principal import Principal
from checkpoints.run import RunStatus
from checkpoints.threads import Status, Thread, parse_thread_id
from errors import Conflict, NotFound
from graphs.plain import plain, plain_interrupt

router = APIRouter(prefix="/threads", tags=["threads"])
NOT_FOUND: dict[int | str, dict[str, Any]] = {
    404: {"model": Problem, "description": "There is no such thread, or nothing like it in it, for this caller"},
}
ONE = {**NOT_FOUND, **answered(THREAD_EXAMPLE)}
# How long a deletion waits for a run to be stopped. It goes on after that: what the run writes later is refused.
STOP_WITHIN_S = 10.0
IN_FLIGHT: tuple[tuple[RunStatus, float], ...] = (("pending", 0.0), ("running", STOP_WITHIN_S))
Copied = Annotated[CopyBody | None, Body(openapi_examples=COPY_EXAMPLES)]
Search = Annotated[SearchBody | None, Body(openapi_examples=SEARCH_EXAMPLES)]


@router.post(
    "/search", summary="The caller's threads", response_model=list[ThreadRow], responses=answered([THREAD_EXAMPLE])
)
async def search(house: House, caller: Caller, wanted: Search = None) -> Response:
    """Those that moved last come first. `X-Pagination-Total` says how many there are in all, `X-Pagination-Next` where
    the next page begins."""
    asked = wanted or SearchBody()
    found, total = await house["threads"].search(
        caller.tenant,
        caller.user,
        ids=None if asked.ids is None else [parse_thread_id(text) for text in asked.ids],
        metadata=asked.metadata,
        values=asked.values,
        status=asked.status,
        limit=asked.limit,
        offset=asked.offset,
        sort_by=asked.sort_by or "updated_at",
        sort_order=asked.sort_order or "desc",
    )
    rows: list[dict[str, Any]] = [{**thread_row(thread)} for thread in found]
    if asked.select is not None:
        rows = [{key: row[key] for key in asked.select if key in row} for row in rows]
    return JSONResponse(rows, headers=page_headers(offset=asked.offset, shown=len(rows), total=total))


@router.get("/{thread_id}", summary="One thread", response_model=ThreadRow, responses=ONE)
async def thread(own: OwnThread) -> Response:
    return JSONResponse(thread_row(own))


@router.delete("/{thread_id}", summary="Delete a thread and all that it owns", status_code=204, responses=NOT_FOUND)
async def delete(own: OwnThread, house: House, caller: Caller) -> Response:
    """A run on its way is stopped first. Of calls with an effect only time, tool and outcome are kept."""
    await _stop_runs(own, house, caller)
    await house["threads"].delete(own.thread_id, caller.tenant, caller.user)
    return Response(status_code=204)


@router.post(
    "/{thread_id}/copy", summary="A new thread that goes on from here", response_model=ThreadRow, responses=ONE
)
async def copy(own: OwnThread, house: House, caller: Caller, wanted: Copied = None) -> Response:
    """With `checkpoint_id` from there. The copy has the steps that led there (`/history`), and the thread itself is not
    touched. What was run stays with it: `/turns` and `/runs` of the copy begin empty, and its `metadata.copied_from`
    says where the earlier ones are, as long as the source is there."""
    checkpoint_id = wanted.checkpoint_id if wanted else None
    until = None if checkpoint_id is None else str(parse_id(checkpoint_id, "checkpoint"))
    made = await house["threads"].copy(own.thread_id, caller.tenant, caller.user, until=until)
    if until is not None:
        made = await _as_it_stands(made, house)
    return JSONResponse(thread_row(made))


async def _stop_runs(own: Thread, house: Opened, caller: Principal) -> None:
    """Those that wait first, so that none of them begins meanwhile."""
    for status, wait_s in IN_FLIGHT:
        runs = await house["runs"].of_thread(own.thread_id, caller.tenant, caller.user, status=status, limit=MOST)
        for run in runs:
            # It ended, or was taken back, before it could be stopped.
            with suppress(Conflict, NotFound):
                await house["runner"].cancel(run.run_id, own.thread_id, caller, wait_s=wait_s)


async def _as_it_stands(fork: Thread, house: Opened) -> Thread:
    """A copy of an earlier state, with what its row says of that state."""
    state = await house["graph"].aget_state({"configurable": {"thread_id": str(fork.thread_id)}})
    open_ones = {t.id: [plain_interrupt(i) for i in t.interrupts] for t in state.tasks if t.interrupts}
    status: Status = "interrupted" if open_ones else "idle"
    await house["threads"].finish(fork.thread_id, status=status, values=plain(state.values), interrupts=open_ones)
    return await house["threads"].get(fork.thread_id, fork.tenant_id, fork.user_id)
