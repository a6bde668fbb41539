"""POST /stream: the events of a turn, as they are sent."""

import asyncio

from api import stream
from graphs.run import Run
from tests.api.desk import Desk


async def test_a_read_is_told_from_the_first_id_to_the_result(desk: Desk) -> None:
    events = await desk.events(message="查一下今天的订单")
    kinds = [event.kind for event in events]
    assert kinds[0] == "turn"
    assert kinds[-1] == "result"
    assert set(kinds) == {"turn", "decision", "tool_call", "token", "card", "result"}
    assert [event.id for event in events] == list(range(1, len(events) + 1))
    result = events[-1].data
    for event in events:
        assert (event.data["thread_id"], event.data["run_id"]) == (result["thread_id"], result["run_id"])
    tokens = [event.data for event in events if event.kind == "token"]
    assert "".join(token["content"] for token in tokens) == result["reply"]
    assert {token["status"] for token in tokens} == {"REPLYING"}
    (card,) = [event.data for event in events if event.kind == "card"]
    assert card["status"] == "COMPLETED"
    assert {"content", "data", "design"} <= set(card)
    assert [e.data["phase"] for e in events if e.kind == "tool_call"] == ["started", "finished"]
    assert [e.data["level"] for e in events if e.kind == "decision"] == [d["level"] for d in result["decisions"]]


async def test_a_question_for_a_yes_is_told_before_the_result(desk: Desk) -> None:
    async with desk.opened["pool"].connection() as connection:
        query = "select order_no from demo.orders where tenant_id = 'acme' and status = 'to_ship' limit 1"
        row = await (await connection.execute(query)).fetchone()
    assert row is not None
    events = await desk.events(message=f"把订单 {row['order_no']} 改成已发货")
    assert [event.kind for event in events[-2:]] == ["confirmation", "result"]
    result = events[-1].data
    assert {key: events[-2].data[key] for key in result["interrupt"]} == result["interrupt"]


async def test_how_it_is_sent(desk: Desk) -> None:
    answer = await desk.http.post("/stream", json={"message": "你好"})
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-accel-buffering"] == "no"
    assert answer.headers["content-location"].startswith("/threads/")
    assert "\\u" not in answer.text


async def test_a_refusal_has_its_own_status(desk: Desk) -> None:
    answer = await desk.http.post(
        "/stream", json={"message": "hi", "thread_id": "00000000-0000-4000-8000-000000000000"}
    )
    assert answer.status_code == 404
    greeted = await desk.ask("你好")
    given = {"interrupt_id": "x", "decisions": [{"type": "approve"}]}
    answer = await desk.http.post("/stream", json={"thread_id": greeted["thread_id"], "resume": given})
    assert answer.status_code == 409


async def test_silence_is_filled_with_heartbeats() -> None:
    run = Run("t", "r")
    told = stream.told(run, heartbeat_s=0.01)
    assert await anext(told) == b": heartbeat\n\n"
    run.tell("turn", {})
    assert b"event: turn\n" in await anext(told)
    assert await anext(told) == b": heartbeat\n\n"


async def test_a_run_without_a_result_ends_in_an_error_that_says_nothing_of_its_cause() -> None:
    run = Run("t", "r")
    run.tell("turn", {})
    asyncio.get_running_loop().call_later(0.01, run.fail, RuntimeError("a secret"))
    frames = [frame async for frame in stream.told(run)]
    assert frames[-1] == b'event: error\ndata: {"thread_id":"t","run_id":"r","detail":"Internal error"}\nid: 2\n\n'
