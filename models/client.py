"""The HTTP client that all models share: bounded in connections, and in what one answer may weigh."""

from collections.abc import AsyncIterator
from typing import Any

import httpx

MAX_BYTES = 8_000_000
CONNECT_S = 5.0


class TooLong(httpx.ReadError):
    """The body of an answer is over its bound."""


class BoundedClient(httpx.AsyncClient):
    """`max_bytes`: of one body, as it comes over the wire; reading on raises TooLong."""

    def __init__(self, *, max_bytes: int = MAX_BYTES, **options: Any) -> None:
        super().__init__(**options)
        self._max_bytes = max_bytes

    async def send(self, request: httpx.Request, *, stream: bool = False, **options: Any) -> httpx.Response:
        response = await super().send(request, stream=True, **options)
        if isinstance(response.stream, httpx.AsyncByteStream):
            response.stream = _Bounded(response.stream, self._max_bytes)
        if not stream:
            try:
                await response.aread()
            finally:
                await response.aclose()
        return response


class _Bounded(httpx.AsyncByteStream):
    def __init__(self, stream: httpx.AsyncByteStream, max_bytes: int) -> None:
        self._stream, self._left = stream, max_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            self._left -= len(part)
            if self._left < 0:
                raise TooLong("the body is over its bound")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


def open_client() -> BoundedClient:
    """For `async with` in the composition root. Each call brings its own time limit."""
    limits = httpx.Limits(max_connections=200, max_keepalive_connections=50)
    return BoundedClient(limits=limits, timeout=httpx.Timeout(60, connect=CONNECT_S))
