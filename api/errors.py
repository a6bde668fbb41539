"""The one table from errors to HTTP, and the body that every refusal has: {"detail": "<string>"}."""

import logging
from collections.abc import Mapping
from typing import Any

import psycopg
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from psycopg_pool import PoolClosed, PoolTimeout
from pydantic import BaseModel

from errors import Conflict, Forbidden, FrontdeskError, InvalidInput, NotFound, TooLarge, Unavailable

logger = logging.getLogger(__name__)
STATUS: Mapping[type[FrontdeskError], int] = {
    InvalidInput: 422,
    TooLarge: 413,
    Forbidden: 403,
    NotFound: 404,
    Conflict: 409,
    Unavailable: 503,
}
DATABASE = (psycopg.OperationalError, PoolTimeout, PoolClosed)
NO_DATABASE, INTERNAL = "the database does not answer", "Internal error"
HERE = ("body", "query", "path", "header")


class Problem(BaseModel):
    """Why a request was refused."""

    detail: str


REFUSALS: dict[int | str, dict[str, Any]] = {
    422: {"model": Problem, "description": "The request cannot be meant as it stands"},
    503: {"model": Problem, "description": "The database does not answer"},
}


def refusal(error: BaseException) -> tuple[int, str]:
    """Status and detail. Only what we raise on purpose speaks in its own words."""
    if isinstance(error, FrontdeskError):
        status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 500)
        return (status, str(error)) if status != 500 else (500, INTERNAL)  # noqa: PLR2004
    return (503, NO_DATABASE) if isinstance(error, DATABASE) else (500, INTERNAL)


def refused(error: BaseException) -> JSONResponse:
    status, detail = refusal(error)
    return JSONResponse({"detail": detail}, status)


def install(app: FastAPI) -> None:
    """Teach the app the table."""
    for kind in (FrontdeskError, *DATABASE):
        app.add_exception_handler(kind, _known)
    app.add_exception_handler(RequestValidationError, _misshapen)
    app.add_exception_handler(Exception, _unexpected)


async def _known(_: Request, error: Exception) -> JSONResponse:
    if isinstance(error, DATABASE):
        logger.error("the database does not answer", exc_info=error)
    return refused(error)


async def _misshapen(_: Request, error: Exception) -> JSONResponse:
    parts = error.errors() if isinstance(error, RequestValidationError) else []
    detail = "; ".join(f"{_where(part['loc'])}{part['msg'].removeprefix('Value error, ')}" for part in parts)
    return JSONResponse({"detail": detail or "the request has the wrong shape"}, 422)


async def _unexpected(_: Request, error: Exception) -> JSONResponse:
    logger.error("unexpected", exc_info=error)
    return refused(error)


def _where(location: tuple[int | str, ...]) -> str:
    inside = location[1:] if location and location[0] in HERE else location
    return ".".join(str(part) for part in inside) + (": " if inside else "")
