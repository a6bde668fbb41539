"""The whole desk in this process: the real app, over a real database, asked through ASGI or a real socket."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI
from pydantic import SecretStr
from starlette.types import Receive, Scope, Send

from api.dependencies import Opened
from config.settings import Settings
from server import create_app

Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Desk:
    """`opened`: what the lifespan yielded, where the app runs in this process."""

    http: httpx.AsyncClient
    opened: Opened

    async def ask(self, message: str, **more: Any) -> Json:
        answer = await self.http.post("/invoke", json={"message": message, **more})
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    async def resume(self, waiting: Json, *decisions: Json) -> httpx.Response:
        given = {"interrupt_id": waiting["interrupt"]["id"], "decisions": decisions}
        return await self.http.post("/invoke", json={"thread_id": waiting["thread_id"], "resume": given})

    async def events(self, **body: Any) -> list["Event"]:
        answer = await self.http.post("/stream", json=body)
        assert answer.status_code == 200, answer.text
        return parsed(answer.text)


@dataclass(frozen=True, kw_only=True)
class Event:
    id: int
    kind: str
    data: Json


def parsed(text: str) -> list[Event]:
    """The events of a stream, without its comments."""
    found = []
    for frame in text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in frame.splitlines() if line and not line.startswith(":"))
        if lines:
            found.append(Event(id=int(lines["id"]), kind=lines["event"], data=json.loads(lines["data"])))
    return found


def settings(url: str, **more: Any) -> Settings:
    given = {"demo": True, "model_base_url": None, "clock": None, "similarity": False, **more}
    return Settings(_env_file=None, database_url=SecretStr(url), **given)  # type: ignore[call-arg]  # pydantic-settings


@asynccontextmanager
async def in_process(chosen: Settings) -> AsyncIterator[Desk]:
    app = create_app(chosen)
    async with app.router.lifespan_context(app) as state:
        assert state is not None

        async def with_state(scope: Scope, receive: Receive, send: Send) -> None:
            scope["state"] = dict(state)
            await app(scope, receive, send)

        transport = httpx.ASGITransport(with_state)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000", timeout=30) as http:
            yield Desk(http=http, opened=state)  # type: ignore[arg-type]  # FastAPI types it as any mapping


@asynccontextmanager
async def on_a_socket(app: FastAPI) -> AsyncIterator[str]:
    """The address of a real server in this process."""
    # With its protocol named: asyncio turns Nagle off for such sockets only, and 40 ms go by without that.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, lifespan="on", log_config=None, timeout_graceful_shutdown=5))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started and not serving.done():  # noqa: ASYNC110  uvicorn tells it in no other way
        await asyncio.sleep(0.01)
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    await serving
