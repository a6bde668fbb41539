"""A yes over HTTP: who may give it, to what, until when, and how often it counts."""

import asyncio
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from checkpoints.embedded import EmbeddedPostgres
from tests.api.desk import Desk, Json, in_process, settings
from tests.api.scenes import EVE
from tests.conftest import clone

APPROVE: Json = {"type": "approve"}


async def order_no(desk: Desk) -> str:
    return str(
        await one(
            desk, "SELECT order_no AS v FROM demo.orders WHERE tenant_id = 'acme' AND status = 'to_ship' ORDER BY 1"
        )
    )


async def steps_of(desk: Desk, number: str) -> int:
    query = f"SELECT count(*) AS v FROM demo.order_events WHERE tenant_id = 'acme' AND order_no = '{number}'"
    return int(await one(desk, query))


async def one(desk: Desk, query: str) -> Any:
    async with desk.opened["pool"].connection() as connection:
        row = await (await connection.execute(query.encode())).fetchone()
    assert row is not None
    return row["v"]


def resume(waiting: Json, *decisions: Json) -> Json:
    return {
        "thread_id": waiting["thread_id"],
        "resume": {"interrupt_id": waiting["interrupt"]["id"], "decisions": decisions},
    }


@pytest.mark.parametrize("same_key", [True, False])
async def test_two_resumes_at_once_change_it_once_and_both_are_answered(desk: Desk, same_key: bool) -> None:
    number = await order_no(desk)
    before, waiting = await steps_of(desk, number), await desk.ask(f"把订单 {number} 改成已发货")
    keys = [uuid4().hex] * 2 if same_key else [uuid4().hex, uuid4().hex]
    body = resume(waiting, APPROVE)
    both = (desk.http.post("/invoke", json=body, headers={"Idempotency-Key": key}) for key in keys)
    answers = sorted(await asyncio.gather(*both), key=lambda answer: answer.status_code)
    assert [answer.status_code for answer in answers] == ([200, 200] if same_key else [200, 409])
    assert answers[0].json()["tool_calls"][0]["status"] == "done"
    assert await steps_of(desk, number) == before + 1
    if same_key:
        assert answers[0].json()["run_id"] == answers[1].json()["run_id"]
    else:
        assert isinstance(answers[1].json()["detail"], str)


async def test_a_yes_and_a_no_at_once_are_one_of_them(desk: Desk) -> None:
    number = await order_no(desk)
    before, waiting = await steps_of(desk, number), await desk.ask(f"把订单 {number} 改成已发货")
    given = (desk.http.post("/invoke", json=resume(waiting, {"type": kind})) for kind in ("approve", "reject"))
    answers = await asyncio.gather(*given)
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    (won,) = [answer.json() for answer in answers if answer.status_code == 200]
    made = won["tool_calls"][0]["status"] == "done"
    assert await steps_of(desk, number) == before + made


async def test_nobody_else_can_give_the_yes(desk: Desk) -> None:
    waiting = await desk.ask(f"把订单 {await order_no(desk)} 改成已发货")
    for headers in (EVE, {"X-Dev-Tenant": "globex"}):
        answer = await desk.http.post("/invoke", json=resume(waiting, APPROVE), headers=headers)
        assert answer.status_code in (404, 422)
    assert (await desk.resume(waiting, {"type": "reject"})).status_code == 200


async def test_a_yes_counts_only_for_who_may_make_the_change_when_it_is_given(desk: Desk) -> None:
    number = await order_no(desk)
    before, waiting = await steps_of(desk, number), await desk.ask(f"把订单 {number} 改成已发货")
    viewer = {"X-Dev-Roles": "viewer"}
    answer = await desk.http.post("/invoke", json=resume(waiting, APPROVE), headers=viewer)
    assert answer.status_code == 200
    (call,) = answer.json()["tool_calls"]
    assert call["status"] == "refused"
    assert "order:write" in answer.json()["reply"]
    assert await steps_of(desk, number) == before


async def test_an_edit_is_permitted_and_validated_like_any_other_call(desk: Desk) -> None:
    number = await order_no(desk)
    before, waiting = await steps_of(desk, number), await desk.ask(f"把订单 {number} 改成已发货")
    args = {"order_no": number, "status": "melted"}
    edit = {"type": "edit", "edited_action": {"name": "update_order_status", "args": args}}
    done = (await desk.resume(waiting, edit)).json()
    assert (done["status"], done["tool_calls"][0]["status"]) == ("completed", "refused")
    assert await steps_of(desk, number) == before


async def test_a_yes_that_comes_too_late_is_a_conflict(postgres: EmbeddedPostgres, migrated_template: str) -> None:
    with clone(postgres, migrated_template) as url:
        async with in_process(settings(url, confirmation_minutes=0.0001)) as desk:
            number = await order_no(desk)
            waiting = await desk.ask(f"把订单 {number} 改成已发货")
            while datetime.now(UTC) < datetime.fromisoformat(waiting["interrupt"]["expires_at"]):  # noqa: ASYNC110
                await asyncio.sleep(0.001)
            answer = await desk.resume(waiting, APPROVE)
            assert (answer.status_code, answer.json()["detail"]) == (
                409, "This question has expired; send the request again.",
            )  # fmt: skip
            assert await order_no(desk) == number
