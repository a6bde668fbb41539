"""POST /invoke: one message or one resume, and its whole answer."""

from typing import Annotated, Any

from fastapi import APIRouter, Body
from fastapi.responses import JSONResponse, Response

from api.asking import asked, headers
from api.dependencies import Caller, House, IdempotencyKey
from api.errors import Problem
from api.schemas import ASK_EXAMPLES, PERIODS, RESULT_EXAMPLE, AskBody
from graphs.turn_result import TurnResult

router = APIRouter(tags=["desk"])
Ask = Annotated[AskBody, Body(openapi_examples=ASK_EXAMPLES, default_factory=AskBody)]
NEEDED: dict[str, Any] = {"requestBody": {"required": True}}
REFUSALS: dict[int | str, dict[str, Any]] = {
    404: {"model": Problem, "description": "There is no such thread for this caller"},
    409: {"model": Problem, "description": "Nothing waits for this answer, or no longer; or the thread is busy"},
    413: {"model": Problem, "description": "A message over 64 kB, or a body over 1 MB"},
}
TURN = {"description": "What the turn came to", "content": {"application/json": {"example": RESULT_EXAMPLE}}}
DESCRIPTION = (
    "A turn that fails is a 200 with `status: failed`; other statuses are for requests that made no run. Only where "
    "the database goes away or the desk shuts down in the middle of a turn, it is a 503: the turn is finished later, "
    "and the same `Idempotency-Key` gets its answer then.\n\n"
    "`entities.period.name` is one of: " + PERIODS + ". `start` and `end` are days, both included."
)


@router.post(
    "/invoke",
    summary="Ask the desk, or answer its question for a yes",
    description=DESCRIPTION,
    response_model=TurnResult,
    responses={200: TURN, **REFUSALS},
    openapi_extra=NEEDED,
)
async def invoke(ask: Ask, house: House, caller: Caller, key: IdempotencyKey) -> Response:
    run = await house["runner"].start(await asked(ask, house, caller, key))
    result = await run.result()
    return JSONResponse(result, headers=headers(run.thread_id, run.run_id))
