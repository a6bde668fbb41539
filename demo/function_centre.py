"""The demo's function centre: todos and calendar over HTTP, in the wire protocol of docs/function-centre.md."""

import asyncio
import hashlib
import hmac
import json
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeVar, cast

import psycopg
from fastapi import Depends, FastAPI, Header, HTTPException, Request
from fastapi.responses import JSONResponse
from psycopg.rows import tuple_row
from psycopg_pool import PoolTimeout
from pydantic import BaseModel, ValidationError

from demo import calendar_functions, todo_functions
from demo.functions import Answer, Call, Function
from demo.rows import Pool

logger = logging.getLogger(__name__)
M = TypeVar("M", bound=BaseModel)
PROTOCOL = 1
MAX_BODY_BYTES, LONGEST_KEY, KEPT_DAYS = 256_000, 200, 30
FUNCTIONS: Mapping[str, Function] = {
    one.name: one for one in (*todo_functions.FUNCTIONS, *calendar_functions.FUNCTIONS)
}
_LOCK = "select pg_advisory_xact_lock(hashtext('demo.function_calls'))"
_FORGET = "delete from demo.function_calls where called_at < now() - make_interval(days => %s)"
_CLAIM = """
    insert into demo.function_calls (tenant_id, key, fingerprint) values (%s, %s, %s)
    on conflict do nothing returning key"""
_ANSWERED = "select fingerprint, answer from demo.function_calls where tenant_id = %s and key = %s"
_ANSWER = "update demo.function_calls set answer = %s where tenant_id = %s and key = %s"


def create_centre(pool: Pool, token: str | None = None) -> FastAPI:
    """The service over an open pool of the demo's database, which its owner closes.

    `token`: what callers have to present; None: nothing.
    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with pool.connection() as connection, connection.transaction():
            await connection.execute(_LOCK)
            await connection.execute(Path(__file__).with_name("function_calls.sql").read_bytes(), prepare=False)
            await connection.execute(_FORGET, (KEPT_DAYS,))
        yield

    def known(authorization: Annotated[str, Header()] = "") -> None:
        if token and not hmac.compare_digest(authorization.encode(), f"Bearer {token}".encode()):
            raise HTTPException(401, "the token is missing or wrong", {"www-authenticate": "Bearer"})

    app = FastAPI(title="Function centre of the demo", lifespan=lifespan, docs_url=None, redoc_url=None)

    @app.get("/healthz")
    async def healthz() -> dict[str, str]:
        return {"status": "ok"}

    @app.get("/functions", dependencies=[Depends(known)])
    async def functions() -> dict[str, Any]:
        return {"protocol": PROTOCOL, "functions": [one.described() for one in FUNCTIONS.values()]}

    @app.post("/functions/{name}", dependencies=[Depends(known)])
    async def call(name: str, request: Request, idempotency_key: Annotated[str, Header()] = "") -> JSONResponse:
        function = FUNCTIONS.get(name)
        if function is None:
            raise HTTPException(404, "there is no such function")
        asked = _read(Call, await _body(request))
        arguments = _read(function.arguments, json.dumps(asked.arguments).encode())
        if function.effect and not 1 <= len(idempotency_key) <= LONGEST_KEY:
            raise HTTPException(400, "a function with an effect needs an Idempotency-Key")
        answer = await _in_time(pool, function, asked, arguments, idempotency_key)
        return JSONResponse(answer.model_dump(mode="json"))

    return app


async def _in_time(pool: Pool, function: Function, asked: Call, arguments: Any, key: str) -> Answer:
    """Whoever asked has gone by the deadline: then it is not done either, and its transaction is rolled back."""
    try:
        if function.effect:
            return await _once(pool, function, asked, arguments, key)
        async with asyncio.timeout(asked.deadline_s):
            return await function.run(pool, asked, arguments)
    except (TimeoutError, PoolTimeout):
        raise HTTPException(503, "not in time; nothing was done") from None
    except psycopg.OperationalError as error:
        logger.warning("%s: %s", function.name, type(error).__name__)
        raise HTTPException(500, "the database does not answer") from error
    except psycopg.errors.ForeignKeyViolation as error:
        raise HTTPException(422, "there is no such tenant") from error
    except psycopg.DataError as error:
        raise HTTPException(422, "a value is one that the database does not take") from error


async def _once(pool: Pool, function: Function, asked: Call, arguments: Any, key: str) -> Answer:
    """Effect and answer are committed together, so that a key that is known has been done, and is not done again.

    The commit itself is not under the deadline: cut off there, nobody would know.
    """
    async with pool.connection() as connection, connection.transaction(), asyncio.timeout(asked.deadline_s):
        tenant, fingerprint = asked.caller.tenant, _fingerprint(function, asked)
        cursor = connection.cursor(row_factory=tuple_row)
        if await (await cursor.execute(_CLAIM, (tenant, key, fingerprint))).fetchone() is None:
            before = await (await cursor.execute(_ANSWERED, (tenant, key))).fetchone()
            if before is None or before[0] != fingerprint:
                raise HTTPException(422, "this Idempotency-Key belongs to another call")
            return Answer.model_validate(before[1])
        answer = await function.run(cast("Pool", _Within(connection)), asked, arguments)
        await cursor.execute(_ANSWER, (answer.model_dump_json(), tenant, key))
        return answer


class _Within:
    """Looks like a pool to a service, and is one connection in a transaction."""

    def __init__(self, connection: psycopg.AsyncConnection[Any]) -> None:
        self._connection = connection

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
        yield self._connection


def _fingerprint(function: Function, asked: Call) -> str:
    who = [function.name, asked.caller.user, asked.arguments]
    return hashlib.sha256(json.dumps(who, sort_keys=True).encode()).hexdigest()


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY_BYTES:
            raise HTTPException(413, f"a call has at most {MAX_BODY_BYTES} bytes")
    return bytes(body)


def _read(model: type[M], body: bytes) -> M:
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        _unfit(error)


def _unfit(error: ValidationError) -> NoReturn:
    found = error.errors(include_url=False, include_context=False, include_input=False)
    said = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in found[:10])
    raise HTTPException(422, said) from error
