"""A server that speaks just enough MCP to be connected, and answers calls of a tool as a test says."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
Receive = Callable[[], Awaitable[Message]]
Answer = Callable[[Any, Send], Awaitable[None]]
JSON, SSE = "application/json", "text/event-stream"
TELL = ({"name": "tell", "inputSchema": {"type": "object"}},)


@dataclass(kw_only=True)
class Liar:
    """`answer`: what is sent for a call, given its id. `calls`: how many there were. `url`: set while it listens."""

    answer: Answer
    url: str = ""
    calls: int = 0
    tools: list[Any] = field(default_factory=lambda: list(TELL))

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        body = b""
        while (message := await receive())["type"] == "http.request":
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        if scope["method"] != "POST":
            await whole(send, 405, "text/plain", b"no")
            return
        asked = json.loads(body)
        match asked["method"]:
            case "initialize":
                server = {"name": "liar", "version": "1"}
                result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": server}
                await whole(send, 200, JSON, reply(asked["id"], result))
            case "tools/list":
                await whole(send, 200, JSON, reply(asked["id"], {"tools": self.tools}))
            case "tools/call":
                self.calls += 1
                await self.answer(asked["id"], send)
            case _:
                await whole(send, 202, JSON, b"")

    @asynccontextmanager
    async def listening(self) -> AsyncIterator["Liar"]:
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        config = uvicorn.Config(
            self, interface="asgi3", lifespan="off", log_config=None, log_level="critical", timeout_graceful_shutdown=1
        )
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        while not server.started and not serving.done():  # noqa: ASYNC110  uvicorn tells it in no other way
            await asyncio.sleep(0.01)
        try:
            yield self
        finally:
            server.should_exit = True
            await serving


def reply(key: Any, result: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": key, "result": result}).encode()


def text(words: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": words}]}


def event(data: bytes) -> bytes:
    return b"event: message\ndata: " + data + b"\n\n"


async def whole(send: Send, status: int, kind: str, body: bytes, **headers: str) -> None:
    await begin(send, status, kind, **headers)
    await send({"type": "http.response.body", "body": body})


async def begin(send: Send, status: int, kind: str, **headers: str) -> None:
    named = {"content-type": kind, **headers}
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in named.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
