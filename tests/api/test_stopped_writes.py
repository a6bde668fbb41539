"""A turn that is stopped while its tool writes tells what became of the call, and so does every later reader."""

import asyncio
from typing import Any

import pytest

from checkpoints.embedded import EmbeddedPostgres
from graphs.conductor import MOST_ATTEMPTS
from tests.api.conftest import SLOW
from tests.api.desk import Desk, Json, in_process, parsed, settings
from tests.api.scenes import ASKING, get, settled, started
from tests.conftest import clone


async def rows(desk: Desk, thread_id: str) -> list[Json]:
    async with desk.opened["pool"].connection() as connection:
        query = "SELECT * FROM frontdesk.ledger WHERE thread_id = %s ORDER BY id"
        return await (await connection.execute(query, (thread_id,))).fetchall()


async def writing(desk: Desk, message: str) -> tuple[Json, asyncio.Task[Any]]:
    """A run whose tool is in the middle of its write, and who asked for it."""
    before = set(ASKING)
    run = await started(desk, message=message)
    (asking,) = ASKING - before
    async with asyncio.timeout(5):
        while not await rows(desk, run["thread_id"]):  # noqa: ASYNC110  the database tells it in no other way
            await asyncio.sleep(0.01)
    return run, asking


async def cancelled(desk: Desk, message: str) -> tuple[Json, Json]:
    """The run, and what was told of it."""
    run, asking = await writing(desk, message)
    answer = await desk.http.post(f"/threads/{run['thread_id']}/runs/{run['run_id']}/cancel?wait=1")
    assert answer.status_code == 200, answer.text
    return run, (await asking).json()


async def the_call(desk: Desk, thread_id: str) -> Json:
    """Of the first turn, as the transcript has it."""
    turn, *_ = await get(desk, f"/threads/{thread_id}/turns")
    (call,) = turn["calls"]
    return dict(call)


async def test_a_write_that_ended_while_its_run_was_cancelled_is_done_everywhere(slow_desk: Desk) -> None:
    run, result = await cancelled(slow_desk, "scriptura 7")
    assert result["status"] == "failed"
    (shown,) = result["tool_calls"]
    assert (shown["tool"], shown["status"], shown["summary"]) == ("write_slowly", "done", "done: scriptura 7")
    assert shown["elapsed_ms"] >= 490
    assert result["reply"].endswith("\nDone so far: done: scriptura 7")
    call = await the_call(slow_desk, run["thread_id"])
    assert (call["status"], call["content"], call["data"]) == ("done", "done: scriptura 7", {"line": "scriptura 7"})
    assert [row["status"] for row in await rows(slow_desk, run["thread_id"])] == ["done"]
    events = parsed((await slow_desk.http.get(f"/stream/{run['run_id']}")).text)
    phases = [(event.data["phase"], event.data.get("status")) for event in events if event.kind == "tool_call"]
    assert phases == [("started", None), ("finished", "done")]
    assert events[-1].data["tool_calls"] == result["tool_calls"]


async def test_later_turns_remember_what_was_written(slow_desk: Desk) -> None:
    run, _ = await cancelled(slow_desk, "scriptura 7")
    await slow_desk.ask("谢谢", thread_id=run["thread_id"])
    values = (await get(slow_desk, f"/threads/{run['thread_id']}"))["values"]
    kept = [(message["type"], message["content"]) for message in values["messages"]]
    assert kept[:3] == [("human", "scriptura 7"), ("ai", ""), ("tool", "done: scriptura 7")]
    assert [row["status"] for row in await rows(slow_desk, run["thread_id"])] == ["done"]


async def test_a_write_that_failed_while_its_run_was_cancelled_is_failed(slow_desk: Desk) -> None:
    run, result = await cancelled(slow_desk, "scriptura badly")
    assert [(c["status"], c["summary"]) for c in result["tool_calls"]] == [("failed", "failed: scriptura badly")]
    assert (await the_call(slow_desk, run["thread_id"]))["status"] == "failed"


async def test_a_write_that_ended_while_another_message_took_over_is_done(slow_desk: Desk) -> None:
    run, asking = await writing(slow_desk, "scriptura 8")
    said = await slow_desk.ask("你好", thread_id=run["thread_id"], on_busy="interrupt")
    assert said["status"] == "completed"
    assert [c["status"] for c in (await asking).json()["tool_calls"]] == ["done"]
    assert (await the_call(slow_desk, run["thread_id"]))["content"] == "done: scriptura 8"


async def test_a_run_that_is_given_up_tells_what_its_write_came_to(slow_desk: Desk) -> None:
    """Process after process was lost over it; the last one had come to the write."""
    run, _ = await writing(slow_desk, "scriptura long")
    async with slow_desk.opened["pool"].connection() as connection:
        lost = "UPDATE frontdesk.runs SET attempt = %s, lease_until = clock_timestamp() WHERE run_id = %s"
        await connection.execute(lost, (MOST_ATTEMPTS, run["run_id"]))
    slow_desk.opened["runner"]._sweeper.hurry.now()
    await settled(slow_desk, run["thread_id"])
    (turn,) = await get(slow_desk, f"/threads/{run['thread_id']}/turns")
    assert (turn["status"], turn["runs"][0]["attempt"]) == ("failed", MOST_ATTEMPTS + 1)
    assert [(call["status"], call["content"]) for call in turn["calls"]] == [("done", "done: scriptura long")]
    assert turn["answer"].endswith("Done so far: done: scriptura long")


async def test_a_read_that_was_stopped_is_not_executed(slow_desk: Desk) -> None:
    run = await started(slow_desk)
    async with asyncio.timeout(5):
        while "tool_call" not in await heard(slow_desk, run["run_id"]):  # noqa: ASYNC110  it is told in no other way
            await asyncio.sleep(0.01)
    await slow_desk.http.post(f"/threads/{run['thread_id']}/runs/{run['run_id']}/cancel?wait=1")
    assert (await the_call(slow_desk, run["thread_id"]))["status"] == "not_executed"


async def heard(desk: Desk, run_id: str) -> list[str]:
    """What a run has told so far."""
    return [event.kind for event in await desk.opened["runner"]._stage.events.after(run_id, 0, wait_s=0.01)]


async def test_a_write_that_is_cut_off_by_the_end_of_its_turn_s_time_is_unknown_and_named(
    postgres: EmbeddedPostgres, migrated_template: str
) -> None:
    more = {"tool_dirs": (SLOW / "tools",), "agent_dirs": (SLOW / "agents",), "turn_timeout_s": 1}
    with clone(postgres, migrated_template) as url:
        async with in_process(settings(url, demo=False, **more)) as desk:
            result = await desk.ask("scriptura long")
            assert [c["status"] for c in result["tool_calls"]] == ["unknown"]
            assert "write_slowly(line=scriptura long): outcome unknown" in result["reply"]
            (row,) = await rows(desk, result["thread_id"])
            assert (row["status"], (await the_call(desk, result["thread_id"]))["status"]) == ("started", "unknown")


@pytest.mark.parametrize("found_out", ["done", "failed"])
async def test_what_an_operator_settles_is_settled_in_the_transcript(slow_desk: Desk, found_out: Any) -> None:
    result = await slow_desk.ask("silentium 7")
    assert [c["status"] for c in result["tool_calls"]] == ["unknown"]
    assert result["reply"] == "write_and_hang(line=silentium 7): outcome unknown, please check before trying again"
    call = await the_call(slow_desk, result["thread_id"])
    assert (call["status"], call["settled_by"]) == ("unknown", None)
    (row,) = await rows(slow_desk, result["thread_id"])
    await slow_desk.opened["ledger"].resolve(row["id"], found_out, "olga")
    call = await the_call(slow_desk, result["thread_id"])
    assert (call["status"], call["settled_by"]) == (found_out, "olga")


async def test_an_unknown_outcome_of_a_stopped_run_names_what_was_attempted(slow_desk: Desk) -> None:
    run, result = await cancelled(slow_desk, "silentium 这一行")
    assert [c["status"] for c in result["tool_calls"]] == ["unknown"]
    assert result["reply"].endswith("write_and_hang(内容=silentium 这一行)：结果未知，请先核实，再决定是否重试")
    (row,) = await rows(slow_desk, run["thread_id"])
    await slow_desk.opened["ledger"].resolve(row["id"], "done", "olga")
    assert (await the_call(slow_desk, run["thread_id"]))["settled_by"] == "olga"
    assert (await settled(slow_desk, run["thread_id"]))["status"] != "busy"
