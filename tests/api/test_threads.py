"""Threads as resources, in the shapes of LangGraph's API."""

from datetime import datetime
from typing import Any
from uuid import uuid4

import pytest

from tests.api.desk import Desk
from tests.api.scenes import EVE, ROW, get, post, refused, settled, started, waiting


async def rows_with(desk: Desk, text: str) -> dict[str, int]:
    """How many rows of each table hold this text anywhere, those of LangGraph's tables among them."""
    tables = "SELECT format('%%I.%%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = ANY(%s)"
    async with desk.opened["pool"].connection() as connection:
        names = [row["name"] for row in await (await connection.execute(tables, (["frontdesk", "public"],))).fetchall()]
        found = {}
        for name in names:
            # Blobs are bytes: their text form is what of them can be read.
            query = f"SELECT count(*) AS n FROM {name} t WHERE t::text LIKE %s OR t::text LIKE %s"
            values = (f"%{text}%", f"%{text.encode().hex()}%")
            row = await (await connection.execute(query, values)).fetchone()
            if row and row["n"]:
                found[name] = row["n"]
    return found


async def test_a_thread_is_shown_with_its_newest_values(desk: Desk) -> None:
    asked = await desk.ask("查一下今天的订单")
    row = await get(desk, f"/threads/{asked['thread_id']}")
    assert set(row) == ROW
    assert (row["status"], row["interrupts"], row["error"]) == ("idle", {}, None)
    assert row["metadata"]["graph_id"] == "frontdesk"
    for name in ("created_at", "updated_at", "state_updated_at"):
        assert row[name].endswith("+00:00")
        assert datetime.fromisoformat(row[name]).isoformat(timespec="microseconds") == row[name]
    assert row["metadata"]["title"] == "查一下今天的订单"
    assert [m["type"] for m in row["values"]["messages"]] == ["human", "ai", "tool", "ai"]
    assert row["values"]["messages"][0]["content"] == "查一下今天的订单"


async def test_a_search_finds_the_callers_threads_alone_the_last_moved_first(desk: Desk) -> None:
    who = {"X-Dev-User": "finder"}
    first, second = [
        (await desk.http.post("/invoke", json={"message": "你好"}, headers=who)).json()["thread_id"] for _ in range(2)
    ]
    await desk.http.post("/invoke", json={"message": "谢谢", "thread_id": first}, headers=who)
    answer = await desk.http.post("/threads/search", json={}, headers=who)
    found = answer.json()
    assert [row["thread_id"] for row in found] == [first, second]
    assert all(set(row) == ROW for row in found)
    assert answer.headers["X-Pagination-Total"] == "2"
    assert "X-Pagination-Next" not in answer.headers
    nothing_asked = await desk.http.post("/threads/search", headers=who)
    assert nothing_asked.json() == found
    elsewhere = {"X-Dev-User": "finder", "X-Dev-Tenant": "globex"}
    assert (await desk.http.post("/threads/search", json={"ids": [first]}, headers=elsewhere)).json() == []


async def test_a_search_goes_from_page_to_page(desk: Desk) -> None:
    who = {"X-Dev-User": "pager"}
    made = [
        (await desk.http.post("/invoke", json={"message": "你好"}, headers=who)).json()["thread_id"] for _ in range(5)
    ]
    body: dict[str, Any] = {"limit": 2, "sort_by": "created_at", "sort_order": "asc", "select": ["thread_id", "status"]}
    seen, offset = [], "0"
    while offset:
        answer = await desk.http.post("/threads/search", json={**body, "offset": int(offset)}, headers=who)
        assert answer.headers["X-Pagination-Total"] == "5"
        seen += answer.json()
        offset = answer.headers.get("X-Pagination-Next", "")
    assert seen == [{"thread_id": thread_id, "status": "idle"} for thread_id in made]
    beyond = await desk.http.post("/threads/search", json={**body, "offset": 50}, headers=who)
    assert (beyond.json(), beyond.headers["X-Pagination-Total"]) == ([], "5")


async def test_a_search_is_narrowed_by_what_threads_are_and_hold(desk: Desk) -> None:
    asked, idle = await waiting(desk), await desk.ask("你好")
    ids = [asked["thread_id"], idle["thread_id"]]

    async def found(**body: Any) -> set[str]:
        return {row["thread_id"] for row in await post(desk, "/threads/search", {"ids": ids, **body})}

    assert await found() == set(ids)
    assert await found(status="interrupted") == {ids[0]}
    assert await found(status="error") == set()
    assert await found(metadata={"graph_id": "frontdesk"}) == set(ids)
    assert await found(metadata={"graph_id": "another"}) == set()
    assert await found(values={"messages": [{"content": "你好"}]}) == {ids[1]}
    assert await found(status=None, metadata=None, values=None, select=None, extract={"a": "b"}) == set(ids)


@pytest.mark.parametrize(
    "body",
    [
        {"limit": 0}, {"limit": 1001}, {"limit": True}, {"offset": -1}, {"offset": 2**40}, {"status": "sleeping"},
        {"sort_by": "title; drop table"}, {"sort_order": "up"}, {"metadata": []}, {"ids": "all"}, {"ids": ["xyz"]}, [],
    ],
    ids=str,
)  # fmt: skip
async def test_a_search_of_no_sense_is_refused(desk: Desk, body: Any) -> None:
    status, _ = refused(await desk.http.post("/threads/search", json=body))
    assert status == 422


async def test_a_copy_goes_on_by_itself(desk: Desk) -> None:
    asked = await desk.ask("查一下今天的订单")
    copied = await post(desk, f"/threads/{asked['thread_id']}/copy")
    source = await get(desk, f"/threads/{asked['thread_id']}")
    assert set(copied) == ROW
    assert copied["thread_id"] != asked["thread_id"]
    for name in ("status", "values", "interrupts", "error"):
        assert copied[name] == source[name]
    stands = (await get(desk, f"/threads/{asked['thread_id']}/state"))["checkpoint_id"]
    came_from = {"thread_id": asked["thread_id"], "checkpoint_id": stands}
    assert copied["metadata"] == {**source["metadata"], "copied_from": came_from}
    assert await get(desk, f"/threads/{copied['thread_id']}/turns") == []
    history = await get(desk, f"/threads/{copied['thread_id']}/history?limit=50")
    assert {state["checkpoint"]["thread_id"] for state in history} == {copied["thread_id"]}
    assert {state["metadata"]["thread_id"] for state in history} == {copied["thread_id"]}
    went_on = await desk.ask("昨天的呢", thread_id=copied["thread_id"])
    assert went_on["intents"] == ["order"]
    assert await get(desk, f"/threads/{asked['thread_id']}") == source


async def test_a_copy_of_a_question_for_a_yes_can_be_answered_once_in_all(desk: Desk) -> None:
    asked = await waiting(desk)
    copied = await post(desk, f"/threads/{asked['thread_id']}/copy", {})
    (questions,) = copied["interrupts"].values()
    assert (copied["status"], questions[0]["id"]) == ("interrupted", asked["interrupt"]["id"])
    there = await desk.resume({**asked, "thread_id": copied["thread_id"]}, {"type": "approve"})
    here = await desk.resume(asked, {"type": "approve"})
    for answer in (there, here):
        assert [call["status"] for call in answer.json()["tool_calls"]] == ["done"]
    async with desk.opened["pool"].connection() as connection:
        query = "SELECT count(*) AS n FROM frontdesk.ledger WHERE arguments ->> 'order_no' = %s"
        number = asked["interrupt"]["action_requests"][0]["args"]["order_no"]
        row = await (await connection.execute(query, (number,))).fetchone()
    assert row == {"n": 1}


async def test_a_copy_made_in_the_middle_of_a_run_stands_by_itself(slow_desk: Desk) -> None:
    run = await started(slow_desk)
    copied = await post(slow_desk, f"/threads/{run['thread_id']}/copy")
    assert (copied["status"], copied["interrupts"]) == ("idle", {})
    assert (await slow_desk.ask("patientia", thread_id=copied["thread_id"]))["status"] == "completed"
    assert (await settled(slow_desk, run["thread_id"]))["status"] == "idle"
    assert [turn["question"] for turn in await get(slow_desk, f"/threads/{copied['thread_id']}/turns")] == ["patientia"]


async def test_a_copy_may_begin_at_an_earlier_checkpoint(desk: Desk) -> None:
    asked = await desk.ask("查一下今天的订单")
    await desk.ask("谢谢", thread_id=asked["thread_id"])
    history = await get(desk, f"/threads/{asked['thread_id']}/history?limit=50")
    end_of_first = next(s for s in history if s["metadata"]["run_id"] == asked["run_id"])
    fork = await post(desk, f"/threads/{asked['thread_id']}/copy", {"checkpoint_id": end_of_first["checkpoint_id"]})
    assert fork["metadata"]["copied_from"]["checkpoint_id"] == end_of_first["checkpoint_id"]
    assert (fork["status"], fork["values"]) == ("idle", end_of_first["values"])
    state = await get(desk, f"/threads/{fork['thread_id']}/state")
    assert (state["checkpoint_id"], state["values"]) == (end_of_first["checkpoint_id"], end_of_first["values"])
    went_on = await desk.ask("昨天的呢", thread_id=fork["thread_id"])
    assert went_on["intents"] == ["order"]


async def test_a_fork_at_an_answered_question_asks_anew(desk: Desk) -> None:
    asked = await waiting(desk)
    history = await get(desk, f"/threads/{asked['thread_id']}/history")
    await desk.resume(asked, {"type": "approve"})
    fork = await post(desk, f"/threads/{asked['thread_id']}/copy", {"checkpoint_id": history[0]["checkpoint_id"]})
    answer = await desk.resume({**asked, "thread_id": fork["thread_id"]}, {"type": "reject"})
    assert answer.status_code == 409


async def test_a_copy_from_a_checkpoint_that_is_not_the_threads_is_refused(desk: Desk) -> None:
    mine, other = await desk.ask("你好"), await desk.ask("你好")
    foreign = (await get(desk, f"/threads/{other['thread_id']}/state"))["checkpoint_id"]
    path = f"/threads/{mine['thread_id']}/copy"
    before = (await desk.http.post("/threads/search", json={"limit": 1})).headers["X-Pagination-Total"]
    assert (await desk.http.post(path, json={"checkpoint_id": foreign})).status_code == 404
    malformed = (422, "Invalid checkpoint ID: must be a UUID")
    for name in ("first", ""):
        assert refused(await desk.http.post(path, json={"checkpoint_id": name})) == malformed
    after = (await desk.http.post("/threads/search", json={"limit": 1})).headers["X-Pagination-Total"]
    assert before == after


async def test_a_deleted_thread_leaves_nothing_behind_in_any_table(desk: Desk) -> None:
    asked = await waiting(desk)
    await desk.resume(asked, {"type": "approve"})
    marker = f"marker{uuid4().hex}"
    await desk.ask(f"搜索内容关于{marker}", thread_id=asked["thread_id"])
    copied = await post(desk, f"/threads/{asked['thread_id']}/copy")
    assert {"frontdesk.threads", "frontdesk.runs", "frontdesk.ledger", "public.checkpoints"} <= set(
        await rows_with(desk, asked["thread_id"])
    )
    assert await rows_with(desk, marker)
    for thread_id in (copied["thread_id"], asked["thread_id"]):
        answer = await desk.http.delete(f"/threads/{thread_id}")
        assert (answer.status_code, answer.content) == (204, b"")
        assert await rows_with(desk, thread_id) == {}
        assert (await desk.http.get(f"/threads/{thread_id}")).status_code == 404
        assert (await desk.http.delete(f"/threads/{thread_id}")).status_code == 404
    assert await rows_with(desk, marker) == {}
    assert await rows_with(desk, asked["run_id"]) == {}


async def test_a_busy_thread_is_deleted_with_the_run_on_it_and_those_behind(slow_desk: Desk) -> None:
    run = await started(slow_desk)
    await started(slow_desk, run["thread_id"])
    assert (await slow_desk.http.delete(f"/threads/{run['thread_id']}")).status_code == 204
    assert await rows_with(slow_desk, run["thread_id"]) == {}
    other = await slow_desk.ask("patientia")
    assert other["status"] == "completed"
    assert await rows_with(slow_desk, run["thread_id"]) == {}


@pytest.mark.parametrize(("method", "ending"), [("GET", ""), ("DELETE", ""), ("POST", "/copy")])
async def test_a_thread_that_is_not_the_callers_does_not_exist(desk: Desk, method: str, ending: str) -> None:
    mine = await desk.ask("你好")
    path = f"/threads/{mine['thread_id']}"
    answer = await desk.http.request(method, f"{path}{ending}", headers=EVE)
    assert refused(answer) == (404, f"Thread with ID {mine['thread_id']} not found")
    unknown = uuid4()
    answer = await desk.http.request(method, f"/threads/{unknown}{ending}")
    assert refused(answer) == (404, f"Thread with ID {unknown} not found")
    answer = await desk.http.request(method, f"/threads/xyz{ending}")
    assert refused(answer) == (422, "Invalid thread ID: must be a UUID")
    assert (await settled(desk, mine["thread_id"]))["status"] == "idle"
