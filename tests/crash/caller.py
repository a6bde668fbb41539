"""Somebody on one thread who keeps asking until there is an answer, whatever becomes of the servers."""

import asyncio
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.crash.servers import Server, Servers

Json = dict[str, Any]
# With its weight: how often it is asked.
KINDS = {"payium": 3, "pairium": 3, "chainium": 3, "wirium": 3, "bothium": 3, "rulium": 2, "lookium": 1, "hello": 1}
YES = ("yes", "好的")
PAUSE_S = (0.02, 0.15)


class Refused(Exception):
    """The desk said no to something that it should have taken."""


@dataclass(kw_only=True)
class Ask:
    """One turn. `runs`: those that a server said it had taken, by the key they were sent with. `result`: None as long
    as there is none. `problems`: what went wrong on the way."""

    name: str
    message: str
    runs: dict[str, str] = field(default_factory=dict)
    result: Json | None = None
    problems: list[str] = field(default_factory=list)


class Caller:
    """Sends everything with an Idempotency-Key, to any server that is up, and again where the answer is lost."""

    def __init__(self, name: str, servers: Servers, chance: random.Random) -> None:
        self.name, self.thread_id = name, ""
        self.asks: list[Ask] = []
        self._servers, self._chance = servers, chance

    async def turn(self, kind: str | None = None) -> None:
        """One question and its answer, with a yes to whatever waits for one."""
        ask = self.new_ask(kind or self._chance.choices(list(KINDS), list(KINDS.values()))[0])
        result = await self._answer(ask, self.body(ask))
        self.thread_id = result["thread_id"]
        while result["status"] == "interrupted":
            result = await self._answer(ask, {**self.body(ask), "message": None, **self._yes(result)})
        ask.result = result

    def new_ask(self, kind: str) -> Ask:
        name = f"{self.name}x{len(self.asks)}"
        ask = Ask(name=name, message=kind if kind == "hello" else f"{kind} {name}")
        self.asks.append(ask)
        return ask

    def body(self, ask: Ask) -> Json:
        place = {"thread_id": self.thread_id} if self.thread_id else {}
        return {"message": ask.message, "extra": {"ask": ask.name}, "locale": "en", **place}

    async def read(self, sent: "Sent", answer: httpx.Response) -> Json | None:
        """The result at the end of a stream of events; None: it ended without one."""
        try:
            lines: list[str] = []
            async for line in answer.aiter_lines():
                if line:
                    lines.append(line)
                    continue
                if (result := sent.event(lines)) is not None:
                    return result
                lines = []
        finally:
            await answer.aclose()
        return None

    def _yes(self, waiting: Json) -> Json:
        if self._chance.random() < 0.3:
            return {"message": self._chance.choice(YES)}
        asked = waiting["interrupt"]
        decisions = [{"type": "approve"} for _ in asked["action_requests"]]
        return {"resume": {"interrupt_id": asked["id"], "decisions": decisions}}

    async def _answer(self, ask: Ask, body: Json) -> Json:
        key = f"{ask.name}-{len(ask.runs)}"
        ask.runs[key] = ""
        sent = Sent(ask=ask, key=key, body=body)
        while True:
            up = [server for server in self._servers.all if server.url]
            if up:
                try:
                    if (result := await self._try(sent, self._chance.choice(up))) is not None:
                        return result
                except httpx.TransportError:
                    pass
            await asyncio.sleep(self._chance.uniform(*PAUSE_S))

    async def _try(self, sent: "Sent", server: Server) -> Json | None:
        http, headers = self._servers.http, {"Idempotency-Key": sent.key}
        how = self._chance.random()
        if sent.run_id and how < 0.5:
            last = {"Last-Event-ID": str(sent.last_event)}
            request = http.build_request("GET", f"{server.url}/stream/{sent.run_id}", headers=last)
            return await self._stream(sent, request)
        if how < 0.75:
            sent.last_event = 0
            return await self._stream(
                sent, http.build_request("POST", f"{server.url}/stream", json=sent.body, headers=headers)
            )
        answer = await http.post(f"{server.url}/invoke", json=sent.body, headers=headers)
        if not sent.taken(answer):
            return None
        return dict(answer.json())

    async def _stream(self, sent: "Sent", request: httpx.Request) -> Json | None:
        answer = await self._servers.http.send(request, stream=True)
        try:
            if answer.status_code != 200:
                await answer.aread()
            if not sent.taken(answer):
                return None
            return await self.read(sent, answer)
        finally:
            await answer.aclose()


@dataclass(kw_only=True)
class Sent:
    """What was sent under one key. `last_event`: the newest that was seen of its run."""

    ask: Ask
    key: str
    body: Json
    last_event: int = 0

    @property
    def run_id(self) -> str:
        return self.ask.runs[self.key]

    def taken(self, answer: httpx.Response) -> bool:
        """Whether a server has taken it; False: to be sent again. Raises Refused."""
        if answer.status_code in (502, 503, 504):
            return False
        if answer.status_code != 200:
            raise Refused(f"{self.key}: {answer.status_code} {answer.text}")
        run_id = answer.headers["Location"].rpartition("/")[2]
        if self.run_id and self.run_id != run_id:
            self.ask.problems.append(f"{self.key} was run {self.run_id}, and is {run_id} now")
        self.ask.runs[self.key] = run_id
        return True

    def event(self, lines: Sequence[str]) -> Json | None:
        """The result, if this event is one."""
        fields = dict(line.split(": ", 1) for line in lines if not line.startswith(":"))
        if not fields:
            return None
        number = int(fields["id"])
        if number <= self.last_event:
            self.ask.problems.append(f"{self.key}: event {number} came after event {self.last_event}")
        self.last_event = number
        return dict(json.loads(fields["data"])) if fields["event"] == "result" else None
