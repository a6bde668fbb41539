"""Runs in the shapes of LangGraph's API, and their cancellation."""

from typing import Any
from uuid import uuid4

import pytest

from tests.api.desk import Desk
from tests.api.scenes import EVE, KWARGS, RUN, get, refused, settled, started, waiting

NOTHING = (404, "No runs found to cancel.")


async def test_a_run_says_what_was_asked_and_what_became_of_it(desk: Desk) -> None:
    asked = await desk.ask("你好", extra={"channel": "test"})
    run = await get(desk, f"/threads/{asked['thread_id']}/runs/{asked['run_id']}")
    assert set(run) == RUN
    assert (run["status"], run["multitask_strategy"]) == ("success", "enqueue")
    assert run["assistant_id"] == run["metadata"]["assistant_id"]
    assert set(run["metadata"]) == {"created_by", "graph_id", "assistant_id"}
    kwargs = run["kwargs"]
    assert set(kwargs) == KWARGS
    (message,) = kwargs["input"]["messages"]
    assert (message["role"], message["content"], kwargs["command"]) == ("user", "你好", None)
    assert kwargs["context"]["extra"] == {"channel": "test"}
    assert "roles" not in kwargs["context"]
    assert run["created_at"] < run["updated_at"]


async def test_a_run_that_stops_at_a_question_is_a_success(desk: Desk) -> None:
    asked = await waiting(desk)
    path = f"/threads/{asked['thread_id']}/runs"
    assert (await get(desk, f"{path}/{asked['run_id']}"))["status"] == "success"
    resumed = (await desk.resume(asked, {"type": "reject", "message": "no"})).json()
    second, first = await get(desk, path)
    assert (second["run_id"], first["run_id"]) == (resumed["run_id"], asked["run_id"])
    assert second["kwargs"]["input"] is None
    (given,) = second["kwargs"]["command"]["resume"].items()
    assert given == (asked["interrupt"]["id"], {"decisions": [{"type": "reject", "message": "no"}]})


async def test_runs_are_listed_newest_first_in_pages(desk: Desk) -> None:
    first = await desk.ask("你好")
    made = [first["run_id"], *[(await desk.ask("谢谢", thread_id=first["thread_id"]))["run_id"] for _ in range(3)]]
    path = f"/threads/{first['thread_id']}/runs"

    async def listed(query: str) -> list[str]:
        return [run["run_id"] for run in await get(desk, f"{path}{query}")]

    assert await listed("") == made[::-1]
    assert await listed("?limit=2&offset=1") == made[2:0:-1]
    assert await listed("?status=success&limit=1") == made[3:]
    assert await listed("?status=error") == []


@pytest.mark.parametrize("query", ["limit=0", "limit=1001", "limit=x", "offset=-1", f"offset={10**30}", "status=odd"])
async def test_a_list_of_no_sense_is_refused(desk: Desk, query: str) -> None:
    asked = await desk.ask("你好")
    status, _ = refused(await desk.http.get(f"/threads/{asked['thread_id']}/runs?{query}"))
    assert status == 422


async def test_a_run_that_is_not_the_callers_does_not_exist(desk: Desk) -> None:
    mine, other = await desk.ask("你好"), await desk.ask("你好")
    path = f"/threads/{mine['thread_id']}/runs"
    not_found = (404, "Not Found")
    assert refused(await desk.http.get(f"{path}/{mine['run_id']}", headers=EVE)) == not_found
    assert refused(await desk.http.get(f"{path}/{uuid4()}")) == not_found
    assert refused(await desk.http.get(f"{path}/{other['run_id']}")) == not_found
    assert refused(await desk.http.get(f"{path}/last")) == (422, "Invalid run ID: must be a UUID")
    unknown = f"/threads/xyz/runs/{mine['run_id']}"
    assert refused(await desk.http.get(unknown)) == (422, "Invalid thread ID: must be a UUID")
    assert (await desk.http.get(path, headers=EVE)).status_code == 404


@pytest.mark.parametrize(("flag", "status"), [("wait=0", 202), ("", 202), ("wait=1", 200), ("wait=true", 200)])
async def test_a_running_run_is_stopped(slow_desk: Desk, flag: str, status: int) -> None:
    run = await started(slow_desk)
    path = f"/threads/{run['thread_id']}/runs/{run['run_id']}"
    answer = await slow_desk.http.post(f"{path}/cancel?{flag}")
    assert (answer.status_code, answer.content) == (status, b"{}" if status == 200 else b"")
    if status == 200:
        assert answer.headers["Content-Location"] == path
        assert (await get(slow_desk, path))["status"] == "interrupted"
    row = await settled(slow_desk, run["thread_id"])
    assert (await get(slow_desk, path))["status"] == "interrupted"
    assert row["status"] in ("idle", "interrupted")
    assert row["error"]["error"] == "UserInterrupt"
    assert refused(await slow_desk.http.post(f"{path}/cancel")) == NOTHING
    goes_on = await slow_desk.ask("你好", thread_id=run["thread_id"])
    assert goes_on["status"] == "completed"


@pytest.mark.parametrize("wait", ["0", "1", "false", "true"])
async def test_a_run_that_is_rolled_back_is_gone_with_all_its_steps(slow_desk: Desk, wait: str) -> None:
    before = await slow_desk.ask("你好")
    history = await get(slow_desk, f"/threads/{before['thread_id']}/history?limit=50")
    run = await started(slow_desk, before["thread_id"])
    path = f"/threads/{run['thread_id']}/runs/{run['run_id']}"
    answer = await slow_desk.http.post(f"{path}/cancel?wait={wait}&action=rollback")
    assert answer.status_code == (200 if wait in ("1", "true") else 202)
    row = await settled(slow_desk, run["thread_id"])
    assert (row["status"], row["error"]["error"]) == ("idle", "UserRollback")
    assert refused(await slow_desk.http.get(path)) == (404, "Not Found")
    assert await get(slow_desk, f"/threads/{run['thread_id']}/history?limit=50") == history


async def test_a_run_that_waits_is_stopped_before_it_begins(slow_desk: Desk) -> None:
    first = await started(slow_desk)
    second = await started(slow_desk, first["thread_id"], "你好")
    assert second["run_id"] != first["run_id"]
    path = f"/threads/{first['thread_id']}/runs/{second['run_id']}"
    assert (await slow_desk.http.post(f"{path}/cancel")).status_code == 202
    assert (await get(slow_desk, path))["status"] == "interrupted"
    await settled(slow_desk, first["thread_id"])
    runs = await get(slow_desk, f"/threads/{first['thread_id']}/runs")
    assert [run["status"] for run in runs] == ["interrupted", "success"]


async def test_what_cannot_be_cancelled_is_not_found(slow_desk: Desk) -> None:
    over = await slow_desk.ask("你好")
    path = f"/threads/{over['thread_id']}/runs"
    assert refused(await slow_desk.http.post(f"{path}/{over['run_id']}/cancel?wait=1")) == NOTHING
    assert refused(await slow_desk.http.post(f"{path}/{uuid4()}/cancel")) == NOTHING
    running = await started(slow_desk)
    answer = await slow_desk.http.post(f"/threads/{running['thread_id']}/runs/{running['run_id']}/cancel", headers=EVE)
    assert refused(answer) == NOTHING
    assert refused(await slow_desk.http.post(f"{path}/{running['run_id']}/cancel")) == NOTHING
    row: dict[str, Any] = await settled(slow_desk, running["thread_id"])
    assert (row["status"], row["error"]) == ("idle", None)
    for query in ("wait=maybe", "action=forget"):
        assert (await slow_desk.http.post(f"{path}/{over['run_id']}/cancel?{query}")).status_code == 422
    assert (await slow_desk.http.post(f"{path}/first/cancel")).status_code == 422
