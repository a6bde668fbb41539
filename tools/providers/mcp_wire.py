"""What stands between the MCP client and a server's HTTP: every request is answered, soundly and within bounds."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from typing import Any, Literal, cast, get_args

import httpx
from mcp.types import ErrorData, JSONRPCError, JSONRPCMessage, JSONRPCResponse
from pydantic import ValidationError

Trouble = Literal["down", "lost", "gone", "status", "rejected", "rubbish", "too_much", "slow"]
"""`down`: nothing was sent. `lost`: the connection broke off. `gone`: the session is over, nothing was done.
`status`: a server's error. `rejected`: not accepted. `rubbish`: no answer that means anything."""

CODE = -31_998  # of errors that are made here; outside of what JSON-RPC and MCP keep for themselves
SESSION = "mcp-session-id"
NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
OK, REDIRECT, BAD_REQUEST, NOT_FOUND, SERVER_ERROR = 200, 300, 400, 404, 500
END_OF_EVENT = re.compile(rb"\r\n\r\n|\n\n|\r\r")


class Guard(httpx.AsyncBaseTransport):
    """Answers each JSON-RPC request that went wrong with a JSON-RPC error of its own id, which `trouble_of` reads.

    The SDK's transport would end the whole connection over a bad status, and leave a request unanswered over a bad
    body. Redirects are not followed: the operator's address is the address. `doubt`: called where something shows that
    the connection may be of no more use. `max_bytes`: of one answer. `longest_s`: after which an answer that still
    grows is given up.
    """

    def __init__(
        self, inner: httpx.AsyncBaseTransport, *, max_bytes: int, longest_s: float, doubt: Callable[[], None]
    ) -> None:
        self._inner, self._max_bytes, self._longest_s, self._doubt = inner, max_bytes, longest_s, doubt

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            return await self._listening(request)
        if request.method != "POST":
            return await self._inner.handle_async_request(request)
        key = _id_of(request)
        if key is None:
            return await self._told(request)
        try:
            async with asyncio.timeout(self._longest_s):
                response = await self._inner.handle_async_request(request)
                return await self._answered(key, request, response)
        except NEVER_SENT as error:
            return self._error(key, "down", error)
        except (TimeoutError, httpx.TimeoutException) as error:
            return self._error(key, "slow", error)
        except httpx.TransportError as error:
            return self._error(key, "lost", error)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def _listening(self, request: httpx.Request) -> httpx.Response:
        """The stream of what a server says of its own accord: it may be silent for as long as it likes."""
        timeout = {**request.extensions.get("timeout", {}), "read": None}
        request.extensions = {**request.extensions, "timeout": timeout}
        response = await self._inner.handle_async_request(request)
        response.stream = _Lines(_stream(response), self._max_bytes)
        return response

    async def _told(self, request: httpx.Request) -> httpx.Response:
        """What needs no answer. A failure is kept from the SDK, which would give up the connection in the middle."""
        try:
            response = await self._inner.handle_async_request(request)
        except httpx.TransportError:
            self._doubt()
            return httpx.Response(202)
        await response.aclose()
        if response.status_code >= BAD_REQUEST:
            self._doubt()
        return httpx.Response(202)

    async def _answered(self, key: int, request: httpx.Request, response: httpx.Response) -> httpx.Response:
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if response.status_code == OK and kind == "text/event-stream" and _is_plain(response):
            response.stream = _Events(_stream(response), key, self)
            return response
        try:
            if response.status_code != OK:
                return self._error(key, _meaning(response.status_code, request), f"status {response.status_code}")
            if kind != "application/json" or not _is_plain(response):
                return self._error(key, "rubbish", f"content of type {kind[:80] or 'none'}")
            body = await self._read(response)
        finally:
            await response.aclose()
        if body is None:
            return self._error(key, "too_much", f"more than {self._max_bytes} bytes")
        if not _is_answer(message_of(body), key):
            return self._error(key, "rubbish", "no answer to the request")
        headers = [(name, value) for name, value in response.headers.items() if name == SESSION]
        return httpx.Response(OK, headers=[*headers, ("content-type", "application/json")], content=body)

    async def _read(self, response: httpx.Response) -> bytes | None:
        """None: it is too much."""
        body = bytearray()
        async for part in _stream(response):
            body += part
            if len(body) > self._max_bytes:
                return None
        return bytes(body)

    def _error(self, key: int, trouble: Trouble, why: object) -> httpx.Response:
        content = self.error(key, trouble, why)
        return httpx.Response(OK, headers={"content-type": "application/json"}, content=content)

    def error(self, key: int, trouble: Trouble, why: object) -> bytes:
        """A JSON-RPC error; `why` is for the log."""
        if trouble in ("down", "lost", "gone"):
            self._doubt()
        said = f"{type(why).__name__}: {why}" if isinstance(why, Exception) else str(why)
        told = ErrorData(code=CODE, message=said[:400], data={"trouble": trouble})
        return JSONRPCError(jsonrpc="2.0", id=key, error=told).model_dump_json(by_alias=True).encode()

    @property
    def max_bytes(self) -> int:
        return self._max_bytes

    @property
    def longest_s(self) -> float:
        return self._longest_s


class _Events(httpx.AsyncByteStream):
    """The events in which a server answers one request: whole ones only, and the answer, or an error in its place.

    Whoever reads stops at the answer; so who reads to the end has got none. A broken stream is not taken up again.
    """

    def __init__(self, stream: httpx.AsyncByteStream, key: int, guard: Guard) -> None:
        self._stream, self._key, self._guard = stream, key, guard

    async def __aiter__(self) -> AsyncIterator[bytes]:
        ends = asyncio.get_running_loop().time() + self._guard.longest_s
        parts, held, size = aiter(self._stream), bytearray(), 0
        while True:
            try:
                async with asyncio.timeout_at(ends):
                    part = await anext(parts)
            except (StopAsyncIteration, httpx.TransportError, TimeoutError) as error:
                slow = isinstance(error, TimeoutError | httpx.TimeoutException)
                yield self._instead("slow" if slow else "lost", error if str(error) else "the stream ended")
                return
            size += len(part)
            if size > self._guard.max_bytes:
                yield self._instead("too_much", f"more than {self._guard.max_bytes} bytes")
                return
            new = max(len(held) - 3, 0)
            held += part
            cut = max((match.end() for match in END_OF_EVENT.finditer(held, new)), default=0)
            if not cut:
                continue
            whole = bytes(held[:cut])
            del held[:cut]
            if not all(self._sound(event) for event in END_OF_EVENT.split(whole)):
                yield self._instead("rubbish", "an event that is no message")
                return
            yield whole

    async def aclose(self) -> None:
        await self._stream.aclose()

    def _sound(self, event: bytes) -> bool:
        lines = [line.removeprefix(b"data:") for line in event.splitlines() if line.startswith(b"data:")]
        data = b"\n".join(line.removeprefix(b" ") for line in lines)
        if not data:
            return True
        message = message_of(data)
        if message is None or not isinstance(message.root, JSONRPCResponse | JSONRPCError):
            return message is not None
        return _is_answer(message, self._key)

    def _instead(self, trouble: Trouble, why: object) -> bytes:
        return b"event: message\ndata: " + self._guard.error(self._key, trouble, why) + b"\n\n"


class _Lines(httpx.AsyncByteStream):
    """A stream without end, of which no line is too long."""

    def __init__(self, stream: httpx.AsyncByteStream, max_bytes: int) -> None:
        self._stream, self._max_bytes = stream, max_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for part in self._stream:
            size = size + len(part) if b"\n" not in part else len(part.rpartition(b"\n")[2])
            if size > self._max_bytes:
                raise httpx.ReadError("a line is over its bound")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


def trouble_of(error: ErrorData) -> Trouble | None:
    """What went wrong on the way; None: it is an error that the server gave."""
    data = error.data if error.code == CODE and isinstance(error.data, dict) else {}
    trouble = data.get("trouble")
    return trouble if trouble in get_args(Trouble) else None


def message_of(body: bytes) -> JSONRPCMessage | None:
    try:
        return JSONRPCMessage.model_validate_json(body)
    except ValidationError:
        return None


def _is_answer(message: JSONRPCMessage | None, key: int) -> bool:
    """An error that looks like one of ours is none."""
    root = message.root if message else None
    ours = isinstance(root, JSONRPCError) and root.error.code == CODE
    return isinstance(root, JSONRPCResponse | JSONRPCError) and str(root.id) == str(key) and not ours


def _meaning(status: int, request: httpx.Request) -> Trouble:
    if status == NOT_FOUND and SESSION in request.headers:
        return "gone"
    if status < REDIRECT:
        return "rubbish"
    return "status" if status >= SERVER_ERROR else "rejected"


def _id_of(request: httpx.Request) -> int | None:
    """The id of a request that waits for an answer."""
    sent: Any = json.loads(request.content)
    return cast("int", sent["id"]) if isinstance(sent, dict) and "method" in sent and "id" in sent else None


def _stream(response: httpx.Response) -> httpx.AsyncByteStream:
    return cast("httpx.AsyncByteStream", response.stream)


def _is_plain(response: httpx.Response) -> bool:
    """Not compressed: so little could become very much."""
    return response.headers.get("content-encoding", "identity").strip().lower() in ("", "identity")
