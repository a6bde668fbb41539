"""A request that is sent again, with a key or to the caller's current thread, and requests that meet on one thread."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from server import create_app
from tests.api.desk import Desk, on_a_socket, parsed, settings

SLOWLY = {"message": "patientia"}
APPROVE = {"type": "approve"}


@pytest.fixture(scope="module")
async def http(database_url: str) -> AsyncIterator[httpx.AsyncClient]:
    """A desk behind a real socket, with one more agent whose tool takes a second."""
    slow = Path(__file__).parent / "slow"
    chosen = settings(database_url, demo=False, tool_dirs=(slow / "tools",), agent_dirs=(slow / "agents",))
    async with (
        on_a_socket(create_app(chosen)) as address,
        httpx.AsyncClient(base_url=address, timeout=20, trust_env=False) as client,
    ):
        yield client


def key(name: str | None = None) -> dict[str, str]:
    return {"Idempotency-Key": name or str(uuid4())}


async def test_the_same_key_gets_the_same_run_from_both_faces(desk: Desk) -> None:
    headers = key()
    body = {"message": "查一下今天的订单"}
    first = await desk.http.post("/invoke", json=body, headers=headers)
    again = await desk.http.post("/invoke", json=body, headers=headers)
    assert again.json() == first.json()
    assert again.headers["location"] == first.headers["location"]
    told = parsed((await desk.http.post("/stream", json=body, headers=headers)).text)
    assert told[-1].data == first.json()
    assert (told[0].kind, told[0].data["run_id"]) == ("turn", first.json()["run_id"])


async def test_another_request_with_a_used_key_is_refused(desk: Desk) -> None:
    headers = key()
    await desk.http.post("/invoke", json={"message": "你好"}, headers=headers)
    answer = await desk.http.post("/invoke", json={"message": "谢谢"}, headers=headers)
    assert (answer.status_code, "Idempotency-Key" in answer.json()["detail"]) == (422, True)
    eves = await desk.http.post("/invoke", json={"message": "谢谢"}, headers={**headers, "X-Dev-User": "eve"})
    assert eves.status_code == 200


@pytest.mark.parametrize("bad", ["", " ", "a\tb", "键", "x" * 256], ids=repr)
async def test_a_key_is_a_short_plain_text(desk: Desk, bad: str) -> None:
    headers = [(b"idempotency-key", bad.encode())]
    answer = await desk.http.post("/invoke", json={"message": "你好"}, headers=headers)
    assert (answer.status_code, type(answer.json()["detail"])) == (422, str)


async def test_a_change_that_is_approved_twice_with_one_key_is_made_once(desk: Desk) -> None:
    async with desk.opened["pool"].connection() as connection:
        query = "select order_no from demo.orders where tenant_id = 'acme' and status = 'to_ship' limit 1"
        row = await (await connection.execute(query)).fetchone()
    assert row is not None
    waiting = await desk.ask(f"把订单 {row['order_no']} 改成已发货")
    resume = {"interrupt_id": waiting["interrupt"]["id"], "decisions": [APPROVE]}
    body, headers = {"thread_id": waiting["thread_id"], "resume": resume}, key()
    answers = await asyncio.gather(*[desk.http.post("/invoke", json=body, headers=headers) for _ in range(4)])
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["run_id"] for answer in answers}) == 1
    assert answers[0].json()["tool_calls"][0]["status"] == "done"
    async with desk.opened["pool"].connection() as connection:
        query = "select count(*) as n from demo.order_events where order_no = %s"
        counted = await (await connection.execute(query, (row["order_no"],))).fetchone()
    assert counted is not None
    assert counted["n"] == 1
    assert (await desk.http.post("/invoke", json=body, headers=key())).status_code == 409


async def test_two_first_messages_with_one_key_at_once_are_one_thread(desk: Desk) -> None:
    headers = key()
    tries = [desk.http.post("/invoke", json={"message": "你好"}, headers=headers) for _ in range(5)]
    results = [answer.json() for answer in await asyncio.gather(*tries)]
    assert len({result["thread_id"] for result in results}) == 1
    turns = (await desk.http.get(f"/threads/{results[0]['thread_id']}/turns")).json()
    assert len(turns) == 1


async def test_current_goes_on_where_the_caller_was(desk: Desk) -> None:
    me = {"X-Dev-User": f"u{uuid4().hex[:8]}"}

    async def ask(message: str, **more: Any) -> dict[str, Any]:
        answer = await desk.http.post("/invoke", json={"message": message, **more}, headers=me)
        return dict(answer.json())

    first = await ask("查张三的订单", thread_id="current")
    second = await ask("他的订单呢", thread_id="current")
    assert second["thread_id"] == first["thread_id"]
    assert second["tool_calls"][0]["arguments"]["customer"] == "张三"
    newer = await ask("你好")
    assert newer["thread_id"] != first["thread_id"]
    assert (await ask("你好", thread_id="current"))["thread_id"] == newer["thread_id"]
    async with desk.opened["pool"].connection() as connection:
        statement = "update frontdesk.threads set updated_at = updated_at - %s where thread_id = %s"
        await connection.execute(statement, (timedelta(hours=10), newer["thread_id"]))
        await connection.execute(statement, (timedelta(hours=10), first["thread_id"]))
    fresh = await ask("你好", thread_id="current")
    assert fresh["thread_id"] not in (first["thread_id"], newer["thread_id"])


async def test_a_resume_of_the_current_thread_where_there_is_none_is_a_conflict(desk: Desk) -> None:
    body = {"thread_id": "current", "resume": {"interrupt_id": "x", "decisions": [APPROVE]}}
    answer = await desk.http.post("/invoke", json=body, headers={"X-Dev-User": f"u{uuid4().hex[:8]}"})
    assert answer.status_code == 409


@pytest.mark.parametrize("strategy", ["later", "", None, 5])
async def test_an_unknown_strategy_is_refused(desk: Desk, strategy: Any) -> None:
    answer = await desk.http.post("/invoke", json={"message": "你好", "on_busy": strategy})
    assert answer.status_code == 422


async def test_a_busy_thread_keeps_the_order_refuses_or_makes_room(http: httpx.AsyncClient) -> None:
    thread_id = (await http.post("/invoke", json={"message": "你好"})).json()["thread_id"]

    async def ask(**body: Any) -> httpx.Response:
        return await http.post("/invoke", json={"thread_id": thread_id, **body})

    slow = asyncio.create_task(ask(**SLOWLY))
    await asyncio.sleep(0.2)
    assert (await ask(message="你好", on_busy="reject")).status_code == 409
    behind = await ask(message="谢谢")
    assert slow.done()
    assert ((await slow).json()["status"], behind.json()["status"]) == ("completed", "completed")
    stopped = asyncio.create_task(ask(**SLOWLY))
    await asyncio.sleep(0.2)
    assert (await ask(message="你好", on_busy="interrupt")).json()["status"] == "completed"
    assert (await stopped).json()["status"] == "failed"
    undone = asyncio.create_task(ask(**SLOWLY))
    await asyncio.sleep(0.2)
    assert (await ask(message="你好", on_busy="rollback")).json()["status"] == "completed"
    assert (await undone).json()["status"] == "failed"
    questions = [turn["question"] for turn in (await http.get(f"/threads/{thread_id}/turns")).json()]
    assert questions == ["你好", "patientia", "谢谢", "patientia", "你好", "你好"]


async def test_a_stream_can_be_joined_while_it_runs_and_after_its_client_left(http: httpx.AsyncClient) -> None:
    async with http.stream("POST", "/stream", json=SLOWLY) as answer:
        where = answer.headers["location"]
        async for line in answer.aiter_lines():
            if line.startswith("id: "):
                break
    joined = [
        parsed((await http.get(where)).text),
        parsed((await http.get(where, headers={"Last-Event-ID": "1"})).text),
    ]
    assert [event.id for event in joined[0]] == list(range(1, len(joined[0]) + 1))
    assert (joined[0][0].kind, joined[0][-1].kind) == ("turn", "result")
    assert joined[1] == joined[0][1:]


async def test_a_request_that_is_sent_again_while_the_first_runs_waits_for_the_same_answer(
    http: httpx.AsyncClient,
) -> None:
    headers = key()
    with pytest.raises(httpx.ReadTimeout):
        await http.post("/invoke", json=SLOWLY, headers=headers, timeout=0.3)
    first, second = await asyncio.gather(*[http.post("/invoke", json=SLOWLY, headers=headers) for _ in range(2)])
    assert first.json() == second.json()
    assert first.json()["tool_calls"][0]["summary"] == "waited for alex"
