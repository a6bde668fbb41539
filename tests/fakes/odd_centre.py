"""A function centre that answers what a test says, byte for byte, however odd; on a real socket."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

Writer = asyncio.StreamWriter
Answering = Callable[[Writer], Awaitable[None]]


@dataclass(frozen=True, kw_only=True)
class Seen:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(kw_only=True)
class OddCentre:
    """`answer`: to every request, raw bytes or what writes them; the connection is closed after it."""

    url: str = ""
    answer: bytes | Answering = b""
    seen: list[Seen] = field(default_factory=list)
    _open: set[asyncio.Task[None]] = field(default_factory=set)

    @asynccontextmanager
    async def listening(self) -> AsyncIterator["OddCentre"]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        try:
            yield self
        finally:
            server.close()
            for connection in self._open:
                connection.cancel()
            await asyncio.gather(*self._open, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: Writer) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                await self._answered(reader, writer)
        except asyncio.CancelledError:
            pass  # the test is over
        finally:
            writer.close()
            self._open.discard(task)

    async def _answered(self, reader: asyncio.StreamReader, writer: Writer) -> None:
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        method, path, _ = first.split(" ")
        self.seen.append(Seen(method=method, path=path, headers=headers, body=body))
        if callable(self.answer):
            await self.answer(writer)
        else:
            writer.write(self.answer)
            await writer.drain()


def http(body: bytes | str, *, status: str = "200 OK", kind: str = "application/json", **headers: str) -> bytes:
    """An answer as bytes. `headers`: more of them, with underscores for dashes."""
    sent = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status}", f"content-type: {kind}", f"content-length: {len(sent)}", "connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + sent


def done(**fields: Any) -> bytes:
    return http(json.dumps({"outcome": "done", "content": "ok", **fields}))
