"""POST /invoke over the whole desk: what is answered, and what is refused with which status."""

import json
import re
from typing import Any
from uuid import uuid4

import pytest

from tests.api.desk import Desk

RESULT = {
    "thread_id", "run_id", "status", "reply", "cards", "agent", "intents", "requests", "entities", "decisions",
    "tool_calls", "question", "suggestions", "task_id", "interrupt", "usage", "elapsed_ms",
}  # fmt: skip
APPROVE, REJECT = {"type": "approve"}, {"type": "reject"}
NO_MODEL = {"model_calls": 0, "input_tokens": 0, "output_tokens": 0}


async def order_no(desk: Desk, status: str = "to_ship") -> str:
    async with desk.opened["pool"].connection() as connection:
        query = "select order_no from demo.orders where tenant_id = 'acme' and status = %s order by random() limit 1"
        row = await (await connection.execute(query, (status,))).fetchone()
    assert row is not None
    return str(row["order_no"])


async def status_of(desk: Desk, number: str) -> str:
    async with desk.opened["pool"].connection() as connection:
        query = "select status from demo.orders where tenant_id = 'acme' and order_no = %s"
        row = await (await connection.execute(query, (number,))).fetchone()
    assert row is not None
    return str(row["status"])


async def test_todays_orders_are_counted_by_rules_alone(desk: Desk) -> None:
    result = await desk.ask("查一下今天的订单")
    assert set(result) == RESULT
    assert (result["status"], result["agent"], result["intents"]) == ("completed", "business", ["order"])
    assert result["usage"] == NO_MODEL
    assert {d["source"] for d in result["decisions"]} == {"keyword"}
    period = result["entities"]["period"]
    assert (period["name"], period["start"]) == ("today", period["end"])
    (call,) = result["tool_calls"]
    assert (call["tool"], call["status"]) == ("list_orders", "done")
    async with desk.opened["pool"].connection() as connection:
        query = (
            "select count(*) as n from demo.orders where tenant_id = 'acme'"
            " and (created_at at time zone 'Asia/Shanghai')::date = %s::date"
        )
        row = await (await connection.execute(query, (period["start"],))).fetchone()
    assert row is not None
    assert re.search(rf"\b{row['n']}\b", result["reply"])


async def test_the_answer_is_utf8_as_it_is(desk: Desk) -> None:
    answer = await desk.http.post("/invoke", json={"message": "你好"})
    assert "\\u" not in answer.text
    assert answer.headers["content-type"] == "application/json"
    result = answer.json()
    assert answer.headers["content-location"] == f"/threads/{result['thread_id']}/runs/{result['run_id']}"
    assert answer.headers["location"] == f"/stream/{result['run_id']}"
    assert answer.headers["cache-control"] == "no-store"


async def test_a_pronoun_means_whom_the_thread_spoke_of(desk: Desk) -> None:
    first = await desk.ask("查张三的订单，再查李四的订单")
    assert [c["arguments"]["customer"] for c in first["tool_calls"]] == ["张三", "李四"]
    second = await desk.ask("他的订单呢", thread_id=first["thread_id"])
    assert second["thread_id"] == first["thread_id"]
    assert second["tool_calls"][0]["arguments"]["customer"] == "李四"


async def test_a_change_asks_and_is_made_once(desk: Desk) -> None:
    number = await order_no(desk)
    waiting = await desk.ask(f"把订单 {number} 改成已发货")
    assert waiting["status"] == "interrupted"
    assert [c["status"] for c in waiting["tool_calls"]] == ["awaiting"]
    assert number in waiting["reply"]
    assert set(waiting["interrupt"]) == {"id", "action_requests", "review_configs", "expires_at"}
    assert await status_of(desk, number) == "to_ship"
    done = (await desk.resume(waiting, APPROVE)).json()
    assert (done["status"], done["tool_calls"][0]["status"]) == ("completed", "done")
    assert await status_of(desk, number) == "shipped"
    again = await desk.resume(waiting, APPROVE)
    assert (again.status_code, type(again.json()["detail"])) == (409, str)


async def test_a_no_changes_nothing_and_a_typed_yes_does(desk: Desk) -> None:
    number = await order_no(desk)
    refused = (await desk.resume(await desk.ask(f"把订单 {number} 改成已发货"), REJECT)).json()
    assert (refused["status"], refused["tool_calls"][0]["status"]) == ("completed", "rejected")
    assert await status_of(desk, number) == "to_ship"
    waiting = await desk.ask(f"把订单 {number} 改成已发货")
    done = await desk.ask("好的", thread_id=waiting["thread_id"])
    assert done["tool_calls"][0]["status"] == "done"
    assert await status_of(desk, number) == "shipped"


async def test_an_edit_runs_with_its_arguments_and_never_with_another_tool(desk: Desk) -> None:
    number = await order_no(desk)
    waiting = await desk.ask(f"把订单 {number} 改成已发货")
    edit: dict[str, Any] = {"type": "edit", "edited_action": {"name": "list_orders", "args": {}}}
    assert (await desk.resume(waiting, edit)).status_code == 422
    edit["edited_action"] = {"name": "update_order_status", "args": {"order_no": number, "status": "cancelled"}}
    done = (await desk.resume(waiting, edit)).json()
    assert done["tool_calls"][0]["arguments"]["status"] == "cancelled"
    assert await status_of(desk, number) == "cancelled"


@pytest.mark.parametrize("message", ["看一下统计", "你好", "asdfgh"])
async def test_another_message_drops_the_question_for_a_yes_and_says_so(desk: Desk, message: str) -> None:
    number = await order_no(desk)
    waiting = await desk.ask(f"把订单 {number} 改成已发货")
    other = await desk.ask(message, thread_id=waiting["thread_id"])
    assert other["status"] == "completed"
    assert any(words in other["reply"] for words in ("未执行：", "Not carried out"))
    assert number in other["reply"]
    assert number not in (await desk.ask(message, thread_id=waiting["thread_id"]))["reply"]
    assert (await desk.resume(waiting, APPROVE)).status_code == 409
    assert await status_of(desk, number) == "to_ship"


async def test_wrong_answers_to_a_question_for_a_yes_are_refused_and_it_stays_open(desk: Desk) -> None:
    waiting = await desk.ask(f"把订单 {await order_no(desk)} 改成已发货")
    other = await desk.ask(f"把订单 {await order_no(desk)} 改成已发货")
    assert (await desk.resume(waiting)).status_code == 422
    assert (await desk.resume(waiting, APPROVE, APPROVE)).status_code == 422
    assert (await desk.resume(waiting, {"type": "maybe"})).status_code == 422
    foreign = {**waiting, "interrupt": other["interrupt"]}
    assert (await desk.resume(foreign, APPROVE)).status_code == 409
    assert (await desk.resume({**waiting, "thread_id": str(uuid4())}, APPROVE)).status_code == 404
    assert (await desk.resume(waiting, REJECT)).status_code == 200


async def test_a_resume_where_nothing_waits_is_a_conflict(desk: Desk) -> None:
    greeted = await desk.ask("你好")
    answer = await desk.resume({**greeted, "interrupt": {"id": "x"}}, APPROVE)
    assert answer.status_code == 409


BAD_BODIES: list[Any] = [
    {},
    [],
    "查一下今天的订单",
    5,
    None,
    {"message": None},
    {"message": 5},
    {"message": {"text": "hi"}},
    {"message": ["hi"]},
    {"message": ""},
    {"message": "   "},
    {"message": "\u200b\u200d\ufeff"},
    {"message": "\u3000\u3000"},
    {"message": "\t\n\r"},
    {"message": "hi", "resume": {"interrupt_id": "x", "decisions": []}},
    {"resume": "yes"},
    {"resume": {}},
    {"resume": {"interrupt_id": "x", "decisions": [APPROVE]}},
    {"message": "hi", "thread_id": "not-a-uuid"},
    {"message": "hi", "thread_id": ""},
    {"message": "hi", "thread_id": 7},
    {"message": "hi", "locale": "fr"},
    {"message": "hi", "extra": []},
    {"message": "hi", "model": "nobody"},
    {"message": "hi", "threadId": "0199c0de-7a00-7000-8000-000000000001"},
    {"message": "hi", "foo": 1},
]


@pytest.mark.parametrize("body", BAD_BODIES, ids=repr)
async def test_what_cannot_be_meant_is_refused_with_a_reason(desk: Desk, body: Any) -> None:
    for path in ("/invoke", "/stream"):
        answer = await desk.http.post(path, json=body)
        assert answer.status_code == 422
        assert isinstance(answer.json()["detail"], str)
        assert answer.json()["detail"]


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"hello", b'{"message": "\xff"}', rb'{"message": "\ud800"}', rb'{"message": "a\u0000b"}',
     b'{"message": "hi", "extra": {"n": NaN}}', b'{"message": "hi", "extra": {"n": 1e999}}'],
)  # fmt: skip
async def test_what_is_no_sound_json_is_refused(desk: Desk, body: bytes) -> None:
    answer = await desk.http.post("/invoke", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert isinstance(answer.json()["detail"], str)


async def test_the_bounds_of_a_message_and_a_body(desk: Desk) -> None:
    assert (await desk.http.post("/invoke", json={"message": "x" * 65_536})).status_code == 200
    assert (await desk.http.post("/invoke", json={"message": "x" * 65_537})).status_code == 413
    assert (await desk.http.post("/invoke", json={"message": "订" * 21_846})).status_code == 413
    answer = await desk.http.post("/invoke", json={"message": "hi", "extra": {"x": "y" * 1_100_000}})
    assert answer.status_code == 413


async def test_an_unknown_agent_is_refused_naming_those_there_are(desk: Desk) -> None:
    answer = await desk.http.post("/invoke", json={"message": "hi", "agent": "nobody"})
    assert answer.status_code == 422
    assert "business" in answer.json()["detail"]


async def test_an_unknown_or_foreign_thread_is_not_found(desk: Desk) -> None:
    mine = await desk.ask("你好")
    body = {"message": "hi", "thread_id": mine["thread_id"]}
    for headers in ({"X-Dev-User": "eve"}, {"X-Dev-Tenant": "globex"}):
        assert (await desk.http.post("/invoke", json=body, headers=headers)).status_code == 404
    body["thread_id"] = str(uuid4())
    answer = await desk.http.post("/invoke", json=body)
    assert (answer.status_code, type(answer.json()["detail"])) == (404, str)


@pytest.mark.parametrize(
    "message",
    [
        "😀" * 10_000,
        "-。-",
        "？？？",
        "/restart",
        "'; drop table demo.orders; --",
        json.dumps({"message": "查一下今天的订单"}),
        "asdfgh",
        "{name} {0} %s $name ${name}",
        "\u202eabc\u202c",
        "a" * 5000,
    ],
    ids=lambda text: text[:12],
)
async def test_strange_text_gets_an_ordinary_answer_in_time(desk: Desk, message: str) -> None:
    result = await desk.ask(message)
    assert result["status"] == "completed"
    assert result["reply"]
    assert result["elapsed_ms"] < 1000
    assert not any(call["tool"].startswith("update") for call in result["tool_calls"])


async def test_text_plain_is_taken_for_json(desk: Desk) -> None:
    body = json.dumps({"message": "你好"}, ensure_ascii=False).encode()
    answer = await desk.http.post("/invoke", content=body, headers={"content-type": "text/plain;charset=UTF-8"})
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Dev-User": ""},
        {"X-Dev-User": "a b"},
        {"X-Dev-User": "x" * 65},
        {"X-Dev-User": "李四"},
        {"X-Dev-Tenant": "nobody"},
        {"X-Dev-Tenant": "../acme"},
        {"X-Dev-Roles": "operator,$"},
        {"X-Dev-Roles": ",".join(f"r{n}" for n in range(40))},
    ],
    ids=repr,
)
async def test_a_development_identity_is_made_of_plain_tokens(desk: Desk, headers: dict[str, str]) -> None:
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    answer = await desk.http.post("/invoke", json={"message": "hi"}, headers=raw)
    assert (answer.status_code, type(answer.json()["detail"])) == (422, str)


async def test_tenants_see_their_own_business(desk: Desk) -> None:
    async def total(tenant: str) -> Any:
        answer = await desk.http.post(
            "/invoke", json={"message": "查一下最近30天的订单"}, headers={"X-Dev-Tenant": tenant}
        )
        return answer.json()["cards"][0]["data"]

    assert await total("acme") != await total("globex")


async def test_a_strangers_page_may_not_ask_but_an_allowed_one_may(desk: Desk) -> None:
    async def ask(origin: str) -> int:
        answer = await desk.http.post("/invoke", json={"message": "你好"}, headers={"origin": origin})
        return answer.status_code

    assert await ask("https://evil.example") == 403
    assert await ask("null") == 403
    assert await ask("https://smith.langchain.com") == 200
    assert await ask("http://127.0.0.1:8000") == 200
