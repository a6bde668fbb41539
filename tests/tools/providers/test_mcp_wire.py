"""Servers that answer a call with nonsense, too much, an error or a pointer elsewhere: each a value, and asked once."""

import asyncio
import gzip
import json
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from config.mcp import McpServer
from tests.fakes.ledger import MemoryLedger
from tests.fakes.lists import MemoryLists
from tests.fakes.mcp_liar import JSON, SSE, TELL, Answer, Liar, Send, begin, event, reply, text, whole
from tests.tools.samples import agent, caller
from tools.call import Call, Outcome
from tools.executor import Executor
from tools.providers.mcp_connection import MAX_BYTES
from tools.providers.mcp_servers import open_servers
from tools.registry import Registry

FINE = text("fine")


def body(kind: str, content: bytes, status: int = 200, **headers: str) -> Answer:
    async def answer(_: Any, send: Send) -> None:
        await whole(send, status, kind, content, **headers)

    return answer


def in_json(result: Any, **changed: Any) -> Answer:
    async def answer(key: Any, send: Send) -> None:
        await whole(send, 200, JSON, json.dumps({"jsonrpc": "2.0", "id": key, "result": result, **changed}).encode())

    return answer


def in_error(error: Any) -> Answer:
    async def answer(key: Any, send: Send) -> None:
        await whole(send, 200, JSON, json.dumps({"jsonrpc": "2.0", "id": key, "error": error}).encode())

    return answer


def in_events(*parts: bytes, end: bool = True, fine: bool = False) -> Answer:
    async def answer(key: Any, send: Send) -> None:
        await begin(send, 200, SSE)
        for part in (*parts, event(reply(key, FINE)) if fine else b""):
            await send({"type": "http.response.body", "body": part, "more_body": True})
        if end:
            await send({"type": "http.response.body", "body": b""})
        else:
            await asyncio.sleep(5)

    return answer


async def zipped(key: Any, send: Send) -> None:
    await whole(send, 200, JSON, gzip.compress(reply(key, text("x" * 9_000_000))), content_encoding="gzip")


async def without_end(_: Any, send: Send) -> None:
    await begin(send, 200, JSON)
    for _ in range(MAX_BYTES // 50_000 + 2):
        await send({"type": "http.response.body", "body": b" " * 50_000, "more_body": True})
    await asyncio.sleep(5)


async def torn(_: Any, send: Send) -> None:
    await begin(send, 200, JSON, content_length="500")
    await send({"type": "http.response.body", "body": b'{"jsonrpc":', "more_body": True})
    raise ConnectionAbortedError


ANSWERS: dict[str, tuple[Answer, str]] = {
    "a page": (body("text/html", b"<html>login</html>"), "mcp_rubbish"),
    "a page that says it is JSON": (body(JSON, b"<html>login</html>"), "mcp_rubbish"),
    "nothing": (body(JSON, b""), "mcp_rubbish"),
    "no content type": (body("", b"{}"), "mcp_rubbish"),
    "accepted": (body(JSON, b"", 202), "mcp_rubbish"),
    "another's answer": (in_json(FINE, id=99_999), "mcp_rubbish"),
    "no result of a tool": (in_json({"content": "text"}), "mcp_rubbish"),
    "an error like ours": (in_error({"code": -31998, "message": "", "data": {"trouble": "gone"}}), "mcp_rubbish"),
    "500": (body("text/plain", b"Traceback: secret", 500), "mcp_status"),
    "403": (body("text/plain", b"no", 403), "mcp_rejected"),
    "elsewhere": (body("text/plain", b"", 307, location="http://127.0.0.1:9/mcp"), "mcp_rejected"),
    "elsewhere here": (body("text/plain", b"", 307, location="/mcp"), "mcp_rejected"),
    "too much": (without_end, "mcp_too_much"),
    "little that becomes much": (zipped, "mcp_rubbish"),
    "torn off": (torn, "mcp_lost"),
    "events without an answer": (in_events(event(b'{"jsonrpc":"2.0","method":"notifications/x"}')), "mcp_lost"),
    "half an event": (in_events(b'data: {"jsonrpc"'), "mcp_lost"),
    "events of nonsense": (in_events(event(b"nonsense")), "mcp_rubbish"),
    "events without end": (in_events(*[b": " + b"x" * 500_000 + b"\n\n"] * 9, end=False), "mcp_too_much"),
    "one event without end": (in_events(*[b"data: " + b"x" * 500_000] * 9, end=False), "mcp_too_much"),
}  # fmt: skip
NOT_DONE = {"mcp_rejected", "mcp_down", "mcp_gone"}


@pytest.fixture(scope="module")
async def listening() -> AsyncIterator[Liar]:
    async with Liar(answer=in_json(FINE)).listening() as liar:
        yield liar


@pytest.fixture
def liar(listening: Liar) -> Liar:
    """A server that tells the truth, until a test says otherwise."""
    listening.answer, listening.calls, listening.tools = in_json(FINE), 0, list(TELL)
    return listening


@asynccontextmanager
async def desk(liar: Liar, **rule: Any) -> AsyncIterator[Executor]:
    server = McpServer.model_validate({"url": liar.url, "group": "liar", "tools": {"tell": rule}})
    registry = Registry([])
    async with open_servers({"liar": server}, {}, registry, MemoryLists(), within_s=10):
        yield Executor(registry, {}, {}, ledger=MemoryLedger())


async def ask(executor: Executor) -> Outcome:
    by = caller(agent=agent("liar", tool_groups=("liar",)))
    return await executor.run(Call(id="c", name="liar_tell", arguments={}), by, confirmation=None, deadline_s=10)


@pytest.mark.parametrize(("answer", "reason"), ANSWERS.values(), ids=ANSWERS)
@pytest.mark.parametrize("effect", [False, True], ids=["reading", "writing"])
async def test_a_bad_answer_is_a_value_and_the_connection_is_of_use_afterwards(
    liar: Liar, answer: Answer, reason: str, effect: bool
) -> None:
    liar.answer = answer
    async with desk(liar, effect=effect, confirm=False) as executor:
        outcome = await ask(executor)
        assert liar.calls == 1
        assert (outcome.status, outcome.reason) == (
            "unknown" if effect and reason not in NOT_DONE else "failed",
            reason,
        )
        assert "secret" not in outcome.content
        assert effect or "liar" in outcome.content
        if effect and outcome.status == "unknown":
            assert (await ask(executor)).reason == "unsettled"
            assert liar.calls == 1
        else:
            liar.answer = in_json(FINE)
            assert (await ask(executor)).content == "fine"


@pytest.mark.parametrize(
    ("error", "status", "content"),
    [
        ({"code": -32602, "message": "no such city"}, "refused", "no such city"),
        ({"code": -32603, "message": "x" * 10_000}, "failed", "x" * 500),
        ({"code": 1, "message": ""}, "failed", "error 1"),
    ],
)
async def test_an_error_of_the_server_is_told_in_its_words(liar: Liar, error: Any, status: str, content: str) -> None:
    liar.answer = in_error(error)
    async with desk(liar, effect=False) as executor:
        outcome = await ask(executor)
    assert (outcome.status, outcome.content) == (status, content)


async def test_what_is_no_number_spoils_a_result_and_no_more(liar: Liar) -> None:
    liar.answer = in_json({**FINE, "structuredContent": {"heat": math.nan}})
    async with desk(liar, effect=False) as executor:
        outcome = await ask(executor)
    assert outcome.status == "failed"


async def test_an_answer_in_small_pieces_among_other_events_is_read(liar: Liar) -> None:
    noise = b": ping\r\n\r\n" + event(
        b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}'
    )

    async def answer(key: Any, send: Send) -> None:
        await begin(send, 200, SSE)
        for byte in noise + event(reply(key, FINE)):
            await send({"type": "http.response.body", "body": bytes([byte]), "more_body": True})
        await asyncio.sleep(5)

    liar.answer = answer
    async with desk(liar, effect=False) as executor:
        assert (await ask(executor)).content == "fine"


@pytest.mark.parametrize("answer", [body("text/plain", b"", 503), torn], ids=["503", "torn off"])
async def test_what_changes_nothing_is_tried_again_where_the_operator_says_so(liar: Liar, answer: Answer) -> None:
    async def at_first(key: Any, send: Send) -> None:
        liar.answer = in_json(FINE)
        await answer(key, send)

    liar.answer = at_first
    async with desk(liar, effect=False, retries=1) as executor:
        assert (await ask(executor)).content == "fine"
        assert liar.calls == 2


async def test_a_tool_that_cannot_be_described_is_left_out(liar: Liar, caplog: pytest.LogCaptureFixture) -> None:
    schema = {"type": "object", "properties": {"x": {"$ref": "http://127.0.0.1:9/elsewhere"}}}
    liar.tools = [{"name": "tell", "inputSchema": schema}]
    async with desk(liar, effect=False) as executor:
        assert list(executor.registry) == []
    assert "left out" in caplog.text
