"""`/mcp`: the caller's tools over the Model Context Protocol, under the same identity as everywhere."""

import json

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send
from structlog.contextvars import get_contextvars

from api.body import again
from api.dependencies import Caller, House
from api.mcp_endpoint import SESSION_ID, McpEndpoint, Visit

router = APIRouter()
NO_STREAM = "without a session there is nothing to listen to or to end; send messages with POST"


@router.api_route("/mcp", methods=["GET", "POST", "DELETE"], include_in_schema=False)
async def mcp(request: Request, house: House, caller: Caller) -> Response:
    if request.method != "POST" and SESSION_ID not in request.headers:
        return JSONResponse({"detail": NO_STREAM}, 405, headers={"Allow": "POST"})
    body = await request.body() if request.method == "POST" else None
    visit = Visit(principal=caller, request_id=get_contextvars().get("request_id"))
    return _Served(house["mcp"], visit, body)


class _Served(Response):
    """An answer that the SDK gives."""

    def __init__(self, endpoint: McpEndpoint, visit: Visit, body: bytes | None) -> None:
        super().__init__()
        self._endpoint, self._visit, self._given = endpoint, visit, body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        message = json.loads(self._given) if self._given else None
        given = receive if self._given is None else again(self._given, receive)
        await self._endpoint.serve(scope, given, send, self._visit, message)
