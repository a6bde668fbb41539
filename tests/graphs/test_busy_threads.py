"""What becomes of requests that meet on one thread, in one process or in several."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any
from uuid import UUID

import pytest

from auth.principal import Principal
from checkpoints.database import Pool, open_pool
from checkpoints.ledger import LedgerStore
from errors import Conflict, InvalidInput, NoInterrupt, NotFound, ThreadBusy
from graphs.resuming import Resume
from tests.graphs import toy
from tests.graphs.process import APPROVE, ME, REJECT, Process, told, until


@pytest.fixture
async def processes(pool: Pool, database_url: str) -> AsyncIterator[tuple[Process, Process]]:
    """Two of them over one database, each with connections of its own and nothing between them."""
    toy.done.clear()
    toy.planned_for.clear()
    toy.gate.clear()
    async with AsyncExitStack() as stack:
        other = await open_pool(database_url, 8)
        stack.push_async_callback(other.close)
        one = await stack.enter_async_context(Process(pool, renew_s=0.2, sweep_s=0.2))
        two = await stack.enter_async_context(Process(other, renew_s=0.2, sweep_s=0.2))
        stack.callback(toy.gate.set)
        yield one, two


def planned(text: str) -> Callable[[], Awaitable[bool]]:
    async def seen() -> bool:
        return text in toy.planned_for

    return seen


async def said(process: Process, thread_id: str) -> list[str]:
    row = await process.threads.get(UUID(thread_id), ME.tenant, ME.user)
    return [m["content"] for m in (row.values or {"messages": []})["messages"]]


async def test_messages_to_one_thread_are_answered_in_order_whichever_process_gets_them(
    processes: tuple[Process, Process],
) -> None:
    one, other = processes
    first = await one.start("wait")
    runs = [await (one, other)[n % 2].start(f"m{n}", first.thread_id) for n in range(8)]
    toy.gate.set()
    assert [(await run.result())["reply"] for run in runs] == [f"heard m{n}" for n in range(8)]
    everything = ["wait", "heard wait", *(text for n in range(8) for text in (f"m{n}", f"heard m{n}"))]
    assert await said(one, first.thread_id) == everything
    assert (await one.row(first)).status == "idle"


async def test_many_threads_over_two_processes_keep_their_order_and_lose_nothing(
    processes: tuple[Process, Process],
) -> None:
    async def talk(number: int) -> list[str]:
        thread = (await processes[number % 2].say(f"t{number}"))["thread_id"]
        runs = [await processes[(number + n) % 2].start(f"t{number} m{n}", thread) for n in range(6)]
        for run in runs:
            assert (await run.result())["status"] == "completed"
        return await said(processes[0], thread)

    for number, texts in enumerate(await asyncio.gather(*[talk(n) for n in range(8)])):
        assert texts[0::2] == [f"t{number}", *(f"t{number} m{n}" for n in range(6))]
        assert texts[1::2] == [f"heard {text}" for text in texts[0::2]]


async def test_reject_is_a_conflict_and_changes_nothing(processes: tuple[Process, Process]) -> None:
    one, other = processes
    run = await one.start("wait")
    for process in processes:
        with pytest.raises(ThreadBusy):
            await process.start("hello", run.thread_id, strategy="reject")
    toy.gate.set()
    await run.result()
    assert await said(one, run.thread_id) == ["wait", "heard wait"]
    assert (await other.say("hello", run.thread_id, strategy="reject"))["reply"] == "heard hello"


@pytest.mark.parametrize("which", [0, 1], ids=["in its own process", "from another process"])
async def test_interrupt_stops_what_runs_keeps_what_was_done_and_goes_on(
    processes: tuple[Process, Process], which: int
) -> None:
    one = processes[0]
    first = await one.start("wait")
    waiting = await one.start("never heard", first.thread_id)
    await until(planned("wait"))
    second = await processes[which].start("hello", first.thread_id, strategy="interrupt")
    assert (await second.result())["reply"] == "heard hello"
    stopped, dropped = await first.result(), await waiting.result()
    assert (stopped["status"], dropped["status"]) == ("failed", "failed")
    assert "stopped" in stopped["reply"]
    assert [(await one.stored(run)).status for run in (first, waiting, second)] == [
        "interrupted", "interrupted", "success",
    ]  # fmt: skip
    assert (await one.stored(first)).error == {"error": "UserInterrupt", "message": "interrupt requested"}
    assert await said(one, first.thread_id) == ["wait", "hello", "heard hello"]
    assert (await one.row(first)).status == "idle"


@pytest.mark.parametrize("which", [0, 1], ids=["in its own process", "from another process"])
async def test_rollback_takes_back_what_runs(processes: tuple[Process, Process], which: int) -> None:
    one = processes[0]
    thread = await one.say("before")
    first = await one.start("wait", thread["thread_id"])
    await until(planned("wait"))
    second = await processes[which].start("hello", first.thread_id, strategy="rollback")
    assert (await second.result())["reply"] == "heard hello"
    assert (await first.result())["status"] == "failed"
    with pytest.raises(NotFound):
        await one.stored(first)
    assert await said(one, first.thread_id) == ["before", "heard before", "hello", "heard hello"]


async def test_a_rolled_back_answer_leaves_the_question_open(processes: tuple[Process, Process]) -> None:
    one = processes[0]
    waiting = await one.say("change 1 slowly")
    assert waiting["interrupt"] is not None
    resume = Resume(interrupt_id=waiting["interrupt"]["id"], decisions=[REJECT])
    run = await one.start(thread_id=waiting["thread_id"], resume=resume)
    await until(planned("rejecting"))
    await one.runner.cancel(UUID(run.run_id), UUID(run.thread_id), ME, "rollback", wait_s=5)
    # A run with an effect is not taken back, so nobody has to go and look what became of its calls.
    assert [call["status"] for call in (await run.result())["tool_calls"]] == ["not_executed"]
    row = await one.row(waiting)
    assert (row.status, row.error) == ("interrupted", {"error": "UserRollback", "message": "rollback requested"})
    toy.gate.set()
    done = await one.answer(waiting, APPROVE)
    assert (done["status"], toy.done) == ("completed", ["change-0"])


async def test_a_run_that_has_had_an_effect_is_stopped_but_not_taken_back(processes: tuple[Process, Process]) -> None:
    one = processes[0]
    run = await one.start("wait")
    await until(planned("wait"))
    begun = await LedgerStore(one.pool, one.saver).begin(
        effect_key="sent", business_key=None, tenant=ME.tenant, user=ME.user, thread_id=run.thread_id, turn_id="t",
        run_id=run.run_id, tool="send", arguments={},
    )  # fmt: skip
    assert begun.state == "begun"
    await one.runner.cancel(UUID(run.run_id), UUID(run.thread_id), ME, "rollback", wait_s=5)
    assert (await one.stored(run)).status == "interrupted"
    assert await said(one, run.thread_id) == ["wait"]
    assert (await one.say("hello", run.thread_id))["status"] == "completed"


async def test_a_run_whose_thread_is_deleted_under_it_is_stopped_without_an_alarm(
    processes: tuple[Process, Process], caplog: pytest.LogCaptureFixture
) -> None:
    one = processes[0]
    run = await one.start("wait")
    await until(planned("wait"))
    await one.threads.delete(UUID(run.thread_id), ME.tenant, ME.user)
    toy.gate.set()
    assert (await run.result())["status"] == "failed"
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []


@pytest.mark.parametrize("which", [0, 1], ids=["in its own process", "from another process"])
async def test_a_run_is_cancelled_from_any_process(processes: tuple[Process, Process], which: int) -> None:
    one = processes[0]
    run = await one.start("wait")
    await until(planned("wait"))
    await processes[which].runner.cancel(UUID(run.run_id), UUID(run.thread_id), ME, wait_s=5)
    assert (await one.stored(run)).status == "interrupted"
    row = await one.row(run)
    assert (row.status, row.error) == ("interrupted", {"error": "UserInterrupt", "message": "interrupt requested"})
    assert (await run.result())["status"] == "failed"
    assert [event.kind for event in await told(run)] == ["turn", "decision", "result"]
    with pytest.raises(Conflict, match="No runs found to cancel"):
        await one.runner.cancel(UUID(run.run_id), UUID(run.thread_id), ME)
    assert (await one.say("hello", run.thread_id))["status"] == "completed"


async def test_a_run_of_somebody_else_cannot_be_cancelled(processes: tuple[Process, Process]) -> None:
    run = await processes[0].start("wait")
    with pytest.raises(NotFound):
        await processes[0].runner.cancel(UUID(run.run_id), UUID(run.thread_id), Principal(user="eve"))
    toy.gate.set()
    assert (await run.result())["status"] == "completed"


async def test_a_waiting_run_is_cancelled_at_once(processes: tuple[Process, Process]) -> None:
    one, other = processes
    first = await one.start("wait")
    second = await one.start("hello", first.thread_id)
    await other.runner.cancel(UUID(second.run_id), UUID(second.thread_id), ME)
    assert (await second.result())["status"] == "failed"
    assert (await one.row(first)).status == "busy"
    toy.gate.set()
    assert (await first.result())["status"] == "completed"
    assert await said(one, first.thread_id) == ["wait", "heard wait"]


async def test_of_two_answers_at_once_one_is_taken(processes: tuple[Process, Process]) -> None:
    one, other = processes
    waiting = await one.say("change 1")
    tries = [process.answer(waiting, APPROVE) for process in (one, other, one, other)]
    outcomes = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(isinstance(outcome, Conflict) for outcome in outcomes) == 3
    assert toy.done == ["change-0"]


async def test_one_key_is_one_run_with_one_answer(processes: tuple[Process, Process]) -> None:
    one, other = processes
    first = await one.say("hello", key="k1")
    assert await other.say("hello", key="k1") == first
    assert await one.say("hello", first["thread_id"], key="k1") == first
    assert len(await said(one, first["thread_id"])) == 2
    assert (await one.say("hello", key="k2"))["run_id"] != first["run_id"]


async def test_a_key_belongs_to_its_caller_and_to_what_was_asked_with_it(processes: tuple[Process, Process]) -> None:
    one, _ = processes
    first = await one.say("hello", key="k")
    eves = await one.say("hello", key="k", principal=Principal(user="eve"))
    assert eves["thread_id"] != first["thread_id"]
    with pytest.raises(InvalidInput, match="Idempotency-Key"):
        await one.say("something else", key="k")
    elsewhere = await one.say("hello")
    with pytest.raises(InvalidInput, match="Idempotency-Key"):
        await one.say("hello", elsewhere["thread_id"], key="k")


async def test_two_first_messages_at_once_with_one_key_make_one_thread(processes: tuple[Process, Process]) -> None:
    tries = [processes[n % 2].say("hello", key="first") for n in range(6)]
    results = await asyncio.gather(*tries)
    assert len({result["thread_id"] for result in results}) == 1
    assert len({result["run_id"] for result in results}) == 1
    assert await said(processes[0], results[0]["thread_id"]) == ["hello", "heard hello"]


async def test_a_second_request_joins_the_run_that_is_on_its_way(processes: tuple[Process, Process]) -> None:
    one, other = processes
    first, second = await one.start("wait", key="k3"), await other.start("wait", key="k3")
    assert second.run_id == first.run_id
    toy.gate.set()
    assert await second.result() == await first.result()


async def test_an_answer_that_is_sent_twice_with_one_key_gets_one_answer(processes: tuple[Process, Process]) -> None:
    one, other = processes
    waiting = await one.say("change 1")
    results = await asyncio.gather(*[process.answer(waiting, APPROVE, key="yes") for process in (one, other, one)])
    again = await other.answer(waiting, APPROVE, key="yes")
    assert [result["run_id"] for result in results] == [again["run_id"]] * 3
    assert toy.done == ["change-0"]
    with pytest.raises(InvalidInput, match="Idempotency-Key"):
        await one.answer(waiting, REJECT, key="yes")


async def test_a_refused_request_leaves_its_key_free(processes: tuple[Process, Process]) -> None:
    one, _ = processes
    thread = (await one.say("hello"))["thread_id"]
    with pytest.raises(NoInterrupt):
        await one.start(thread_id=thread, resume=Resume(interrupt_id="x", decisions=[APPROVE]), key="free")
    assert (await one.say("hello", thread, key="free"))["status"] == "completed"


async def test_a_run_of_another_process_is_followed_to_its_result(processes: tuple[Process, Process]) -> None:
    one, other = processes
    run = await one.start("wait")
    following = await other.runner.follow(UUID(run.run_id), ME)
    reading: asyncio.Task[Any] = asyncio.create_task(told(following))
    await asyncio.sleep(0.3)
    toy.gate.set()
    own, others = await told(run), await reading
    assert [event.kind for event in others] == ["result"]
    assert others[-1] == own[-1]
    with pytest.raises(NotFound):
        await other.runner.follow(UUID(run.run_id), Principal(user="eve"))
