"""Answers of one model, recorded by request, so that the same evaluation runs again without a network."""

import hashlib
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
from typing_extensions import TypedDict

from errors import ConfigurationError
from evals.waiting import add

JSON_TYPE = "application/json"
# What makes two questions the same: not the model's name on its server, nor what a vendor wants in a body besides.
ASKED = frozenset({"messages", "tools", "functions", "stream", "response_format"})
MISSING = b'{"error": {"message": "not on the cassette"}}'
DONE = 200


class Take(TypedDict):
    """One line of a cassette. `ms`: how long it took when it was recorded."""

    key: str
    type: str
    ms: float
    body: str


class Cassette(httpx.AsyncBaseTransport):
    """Plays what is on the tape; asks for the rest and records it, or answers 404 where there is nobody to ask.

    `path`: None keeps nothing. `inner`: None never asks. `fresh`: record everything anew. `vendor`: whose form of
    requests is recorded. Only answers that came to their end are recorded: a fault is asked for again. `missed`:
    requests that were neither played nor asked.
    """

    def __init__(
        self, path: Path | None, inner: httpx.AsyncBaseTransport | None, *, vendor: str, fresh: bool = False
    ) -> None:
        self._path, self._inner, self._vendor = path, inner, vendor
        self._takes = {} if fresh or path is None else read_takes(path)
        self.played, self.asked, self.missed = 0, 0, 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        key = key_of(await request.aread())
        take = self._takes.get(key)
        if take is not None:
            self.played += 1
            add(take["ms"])
            return httpx.Response(DONE, headers={"content-type": take["type"]}, content=take["body"].encode())
        if self._inner is None:
            self.missed += 1
            return httpx.Response(404, headers={"content-type": JSON_TYPE}, content=MISSING)
        self.asked += 1
        return await self._recorded(self._inner, key, request)

    async def aclose(self) -> None:
        """Sorted by key, so that a recording made again differs only where an answer does."""
        if self._inner is not None:
            await self._inner.aclose()
        if self._path is not None and self.asked:
            head = json.dumps({"vendor": self._vendor})
            lines = [head, *(json.dumps(self._takes[key], ensure_ascii=False) for key in sorted(self._takes))]
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    async def _recorded(self, inner: httpx.AsyncBaseTransport, key: str, request: httpx.Request) -> httpx.Response:
        started = time.perf_counter()
        response = await inner.handle_async_request(request)
        body = await response.aread()
        await response.aclose()
        kind = response.headers.get("content-type", JSON_TYPE)
        if response.status_code == DONE:
            took = round((time.perf_counter() - started) * 1000, 1)
            self._takes[key] = Take(key=key, type=kind, ms=took, body=response.text)
        # Without its headers: the body is decoded already.
        return httpx.Response(response.status_code, headers={"content-type": kind}, content=body)


def key_of(body: bytes) -> str:
    """The same for the same question, in whatever order its keys are written."""
    try:
        asked: Any = json.loads(body)
    except ValueError:
        asked = body.decode(errors="replace")
    if isinstance(asked, Mapping):
        asked = {name: value for name, value in asked.items() if name in ASKED}
    plain = json.dumps(asked, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(plain.encode()).hexdigest()[:32]


def read_takes(path: Path) -> dict[str, Take]:
    """Empty where there is no such file yet. Raises ConfigurationError that names the line that is wrong."""
    takes: dict[str, Take] = {}
    for number, line in enumerate(_lines(path)[1:], start=2):
        try:
            take = json.loads(line)
            takes[take["key"]] = Take(key=take["key"], type=take["type"], ms=float(take["ms"]), body=take["body"])
        except (ValueError, KeyError, TypeError) as error:
            raise ConfigurationError(f"{path.name}:{number}: no take of a cassette: {error}") from error
    return takes


def vendor_of(path: Path) -> str | None:
    """Whose form of requests was recorded; None where there is no recording. Raises as `read_takes`."""
    lines = _lines(path)
    if not lines:
        return None
    try:
        return str(json.loads(lines[0])["vendor"])
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f"{path.name}:1: does not say which vendor's requests are on it: {error}") from error


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []
