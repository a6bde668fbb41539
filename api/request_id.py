"""Gives each request an id, in its answer and on every line of the log."""

import re
from uuid import uuid4

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.contextvars import bound_contextvars

HEADER = "x-request-id"
USABLE = re.compile(r"[A-Za-z0-9._:-]{1,128}")


class RequestId:
    """An ASGI middleware. A caller's own X-Request-Id is kept if it is a plain token."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get(HEADER, "")
        request_id = given if USABLE.fullmatch(given) else uuid4().hex

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[HEADER] = request_id
            await send(message)

        with bound_contextvars(request_id=request_id):
            await self._app(scope, receive, send_with_id)
