"""POST /stream: the events of a turn, as they are sent."""

import asyncio
from functools import partial
from uuid import uuid4

import pytest

from api import stream
from tests.api.desk import Desk, Event, parsed
from tests.graphs.test_run import Told


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
    played = Told()
    told = stream.told(played.run(), beat_s=0.01)
    assert await anext(told) == b": heartbeat\n\n"
    played.tell("turn")
    assert b"event: turn\n" in await anext(told)
    assert await anext(told) == b": heartbeat\n\n"


async def test_a_run_without_a_result_ends_in_an_error_that_says_nothing_of_its_cause() -> None:
    played = Told()
    played.tell("turn")
    asyncio.get_running_loop().call_later(
        0.01, partial(played.tell, "error", {"run_id": "r"}, RuntimeError("a secret"))
    )
    frames = [frame async for frame in stream.told(played.run())]
    assert frames[-1] == b'event: error\ndata: {"run_id":"r","detail":"Internal error"}\nid: 2\n\n'


async def joined(desk: Desk, run_id: str, last_event_id: str | None = None) -> list[Event]:
    headers = {} if last_event_id is None else {"Last-Event-ID": last_event_id}
    answer = await desk.http.get(f"/stream/{run_id}", headers=headers)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    return parsed(answer.text)


async def test_a_run_that_is_over_can_be_read_again_from_any_event_to_its_result(desk: Desk) -> None:
    events = await desk.events(message="查一下今天的订单")
    run_id = events[-1].data["run_id"]
    for everything in (None, "-1", "0", "0-0"):
        assert await joined(desk, run_id, everything) == events
    assert await joined(desk, run_id, str(events[2].id)) == events[3:]
    assert await joined(desk, run_id, f"{events[2].id}-0") == events[3:]
    assert await joined(desk, run_id, str(events[-1].id)) == []


async def test_of_a_run_whose_events_are_forgotten_the_result_is_left_under_its_id(desk: Desk) -> None:
    events = await desk.events(message="你好")
    run_id = events[-1].data["run_id"]
    desk.opened["runner"]._stage.events._buffers.clear()  # type: ignore[attr-defined]  # as time would do
    assert await joined(desk, run_id) == [events[-1]]
    assert await joined(desk, run_id, str(events[-1].id)) == []


async def test_a_run_of_nobody_or_of_somebody_else_cannot_be_joined(desk: Desk) -> None:
    run_id = (await desk.ask("你好"))["run_id"]
    for headers in ({"X-Dev-User": "eve"}, {"X-Dev-Tenant": "globex"}):
        assert (await desk.http.get(f"/stream/{run_id}", headers=headers)).status_code == 404
    assert (await desk.http.get(f"/stream/{uuid4()}")).status_code == 404
    assert (await desk.http.get("/stream/nothing")).status_code == 422


@pytest.mark.parametrize("bad", ["", "x", "-2", "1-", "1.5", "9" * 40, "1-2-3"])
async def test_what_is_no_event_s_id_is_refused(desk: Desk, bad: str) -> None:
    run_id = (await desk.ask("你好"))["run_id"]
    answer = await desk.http.get(f"/stream/{run_id}", headers={"Last-Event-ID": bad})
    assert (answer.status_code, type(answer.json()["detail"])) == (422, str)
