"""`frontdesk serve`: the desk over HTTP, in one process."""

import argparse
import asyncio
import socket
from typing import Any

import structlog
import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from commands.listening import bound, url_of
from commands.settings import read_settings
from config.settings import Settings
from errors import FrontdeskError
from server import create_app
from telemetry import logs

EXAMPLE = """curl -s {url}/invoke -H 'content-type: application/json' -d '{{"message":"查一下今天的订单"}}'"""

# Turns that were not over in time are stopped and answered; a connection that is open after that is cut.
AFTER_DRAIN_S = 15

log = structlog.get_logger(__name__)


def run(args: argparse.Namespace) -> int:
    settings = read_settings(host=args.host, port=args.port, data_dir=args.data_dir)
    logs.configure(settings.log_level, settings.log_format)
    with bound(settings.host, settings.port) as listener:
        application = Watched(create_app(settings))
        server = Announcing(_config(application, settings), listener, application)
        try:
            server.run(sockets=[listener])
        except SystemExit:
            if not isinstance(application.failure, FrontdeskError):
                raise
            raise application.failure from None
    return 0


def _config(application: ASGIApp, settings: Settings) -> uvicorn.Config:
    return uvicorn.Config(
        application,
        lifespan="on",
        log_config=None,
        access_log=settings.log_level == "debug",
        server_header=False,
        timeout_graceful_shutdown=int(settings.drain_s) + AFTER_DRAIN_S,
    )


class Watched:
    """The application, with the error that ended its start kept: an expected one is told in a line, without a trace."""

    def __init__(self, application: ASGIApp) -> None:
        self.application = application
        self.failure: Exception | None = None
        self._state: dict[str, Any] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            await self.application(scope, receive, send)
            return

        self._state = scope["state"]

        async def quietly(message: Message) -> None:
            await send({**message, "message": ""} if message["type"] == "lifespan.startup.failed" else message)

        try:
            await self.application(scope, receive, quietly)
        except Exception as error:
            self.failure = error
            if not isinstance(error, FrontdeskError):
                log.exception("the desk could not start")
            raise

    async def wind_down(self) -> None:
        """Let the turns that run come to their end, or hand them over; whoever waits for one is answered."""
        if runner := self._state.get("runner"):
            await runner.close()


class Announcing(uvicorn.Server):
    """Says where the desk is, once it takes requests."""

    def __init__(self, config: uvicorn.Config, listener: socket.socket, application: Watched) -> None:
        super().__init__(config)
        self.listener = listener
        self.application = application

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            url = url_of(self.listener)
            print(f"Frontdesk is ready on {url} - try: {EXAMPLE.format(url=url)}", flush=True)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # At once, and not when the last connection is closed: clients wait on theirs for the turns to end.
        winding_down = asyncio.create_task(self.application.wind_down())
        await super().shutdown(sockets)
        await asyncio.gather(winding_down, return_exceptions=True)
