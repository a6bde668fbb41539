"""POST /stream: the same as /invoke, told while it happens, as server-sent events; GET /stream/{run_id} joins later."""

import json
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import Response, StreamingResponse
from fastapi.sse import format_sse_event

from api.asking import asked, headers
from api.dependencies import Caller, House, IdempotencyKey, LastEvent
from api.errors import Problem, refusal
from api.invoke import NEEDED, REFUSALS, Ask
from api.thread_bodies import parse_id
from errors import FrontdeskError
from graphs.events import Event
from graphs.run import BEAT_S, Run

router = APIRouter(tags=["desk"])
HEARTBEAT = format_sse_event(comment="heartbeat")
UNBUFFERED = {"X-Accel-Buffering": "no"}
DESCRIPTION = """The body is that of `/invoke`. Each event has an `id` that grows, and `thread_id` and `run_id`.

| event | data |
|---|---|
| `turn` | the ids, and `attempt`; the first one. A later one, with a higher `attempt`, means that the turn is begun \
again after its process was lost: what was told before it does not count |
| `decision` | one decision of the funnel: `level`, `value`, `source`, `confidence`, `reason`, of a model's \
the versions of its `prompts` |
| `tool_call` | `phase` `started` with `id`, `tool`, `arguments`; `finished` with `status`, `summary` … as well |
| `token` | `content`, a piece of the answer, `status` `REPLYING`, `message_id` |
| `card` | `content`, `type`, `design`, `data`, `status` `COMPLETED` |
| `confirmation` | what waits for a yes, as in `interrupt` of the result |
| `result` | the last one: what `/invoke` answers |
| `error` | the last one where there is no result: `detail` |

A comment comes every 5 seconds. A client that leaves stops nothing, and can join again under the address in the header
`Location`."""
JOIN = """What `POST /stream` tells of this run, from any process: what was told before, as far as it is kept, then
what comes, to the result. Of a run that is over, the rest and the result. Where several processes serve without Redis,
only the result of a run that another one plays."""
EXAMPLE = (
    'event: turn\ndata: {"thread_id":"…","run_id":"…"}\nid: 1\n\n'
    'event: token\ndata: {"thread_id":"…","run_id":"…","content":"今天","status":"REPLYING"}\nid: 2\n\n'
)
STREAM = {"description": "Events", "content": {"text/event-stream": {"example": EXAMPLE}}}


@router.post(
    "/stream",
    summary="Ask the desk and watch it work",
    description=DESCRIPTION,
    response_class=StreamingResponse,
    responses={200: STREAM, **REFUSALS},
    openapi_extra=NEEDED,
)
async def stream(ask: Ask, house: House, caller: Caller, key: IdempotencyKey) -> Response:
    # Started before the stream is opened: what is refused gets its own status.
    return _streaming(await house["runner"].start(await asked(ask, house, caller, key, tokens=True)))


@router.get(
    "/stream/{run_id}",
    summary="Watch a run that was begun before",
    description=JOIN,
    response_class=StreamingResponse,
    responses={200: STREAM, 404: {"model": Problem, "description": "There is no such run for this caller"}},
)
async def join(
    run_id: Annotated[str, Path(description="a UUID")], house: House, caller: Caller, after: LastEvent
) -> Response:
    return _streaming(await house["runner"].follow(parse_id(run_id, "run"), caller), after)


def _streaming(run: Run, after: int = 0) -> Response:
    about = {**headers(run.thread_id, run.run_id), **UNBUFFERED}
    return StreamingResponse(told(run, after), headers=about, media_type="text/event-stream")


async def told(run: Run, after: int = 0, *, beat_s: float = BEAT_S) -> AsyncIterator[bytes]:
    async for event in run.events(after, beat_s=beat_s):
        yield HEARTBEAT if event is None else frame(event)


def frame(event: Event) -> bytes:
    data = event.data
    if event.kind == "error":
        data = {**data, "detail": refusal(event.cause or FrontdeskError())[1]}
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return format_sse_event(event=event.kind, data_str=text, id=str(event.id))
