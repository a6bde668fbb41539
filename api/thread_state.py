"""The states of a thread: the newest, any earlier one, and how one led to the next."""

from typing import Annotated

from fastapi import APIRouter, Body, Path, Query
from fastapi.responses import JSONResponse, Response
from langchain_core.runnables import RunnableConfig

from api.dependencies import House, Opened, OwnThread
from api.snapshots import ThreadState, thread_state
from api.thread_bodies import CheckpointBody, Flag, HistoryBody, Limit, StateBody, parse_id
from api.thread_examples import CHECKPOINT_ID, HISTORY_EXAMPLES, STATE_EXAMPLE, STATE_EXAMPLES, answered
from api.threads import NOT_FOUND
from checkpoints.threads import Thread
from errors import NotFound

router = APIRouter(prefix="/threads/{thread_id}", tags=["threads"], responses=NOT_FOUND)
CheckpointId = Annotated[str, Path(description="a UUID", examples=[CHECKPOINT_ID])]
StateOf = Annotated[StateBody | None, Body(openapi_examples=STATE_EXAMPLES)]
ONE, MANY = answered(STATE_EXAMPLE), answered([STATE_EXAMPLE])
HistoryOf = Annotated[HistoryBody | None, Body(openapi_examples=HISTORY_EXAMPLES)]


@router.get("/state", summary="The newest state", response_model=ThreadState, responses=ONE)
async def state(own: OwnThread, house: House, subgraphs: Flag = False) -> Response:
    """While a run is on its way: the state as it was last committed, at most a second old."""
    return await _state(own, house, StateBody(subgraphs=subgraphs))


@router.get("/state/{checkpoint_id}", summary="The state at a checkpoint", response_model=ThreadState, responses=ONE)
async def state_at(checkpoint_id: CheckpointId, own: OwnThread, house: House, subgraphs: Flag = False) -> Response:
    return await _state(
        own, house, StateBody(checkpoint=CheckpointBody(checkpoint_id=checkpoint_id), subgraphs=subgraphs)
    )


@router.post(
    "/state/checkpoint", summary="The state at a checkpoint, or the newest", response_model=ThreadState, responses=ONE
)
async def state_of(own: OwnThread, house: House, wanted: StateOf = None) -> Response:
    return await _state(own, house, wanted or StateBody())


@router.get("/history", summary="Every state, the newest first", response_model=list[ThreadState], responses=MANY)
async def history(
    own: OwnThread,
    house: House,
    limit: Limit = 10,
    before: Annotated[str | None, Query(description="a checkpoint id: only what is older")] = None,
) -> Response:
    return await _history(own, house, HistoryBody(limit=limit, before=before))


@router.post(
    "/history", summary="Every state, the newest first, with filters", response_model=list[ThreadState], responses=MANY
)
async def search_history(own: OwnThread, house: House, wanted: HistoryOf = None) -> Response:
    return await _history(own, house, wanted or HistoryBody())


async def _state(own: Thread, house: Opened, wanted: StateBody) -> Response:
    config = await _config(own, house, wanted.checkpoint)
    snapshot = await house["graph"].aget_state(config, subgraphs=wanted.subgraphs)
    if snapshot.created_at is None and "checkpoint_id" in config["configurable"]:
        raise _no_checkpoint(config)
    return JSONResponse(thread_state(snapshot))


async def _history(own: Thread, house: Opened, wanted: HistoryBody) -> Response:
    config, before = await _config(own, house, wanted.checkpoint), None
    if "checkpoint_id" in config["configurable"]:
        await _exists(house, config)
    if wanted.before_id:
        before = await _config(own, house, CheckpointBody(checkpoint_id=wanted.before_id))
        await _exists(house, before)
    wants = wanted.metadata or {}
    if wants.get("thread_id") == str(own.thread_id):
        # Shown with every state and stored with none.
        wants = {name: value for name, value in wants.items() if name != "thread_id"}
    snapshots = house["graph"].aget_state_history(config, filter=wants, before=before, limit=wanted.limit)
    return JSONResponse([thread_state(snapshot) async for snapshot in snapshots])


async def _config(own: Thread, house: Opened, checkpoint: CheckpointBody | None) -> RunnableConfig:
    """A checkpoint of this thread, whatever thread the client names in it. Raises InvalidInput and NotFound."""
    where = {"thread_id": str(own.thread_id), "checkpoint_ns": ""}
    if checkpoint and checkpoint.checkpoint_ns:
        where["checkpoint_ns"] = await _namespace(house, checkpoint.checkpoint_ns)
    if checkpoint and checkpoint.checkpoint_id:
        where["checkpoint_id"] = str(parse_id(checkpoint.checkpoint_id, "checkpoint"))
    return {"configurable": where}


async def _namespace(house: Opened, namespace: str) -> str:
    """That of a graph within the graph, such as `node:task`."""
    names = "|".join(part.partition(":")[0] for part in namespace.split("|"))
    async for _ in house["graph"].aget_subgraphs(namespace=names, recurse=True):
        return namespace
    raise NotFound(f"checkpoint_ns: there is no graph {namespace!r} within this one")


async def _exists(house: Opened, config: RunnableConfig) -> None:
    if (await house["graph"].aget_state(config)).created_at is None:
        raise _no_checkpoint(config)


def _no_checkpoint(config: RunnableConfig) -> NotFound:
    return NotFound(f"Checkpoint with ID {config['configurable']['checkpoint_id']} not found")
