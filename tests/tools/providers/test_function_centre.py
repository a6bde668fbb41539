"""One call of the function centre: what it is sent, and what becomes of every odd answer, as the executor tells it."""

import asyncio
import gzip
import json
import logging
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from tests.fakes.ledger import MemoryLedger
from tests.fakes.odd_centre import OddCentre, Writer, done, http
from tests.tools.running import Design
from tests.tools.samples import NOW, caller
from tools.call import Call, Outcome
from tools.executor import Executor
from tools.faults import Fault
from tools.providers.function_centre import SOURCE, Address, FunctionCentre, open_centre
from tools.providers.json_tools import json_tool
from tools.registry import Registry
from tools.tool import Tool

SCHEMA = {"type": "object", "properties": {"content": {"type": "string"}, "date": {"type": "string", "format": "date"}}}
Centre = Callable[..., Any]


@pytest.fixture
async def odd() -> AsyncIterator[OddCentre]:
    async with OddCentre().listening() as centre:
        yield centre


def address(odd: OddCentre, **more: Any) -> Address:
    return Address(**{"url": odd.url, "connect_s": 2.0, "read_s": 2.0, "max_bytes": 10_000, **more})


def note(centre: FunctionCentre, **more: Any) -> Tool:
    given = {"effect": True, "timeout_s": 5.0, **more}
    return json_tool(
        name="note", description="Note something.", schema=SCHEMA, call=partial(centre.call, "note"), group="shop",
        permission="order:read", source=SOURCE, **given,
    )  # fmt: skip


async def call(
    where: Address,
    arguments: Mapping[str, Any] | None = None,
    *,
    deadline_s: float = 5.0,
    ledger: MemoryLedger | None = None,
    **more: Any,
) -> Outcome:
    async with open_centre(where) as centre:
        tool = note(centre, **more)
        executor = Executor(Registry([tool]), {}, {"order_list": Design()}, ledger=ledger or MemoryLedger())
        asked = Call(id="c1", name="note", arguments=arguments or {"content": "x"})
        by = replace(caller(), extra={"page": "home"})
        return await executor.run(asked, by, confirmation=None, deadline_s=deadline_s)


async def test_arguments_caller_and_moment_are_passed_on(odd: OddCentre) -> None:
    odd.answer = done(data={"n": 1}, direct=True)
    outcome = await call(address(odd, token="s3cret"), {"content": "给李四回电话", "date": "明天"})
    assert (outcome.status, outcome.content, outcome.data, outcome.direct) == ("done", "ok", {"n": 1}, True)
    (seen,) = odd.seen
    assert (seen.method, seen.path) == ("POST", "/functions/note")
    body = seen.json
    assert body.pop("deadline_s") == pytest.approx(5, abs=0.5)
    assert body == {
        "arguments": {"content": "给李四回电话", "date": "2026-12-01"},
        "caller": {"tenant": "acme", "user": "alex", "roles": ["operator"]},
        "locale": "en",
        "now": NOW.isoformat(),
        "extra": {"page": "home"},
    }
    assert seen.headers["authorization"] == "Bearer s3cret"
    assert seen.headers["accept-encoding"] == "identity"
    assert len(seen.headers["idempotency-key"]) >= 16


async def test_every_try_of_one_call_has_the_same_key(odd: OddCentre) -> None:
    odd.answer = http("busy", status="503 Service Unavailable")
    outcome = await call(address(odd), idempotent=True, retries=2)
    assert (outcome.status, outcome.reason) == ("failed", "centre_busy")
    assert len(odd.seen) == 3
    assert len({seen.headers["idempotency-key"] for seen in odd.seen}) == 1


async def test_a_refusal_of_the_business_is_a_value(odd: OddCentre) -> None:
    odd.answer = http(json.dumps({"outcome": "refused", "content": "没有找到待办 9", "data": {}}))
    outcome = await call(address(odd))
    assert (outcome.status, outcome.content) == ("refused", "没有找到待办 9")


async def test_a_card_is_dressed_and_one_that_nobody_knows_is_left_out(
    odd: OddCentre, caplog: pytest.LogCaptureFixture
) -> None:
    data = {"total": 0, "orders": []}
    odd.answer = done(data=data, card={"type": "order_list"})
    assert (await call(address(odd))).card == {"type": "order_list", "design": {"title": "Orders"}, "data": data}
    odd.answer = done(data=data, card={"type": "nowhere"})
    outcome = await call(address(odd), {"content": "y"})
    assert (outcome.status, outcome.content, outcome.card) == ("done", "ok", None)
    odd.answer = done(data=data, card={"type": "order_list", "data": {"total": "many"}})
    outcome = await call(address(odd), {"content": "z"})
    assert (outcome.status, outcome.content, outcome.card) == ("done", "ok", None)
    said = [record.getMessage() for record in caplog.records if record.name == "tools.cards"]
    assert [line.partition(":")[0] for line in said] == ["card 'nowhere' is left out", "card 'order_list' is left out"]


DEEP = "[" * 100_000 + "]" * 100_000
AFTER_IT = {  # it may have been done: an effect is then unknown
    "HTML": (http("<html>hello</html>", kind="text/html"), "centre_answer"),
    "no content type": (b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}", "centre_answer"),
    "broken JSON": (http('{"outcome": "done"'), "centre_answer"),
    "NaN": (http('{"outcome": "done", "content": "x", "data": {"a": NaN}}'), "centre_answer"),
    "a number without end": (http('{"outcome": "done", "content": "x", "data": {"a": 1e999}}'), "centre_answer"),
    "a lone surrogate": (http('{"outcome": "done", "content": "x", "data": {"a": "\\ud800"}}'), "centre_answer"),
    "no UTF-8": (http(b'{"outcome": "done", "content": "\xff"}'), "centre_answer"),
    "a list": (http("[]"), "centre_answer"),
    "nothing": (http(""), "centre_answer"),
    "null": (http("null"), "centre_answer"),
    "an empty object": (http("{}"), "centre_answer"),
    "no text as content": (done(content=5), "centre_answer"),
    "an outcome of its own": (done(outcome="unknown"), "centre_answer"),
    "a list as data": (done(data=[1]), "centre_answer"),
    "a card without a type": (done(card={}), "centre_answer"),
    "nested without end": (http(DEEP[:9_000]), "centre_answer"),
    "compressed": (http(gzip.compress(b"{}"), content_encoding="gzip"), "centre_answer"),
    "accepted": (http("{}", status="202 Accepted"), "centre_answer"),
    "500": (http("Traceback: hunter2", status="500 Internal Server Error", kind="text/plain"), "centre_error"),
    "502 of a proxy": (http("<html>", status="502 Bad Gateway", kind="text/html"), "centre_error"),
    "409": (http("{}", status="409 Conflict"), "centre_busy"),
    "too large": (done(data={"a": "x" * 20_000}), "centre_too_large"),
    "cut off in the middle": (done(data={"a": "x" * 100})[:-20], "centre_lost"),
    "closed without a word": (b"", "centre_lost"),
    "no HTTP": (b"SSH-2.0-OpenSSH_9.6\r\n", "centre_lost"),
}
BEFORE_IT = {  # it was not done: whoever asked may ask again
    "redirect": (http("", status="302 Found", location="http://127.0.0.1:1/"), "centre_redirect"),
    "permanent redirect": (
        http("", status="308 Permanent Redirect", location="http://127.0.0.1:1/"),
        "centre_redirect",
    ),
    "400": (http("{}", status="400 Bad Request"), "centre_refused"),
    "401": (http("{}", status="401 Unauthorized"), "centre_refused"),
    "404": (http("{}", status="404 Not Found"), "centre_gone"),
    "422": (http('{"detail": "hunter2"}', status="422 Unprocessable Content"), "centre_refused"),
    "429": (http("{}", status="429 Too Many Requests"), "centre_busy"),
    "503": (http("{}", status="503 Service Unavailable"), "centre_busy"),
}


@pytest.mark.parametrize("name", AFTER_IT)
async def test_an_odd_answer_leaves_an_effect_unknown_and_is_not_asked_for_twice(odd: OddCentre, name: str) -> None:
    odd.answer, reason = AFTER_IT[name]
    ledger = MemoryLedger()
    outcome = await call(address(odd), ledger=ledger)
    assert (outcome.status, outcome.reason) == ("unknown", reason)
    assert "please check" in outcome.content
    again = await call(address(odd), ledger=ledger)
    assert again.status == "unknown"
    assert len(odd.seen) == 1


@pytest.mark.parametrize("name", [*AFTER_IT, *BEFORE_IT])
async def test_an_odd_answer_to_a_reading_call_is_a_value_with_a_clear_reason(
    odd: OddCentre, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    odd.answer, reason = {**AFTER_IT, **BEFORE_IT}[name]
    outcome = await call(address(odd), effect=False)
    assert (outcome.status, outcome.reason) == ("failed", reason)
    assert outcome.content.startswith(
        ("the function centre", "the answer of the function", "the connection to the func")
    )
    assert "hunter2" not in caplog.text + outcome.content


@pytest.mark.parametrize("name", BEFORE_IT)
async def test_what_was_turned_away_has_failed_and_can_be_asked_for_again(odd: OddCentre, name: str) -> None:
    odd.answer, reason = BEFORE_IT[name]
    ledger = MemoryLedger()
    outcome = await call(address(odd), ledger=ledger)
    assert (outcome.status, outcome.reason) == ("failed", reason)
    odd.answer = done()
    assert (await call(address(odd), ledger=ledger)).status == "done"
    assert len(odd.seen) == 2


async def test_a_redirect_is_not_followed(odd: OddCentre) -> None:
    async with OddCentre(answer=done()).listening() as elsewhere:
        odd.answer = http("", status="307 Temporary Redirect", location=f"{elsewhere.url}/functions/note")
        outcome = await call(address(odd, token="s3cret"))
        assert (outcome.status, outcome.reason) == ("failed", "centre_redirect")
        assert elsewhere.seen == []


async def test_a_centre_that_is_down_is_told_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    outcome = await call(Address(url=f"http://127.0.0.1:{port}"))
    assert (outcome.status, outcome.reason) == ("failed", "centre_down")
    assert outcome.content == "the function centre does not answer; please try again later"


async def silent(_: Writer) -> None:
    await asyncio.Event().wait()


async def test_a_centre_that_says_nothing_is_waited_for_as_long_as_is_set(odd: OddCentre) -> None:
    odd.answer = silent
    outcome = await call(address(odd, read_s=0.2), effect=False)
    assert (outcome.status, outcome.reason) == ("failed", "centre_slow")
    outcome = await call(address(odd, read_s=0.2))
    assert (outcome.status, outcome.reason) == ("unknown", "centre_slow")


async def test_the_turns_limit_holds_whatever_the_centre_may_take(odd: OddCentre) -> None:
    odd.answer = silent
    outcome = await call(address(odd, read_s=30.0), deadline_s=0.4, timeout_s=30.0, effect=False)
    assert (outcome.status, outcome.reason) == ("failed", "centre_slow")


async def drop_by_drop(writer: Writer) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n")
    while True:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.02)


async def test_an_answer_that_comes_drop_by_drop_is_cut_off_by_the_tools_limit(odd: OddCentre) -> None:
    odd.answer = drop_by_drop
    outcome = await call(address(odd), timeout_s=0.5, effect=False)
    assert (outcome.status, outcome.reason) == ("failed", "timeout")


@asynccontextmanager
async def flood(odd: OddCentre) -> AsyncIterator[list[int]]:
    """An answer without end; counts what was taken of it."""
    taken = [0]

    async def pour(writer: Writer) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n")
        while not writer.is_closing():
            writer.write(b"x" * 4_096)
            await writer.drain()
            taken[0] += 4_096

    odd.answer = pour
    yield taken


async def test_an_answer_without_end_is_not_read_to_the_end(odd: OddCentre) -> None:
    async with flood(odd) as taken:
        outcome = await call(address(odd, max_bytes=100_000), effect=False)
        assert (outcome.status, outcome.reason) == ("failed", "centre_too_large")
        assert taken[0] < 20_000_000


async def test_nothing_of_the_token_is_logged(odd: OddCentre, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    where = address(odd, token="s3cret-token")
    for odd.answer in (done(), http("{}", status="401 Unauthorized"), b""):
        await call(where, {"content": str(len(odd.seen))})
    assert "s3cret" not in caplog.text + repr(where)


async def test_the_list_has_to_be_of_the_protocol(odd: OddCentre) -> None:
    async with open_centre(address(odd)) as centre:
        odd.answer = http('{"protocol": 1, "functions": [1]}')
        assert await centre.listed() == [1]
        for wrong in ('{"protocol": 2, "functions": []}', '{"functions": []}', '{"protocol": 1, "functions": {}}'):
            odd.answer = http(wrong)
            with pytest.raises(Fault) as fault:
                await centre.listed()
            assert fault.value.reason == "centre_answer"


async def test_a_function_that_has_gone_is_noticed(odd: OddCentre) -> None:
    odd.answer = http("{}", status="404 Not Found")
    async with open_centre(address(odd)) as centre:
        executor = Executor(Registry([note(centre)]), {}, {}, ledger=MemoryLedger())
        asked = Call(id="c1", name="note", arguments={})
        await executor.run(asked, caller(), confirmation=None, deadline_s=5)
        assert centre.changed.is_set()


async def test_a_list_that_comes_drop_by_drop_is_given_up(odd: OddCentre) -> None:
    """Or the desk would wait for it for days, and never ask again."""
    odd.answer = drop_by_drop
    async with open_centre(address(odd, connect_s=0.2, read_s=0.2)) as centre:
        with pytest.raises(Fault) as fault:
            await centre.listed()
    assert fault.value.reason == "centre_slow"
