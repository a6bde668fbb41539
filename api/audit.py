"""GET /audit: which calls were made or refused in the caller's tenant, by whom, and what they came to."""

import logging
import re
from datetime import datetime
from typing import Annotated, Any, get_args
from uuid import UUID
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from typing_extensions import TypedDict

from api.dependencies import Caller, House
from api.errors import Problem
from api.paging import next_page
from api.snapshots import utc
from api.thread_examples import answered
from auth.principal import Principal
from checkpoints.audit import Recorded, Wanted
from checkpoints.threads import parse_thread_id
from errors import Forbidden
from tools.permission import holds
from tools.tool import Status

logger = logging.getLogger(__name__)
router = APIRouter(tags=["desk"])
Json = dict[str, Any]

PERMISSION = "audit"
MOST = 500
# A + that was not encoded in an address arrives as a space.
SPACED_ZONE = re.compile(r"(T[\d:.]+) (\d\d:?\d\d)$")
FORBIDDEN: dict[int | str, dict[str, Any]] = {
    403: {"model": Problem, "description": f"The caller's roles do not have the permission `{PERMISSION}`"}
}
EXAMPLE: Json = {
    "id": "01939e5c-7a00-7000-8000-000000000001",
    "at": "2026-11-30T02:00:00.123000+00:00",
    "user": "alex",
    "roles": ["operator"],
    "thread_id": "0199c0de-7a00-7000-8000-000000000001",
    "turn_id": "0199c0de-7a01-7000-8000-000000000002",
    "run_id": "0199c0de-7a02-7000-8000-000000000003",
    "call_id": "0199c0de-7a01-7000-8000-000000000002-0",
    "undoes": None,
    "agent": "business",
    "tool": "update_order_status",
    "arguments": {"order_no": "20261130001", "status": "shipped"},
    "result": "订单 20261130001 已改为已发货。",
    "source": "keyword",
    "outcome": "done",
    "reason": "",
    "confirmation": {
        "asked": {"order_no": "20261130001", "status": "shipped"}, "answer": "approve", "by": "alex",
    },
    "elapsed_ms": 4.2,
}  # fmt: skip


class ShownCall(TypedDict):
    """One call. `at`: when it ended. `source`: who decided it. `outcome`: `awaiting` where a yes was asked for; what
    became of it is a row of its own with the same `call_id`. `undoes`: the `call_id` of the call that this one was made
    to undo. `confirmation`: what was asked, how it was answered
    (approve, edit, reject, expired, passed_over) and by whom; null where nothing was asked. Secrets and phone numbers
    are masked. Of a deleted thread the arguments, the result and the ids are null.
    """

    id: str
    at: str
    user: str
    roles: list[str]
    thread_id: str | None
    turn_id: str | None
    run_id: str | None
    call_id: str | None
    undoes: str | None
    agent: str
    tool: str
    arguments: Json | None
    result: str | None
    source: str
    outcome: str
    reason: str
    confirmation: Json | None
    elapsed_ms: float


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("must not contain NUL")
    return text


def _known_outcome(text: str) -> str:
    if text not in get_args(Status):
        raise ValueError(f"must be one of {', '.join(get_args(Status))}")
    return text


def _with_plus(value: object) -> object:
    return SPACED_ZONE.sub(r"\1+\2", value) if isinstance(value, str) else value


Name = Annotated[str, Field(max_length=200), AfterValidator(_without_nul)]
Moment = Annotated[datetime, BeforeValidator(_with_plus)]


class AuditQuery(BaseModel):
    """A parameter that it does not know is a slip of the pen, and refused: it would show what was not asked for."""

    model_config = ConfigDict(extra="forbid")

    since: Moment | None = Field(default=None, alias="from", description="From this time; a day is its first moment")
    until: Moment | None = Field(default=None, alias="to", description="Before this time; in the tenant's zone")
    tool: Name | None = None
    user: Name | None = None
    thread: Name | None = Field(default=None, description="A thread's id")
    outcome: Annotated[str, AfterValidator(_known_outcome)] | None = None
    limit: int = Field(default=50, ge=1, le=MOST)
    before: UUID | None = Field(default=None, description="The id of a row: only older ones come")


@router.get(
    "/audit",
    summary="The calls of the caller's tenant, the newest first",
    response_model=list[ShownCall],
    responses={**FORBIDDEN, **answered([EXAMPLE])},
)
async def audit(house: House, caller: Caller, query: Annotated[AuditQuery, Query()]) -> Response:
    """Needs the permission `audit`. `X-Pagination-Next`, where it is there, is the `before` of the next page."""
    _permit(caller)
    zone = ZoneInfo(house["catalogue"].tenants[caller.tenant].time_zone)
    wanted = Wanted(
        tenant=caller.tenant,
        since=_aware(query.since, zone),
        until=_aware(query.until, zone),
        tool=query.tool,
        user=query.user,
        thread_id=None if query.thread is None else str(parse_thread_id(query.thread)),
        outcome=query.outcome,
    )
    found = await house["audit"].find(wanted, before=query.before, limit=query.limit + 1)
    shown = found[: query.limit]
    more = next_page(shown[-1].id if len(found) > len(shown) else None)
    return JSONResponse([_shown(row) for row in shown], headers=more)


def _permit(caller: Principal) -> None:
    if not holds(caller, PERMISSION):
        logger.warning("%s/%s may not read the audit", caller.tenant, caller.user)
        roles = ", ".join(caller.roles) or "none"
        raise Forbidden(f"The permission {PERMISSION!r} is missing; your roles are: {roles}")


def _aware(moment: datetime | None, zone: ZoneInfo) -> datetime | None:
    if moment is None or moment.tzinfo is not None:
        return moment
    return moment.replace(tzinfo=zone)


def _shown(row: Recorded) -> ShownCall:
    return ShownCall(
        id=str(row.id),
        at=utc(row.at),
        user=row.user_id,
        roles=row.roles,
        thread_id=row.thread_id,
        turn_id=row.turn_id,
        run_id=row.run_id,
        call_id=row.call_id,
        undoes=row.undoes,
        agent=row.agent,
        tool=row.tool,
        arguments=row.arguments,
        result=row.result,
        source=row.source,
        outcome=row.outcome,
        reason=row.reason,
        confirmation=row.confirmation,
        elapsed_ms=row.elapsed_ms,
    )
