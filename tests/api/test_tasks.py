"""Background tasks from the first sentence to the last coupon, over the whole desk."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from auth.principal import Principal
from checkpoints.embedded import EmbeddedPostgres
from tests.api.desk import Desk, in_process, settings
from tests.checkpoints.working import accept
from tests.conftest import clone

WAIT_S = 30.0
APPROVE = {"type": "approve"}
SEND = "给用户发500张20元优惠券"
SENT = "SELECT count(*) AS n, count(DISTINCT serial) AS different FROM demo.coupons WHERE campaign = %s"


@pytest.fixture(scope="module")
async def desk(postgres: EmbeddedPostgres, migrated_template: str) -> AsyncIterator[Desk]:
    """Coupons are sent quickly."""
    with clone(postgres, migrated_template) as url:
        async with in_process(settings(url, resources={"coupons": {"pause_s": 0.01}})) as opened:
            yield opened


@pytest.fixture(scope="module")
async def idle_desk(postgres: EmbeddedPostgres, migrated_template: str) -> AsyncIterator[Desk]:
    """A desk whose process does no background tasks."""
    with clone(postgres, migrated_template) as url:
        async with in_process(settings(url, worker=False)) as opened:
            yield opened


async def put_in(desk: Desk, message: str = SEND, **more: Any) -> dict[str, Any]:
    """The turn that ends with the number of a task."""
    waiting = await desk.ask(message, **more)
    assert waiting["status"] == "interrupted", waiting
    answer = await desk.resume(waiting, APPROVE)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def task_of(desk: Desk, number: str) -> dict[str, Any]:
    answer = await desk.http.get(f"/tasks/{number}")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def ended(desk: Desk, number: str) -> dict[str, Any]:
    async with asyncio.timeout(WAIT_S):
        while (task := await task_of(desk, number))["finished_at"] is None:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    return task


async def sent(desk: Desk, campaign: str) -> tuple[int, int]:
    async with desk.opened["pool"].connection() as connection:
        row = await (await connection.execute(SENT, (campaign,))).fetchone()
    return (row["n"], row["different"]) if row else (0, 0)


async def test_a_yes_is_asked_for_with_all_that_is_going_to_be_sent(desk: Desk) -> None:
    waiting = await desk.ask("给金卡会员发300张优惠券")
    assert waiting["interrupt"]["action_requests"][0]["description"] == (
        "向用户发放 300 张优惠券（面值：20 元，会员等级：金卡会员），确认吗？"
    )


async def test_the_work_goes_on_beside_the_conversation_and_is_read_in_it(desk: Desk) -> None:
    turn = await put_in(desk)
    number = turn["task_id"]
    assert turn["status"] == "completed"
    assert turn["tool_calls"][0]["status"] == "accepted"
    assert f"后台任务 {number}" in turn["reply"]
    asked = await desk.ask("进度如何", thread_id=turn["thread_id"])
    assert (asked["intents"], asked["task_id"]) == (["task.progress"], None)
    assert asked["reply"].startswith(f"任务 {number}（发放优惠券，")
    over = await ended(desk, number)
    assert (over["status"], over["done"], over["total"], over["attempt"]) == ("done", 500, 500, 1)
    assert await sent(desk, over["data"]["campaign"]) == (500, 500)
    asked = await desk.ask("发到哪了", thread_id=turn["thread_id"])
    assert over["summary"] in asked["reply"]
    elsewhere = await desk.ask("how far is it")
    assert f"Task {number} " in elsewhere["reply"]


async def test_a_task_is_shown_whole(desk: Desk) -> None:
    turn = await put_in(desk, "给金卡会员发30张50元优惠券")
    over = await ended(desk, turn["task_id"])
    assert over["arguments"] == {"count": 30, "value": "50", "level": "gold"}
    assert (over["tool"], over["title"], over["agent"]) == ("send_coupons", "发放优惠券", "business")
    assert (over["thread_id"], over["run_id"]) == (turn["thread_id"], turn["run_id"])
    assert over["created_at"] <= over["started_at"] <= over["finished_at"]
    assert over["cancel_requested"] is False


async def test_the_list_is_paged_and_filtered(idle_desk: Desk) -> None:
    who = {"X-Dev-User": "pager"}
    made = [await accept(idle_desk.opened["pool"], user="pager") for _ in range(3)]
    answer = await idle_desk.http.get("/tasks", params={"limit": 2}, headers=who)
    assert [task["task_id"] for task in answer.json()] == [str(made[2].task_id), str(made[1].task_id)]
    assert (answer.headers["X-Pagination-Total"], answer.headers["X-Pagination-Next"]) == ("3", "2")
    await idle_desk.http.post(f"/tasks/{made[0].task_id}/cancel", headers=who)
    answer = await idle_desk.http.get("/tasks", params={"status": "cancelled"}, headers=who)
    assert [task["task_id"] for task in answer.json()] == [str(made[0].task_id)]
    thread = {"thread_id": "0199c0de-7a00-7000-8000-000000000001"}
    assert (await idle_desk.http.get("/tasks", params=thread, headers=who)).json() == []


@pytest.mark.parametrize("who", [{"X-Dev-User": "kim"}, {"X-Dev-Tenant": "globex"}])
async def test_somebody_elses_task_does_not_exist(idle_desk: Desk, who: dict[str, str]) -> None:
    number = str((await accept(idle_desk.opened["pool"])).task_id)
    nowhere = (await idle_desk.http.get("/tasks/999999", headers=who)).json()["detail"]
    for answer in (
        await idle_desk.http.get(f"/tasks/{number}", headers=who),
        await idle_desk.http.post(f"/tasks/{number}/cancel", headers=who),
    ):
        assert (answer.status_code, answer.json()["detail"]) == (404, nowhere.replace("999999", number))
    assert number not in (await idle_desk.http.get("/tasks", headers=who)).text
    assert (await task_of(idle_desk, number))["status"] == "queued"
    body = {"message": f"后台任务{number}进度如何"}
    answer = await idle_desk.http.post("/invoke", json=body, headers={**who, "X-Dev-Roles": "operator"})
    assert f"没有找到任务 {number}" in answer.json()["reply"]


@pytest.mark.parametrize(
    ("number", "status"),
    [("0", 404), ("-1", 422), ("x", 422), ("１２", 422), ("1.5", 422), ("9" * 18, 404), ("9" * 99, 404)],
)
async def test_a_number_that_is_none_is_refused(idle_desk: Desk, number: str, status: int) -> None:
    for answer in (
        await idle_desk.http.get(f"/tasks/{number}"),
        await idle_desk.http.post(f"/tasks/{number}/cancel"),
    ):
        assert answer.status_code == status
        assert isinstance(answer.json()["detail"], str)


@pytest.mark.parametrize("query", ["limit=0", "limit=x", "offset=-1", "status=gone", "thread_id=here"])
async def test_a_list_that_cannot_be_meant_is_refused(idle_desk: Desk, query: str) -> None:
    assert (await idle_desk.http.get(f"/tasks?{query}")).status_code == 422


async def test_what_waits_is_cancelled_in_chat_and_by_the_api(idle_desk: Desk) -> None:
    turn = await put_in(idle_desk)
    assert "排队中" in (await idle_desk.ask("进度如何", thread_id=turn["thread_id"]))["reply"]
    stopped = await idle_desk.ask("取消发券任务", thread_id=turn["thread_id"])
    assert stopped["intents"] == ["task.cancel"]
    assert stopped["reply"] == f"任务 {turn['task_id']}（发放优惠券）已取消。"
    again = await idle_desk.http.post(f"/tasks/{turn['task_id']}/cancel")
    assert (again.status_code, again.json()["status"]) == (200, "cancelled")


async def test_what_is_over_cannot_be_cancelled(desk: Desk) -> None:
    turn = await put_in(desk, "发10张优惠券")
    await ended(desk, turn["task_id"])
    answer = await desk.http.post(f"/tasks/{turn['task_id']}/cancel")
    assert (answer.status_code, answer.json()["detail"]) == (409, f"Task {turn['task_id']} is over: done")


async def test_a_running_task_stops_and_keeps_what_it_did(desk: Desk) -> None:
    turn = await put_in(desk, "发5000张优惠券")
    async with asyncio.timeout(WAIT_S):
        while not (await task_of(desk, turn["task_id"]))["done"]:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    answer = await desk.http.post(f"/tasks/{turn['task_id']}/cancel")
    assert (answer.status_code, answer.json()["cancel_requested"]) == (200, True)
    over = await ended(desk, turn["task_id"])
    assert over["status"] == "cancelled"
    assert 0 < over["done"] < 5000


async def test_who_may_only_read_cannot_send(idle_desk: Desk) -> None:
    body = {"message": SEND}
    answer = await idle_desk.http.post("/invoke", json=body, headers={"X-Dev-Roles": "viewer"})
    assert answer.json()["tool_calls"][0]["status"] == "refused"
    assert answer.json()["task_id"] is None


async def test_a_no_puts_nothing_in(idle_desk: Desk) -> None:
    waiting = await idle_desk.ask(SEND)
    answer = await idle_desk.resume(waiting, {"type": "reject"})
    assert answer.json()["task_id"] is None
    threads = {"thread_id": waiting["thread_id"]}
    assert (await idle_desk.http.get("/tasks", params=threads)).json() == []


async def test_two_resumes_at_once_put_in_one(idle_desk: Desk) -> None:
    waiting = await idle_desk.ask(SEND)
    answers = await asyncio.gather(*(idle_desk.resume(waiting, APPROVE) for _ in range(2)))
    numbers = {answer.json().get("task_id") for answer in answers if answer.status_code == 200}
    assert len(numbers - {None}) == 1
    threads = {"thread_id": waiting["thread_id"]}
    assert len((await idle_desk.http.get("/tasks", params=threads)).json()) == 1


async def test_a_deleted_thread_takes_its_tasks_along(idle_desk: Desk) -> None:
    turn = await put_in(idle_desk)
    assert (await idle_desk.http.delete(f"/threads/{turn['thread_id']}")).status_code in {200, 204}
    assert (await idle_desk.http.get(f"/tasks/{turn['task_id']}")).status_code == 404
    own = Principal()
    assert await idle_desk.opened["tasks"].search(own.tenant, own.user, thread_id=turn["thread_id"]) == ([], 0)


async def test_a_replay_tells_what_was_accepted_and_puts_nothing_in(idle_desk: Desk) -> None:
    turn = await put_in(idle_desk)
    before = (await idle_desk.http.get("/tasks")).headers["X-Pagination-Total"]
    answer = await idle_desk.http.post(f"/threads/{turn['thread_id']}/replay", json={})
    assert answer.status_code == 200, answer.text
    assert (await idle_desk.http.get("/tasks")).headers["X-Pagination-Total"] == before
