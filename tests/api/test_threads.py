"""Threads in the shapes of LangGraph's API."""

from typing import Any
from uuid import uuid4

import pytest

from tests.api.desk import Desk

STATE = {
    "values", "next", "tasks", "metadata", "created_at", "checkpoint", "parent_checkpoint", "interrupts",
    "checkpoint_id", "parent_checkpoint_id",
}  # fmt: skip
ROW = {
    "thread_id", "created_at", "updated_at", "state_updated_at", "metadata", "status", "config", "values", "error",
    "interrupts",
}  # fmt: skip


async def waiting(desk: Desk) -> dict[str, Any]:
    async with desk.opened["pool"].connection() as connection:
        query = "select order_no from demo.orders where tenant_id = 'acme' and status = 'to_ship' limit 1"
        row = await (await connection.execute(query)).fetchone()
    assert row is not None
    return await desk.ask(f"把订单 {row['order_no']} 改成已发货")


async def get(desk: Desk, path: str) -> Any:
    answer = await desk.http.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_a_thread_is_shown_with_its_newest_values(desk: Desk) -> None:
    asked = await desk.ask("查一下今天的订单")
    row = await get(desk, f"/threads/{asked['thread_id']}")
    assert set(row) == ROW
    assert (row["status"], row["interrupts"], row["error"]) == ("idle", {}, None)
    assert row["metadata"]["graph_id"] == "frontdesk"
    assert row["created_at"].endswith("+00:00")
    assert row["metadata"]["title"] == "查一下今天的订单"
    assert [m["type"] for m in row["values"]["messages"]] == ["human", "ai", "tool", "ai"]
    assert row["values"]["messages"][0]["content"] == "查一下今天的订单"


async def test_the_state_of_a_finished_thread(desk: Desk) -> None:
    asked = await desk.ask("你好")
    state = await get(desk, f"/threads/{asked['thread_id']}/state")
    assert set(state) == STATE
    assert (state["next"], state["tasks"], state["interrupts"]) == ([], [], [])
    assert state["metadata"]["run_id"] == asked["run_id"]
    assert state["metadata"]["source"] == "loop"
    assert state["checkpoint"] == {
        "checkpoint_id": state["checkpoint_id"], "thread_id": asked["thread_id"], "checkpoint_ns": "",
    }  # fmt: skip
    assert state["parent_checkpoint"]["checkpoint_id"] == state["parent_checkpoint_id"]
    human, ai = state["values"]["messages"]
    assert set(human) == {"content", "additional_kwargs", "response_metadata", "type", "name", "id"}
    assert set(ai) == set(human) | {"tool_calls", "invalid_tool_calls", "usage_metadata"}


async def test_the_state_at_a_question_for_a_yes(desk: Desk) -> None:
    asked = await waiting(desk)
    state = await get(desk, f"/threads/{asked['thread_id']}/state")
    assert state["next"] == ["confirm"]
    (task,) = state["tasks"]
    assert set(task) == {"id", "name", "path", "error", "interrupts", "checkpoint", "state", "result"}
    assert (task["name"], task["path"]) == ("confirm", ["__pregel_pull", "confirm"])
    assert task["interrupts"] == state["interrupts"]
    (interrupt,) = state["interrupts"]
    assert set(interrupt) == {"id", "value", "response_schema"}
    assert interrupt["id"] == asked["interrupt"]["id"]
    row = await get(desk, f"/threads/{asked['thread_id']}")
    assert (row["status"], row["interrupts"]) == ("interrupted", {task["id"]: [interrupt]})


async def test_the_history_shows_every_step_newest_first(desk: Desk) -> None:
    asked = await desk.ask("查一下今天的订单")
    path = f"/threads/{asked['thread_id']}/history"
    history = (await desk.http.post(path, json={"limit": 50})).json()
    assert all(set(state) == STATE for state in history)
    assert [state["next"] for state in reversed(history)] == [
        ["__start__"], ["pre_route"], ["extract"], ["plan"], ["execute"], ["plan"], ["reply"], [],
    ]  # fmt: skip
    assert [s["parent_checkpoint_id"] for s in history] == [*(s["checkpoint_id"] for s in history[1:]), None]
    assert history[-1]["metadata"]["source"] == "input"
    assert (await get(desk, f"{path}?limit=50")) == history
    assert (await get(desk, f"{path}?limit=2")) == history[:2]


async def test_the_history_can_be_asked_from_a_checkpoint_on(desk: Desk) -> None:
    asked = await desk.ask("你好")
    path = f"/threads/{asked['thread_id']}/history"
    history = (await desk.http.post(path, json={"limit": 50})).json()
    second = history[1]["checkpoint"]
    for before in ({"configurable": second}, second, second["checkpoint_id"]):
        older = (await desk.http.post(path, json={"limit": 50, "before": before})).json()
        assert older == history[2:]
    assert (await get(desk, f"{path}?before={second['checkpoint_id']}")) == history[2:]
    one = (await desk.http.post(path, json={"checkpoint": second})).json()
    assert one == [history[1]]
    inputs = (await desk.http.post(path, json={"metadata": {"source": "input"}})).json()
    assert inputs == history[-1:]


@pytest.mark.parametrize("body", [{"limit": 0}, {"limit": 1001}, {"limit": "x"}, {"before": 5}, []])
async def test_a_history_of_no_sense_is_refused(desk: Desk, body: Any) -> None:
    asked = await desk.ask("你好")
    answer = await desk.http.post(f"/threads/{asked['thread_id']}/history", json=body)
    assert (answer.status_code, type(answer.json()["detail"])) == (422, str)


async def test_a_checkpoint_of_another_thread_is_not_shown(desk: Desk) -> None:
    mine = await desk.ask("你好")
    path = f"/threads/{mine['thread_id']}/history"
    other = await desk.http.post("/invoke", json={"message": "你好"}, headers={"X-Dev-User": "eve"})
    foreign = {"thread_id": other.json()["thread_id"]}
    states = (await desk.http.post(path, json={"checkpoint": foreign})).json()
    assert {state["checkpoint"]["thread_id"] for state in states} == {mine["thread_id"]}


@pytest.mark.parametrize("path", ["", "/state", "/history"])
async def test_a_thread_that_is_not_the_callers_does_not_exist(desk: Desk, path: str) -> None:
    mine = await desk.ask("你好")
    answer = await desk.http.get(f"/threads/{mine['thread_id']}{path}", headers={"X-Dev-User": "eve"})
    assert answer.status_code == 404
    unknown = uuid4()
    answer = await desk.http.get(f"/threads/{unknown}{path}")
    assert (answer.status_code, answer.json()) == (404, {"detail": f"Thread with ID {unknown} not found"})
    answer = await desk.http.get(f"/threads/xyz{path}")
    assert (answer.status_code, answer.json()) == (422, {"detail": "Invalid thread ID: must be a UUID"})


async def test_a_thread_without_a_run_has_an_empty_state(desk: Desk) -> None:
    made = await desk.opened["threads"].create("acme", "alex")
    assert await get(desk, f"/threads/{made.thread_id}/state") == {
        "values": {}, "next": [], "tasks": [], "metadata": None, "created_at": None, "checkpoint": None,
        "parent_checkpoint": None, "interrupts": [], "checkpoint_id": None, "parent_checkpoint_id": None,
    }  # fmt: skip
    assert await get(desk, f"/threads/{made.thread_id}/history") == []
