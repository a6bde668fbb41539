"""`frontdesk function-centre`: the demo's todo and calendar functions, served in a process of their own."""

import argparse
import asyncio
import socket
from datetime import UTC, datetime

import uvicorn

from checkpoints.database import open_pool
from commands.database import database
from commands.listening import bound, url_of
from commands.settings import read_settings
from config.settings import Settings
from demo.function_centre import create_centre
from demo.seeding import seed
from errors import ConfigurationError
from telemetry import logs

HOST = "127.0.0.1"
STOP_S = 5
NO_DEMO = "the function centre serves the demo business: with a database of your own it needs DEMO=1"


def run(args: argparse.Namespace) -> int:
    settings = read_settings(function_centre_port=args.port, data_dir=args.data_dir)
    logs.configure(settings.log_level, settings.log_format)
    if not settings.with_demo:
        raise ConfigurationError(NO_DEMO)
    with bound(HOST, settings.function_centre_port, "FUNCTION_CENTRE_PORT") as listener, database(settings) as url:
        asyncio.run(_serve(settings, url, listener))
    return 0


async def _serve(settings: Settings, database_url: str, listener: socket.socket) -> None:
    pool = await open_pool(database_url, settings.database_pool_size)
    try:
        await seed(pool, settings.clock or datetime.now(UTC))
        token = settings.function_centre_token
        app = create_centre(pool, token.get_secret_value() if token else None)
        config = uvicorn.Config(
            app,
            lifespan="on",
            log_config=None,
            access_log=settings.log_level == "debug",
            server_header=False,
            timeout_graceful_shutdown=STOP_S,
        )
        await Announcing(config, listener).serve(sockets=[listener])
    finally:
        await pool.close()


class Announcing(uvicorn.Server):
    """Says where the centre is, once it takes requests."""

    def __init__(self, config: uvicorn.Config, listener: socket.socket) -> None:
        super().__init__(config)
        self.listener = listener

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            url = url_of(self.listener)
            print(f"The function centre is ready on {url} - start the desk with FUNCTION_CENTRE_URL={url}", flush=True)
