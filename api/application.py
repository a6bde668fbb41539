"""The HTTP face as a whole: routes, error table and middleware, over whatever lifespan it is given."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from starlette.middleware import Middleware

from api import (
    agents,
    audit,
    errors,
    feedback,
    health,
    invoke,
    mcp,
    replay,
    runs,
    stream,
    tasks,
    thread_state,
    threads,
    tools,
    turns,
)
from api.body import BodyGuard
from api.dependencies import Opened
from api.origins import KnownOrigins
from api.request_id import RequestId

VERSION = "0.1.0"
DESCRIPTION = """One front desk for every business agent: plain sentences in, permitted and confirmed calls out.

Every refusal is `{"detail": "<string>"}`. Until identity arrives, requests are the development identity's, and the
headers `X-Dev-User`, `X-Dev-Tenant` and `X-Dev-Roles` try others."""
EXPOSED = ("Content-Location", "Location", "X-Request-Id", "X-Pagination-Total", "X-Pagination-Next", "Mcp-Session-Id")


def application(
    lifespan: Callable[[FastAPI], AbstractAsyncContextManager[Opened]], cors_origins: Sequence[str]
) -> FastAPI:
    app = FastAPI(
        title="Frontdesk",
        version=VERSION,
        description=DESCRIPTION,
        lifespan=lifespan,
        middleware=[
            Middleware(RequestId),
            Middleware(
                CORSMiddleware,
                allow_origins=list(cors_origins),
                allow_methods=["*"],
                allow_headers=["*"],
                expose_headers=EXPOSED,
                allow_private_network=True,
            ),
            Middleware(KnownOrigins, allowed=cors_origins),
            Middleware(BodyGuard),
        ],
    )
    errors.install(app)
    for part in (invoke, stream, threads, thread_state, turns, replay, runs, feedback, agents, tools, tasks, audit):
        app.include_router(part.router, responses=errors.REFUSALS)
    app.include_router(health.router)
    app.include_router(mcp.router)
    return app
