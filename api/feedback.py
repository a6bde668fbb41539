"""POST /threads/{id}/runs/{id}/feedback: what the user thought of an answer."""

from typing import Annotated, Any

from fastapi import APIRouter, Body
from fastapi.responses import JSONResponse, Response
from pydantic import Field
from typing_extensions import TypedDict

from api.dependencies import Caller, House
from api.errors import Problem
from api.runs import InPlace
from api.schemas import Exact
from api.snapshots import utc
from api.thread_examples import ENDED, RUN_ID, answered
from api.threads import NOT_FOUND
from checkpoints.feedback import Verdict

router = APIRouter(prefix="/threads/{thread_id}/runs/{run_id}", tags=["runs"], responses=NOT_FOUND)
LONGEST = 2000
EXAMPLES: dict[str, Any] = {
    "good": {"summary": "A good answer", "value": {"verdict": "up"}},
    "bad": {"summary": "A bad one, and why", "value": {"verdict": "down", "comment": "我要的是上周"}},
}
EXAMPLE = {"run_id": RUN_ID, "verdict": "down", "comment": "我要的是上周", "created_at": ENDED, "updated_at": ENDED}


class FeedbackBody(Exact):
    """A verdict, and why."""

    verdict: Verdict
    comment: Annotated[str, Field(max_length=LONGEST)] | None = None


class ShownFeedback(TypedDict):
    run_id: str
    verdict: Verdict
    comment: str | None
    created_at: str
    updated_at: str


@router.post(
    "/feedback",
    summary="Say whether an answer was good",
    response_model=ShownFeedback,
    responses={**answered(EXAMPLE), 409: {"model": Problem, "description": "The run is not over yet"}},
)
async def feedback(
    body: Annotated[FeedbackBody, Body(openapi_examples=EXAMPLES)], where: InPlace, house: House, caller: Caller
) -> Response:
    """Of a run of one's own that is over. Given again, it takes the place of the first verdict."""
    given = await house["feedback"].give(
        where.run_id, where.thread_id, caller.tenant, caller.user, verdict=body.verdict, comment=body.comment
    )
    shown = ShownFeedback(
        run_id=str(given.run_id),
        verdict=given.verdict,
        comment=given.comment,
        created_at=utc(given.created_at),
        updated_at=utc(given.updated_at),
    )
    return JSONResponse(shown)
