"""The demo's function centre over a real database: what it lists, what it does, and that it does nothing twice."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import httpx
import pytest

from checkpoints.database import Pool
from demo.function_centre import FUNCTIONS, create_centre
from tests.demo.conftest import NOW, rows, value

BODY = {"caller": {"tenant": "acme", "user": "alex"}, "locale": "zh", "now": NOW.isoformat()}


@pytest.fixture
async def http(business: Pool) -> AsyncIterator[httpx.AsyncClient]:
    app = create_centre(business, "s3cret")
    headers = {"authorization": "Bearer s3cret"}
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://centre", headers=headers) as client,
    ):
        yield client


async def call(
    http: httpx.AsyncClient, name: str, arguments: Any = None, *, key: str | None = None, **more: Any
) -> httpx.Response:
    headers = {"idempotency-key": uuid4().hex if key is None else key}
    return await http.post(f"/functions/{name}", json={**BODY, "arguments": arguments or {}, **more}, headers=headers)


async def answer(http: httpx.AsyncClient, name: str, **arguments: Any) -> dict[str, Any]:
    response = await call(http, name, arguments)
    assert response.status_code == 200, response.text
    return dict(response.json())


async def todos(pool: Pool, content: str) -> int:
    return int(await value(pool, "select count(*) from demo.todos where content = %s", content))


async def test_it_lists_what_it_has_and_says_of_each_whether_it_changes_anything(http: httpx.AsyncClient) -> None:
    listed = (await http.get("/functions")).json()
    assert listed["protocol"] == 1
    assert {one["name"]: one["effect"] for one in listed["functions"]} == {
        "list_todos": False, "add_todo": True, "modify_todo": True, "remove_todo": True,
        "list_events": False, "add_event": True, "update_event": True, "remove_event": True,
    }  # fmt: skip
    assert json.dumps(listed, allow_nan=False)


async def test_a_todo_is_added_listed_and_done(http: httpx.AsyncClient, business: Pool) -> None:
    added = await answer(http, "add_todo", content="给李四回电话", date="2026-12-01", category="follow_up")
    number = added["data"]["todo_no"]
    assert added["content"] == f"已添加待办：[{number}] 给李四回电话，跟进，2026-12-01 到期，alex发起，未完成"
    assert added["card"] == {"type": "todo"}
    listed = await answer(http, "list_todos", start_date="2026-12-01", end_date="2026-12-01", limit=50)
    assert number in [one["todo_no"] for one in listed["data"]["todos"]]
    changed = await answer(http, "modify_todo", todo_no=number, done=True)
    assert changed["data"]["done"] is True
    assert await value(business, "select changed_by from demo.todos where todo_no = %s", number) == "alex"


async def test_an_entry_is_added_listed_and_moved(http: httpx.AsyncClient) -> None:
    added = await answer(http, "add_event", title="产品评审", date="2026-12-03", time="15:00")
    number = added["data"]["event_no"]
    assert added["data"]["starts_at"] == "15:00"
    listed = await answer(http, "list_events", title="产品评审")
    assert [one["event_no"] for one in listed["data"]["events"]] == [number]
    moved = await answer(http, "update_event", event_no=number, new_date="2026-12-04")
    assert (moved["data"]["day"], moved["data"]["starts_at"], moved["direct"]) == ("2026-12-04", "15:00", True)


async def test_what_was_added_can_be_taken_back_again_and_again(http: httpx.AsyncClient, business: Pool) -> None:
    for _ in range(2):
        removed = await answer(http, "remove_todo", todo_no=await number_of(http, "back again"), content="back again")
        assert removed["outcome"] == "done"
        assert await todos(business, "back again") == 0
    added = await answer(http, "add_event", title="back again", date="2026-12-03")
    asked = {"event_no": added["data"]["event_no"], "title": "back again"}
    assert [(await answer(http, "remove_event", **asked))["outcome"] for _ in range(2)] == ["done", "done"]


async def number_of(http: httpx.AsyncClient, content: str) -> int:
    return int((await answer(http, "add_todo", content=content))["data"]["todo_no"])


async def test_nobody_sees_or_changes_what_belongs_to_somebody_else(http: httpx.AsyncClient, business: Pool) -> None:
    number = (await answer(http, "add_todo", content="mine alone"))["data"]["todo_no"]
    for caller in ({"tenant": "acme", "user": "meilin"}, {"tenant": "globex", "user": "alex"}):
        response = await call(http, "modify_todo", {"todo_no": number, "done": True}, caller=caller)
        assert response.json()["outcome"] == "refused"
    assert await value(business, "select done from demo.todos where todo_no = %s", number) is False


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("modify_todo", {"todo_no": 999_999, "done": True}),
        ("modify_todo", {"todo_no": 1001}),
        ("add_todo", {"content": "x" * 501}),
        ("list_todos", {"start_date": "2026-12-02", "end_date": "2026-12-01"}),
        ("list_events", {"start_date": "2026-12-02", "end_date": "2026-12-01"}),
        ("add_event", {"title": "x" * 201, "date": "2026-12-02"}),
        ("update_event", {"event_no": 999_999, "new_date": "2026-12-01"}),
        ("update_event", {"event_no": 501}),
        ("update_event", {"new_date": "2026-12-01"}),
    ],
)
async def test_what_the_business_does_not_do_is_a_refusal_in_the_callers_language(
    http: httpx.AsyncClient, name: str, arguments: Any
) -> None:
    in_english = (await call(http, name, arguments, locale="en")).json()
    assert in_english["outcome"] == "refused"
    assert in_english["content"].isascii()
    assert not (await answer(http, name, **arguments))["content"].isascii()


async def test_the_same_key_is_done_once_and_answered_again(http: httpx.AsyncClient, business: Pool) -> None:
    first = await call(http, "add_todo", {"content": "once"}, key="k-once")
    second = await call(http, "add_todo", {"content": "once"}, key="k-once")
    assert (first.status_code, second.status_code) == (200, 200)
    assert first.json() == second.json()
    assert await todos(business, "once") == 1


async def test_the_same_key_from_many_at_once_is_done_once(http: httpx.AsyncClient, business: Pool) -> None:
    calls = [call(http, "add_todo", {"content": "together"}, key="k-together") for _ in range(8)]
    answers = [one.json() for one in await asyncio.gather(*calls)]
    assert all(one == answers[0] for one in answers)
    assert await todos(business, "together") == 1


async def test_a_key_of_another_call_is_refused(http: httpx.AsyncClient, business: Pool) -> None:
    await call(http, "add_todo", {"content": "mine"}, key="k-mine")
    for more in ({"arguments": {"content": "other"}}, {"caller": {"tenant": "acme", "user": "meilin"}}):
        body = {"arguments": {"content": "mine"}, **more}
        response = await http.post("/functions/add_todo", json={**BODY, **body}, headers={"idempotency-key": "k-mine"})
        assert response.status_code == 422
    assert await todos(business, "mine") == 1
    assert await todos(business, "other") == 0


async def test_what_is_not_done_in_time_is_not_done_at_all(http: httpx.AsyncClient, business: Pool) -> None:
    async with business.connection() as connection, connection.transaction():
        await connection.execute("lock table demo.todos in access exclusive mode")
        late = await call(http, "add_todo", {"content": "late"}, key="k-late", deadline_s=0.2)
        assert late.status_code == 503
    assert await todos(business, "late") == 0
    assert (await call(http, "add_todo", {"content": "late"}, key="k-late")).status_code == 200
    assert await todos(business, "late") == 1


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 422),
        (b"{", 422),
        (b"[]", 422),
        (json.dumps({**BODY, "arguments": {"content": 5}}).encode(), 422),
        (json.dumps({**BODY, "arguments": {}}).encode(), 422),
        (json.dumps({**BODY, "arguments": {"content": "a", "more": 1}}).encode(), 422),
        (json.dumps({**BODY, "arguments": {"content": "a\0b"}}).encode(), 422),
        (
            json.dumps({**BODY, "arguments": {"content": "a"}, "caller": {"tenant": "nobody", "user": "x"}}).encode(),
            422,
        ),
        (json.dumps({**BODY, "arguments": {"content": "a"}, "now": "2026-11-30T10:00:00"}).encode(), 422),
        (json.dumps({**BODY, "arguments": {"content": "a"}, "deadline_s": -1}).encode(), 422),
        (json.dumps({**BODY, "arguments": {"content": "x" * 300_000}}).encode(), 413),
    ],
    ids=str,
)
async def test_what_is_no_call_is_turned_away(http: httpx.AsyncClient, body: bytes, status: int) -> None:
    response = await http.post("/functions/add_todo", content=body, headers={"idempotency-key": "k-odd"})
    assert response.status_code == status
    assert response.headers["content-type"] == "application/json"
    assert isinstance(response.json()["detail"], str)


async def test_a_function_that_there_is_not_and_a_missing_key_are_turned_away(http: httpx.AsyncClient) -> None:
    assert (await call(http, "drop_everything")).status_code == 404
    assert (await call(http, "add_todo", {"content": "x"}, key="")).status_code == 400
    assert (await call(http, "add_todo", {"content": "x"}, key="k" * 201)).status_code == 400


async def test_without_its_token_nothing_is_told_or_done(http: httpx.AsyncClient) -> None:
    for token in ("", "Bearer wrong", "s3cret"):
        headers = {"authorization": token, "idempotency-key": "k"}
        assert (await http.get("/functions", headers=headers)).status_code == 401
        assert (await http.post("/functions/add_todo", json=BODY, headers=headers)).status_code == 401
    assert (await http.get("/healthz", headers={"authorization": ""})).json() == {"status": "ok"}


async def test_text_that_looks_like_sql_is_text(http: httpx.AsyncClient, business: Pool) -> None:
    injected = "'); drop table demo.todos; --"
    await answer(http, "add_todo", content=injected)
    assert await todos(business, injected) == 1
    assert await rows(business, "select 1 from demo.todos limit 1")


@pytest.mark.usefixtures("http")
async def test_keys_that_are_long_past_are_forgotten_at_the_start(business: Pool) -> None:
    async with business.connection() as connection:
        await connection.execute(
            "insert into demo.function_calls (tenant_id, key, fingerprint, called_at) "
            "values ('acme', 'old', 'x', now() - interval '40 days'), ('acme', 'new', 'x', now())"
        )
    app = create_centre(business)
    async with app.router.lifespan_context(app):
        kept = await rows(business, "select key from demo.function_calls where key in ('old', 'new')")
    assert [row["key"] for row in kept] == ["new"]


def test_every_function_names_its_group_and_permission() -> None:
    assert {one.group for one in FUNCTIONS.values()} == {"todo", "calendar", "undo"}
    for one in FUNCTIONS.values():
        assert one.permission.partition(":")[0] in ("todo", "calendar")
        assert one.permission.endswith(":write" if one.effect else ":read")
