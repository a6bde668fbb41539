"""POST /threads/{id}/runs/{id}/feedback: one verdict for each run, from whom it belongs to."""

from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.api.desk import Desk, Json
from tests.api.scenes import EVE, refused, settled, started


async def give(desk: Desk, asked: Json, body: Any, **more: Any) -> httpx.Response:
    path = f"/threads/{asked['thread_id']}/runs/{asked['run_id']}/feedback"
    return await desk.http.post(path, json=body, **more)


async def stored(desk: Desk, asked: Json) -> tuple[str, str | None] | None:
    query = "SELECT verdict, comment FROM frontdesk.feedback WHERE run_id = %s"
    async with desk.opened["pool"].connection() as connection:
        row = await (await connection.execute(query, (asked["run_id"],))).fetchone()
    return (row["verdict"], row["comment"]) if row else None


async def test_a_verdict_is_kept(desk: Desk) -> None:
    asked = await desk.ask("查一下今天的订单")
    answer = await give(desk, asked, {"verdict": "down", "comment": "我要的是上周"})
    assert answer.status_code == 200
    told = answer.json()
    assert (told["run_id"], told["verdict"], told["comment"]) == (asked["run_id"], "down", "我要的是上周")
    assert told["created_at"] == told["updated_at"]
    assert await stored(desk, asked) == ("down", "我要的是上周")


async def test_a_second_one_takes_its_place(desk: Desk) -> None:
    asked = await desk.ask("你好")
    await give(desk, asked, {"verdict": "down", "comment": "no"})
    assert (await give(desk, asked, {"verdict": "up"})).json()["comment"] is None
    assert await stored(desk, asked) == ("up", None)


async def test_somebody_else_s_run_is_not_there(desk: Desk) -> None:
    asked = await desk.ask("你好")
    assert refused(await give(desk, asked, {"verdict": "up"}, headers=EVE))[0] == 404
    assert refused(await give(desk, {**asked, "run_id": str(uuid4())}, {"verdict": "up"}))[0] == 404
    assert refused(await give(desk, {**asked, "thread_id": str(uuid4())}, {"verdict": "up"}))[0] == 404
    assert await stored(desk, asked) is None


@pytest.mark.parametrize(
    "body",
    [
        {}, {"verdict": "meh"}, {"verdict": None}, {"verdict": "up", "stars": 5}, [], "up",
        {"verdict": "up", "comment": 7}, {"verdict": "up", "comment": "x" * 2001},
    ],
)  # fmt: skip
async def test_what_is_no_verdict_is_refused(desk: Desk, body: Any) -> None:
    assert refused(await give(desk, await desk.ask("你好"), body))[0] == 422


@pytest.mark.parametrize("comment", ['"\\u0000"', '"\\ud800"'])
async def test_what_a_database_cannot_keep_is_refused(desk: Desk, comment: str) -> None:
    asked = await desk.ask("你好")
    content = f'{{"verdict": "up", "comment": {comment}}}'
    path = f"/threads/{asked['thread_id']}/runs/{asked['run_id']}/feedback"
    answer = await desk.http.post(path, content=content, headers={"content-type": "application/json"})
    assert refused(answer)[0] == 422


@pytest.mark.parametrize("run_id", ["x", "1", "0199"])
async def test_a_run_is_named_by_a_uuid(desk: Desk, run_id: str) -> None:
    asked = await desk.ask("你好")
    assert refused(await give(desk, {**asked, "run_id": run_id}, {"verdict": "up"}))[0] == 422


async def test_a_run_that_is_not_over_has_no_answer_to_judge(slow_desk: Desk) -> None:
    asked = await started(slow_desk)
    assert refused(await give(slow_desk, asked, {"verdict": "up"}))[0] == 409
    await settled(slow_desk, asked["thread_id"])
    assert (await give(slow_desk, asked, {"verdict": "up"})).status_code == 200


async def test_it_goes_with_its_thread(desk: Desk) -> None:
    asked = await desk.ask("你好")
    await give(desk, asked, {"verdict": "down", "comment": "mine"})
    assert (await desk.http.delete(f"/threads/{asked['thread_id']}")).status_code in (200, 204)
    assert await stored(desk, asked) is None
