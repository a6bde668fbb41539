"""POST /threads/{id}/replay: recorded turns once more, as they were or under other conditions, and what differs."""

import json
from typing import Annotated, Any

from fastapi import APIRouter, Body
from fastapi.responses import JSONResponse, Response
from pydantic import ConfigDict, Field

from api import schemas
from api.dependencies import House, OwnThread
from api.errors import Problem
from graphs.replay import MOST_TURNS, Replay
from graphs.span import Span

PATIENCE_S = 60.0
router = APIRouter(prefix="/threads", tags=["threads"])
TurnName = Annotated[int, Field(ge=1, le=2**31 - 1)] | Annotated[str, Field(min_length=1, max_length=200)]
REFUSALS: dict[int | str, dict[str, Any]] = {
    404: {"model": Problem, "description": "There is no such thread for this caller, or not this turn or checkpoint"},
    409: {"model": Problem, "description": "The thread is in the middle of a run"},
}
DESCRIPTION = f"""The turns run in a thread of their own, `replay_thread_id`, with the clock, the time zone, the caller
and the roles of then. Tools are not called: calls get the results of then, and one that was not made then is
`not_executed`. Questions for a yes get the answers of then; where a turn would ask for something else, it stops there
and is `interrupted`. Models are asked again.

`changed` says whether a turn came out otherwise in anything but tokens. At most {MOST_TURNS} turns a call, and none is
begun after {PATIENCE_S:.0f} seconds; where the thread has more, `next_turn` is where to go on. The replay goes when its
source is deleted."""
EXAMPLES: dict[str, Any] = {
    "from a turn": {"summary": "From the fifth turn to the end", "value": {"turn": 5}},
    "one turn": {"summary": "The fifth turn with another model", "value": {"turn": 5, "until": 5, "model": "default"}},
    "from a checkpoint": {
        "summary": "From one step of a turn on",
        "value": {"checkpoint_id": "1f0cdd6a-6f3e-6a30-8001-0f4c6d2f1a7b"},
    },
    "another definition": {
        "summary": "With another definition of an agent, as YAML or as JSON",
        "value": {"agent": "name: business\ntitle: {zh: 业务助手, en: Business desk}\n..."},
    },
}


class ReplayBody(schemas.Body):
    """From `turn` or `checkpoint_id`, else from the first turn; to `until`, else to the end.

    A turn is named by its number in the thread, from 1 as in its transcript, or by the id of its message. `agent`: a
    whole definition, as a file of config/agents/ has it; it takes the place of the agent of that name.
    """

    model_config = ConfigDict(strict=True, extra="forbid")

    turn: TurnName | None = None
    checkpoint_id: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    until: TurnName | None = None
    model: str | None = Field(default=None, description="A name of config/models.yaml")
    agent: str | dict[str, Any] | None = Field(default=None, description="YAML text, or the same as JSON")


Wanted = Annotated[ReplayBody | None, Body(openapi_examples=EXAMPLES)]


@router.post(
    "/{thread_id}/replay",
    summary="Replay turns of a thread and see what would be otherwise",
    description=DESCRIPTION,
    response_model=Replay,
    responses=REFUSALS,
)
async def replay(own: OwnThread, house: House, wanted: Wanted = None) -> Response:
    asked, replays = wanted or ReplayBody(), house["replays"]
    agent = json.dumps(asked.agent, ensure_ascii=False) if isinstance(asked.agent, dict) else asked.agent
    ground = await replays.ground(model=asked.model, agent=agent)
    span = Span(turn=asked.turn, checkpoint_id=asked.checkpoint_id, until=asked.until)
    return JSONResponse(await replays.replay(own, span, ground, patience_s=PATIENCE_S))
