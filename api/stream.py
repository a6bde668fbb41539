"""POST /stream: the same as /invoke, told while it happens, as server-sent events."""

import json
from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response, StreamingResponse
from fastapi.sse import format_sse_event

from api.asking import asked, headers
from api.dependencies import Caller, House
from api.errors import refusal
from api.invoke import REFUSALS, Ask
from graphs.run import Run

router = APIRouter(tags=["desk"])
HEARTBEAT_S = 5.0
HEARTBEAT = format_sse_event(comment="heartbeat")
UNBUFFERED = {"X-Accel-Buffering": "no"}
DESCRIPTION = """The body is that of `/invoke`. Each event has an `id` that grows by one, and `thread_id` and `run_id`.

| event | data |
|---|---|
| `turn` | the ids; always the first |
| `decision` | one decision of the funnel: `level`, `value`, `source`, `confidence`, `reason` |
| `tool_call` | `phase` `started` with `id`, `tool`, `arguments`; `finished` with `status`, `summary` … as well |
| `token` | `content`, a piece of the answer, `status` `REPLYING`, `message_id` |
| `card` | `content`, `type`, `design`, `data`, `status` `COMPLETED` |
| `confirmation` | what waits for a yes, as in `interrupt` of the result |
| `result` | the last one: what `/invoke` answers |
| `error` | the last one where there is no result: `detail` |

A comment comes every 5 seconds. A client that leaves stops nothing."""
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
)
async def stream(ask: Ask, house: House, caller: Caller) -> Response:
    # Started before the stream is opened: what is refused gets its own status.
    run = await house["runner"].start(asked(ask, house, caller))
    about = {**headers(run.thread_id, run.run_id), **UNBUFFERED}
    return StreamingResponse(told(run), headers=about, media_type="text/event-stream")


async def told(run: Run, *, heartbeat_s: float = HEARTBEAT_S) -> AsyncIterator[bytes]:
    last = 0
    while True:
        events = await run.after(last, wait_s=heartbeat_s)
        if events:
            yield b"".join(frame(event.kind, event.data, event.id) for event in events)
            last = events[-1].id
        elif not run.over:
            yield HEARTBEAT
        else:
            break
    if run.error is not None:
        ids = {"thread_id": run.thread_id, "run_id": run.run_id}
        yield frame("error", {**ids, "detail": refusal(run.error)[1]}, last + 1)


def frame(event: str, data: dict[str, Any], number: int) -> bytes:
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return format_sse_event(event=event, data_str=text, id=str(number))
