"""States of threads in the shapes of LangGraph's API."""

from typing import Any
from uuid import uuid4

import pytest

from tests.api.desk import Desk
from tests.api.scenes import EVE, STATE, TASK, get, post, refused, waiting


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
    assert set(task) == TASK
    assert (task["name"], task["path"]) == ("confirm", ["__pregel_pull", "confirm"])
    assert (task["checkpoint"], task["state"], task["result"]) == (None, None, None)
    assert task["interrupts"] == state["interrupts"]
    (interrupt,) = state["interrupts"]
    assert set(interrupt) == {"id", "value", "response_schema"}
    assert interrupt["id"] == asked["interrupt"]["id"]
    row = await get(desk, f"/threads/{asked['thread_id']}")
    assert (row["status"], row["interrupts"]) == ("interrupted", {task["id"]: [interrupt]})


async def test_the_state_at_a_checkpoint_is_the_one_of_the_history(desk: Desk) -> None:
    asked = await desk.ask("查一下今天的订单")
    path = f"/threads/{asked['thread_id']}"
    history = await post(desk, f"{path}/history", {"limit": 50})
    third = history[2]
    assert await get(desk, f"{path}/state/{third['checkpoint_id']}") == third
    assert await get(desk, f"{path}/state/{third['checkpoint_id']}?subgraphs=1") == third
    for body in ({"checkpoint": third["checkpoint"]}, {"checkpoint": {"checkpoint_id": third["checkpoint_id"]}}):
        assert await post(desk, f"{path}/state/checkpoint", body) == third


@pytest.mark.parametrize(
    "more", [{}, {"subgraphs": 0}, {"subgraphs": True}, {"select": ["values"]}, {"strict_resume": 1}], ids=str
)
async def test_without_an_id_the_newest_state_is_meant(desk: Desk, more: dict[str, Any]) -> None:
    asked = await desk.ask("你好")
    path = f"/threads/{asked['thread_id']}/state"
    newest = await get(desk, path)
    where = {"thread_id": asked["thread_id"], "checkpoint_map": {}}
    assert await post(desk, f"{path}/checkpoint", {"checkpoint": where, **more}) == newest
    assert await post(desk, f"{path}/checkpoint", None) == newest
    for flag in ("0", "1", "true", "false"):
        assert await get(desk, f"{path}?subgraphs={flag}") == newest


async def test_the_history_shows_every_step_newest_first(desk: Desk) -> None:
    asked = await desk.ask("查一下今天的订单")
    path = f"/threads/{asked['thread_id']}/history"
    history = await post(desk, path, {"limit": 50})
    assert all(set(state) == STATE for state in history)
    assert all(set(task) == TASK for state in history for task in state["tasks"])
    assert [state["next"] for state in reversed(history)] == [
        ["__start__"], ["pre_route"], ["extract"], ["plan"], ["execute"], ["plan"], ["reply"], [],
    ]  # fmt: skip
    assert [s["parent_checkpoint_id"] for s in history] == [*(s["checkpoint_id"] for s in history[1:]), None]
    assert history[-1]["metadata"]["source"] == "input"
    assert history[-1]["parent_checkpoint"] is None
    assert (await get(desk, f"{path}?limit=50")) == history
    assert (await get(desk, f"{path}?limit=2")) == history[:2]


async def test_the_history_can_be_asked_from_a_checkpoint_on(desk: Desk) -> None:
    asked = await desk.ask("你好")
    path = f"/threads/{asked['thread_id']}/history"
    history = await post(desk, path, {"limit": 50})
    second = history[1]["checkpoint"]
    for before in ({"configurable": second}, second, second["checkpoint_id"]):
        assert await post(desk, path, {"limit": 50, "before": before}) == history[2:]
    assert (await get(desk, f"{path}?before={second['checkpoint_id']}")) == history[2:]
    assert await post(desk, path, {"checkpoint": second}) == [history[1]]
    assert await post(desk, path, {"metadata": {"source": "input"}}) == history[-1:]
    assert await post(desk, path, {"metadata": history[0]["metadata"]}) == history[:1]
    assert await post(desk, path, {"metadata": {"source": "nowhere"}}) == []
    # A client that has no checkpoint yet sends the thread alone.
    assert await post(desk, path, {"limit": 50, "before": {"thread_id": asked["thread_id"]}}) == history


@pytest.mark.parametrize("body", [{"limit": 0}, {"limit": 1001}, {"limit": "x"}, {"before": 5}, []])
async def test_a_history_of_no_sense_is_refused(desk: Desk, body: Any) -> None:
    asked = await desk.ask("你好")
    answer = await desk.http.post(f"/threads/{asked['thread_id']}/history", json=body)
    assert (answer.status_code, type(answer.json()["detail"])) == (422, str)


async def test_a_checkpoint_of_another_thread_is_not_found(desk: Desk) -> None:
    mine, foreign = (
        await desk.ask("你好"),
        (await desk.http.post("/invoke", json={"message": "你好"}, headers=EVE)).json(),
    )
    answer = await desk.http.get(f"/threads/{foreign['thread_id']}/state", headers=EVE)
    checkpoint_id = answer.json()["checkpoint_id"]
    path = f"/threads/{mine['thread_id']}"
    unknown = (404, f"Checkpoint with ID {checkpoint_id} not found")
    assert refused(await desk.http.get(f"{path}/state/{checkpoint_id}")) == unknown
    where = {"checkpoint": {"thread_id": foreign["thread_id"], "checkpoint_id": checkpoint_id}}
    assert refused(await desk.http.post(f"{path}/state/checkpoint", json=where)) == unknown
    assert refused(await desk.http.post(f"{path}/history", json=where)) == unknown
    assert refused(await desk.http.post(f"{path}/history", json={"before": checkpoint_id})) == unknown
    assert refused(await desk.http.get(f"{path}/history?before={checkpoint_id}")) == unknown
    only_thread = {"checkpoint": {"thread_id": foreign["thread_id"]}}
    states = await post(desk, f"{path}/history", only_thread)
    assert {state["checkpoint"]["thread_id"] for state in states} == {mine["thread_id"]}


async def test_a_checkpoint_that_is_none_is_refused(desk: Desk) -> None:
    asked = await desk.ask("你好")
    path, malformed = f"/threads/{asked['thread_id']}", (422, "Invalid checkpoint ID: must be a UUID")
    assert refused(await desk.http.get(f"{path}/state/last")) == malformed
    assert refused(await desk.http.post(f"{path}/history", json={"before": "last"})) == malformed
    body = {"checkpoint": {"checkpoint_id": "1f1ecb4d' or true"}}
    assert refused(await desk.http.post(f"{path}/state/checkpoint", json=body)) == malformed


async def test_a_graph_within_the_graph_is_not_found_where_there_is_none(desk: Desk) -> None:
    asked = await desk.ask("你好")
    path = f"/threads/{asked['thread_id']}"
    body = {"checkpoint": {"checkpoint_ns": "respond:3384"}}
    for ending in ("history", "state/checkpoint"):
        status, detail = refused(await desk.http.post(f"{path}/{ending}", json=body))
        assert (status, "respond:3384" in detail) == (404, True)


@pytest.mark.parametrize("ending", ["/state", "/state/0199c0de-7a00-7000-8000-000000000001", "/history"])
async def test_a_thread_that_is_not_the_callers_does_not_exist(desk: Desk, ending: str) -> None:
    mine = await desk.ask("你好")
    assert (await desk.http.get(f"/threads/{mine['thread_id']}{ending}", headers=EVE)).status_code == 404
    unknown = uuid4()
    answer = await desk.http.get(f"/threads/{unknown}{ending}")
    assert refused(answer) == (404, f"Thread with ID {unknown} not found")
    assert refused(await desk.http.get(f"/threads/xyz{ending}")) == (422, "Invalid thread ID: must be a UUID")


async def test_a_thread_without_a_run_has_an_empty_state(desk: Desk) -> None:
    made = await desk.opened["threads"].create("acme", "alex")
    assert await get(desk, f"/threads/{made.thread_id}/state") == {
        "values": {}, "next": [], "tasks": [], "metadata": None, "created_at": None, "checkpoint": None,
        "parent_checkpoint": None, "interrupts": [], "checkpoint_id": None, "parent_checkpoint_id": None,
    }  # fmt: skip
    assert await get(desk, f"/threads/{made.thread_id}/history") == []
