"""Guards request bodies: how long they may be, and that they are JSON that every later part can hold."""

import json
import math
from collections.abc import Iterator
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.errors import refused
from errors import InvalidInput, TooLarge

MAX_BODY_BYTES = 1024 * 1024
MAX_DEPTH = 64
INT64 = 2**63
METHODS = {"POST", "PUT", "PATCH"}


class BodyGuard:
    """An ASGI middleware: reads a body as a whole, refuses a bad one, and hands a good one on as `application/json`.

    Browsers send JSON as text/plain where they want no preflight, and Studio does; so the type that is given counts for
    nothing.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in METHODS:
            await self._app(scope, receive, send)
            return
        try:
            body = await read(Headers(scope=scope), receive)
            if body:
                parse(body)
        except (TooLarge, InvalidInput) as error:
            await refused(error)(scope, receive, send)
            return
        if body is None:
            return
        headers = [(k, v) for k, v in scope["headers"] if k not in (b"content-type", b"content-length")]
        headers += [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await self._app({**scope, "headers": headers}, again(body, receive), send)


async def read(headers: Headers, receive: Receive) -> bytes | None:
    """The whole body; None where the client left before its end. Raises TooLarge as soon as that is known."""
    declared = headers.get("content-length", "")
    if declared.isascii() and declared.isdigit() and int(declared) > MAX_BODY_BYTES:
        raise TooLarge(f"the body is over {MAX_BODY_BYTES} bytes")
    parts: list[bytes] = []
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > MAX_BODY_BYTES:
            raise TooLarge(f"the body is over {MAX_BODY_BYTES} bytes")
        more = message.get("more_body", False)
    return b"".join(parts)


def parse(body: bytes) -> Any:
    """Raises InvalidInput for what is not UTF-8, not JSON, or JSON that a database or another program cannot hold."""
    try:
        value = json.loads(body.decode("utf-8-sig"), parse_constant=_constant, parse_float=_float, parse_int=_int)
    except UnicodeDecodeError:
        raise InvalidInput("the body is not valid UTF-8") from None
    except json.JSONDecodeError as error:
        raise InvalidInput(f"the body is not valid JSON: {error}") from None
    except RecursionError:
        raise InvalidInput("the body is nested too deeply") from None
    for text in _texts(value):
        if "\0" in text:
            raise InvalidInput("the body holds a NUL character")
        if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
            raise InvalidInput("the body holds half of a surrogate pair")
    return value


def _texts(value: Any) -> Iterator[str]:
    """Every string, keys among them, however deep. Raises InvalidInput where that is too deep."""
    level, depth = [value], 0
    while level:
        if (depth := depth + 1) > MAX_DEPTH:
            raise InvalidInput("the body is nested too deeply")
        deeper: list[Any] = []
        for item in level:
            if isinstance(item, str):
                yield item
            elif isinstance(item, dict):
                yield from item
                deeper.extend(item.values())
            elif isinstance(item, list):
                deeper.extend(item)
        level = deeper


def _constant(name: str) -> Any:
    raise InvalidInput(f"the body holds {name}, which is not JSON")


def _float(text: str) -> float:
    if math.isinf(value := float(text)):
        raise InvalidInput("the body holds a number that is too large")
    return value


def _int(text: str) -> int:
    if len(text) > len(str(INT64)) + 1 or not -INT64 <= int(text) < INT64:
        raise InvalidInput("the body holds a whole number of more than 64 bits")
    return int(text)


def again(body: bytes, receive: Receive) -> Receive:
    """The body as one message; after it, what the client still says: that it left."""
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return left.pop() if left else await receive()

    return replay
