"""Keeps web pages of strangers from acting in the name of whoever has their browser open."""

from collections.abc import Collection
from urllib.parse import urlsplit

from fastapi.responses import JSONResponse
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

READING = {"GET", "HEAD", "OPTIONS"}


class KnownOrigins:
    """An ASGI middleware: 403 for a request that changes something from a page that is neither ours nor allowed.

    CORS alone does not stop it: a body of text/plain, which we accept, is sent without a preflight.
    """

    def __init__(self, app: ASGIApp, allowed: Collection[str]) -> None:
        self._app = app
        self._allowed = frozenset(allowed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] not in READING:
            headers = Headers(scope=scope)
            origin = headers.get("origin")
            if origin and not self._knows(origin, headers.get("host", "")):
                detail = "pages of this origin may not use the desk; CORS_ORIGINS names those that may"
                await JSONResponse({"detail": detail}, 403)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _knows(self, origin: str, host: str) -> bool:
        return "*" in self._allowed or origin in self._allowed or urlsplit(origin).netloc == host
