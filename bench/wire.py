"""A small HTTP client over kept connections, so that what is measured is the server and not the client."""

import asyncio
import json
import time
from typing import Any

IDLE_S = 2.0  # the server closes a connection that rests for five


class Connection:
    """A kept connection to a server on 127.0.0.1, one request at a time."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._used = 0.0

    async def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    async def ready(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """The streams, of a new connection if the old one rested too long."""
        if time.monotonic() - self._used > IDLE_S:
            await self.close()
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        self._used = time.monotonic()
        return self._streams

    async def invoke(self, message: str) -> float:
        """Seconds until the whole answer was there."""
        return (await self.ask(message))[0]

    async def ask(self, message: str) -> tuple[float, dict[str, Any]]:
        """The seconds, and the answer."""
        reader, writer = await self.ready()
        began = time.perf_counter()
        headers = await self._send(reader, writer, "/invoke", message)
        body = await reader.readexactly(int(headers["content-length"]))
        taken = time.perf_counter() - began
        answer: dict[str, Any] = json.loads(body)
        if answer["status"] != "completed":
            raise RuntimeError(f"not completed: {body.decode()}")
        return taken, answer

    async def stream(self, message: str) -> float:
        """Seconds until the first event was there; the others are read to their end."""
        reader, writer = await self.ready()
        began = time.perf_counter()
        headers = await self._send(reader, writer, "/stream", message)
        if headers.get("transfer-encoding") != "chunked":
            raise RuntimeError(f"not a stream: {headers}")
        first, text = None, b""
        while piece := await _chunk(reader):
            text += piece
            if first is None and b"event:" in text and b"\n\n" in text.replace(b"\r\n", b"\n"):
                first = time.perf_counter() - began
        if first is None or b"event: result" not in text:
            raise RuntimeError(f"no result: {text.decode()}")
        return first

    async def _send(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, message: str
    ) -> dict[str, str]:
        """The answer's headers, names in lower case."""
        body = json.dumps({"message": message}).encode()
        fields = ("host: desk", "content-type: application/json", f"content-length: {len(body)}", "", "")
        writer.write("\r\n".join([f"POST {path} HTTP/1.1", *fields]).encode() + body)
        status, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
        self._used = time.monotonic()
        if " 200 " not in status + " ":
            raise RuntimeError(f"{path}: {status}")
        return {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}


async def _chunk(reader: asyncio.StreamReader) -> bytes:
    """Empty at the end of the body."""
    size = int(await reader.readuntil(b"\r\n"), 16)
    return (await reader.readexactly(size + 2))[:-2]
