"""The function centre over HTTP: what it lists, and one call of a function; what goes wrong comes out as a Fault."""

import asyncio
import json
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn

import httpx
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tools.capping import encoded
from tools.faults import Fault
from tools.tool import Card, ToolContext, ToolResult

SOURCE = "function_centre"
PROTOCOL = 1
CONNECTIONS, KEPT_ALIVE = 64, 16
AHEAD_S = 0.2
SHOWN = 200
LIST_S = 5.0
SAID: dict[str, tuple[str, str]] = {
    "centre_down": ("功能中心没有应答，请稍后再试", "the function centre does not answer; please try again later"),
    "centre_slow": (
        "功能中心没有在规定时间内应答，请稍后再试",
        "the function centre did not answer in time; please try again later",
    ),
    "centre_lost": (
        "与功能中心的连接中断了，请稍后再试",
        "the connection to the function centre broke off; please try again later",
    ),
    "centre_busy": ("功能中心正忙，请稍后再试", "the function centre is busy; please try again later"),
    "centre_error": ("功能中心出错了，请稍后再试", "the function centre reported an error; please try again later"),
    "centre_refused": ("功能中心没有接受这次调用", "the function centre did not accept this call"),
    "centre_gone": ("功能中心已不再提供这项功能", "the function centre does not offer this any more"),
    "centre_redirect": ("功能中心的应答指向别处，没有跟随", "the function centre pointed elsewhere; nobody went there"),
    "centre_answer": ("功能中心的应答无法识别", "the answer of the function centre cannot be used"),
    "centre_too_large": ("功能中心的应答过大", "the answer of the function centre is too large"),
}  # fmt: skip
NOT_FOUND, GONE, CONFLICT, TOO_MANY, UNAVAILABLE = 404, 410, 409, 429, 503


@dataclass(frozen=True, kw_only=True)
class Address:
    """Where a centre is, as the operator wrote it, without a slash at its end; nothing else is ever asked.

    `token`: what it is shown. Of one exchange: `connect_s` until there is a connection, `read_s` without a word, and at
    most `max_bytes` of an answer. `every_s`: how often it is asked for its functions.
    """

    url: str
    token: str | None = field(default=None, repr=False)
    connect_s: float = 10.0
    read_s: float = 30.0
    max_bytes: int = 1_000_000
    every_s: float = 60.0


class _Card(BaseModel):
    """`data`: None: the answer's own."""

    model_config = ConfigDict(strict=True)
    type: str
    data: dict[str, Any] | None = None


class _Answer(BaseModel):
    """What the centre answers a call; fields that it does not know are left aside."""

    model_config = ConfigDict(strict=True)
    outcome: Literal["done", "refused", "failed"]
    content: str
    data: dict[str, Any] = Field(default_factory=dict)
    card: _Card | None = None
    direct: bool = False


@asynccontextmanager
async def open_centre(address: Address) -> AsyncIterator["FunctionCentre"]:
    """Whatever an answer or a message says, no other address is asked: no redirect is followed, no proxy used."""
    headers = {"accept": "application/json", "accept-encoding": "identity"}
    if address.token:
        headers["authorization"] = f"Bearer {address.token}"
    limits = httpx.Limits(max_connections=CONNECTIONS, max_keepalive_connections=KEPT_ALIVE)
    async with httpx.AsyncClient(headers=headers, limits=limits, follow_redirects=False, trust_env=False) as client:
        yield FunctionCentre(client, address)


class FunctionCentre:
    """`client`: follows no redirect. `changed`: set where a function has gone."""

    def __init__(self, client: httpx.AsyncClient, address: Address) -> None:
        self._client, self._bounds, self.url = client, address, address.url
        self.changed = asyncio.Event()

    @property
    def longest_s(self) -> float:
        """Seconds for one call, unless less is said of its function."""
        return self._bounds.connect_s + self._bounds.read_s

    async def listed(self) -> list[Any]:
        """The functions as the centre describes them, nothing of it checked yet. Raises Fault."""
        limit_s = min(LIST_S, self.longest_s)
        request = self._client.build_request("GET", f"{self.url}/functions", timeout=self._timeout(limit_s))
        try:
            async with asyncio.timeout(limit_s):  # whoever says a little now and then is never silent
                listed = await self._exchanged(request)
        except TimeoutError as error:
            raise fault("centre_slow", f"no list within {limit_s:g} s", again=True) from error
        if listed.get("protocol") != PROTOCOL or not isinstance(listed.get("functions"), list):
            raise fault("centre_answer", f"the list is not of protocol {PROTOCOL}")
        return list(listed["functions"])

    async def call(self, name: str, ctx: ToolContext, arguments: dict[str, Any]) -> ToolResult:
        """`name`: of a function, which has no characters that a path could be led astray by. Raises Fault."""
        body = {
            "arguments": arguments,
            "caller": {
                "tenant": ctx.principal.tenant,
                "user": ctx.principal.user,
                "roles": list(ctx.principal.roles),
            },
            "locale": ctx.locale,
            "now": ctx.now.isoformat(),
            "deadline_s": round(ctx.deadline_s, 3),
            "extra": dict(ctx.extra),
        }
        request = self._client.build_request(
            "POST",
            f"{self.url}/functions/{name}",
            content=_written(body),
            headers={"content-type": "application/json", "idempotency-key": ctx.idempotency_key},
            timeout=self._timeout(ctx.deadline_s),
        )
        try:
            return _result(await self._exchanged(request))
        except Fault as error:
            if error.reason == "centre_gone":
                self.changed.set()
            raise

    def _timeout(self, deadline_s: float) -> httpx.Timeout:
        """A little less than what is left, so that it is told at which point the time ran out."""
        left_s = max(deadline_s - AHEAD_S, deadline_s / 2)
        connect_s, read_s = min(self._bounds.connect_s, left_s), min(self._bounds.read_s, left_s)
        return httpx.Timeout(connect=connect_s, read=read_s, write=read_s, pool=connect_s)

    async def _exchanged(self, request: httpx.Request) -> dict[str, Any]:
        try:
            response = await self._client.send(request, stream=True)
            try:
                _acceptable(response)
                body = await self._read(response)
            finally:
                await response.aclose()
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            raise fault("centre_down", _named(error), again=True) from error
        except httpx.TimeoutException as error:
            raise fault("centre_slow", _named(error), again=True, done=True) from error
        except httpx.TransportError as error:
            raise fault("centre_lost", _named(error), again=True, done=True) from error
        return _parsed(body)

    async def _read(self, response: httpx.Response) -> bytes:
        """Stops reading where the answer is over its bound, however long it says that it is."""
        body = bytearray()
        async for part in response.aiter_raw():
            body += part
            if len(body) > self._bounds.max_bytes:
                raise fault("centre_too_large", f"an answer of more than {self._bounds.max_bytes} bytes", done=True)
        return bytes(body)


def fault(reason: str, message: str, *, again: bool = False, done: bool = False) -> Fault:
    """`message`: for the log; nothing of the centre's own words is in it."""
    zh, en = SAID[reason]
    return Fault(f"function centre: {message}", reason=reason, said={"zh": zh, "en": en}, again=again, done=done)


def _acceptable(response: httpx.Response) -> None:
    """Raises Fault for every head of an answer but that of a plain JSON body with status 200."""
    status = response.status_code
    if status != httpx.codes.OK:
        _refused(status)
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise fault("centre_answer", f"content type {kind[:SHOWN]!r} instead of application/json", done=True)
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise fault("centre_answer", "a compressed answer, which was not asked for", done=True)


def _refused(status: int) -> NoReturn:
    """A status of 500 and above, and a 200 that is none, leave open whether the call was carried out."""
    said = f"status {status}"
    if httpx.codes.is_redirect(status):
        raise fault("centre_redirect", said)
    if status in (NOT_FOUND, GONE):
        raise fault("centre_gone", said)
    if status == CONFLICT:
        raise fault("centre_busy", f"{said}: the same call is being carried out", again=True, done=True)
    if status in (TOO_MANY, UNAVAILABLE):
        raise fault("centre_busy", said, again=True)
    if httpx.codes.is_client_error(status):
        raise fault("centre_refused", said)
    if httpx.codes.is_server_error(status):
        raise fault("centre_error", said, again=True, done=True)
    raise fault("centre_answer", said, done=True)


def _written(body: dict[str, Any]) -> bytes:
    try:
        return encoded(body).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise fault("centre_refused", f"the call is no JSON: {type(error).__name__}") from error


def _parsed(body: bytes) -> dict[str, Any]:
    """JSON without NaN, infinities and lone surrogates."""
    try:
        parsed = json.loads(body.decode("utf-8"), parse_constant=_no_number, parse_float=_finite)
        if b"\\ud" in body.lower():
            encoded(parsed)
    except (ValueError, RecursionError) as error:
        raise fault("centre_answer", f"no JSON: {type(error).__name__}", done=True) from error
    if not isinstance(parsed, dict):
        raise fault("centre_answer", "no JSON object", done=True)
    return parsed


def _result(answered: dict[str, Any]) -> ToolResult:
    try:
        answer = _Answer.model_validate(answered)
    except ValidationError as error:
        where = ", ".join(dict.fromkeys(".".join(map(str, one["loc"])) for one in error.errors()))
        raise fault("centre_answer", f"no answer of a function: {where[:SHOWN]}", done=True) from error
    card = answer.card
    return ToolResult(
        content=answer.content,
        data=answer.data,
        card=Card(type=card.type, data=answer.data if card.data is None else card.data) if card else None,
        outcome=answer.outcome,
        direct=answer.direct,
    )


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number without end")
    return number


def _named(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error)[:SHOWN]}"
