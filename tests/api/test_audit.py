"""GET /audit: who may read it, what is in it, and how it is searched."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.api.desk import Desk, Json, in_process, settings
from tests.api.scenes import refused, waiting

AUDITOR = {"X-Dev-Roles": "auditor", "X-Dev-User": "ann"}
APPROVE, REJECT = {"type": "approve"}, {"type": "reject", "message": "not yet, call 13812345678"}


@pytest.fixture(scope="module")
async def hurried(database_url: str) -> AsyncIterator[Desk]:
    """A desk whose questions for a yes have run out as soon as they are asked."""
    async with in_process(settings(database_url, confirmation_minutes=0.0001)) as opened:
        yield opened


async def asked(desk: Desk, headers: dict[str, str] = AUDITOR, **query: Any) -> httpx.Response:
    return await desk.http.get("/audit", params=query, headers=headers)


async def found(desk: Desk, **query: Any) -> list[Json]:
    answer = await asked(desk, **query)
    assert answer.status_code == 200, answer.text
    rows: list[Json] = answer.json()
    return rows


async def told(desk: Desk, thread_id: str) -> list[tuple[str, str, str]]:
    """Tool, outcome and reason of a thread's calls, the oldest first."""
    rows = await found(desk, thread=thread_id)
    return [(row["tool"], row["outcome"], row["reason"]) for row in reversed(rows)]


@pytest.mark.parametrize("roles", ["operator", "viewer", "operator,viewer", ""])
async def test_without_the_permission_it_is_403_and_names_what_is_missing(desk: Desk, roles: str) -> None:
    status, reason = refused(await asked(desk, {"X-Dev-Roles": roles}))
    assert status == 403
    assert "'audit'" in reason


@pytest.mark.parametrize("roles", ["auditor", "admin", "viewer,auditor"])
async def test_with_the_permission_it_is_read(desk: Desk, roles: str) -> None:
    assert (await asked(desk, {"X-Dev-Roles": roles})).status_code == 200


async def test_a_call_is_in_it_with_who_where_what_and_how_it_ended(desk: Desk) -> None:
    result = await desk.ask("查一下今天的订单")
    (row,) = await found(desk, thread=result["thread_id"])
    (call,) = result["tool_calls"]
    assert (row["tool"], row["agent"], row["source"], row["outcome"]) == ("list_orders", "business", "keyword", "done")
    assert (row["user"], row["roles"]) == ("alex", ["operator"])
    assert (row["run_id"], row["call_id"], row["confirmation"]) == (result["run_id"], call["id"], None)
    assert row["arguments"] == call["arguments"]
    assert call["summary"].startswith(row["result"].rstrip("…")[:40])
    assert row["elapsed_ms"] == pytest.approx(call["elapsed_ms"], abs=0.1)
    assert row["at"].endswith("+00:00")


async def test_a_confirmed_change_is_in_it_as_asked_and_as_done(desk: Desk) -> None:
    question = await waiting(desk)
    assert await told(desk, question["thread_id"]) == [("update_order_status", "awaiting", "")]
    await desk.resume(question, APPROVE)
    done, open_one = await found(desk, thread=question["thread_id"])
    args = question["interrupt"]["action_requests"][0]["args"]
    assert (done["outcome"], done["call_id"]) == ("done", open_one["call_id"])
    assert done["confirmation"] == {"asked": args, "answer": "approve", "by": "alex"}
    assert open_one["confirmation"]["asked"] == open_one["arguments"] == args
    assert open_one["confirmation"]["expires_at"] == question["interrupt"]["expires_at"]


async def test_a_no_and_its_reason_are_in_it_masked(desk: Desk) -> None:
    question = await waiting(desk)
    await desk.resume(question, REJECT)
    row = (await found(desk, thread=question["thread_id"]))[0]
    assert (row["outcome"], row["confirmation"]["answer"]) == ("rejected", "reject")
    assert row["confirmation"]["message"] == "not yet, call 138****5678"
    assert "13812345678" not in str(row)


async def test_of_an_edit_both_are_in_it_what_was_shown_and_what_was_done(desk: Desk) -> None:
    question = await waiting(desk)
    (action,) = question["interrupt"]["action_requests"]
    edited = {**action["args"], "status": "cancelled"}
    answer = await desk.resume(question, {"type": "edit", "edited_action": {"name": action["name"], "args": edited}})
    assert answer.status_code == 200
    row = (await found(desk, thread=question["thread_id"]))[0]
    assert row["arguments"] == edited
    assert row["confirmation"] == {"asked": action["args"], "answer": "edit", "by": "alex"}


@pytest.mark.parametrize(
    ("words", "outcome", "answer"), [("好的", "done", "approve"), ("不用了", "rejected", "reject")]
)
async def test_an_answer_in_plain_words_is_in_it_as_well(desk: Desk, words: str, outcome: str, answer: str) -> None:
    question = await waiting(desk)
    await desk.ask(words, thread_id=question["thread_id"])
    row = (await found(desk, thread=question["thread_id"]))[0]
    assert (row["outcome"], row["confirmation"]["answer"], row["confirmation"]["by"]) == (outcome, answer, "alex")


async def test_a_question_that_something_else_is_said_to_is_in_it_as_passed_over(desk: Desk) -> None:
    question = await waiting(desk)
    await desk.ask("查一下今天的订单", thread_id=question["thread_id"])
    assert await told(desk, question["thread_id"]) == [
        ("update_order_status", "awaiting", ""),
        ("update_order_status", "rejected", "passed_over"),
        ("list_orders", "done", ""),
    ]
    rows = await found(desk, thread=question["thread_id"], outcome="rejected")
    assert rows[0]["confirmation"]["by"] == "alex"


async def test_an_answer_that_comes_too_late_is_in_it_though_it_is_409(hurried: Desk) -> None:
    question = await waiting(hurried)
    assert (await hurried.resume(question, APPROVE)).status_code == 409
    assert await told(hurried, question["thread_id"]) == [
        ("update_order_status", "awaiting", ""),
        ("update_order_status", "rejected", "expired"),
    ]
    row = (await found(hurried, thread=question["thread_id"]))[0]
    assert (row["confirmation"]["answer"], row["confirmation"]["by"]) == ("expired", "alex")
    assert row["arguments"] == question["interrupt"]["action_requests"][0]["args"]


@pytest.mark.parametrize("words", ["好的", "查一下今天的订单"])
async def test_a_question_that_had_run_out_is_in_it_as_expired_whatever_is_said(hurried: Desk, words: str) -> None:
    question = await waiting(hurried)
    await hurried.ask(words, thread_id=question["thread_id"])
    rows = [row for row in await told(hurried, question["thread_id"]) if row[0] == "update_order_status"]
    assert rows == [("update_order_status", "awaiting", ""), ("update_order_status", "rejected", "expired")]


async def test_a_refused_call_is_in_it_with_the_roles_that_were_not_enough(desk: Desk) -> None:
    body = {"message": "把订单 20261130001 改成已发货"}
    viewer = {"X-Dev-Roles": "viewer", "X-Dev-User": "vera"}
    answer = await desk.http.post("/invoke", json=body, headers=viewer)
    (row,) = await found(desk, thread=answer.json()["thread_id"])
    assert (row["tool"], row["outcome"], row["reason"]) == ("update_order_status", "refused", "not_permitted")
    assert (row["user"], row["roles"]) == ("vera", ["viewer"])


async def test_another_tenant_s_calls_are_not_in_it(desk: Desk) -> None:
    other = {"X-Dev-Tenant": "globex", "X-Dev-Roles": "operator,auditor"}
    answer = await desk.http.post("/invoke", json={"message": "show me today's orders"}, headers=other)
    thread = answer.json()["thread_id"]
    assert len((await asked(desk, other, thread=thread)).json()) == 1
    assert await found(desk, thread=thread) == []
    mine = (await desk.ask("查一下今天的订单"))["thread_id"]
    assert (await asked(desk, other, thread=mine)).json() == []


async def test_pages_follow_each_other_to_the_end(desk: Desk) -> None:
    thread = (await desk.ask("查一下今天的订单"))["thread_id"]
    for _ in range(2):
        await desk.ask("查一下今天的订单", thread_id=thread)
    everything = await found(desk, thread=thread)
    assert len(everything) == 3
    pages, before = [], None
    while True:
        answer = await asked(desk, thread=thread, limit=2, **({"before": before} if before else {}))
        pages.append(answer.json())
        before = answer.headers.get("X-Pagination-Next")
        if before is None:
            break
    assert [len(page) for page in pages] == [2, 1]
    assert [row for page in pages for row in page] == everything


async def test_each_filter_narrows_what_is_shown(desk: Desk) -> None:
    result = await desk.ask("查一下今天的订单")
    thread = result["thread_id"]
    (row,) = await found(desk, thread=thread)
    for fits in ({"tool": "list_orders"}, {"user": "alex"}, {"outcome": "done"}, {"from": row["at"]}):
        assert await found(desk, thread=thread, **fits) == [row]
    for fits_not in ({"tool": "add_todo"}, {"user": "kim"}, {"outcome": "failed"}, {"to": row["at"]}):
        assert await found(desk, thread=thread, **fits_not) == []


async def test_a_day_is_one_of_the_tenant_s_own(desk: Desk) -> None:
    thread = (await desk.ask("查一下今天的订单"))["thread_id"]
    (row,) = await found(desk, thread=thread)
    for moment in ("2026-01-01", "2026-01-01T00:00:00", "2026-01-01T00:00:00 08:00", "2026-01-01T00:00:00Z"):
        assert await found(desk, thread=thread, **{"from": moment, "to": "2999-01-01"}) == [row]
    assert await found(desk, thread=thread, to="2026-01-01") == []


BAD = [
    {"outcome": "finished"},
    {"from": "yesterday"},
    {"to": "2026-13-01"},
    {"before": "12"},
    {"thread": "abc"},
    {"tool": "a\0b"},
    {"user": "x" * 300},
    {"limit": 0},
    {"limit": 501},
    {"tools": "list_orders"},
    {"tenant": "globex"},
]


@pytest.mark.parametrize("query", BAD, ids=str)
async def test_a_question_that_cannot_be_meant_is_422(desk: Desk, query: Json) -> None:
    assert refused(await asked(desk, **query))[0] == 422


async def test_a_deleted_thread_leaves_time_tool_and_outcome(desk: Desk) -> None:
    thread = (await desk.ask("查一下今天的订单"))["thread_id"]
    (before,) = await found(desk, thread=thread)
    assert (await desk.http.delete(f"/threads/{thread}")).status_code == 204
    assert await found(desk, thread=thread) == []
    (after,) = [row for row in await found(desk, limit=500) if row["id"] == before["id"]]
    assert (after["at"], after["tool"], after["outcome"]) == (before["at"], before["tool"], before["outcome"])
    assert (after["arguments"], after["result"], after["thread_id"], after["run_id"]) == (None, None, None, None)


async def test_a_replay_is_not_in_it(desk: Desk) -> None:
    thread = (await desk.ask("查一下今天的订单"))["thread_id"]
    before = await found(desk, limit=500)
    answer = await desk.http.post(f"/threads/{thread}/replay", json={})
    assert answer.status_code == 200, answer.text
    assert len(answer.json()["turns"]) == 1
    assert await found(desk, limit=500) == before
