"""The transcript of a thread."""

from typing import Any

import pytest

from tests.api.desk import Desk
from tests.api.scenes import EVE, get, refused, settled, started, waiting

TURN = {
    "turn_id", "status", "question", "answer", "locale", "requests", "decisions", "calls", "interrupt", "usage",
    "model", "agents", "clock", "time_zone", "runs", "created_at", "finished_at", "elapsed_ms",
}  # fmt: skip
RUN = {"run_id", "status", "message", "resume", "error", "attempt", "created_at", "started_at", "finished_at"}


async def turns(desk: Desk, thread_id: str, query: str = "") -> Any:
    return await get(desk, f"/threads/{thread_id}/turns{query}")


async def test_each_question_stands_with_its_answer_and_what_was_done(desk: Desk) -> None:
    asked = await desk.ask("查一下今天的订单")
    await desk.ask("谢谢", thread_id=asked["thread_id"])
    first, second = await turns(desk, asked["thread_id"])
    for turn in (first, second):
        assert set(turn) == TURN
        assert [set(run) for run in turn["runs"]] == [RUN]
        assert (turn["status"], turn["runs"][0]["status"], turn["runs"][0]["attempt"]) == ("completed", "success", 1)
        assert turn["created_at"] <= turn["finished_at"]
    assert (first["question"], first["answer"], first["locale"]) == ("查一下今天的订单", asked["reply"], "zh")
    assert first["decisions"] == asked["decisions"]
    assert first["requests"] == asked["requests"]
    assert first["usage"] == asked["usage"]
    (call,) = first["calls"]
    assert (call["tool"], call["status"], call["arguments"]) == (
        "list_orders", "done", asked["tool_calls"][0]["arguments"],
    )  # fmt: skip
    assert call["data"]["total"] >= 1
    assert list(first["agents"]) == ["business"]
    assert first["time_zone"] == "Asia/Shanghai"
    assert first["elapsed_ms"] == pytest.approx(asked["elapsed_ms"])
    assert (second["question"], second["calls"]) == ("谢谢", [])


async def test_a_turn_with_an_answer_to_its_question_is_one_turn_of_two_runs(desk: Desk) -> None:
    asked = await waiting(desk)
    (turn,) = await turns(desk, asked["thread_id"])
    assert (turn["status"], turn["calls"][0]["status"]) == ("interrupted", "awaiting")
    assert turn["interrupt"]["id"] == asked["interrupt"]["id"]
    resumed = (await desk.resume(asked, {"type": "approve"})).json()
    (turn,) = await turns(desk, asked["thread_id"])
    assert [run["run_id"] for run in turn["runs"]] == [asked["run_id"], resumed["run_id"]]
    assert [run["resume"] for run in turn["runs"]] == [
        None, {"interrupt_id": asked["interrupt"]["id"], "decisions": [{"type": "approve"}]},
    ]  # fmt: skip
    assert (turn["status"], turn["question"], turn["answer"]) == (
        "completed", (await get(desk, f"/threads/{asked['thread_id']}"))["metadata"]["title"], resumed["reply"],
    )  # fmt: skip
    (call,) = turn["calls"]
    assert (call["status"], call["confirmation"]["type"]) == ("done", "approve")


async def test_a_plain_yes_belongs_to_the_turn_that_asked(desk: Desk) -> None:
    asked = await waiting(desk)
    said = await desk.ask("确认", thread_id=asked["thread_id"])
    (turn,) = await turns(desk, asked["thread_id"])
    assert (turn["status"], turn["answer"]) == ("completed", said["reply"])
    assert turn["question"] != "确认"
    assert [run["run_id"] for run in turn["runs"]] == [asked["run_id"], said["run_id"]]
    assert [run["message"] for run in turn["runs"]] == [turn["question"], "确认"]


async def test_a_transcript_goes_from_page_to_page_the_oldest_first(desk: Desk) -> None:
    thread_id = (await desk.ask("hello 0"))["thread_id"]
    for number in range(1, 5):
        await desk.ask(f"hello {number}", thread_id=thread_id)
    seen, query = [], "?limit=2"
    while query:
        answer = await desk.http.get(f"/threads/{thread_id}/turns{query}")
        seen += [turn["question"] for turn in answer.json()]
        following = answer.headers.get("X-Pagination-Next")
        query = f"?limit=2&offset={following}" if following else ""
    assert seen == [f"hello {number}" for number in range(5)]
    assert await turns(desk, thread_id, "?offset=9") == []


async def test_a_turn_on_its_way_and_one_that_waits_are_in_the_transcript(slow_desk: Desk) -> None:
    run = await started(slow_desk)
    await started(slow_desk, run["thread_id"], "你好")
    first, second = await turns(slow_desk, run["thread_id"])
    assert (first["status"], first["question"], first["answer"]) == ("running", "patientia", None)
    assert (second["status"], second["question"], second["runs"][0]["started_at"]) == ("pending", "你好", None)
    assert first["usage"] == {"model_calls": 0, "input_tokens": 0, "output_tokens": 0}
    await settled(slow_desk, run["thread_id"])
    assert [turn["status"] for turn in await turns(slow_desk, run["thread_id"])] == ["completed", "completed"]


async def test_a_turn_that_was_stopped_says_so(slow_desk: Desk) -> None:
    run = await started(slow_desk)
    await slow_desk.http.post(f"/threads/{run['thread_id']}/runs/{run['run_id']}/cancel?wait=1")
    (turn,) = await turns(slow_desk, run["thread_id"])
    assert (turn["status"], turn["runs"][0]["status"]) == ("failed", "interrupted")
    assert turn["runs"][0]["error"]["error"] == "UserInterrupt"


async def test_a_turn_whose_transcript_was_pruned_still_has_its_place(desk: Desk) -> None:
    asked = await desk.ask("查一下今天的订单")
    async with desk.opened["pool"].connection() as connection:
        # As retention leaves it.
        await connection.execute(
            "UPDATE frontdesk.runs SET input = '{}', context = '{}', kwargs = '{}', result = NULL, transcript = NULL "
            "WHERE run_id = %s",
            (asked["run_id"],),
        )
    (turn,) = await turns(desk, asked["thread_id"])
    assert set(turn) == TURN
    assert (turn["status"], turn["question"], turn["answer"], turn["calls"]) == ("completed", None, None, [])
    run = await get(desk, f"/threads/{asked['thread_id']}/runs/{asked['run_id']}")
    assert (run["kwargs"]["input"], run["kwargs"]["command"]) == (None, None)


async def test_a_transcript_of_somebody_else_does_not_exist(desk: Desk) -> None:
    asked = await desk.ask("你好")
    answer = await desk.http.get(f"/threads/{asked['thread_id']}/turns", headers=EVE)
    assert refused(answer) == (404, f"Thread with ID {asked['thread_id']} not found")
    assert (await desk.http.get("/threads/xyz/turns")).status_code == 422
    assert (await desk.http.get(f"/threads/{asked['thread_id']}/turns?limit=0")).status_code == 422
