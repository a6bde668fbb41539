"""The desk behind a real socket: what only a real connection shows."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from server import create_app
from tests.api.desk import on_a_socket, parsed, settings

HERE = Path(__file__).parent
SLOWLY = {"message": "patientia"}


@pytest.fixture(scope="module")
async def address(database_url: str) -> AsyncIterator[str]:
    """A desk with one more agent, whose tool takes its time."""
    slow = HERE / "slow"
    chosen = settings(database_url, demo=False, tool_dirs=(slow / "tools",), agent_dirs=(slow / "agents",))
    async with on_a_socket(create_app(chosen)) as opened:
        yield opened


@pytest.fixture
async def http(address: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=address, timeout=20, trust_env=False) as client:
        yield client


async def finished(http: httpx.AsyncClient, thread_id: str) -> dict[str, object]:
    async with asyncio.timeout(10):
        while True:
            row = (await http.get(f"/threads/{thread_id}")).json()
            if row["status"] != "busy":
                return dict(row)
            await asyncio.sleep(0.05)


async def test_events_arrive_while_the_turn_is_still_running(http: httpx.AsyncClient) -> None:
    begun = time.perf_counter()
    seen: dict[str, float] = {}
    async with http.stream("POST", "/stream", json=SLOWLY) as answer:
        async for line in answer.aiter_lines():
            if line.startswith("event: "):
                seen[line.removeprefix("event: ")] = time.perf_counter() - begun
    assert seen["turn"] < 0.5
    assert seen["tool_call"] >= 0.9
    assert seen["result"] >= 0.9


async def test_a_turn_is_finished_though_the_client_of_its_stream_leaves(http: httpx.AsyncClient) -> None:
    async with http.stream("POST", "/stream", json=SLOWLY) as answer:
        thread_id = answer.headers["content-location"].split("/")[2]
        async for line in answer.aiter_lines():
            if line.startswith("data: "):
                break
    row = await finished(http, thread_id)
    assert row["status"] == "idle"
    assert "waited" in json.dumps(row["values"])


async def test_a_turn_is_finished_though_the_client_that_waits_for_it_leaves(http: httpx.AsyncClient) -> None:
    thread_id = (await http.post("/invoke", json={"message": "你好"})).json()["thread_id"]
    with pytest.raises(httpx.ReadTimeout):
        await http.post("/invoke", json={**SLOWLY, "thread_id": thread_id}, timeout=0.3)
    assert (await http.get(f"/threads/{thread_id}")).json()["status"] == "busy"
    row = await finished(http, thread_id)
    assert row["status"] == "idle"
    assert "waited" in json.dumps(row["values"])


async def test_twenty_at_once_are_all_answered_and_a_thread_keeps_its_order(http: httpx.AsyncClient) -> None:
    thread_id = (await http.post("/invoke", json={"message": "你好"})).json()["thread_id"]
    one_thread = [http.post("/invoke", json={"message": f"hello {n}", "thread_id": thread_id}) for n in range(10)]
    many = [http.post("/invoke", json={"message": "你好"}) for _ in range(10)]
    answers = await asyncio.gather(*one_thread, *many)
    assert {answer.status_code for answer in answers} == {200}
    assert {answer.json()["status"] for answer in answers} == {"completed"}


async def test_a_stream_over_the_wire_is_whole(http: httpx.AsyncClient) -> None:
    answer = await http.post("/stream", json={"message": "你好"})
    kinds = [event.kind for event in parsed(answer.text)]
    assert (kinds[0], kinds[-1]) == ("turn", "result")


@pytest.mark.parametrize("known", [True, False], ids=["with a length", "without a length"])
async def test_a_body_that_is_too_long_is_answered_though_it_is_still_being_sent(address: str, known: bool) -> None:
    """By hand: a client library may meet the closed connection before it reads the answer."""
    host, port = address.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    length = b"Content-Length: 3000000\r\n" if known else b"Transfer-Encoding: chunked\r\n"
    writer.write(b"POST /invoke HTTP/1.1\r\nHost: desk\r\nContent-Type: application/json\r\n" + length + b"\r\n")
    part = b" " * 65_536
    for _ in range(20):
        writer.write(part if known else b"10000\r\n" + part + b"\r\n")
    async with asyncio.timeout(5):
        status = await reader.readline()
    assert b" 413 " in status
    writer.close()
