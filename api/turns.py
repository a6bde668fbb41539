"""GET /threads/{id}/turns: the transcript, each question with its answer and what was done in between."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from typing_extensions import TypedDict

from api.dependencies import House, OwnThread
from api.paging import next_page
from api.snapshots import utc
from api.thread_bodies import Limit, Offset
from api.thread_examples import TURN_EXAMPLE, answered
from api.threads import NOT_FOUND
from checkpoints.ledger import Effect, LedgerStore
from checkpoints.run import Run, RunStatus
from graphs.turn_result import NOTHING_USED
from tools.ledger import effect_key

router = APIRouter(prefix="/threads/{thread_id}", tags=["threads"], responses=NOT_FOUND)
Json = dict[str, Any]
TurnState = Literal["pending", "running", "completed", "interrupted", "failed"]


class ShownRun(TypedDict):
    """One run of a turn: the question's, or that of an answer to what the turn asked for a yes.

    `message`: the question, or an answer in plain words; `resume`: an answer of decisions. `attempt`: how often it was
    begun; more than once where a process was lost.
    """

    run_id: str
    status: RunStatus
    message: str | None
    resume: Json | None
    error: Json | None
    attempt: int
    created_at: str
    started_at: str | None
    finished_at: str | None


class ShownTurn(TypedDict):
    """`question` and what follows it are null or empty where the transcript was pruned, or is still to be written.

    `status`: `interrupted` where the turn waits, or waited to the last, for a yes. `calls`: with `confirmation`, what
    the caller decided about each; one whose end was unknown when the turn ended, and is known now, has it, with
    `settled_by` where an operator found it out. `agents`: each one's hash, by which a later change of it can be told.
    `clock`: what counted as now. `elapsed_ms`: of all runs together, without the time that the turn waited.
    """

    turn_id: str
    status: TurnState
    question: str | None
    answer: str | None
    locale: str | None
    requests: list[Json]
    decisions: list[Json]
    calls: list[Json]
    interrupt: Json | None
    usage: Json
    model: str | None
    agents: Json
    clock: str | None
    time_zone: str | None
    runs: list[ShownRun]
    created_at: str
    finished_at: str | None
    elapsed_ms: float


@router.get(
    "/turns",
    summary="The transcript of a thread, the oldest turn first",
    response_model=list[ShownTurn],
    responses=answered([TURN_EXAMPLE]),
)
async def turns(own: OwnThread, house: House, limit: Limit = 20, offset: Offset = 0) -> Response:
    """`X-Pagination-Next` says where the next page begins, if there is one."""
    found = await house["runs"].turns_of(own.thread_id, own.tenant_id, own.user_id, limit=limit + 1, offset=offset)
    more = next_page(offset + limit if len(found) > limit else None)
    shown = [shown_turn(runs) for runs in found[:limit]]
    return JSONResponse(await _with_later_ends(shown, house["ledger"], own.tenant_id), headers=more)


async def _with_later_ends(turns: Sequence[ShownTurn], ledger: LedgerStore, tenant: str) -> list[Json]:
    """With what the ledger learnt meanwhile of calls whose end was unknown when their turn ended."""
    unknown = [(turn["turn_id"], call) for turn in turns for call in turn["calls"] if call["status"] == "unknown"]
    rows: list[Effect] = []
    if unknown:
        keys = [_key(turn_id, call) for turn_id, call in unknown]
        rows = await ledger.settled(tenant, [row_id for _, call in unknown if (row_id := _row_id(call))], keys)
    by_id, by_key = {row.id: row for row in rows}, {row.effect_key: row for row in rows}
    return [
        {**turn, "calls": [_later(call, turn["turn_id"], by_id, by_key) for call in turn["calls"]]} for turn in turns
    ]


def _later(call: Json, turn_id: str, by_id: Mapping[int, Effect], by_key: Mapping[str, Effect]) -> Json:
    row = None
    if call["status"] == "unknown":
        # By its number first: what was in the way of the call may have been another turn's.
        row = by_id.get(_row_id(call)) or by_key.get(_key(turn_id, call))
    if row is None:
        return {**call, "settled_by": None}
    record = row.result or {}
    told = {
        "status": record.get("status") or row.status,
        "content": record.get("summary") or call["content"],
        "data": record.get("data") or call["data"],
        "card": record.get("card") or call["card"],
    }
    return {**call, **told, "settled_by": row.settled_by}


def _row_id(call: Json) -> int:
    """0: nothing is known of a row."""
    noted = (call["data"] or {}).get("ledger_id")
    return noted if isinstance(noted, int) else 0


def _key(turn_id: str, call: Json) -> str:
    return effect_key(turn_id, call["tool"], call["arguments"])


def shown_turn(runs: Sequence[Run]) -> ShownTurn:
    """`runs`: all of one turn, in their order. The last one that came to something knows all that was done."""
    first, last = runs[0], runs[-1]
    told: Json = next((run.transcript for run in reversed(runs) if run.transcript), {})
    question = next((run.input["message"] for run in runs if run.input.get("message") is not None), None)
    return ShownTurn(
        turn_id=first.turn_id,
        status=_status(last, told),
        question=question,
        answer=told.get("answer"),
        locale=told.get("locale") or first.context.get("locale"),
        requests=told.get("requests", []),
        decisions=told.get("decisions", []),
        calls=told.get("calls", []),
        interrupt=told.get("interrupt"),
        usage=told.get("usage") or {**NOTHING_USED},
        model=told.get("model"),
        agents=told.get("agents", {}),
        clock=told.get("clock") or first.context.get("clock"),
        time_zone=told.get("time_zone") or first.context.get("time_zone"),
        runs=[_run(run) for run in runs],
        created_at=utc(first.created_at),
        finished_at=utc(last.finished_at) if last.finished_at else None,
        elapsed_ms=sum((run.result or {}).get("elapsed_ms", 0.0) for run in runs),
    )


def _status(last: Run, told: Json) -> TurnState:
    if last.status in ("pending", "running"):
        return "pending" if last.status == "pending" else "running"
    known: TurnState | None = told.get("status")
    return known or ("completed" if last.status == "success" else "failed")


def _run(run: Run) -> ShownRun:
    return ShownRun(
        run_id=str(run.run_id),
        status=run.status,
        message=run.input.get("message"),
        resume=run.input.get("resume"),
        error=run.error,
        attempt=run.attempt,
        created_at=utc(run.created_at),
        started_at=utc(run.started_at) if run.started_at else None,
        finished_at=utc(run.finished_at) if run.finished_at else None,
    )
