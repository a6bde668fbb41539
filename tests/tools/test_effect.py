"""Effects happen once: through a ledger in memory and through the real one, cancelled, repeated, at once."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import httpx
import psycopg
import pytest
from langgraph.errors import GraphInterrupt

from auth.principal import Principal
from errors import StaleThread, Unavailable
from tests.fakes.ledger import MemoryLedger
from tests.tools.samples import answering, caller, search
from tools.call import Call, Caller, Outcome
from tools.effect import business_key
from tools.executor import Executor
from tools.registry import Registry
from tools.tool import Arg, Tool, ToolContext, ToolResult, tool

TEXT = Arg(description="a text", example="x")


class Shop:
    """A business that counts: each payment is one effect. `during`: what happens while it works."""

    def __init__(self, during: Callable[[], Awaitable[object]] | None = None, **metadata: Any) -> None:
        self.paid: list[str] = []
        self.keys: list[str] = []
        self.began = asyncio.Event()
        self._during = during

        @tool(**{"group": "shop", "permission": "order:write", "effect": True, **metadata})
        async def pay(
            ctx: ToolContext, no: Annotated[str, TEXT], note: Annotated[str | None, TEXT] = None
        ) -> ToolResult:
            """Pay one invoice."""
            self.began.set()
            self.keys.append(ctx.idempotency_key)
            if self._during is not None:
                await self._during()
            self.paid.append(no)
            return ToolResult(content=f"paid {no}, {len(self.paid)}", data={"count": len(self.paid)})

        self.tool = pay


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger()


def executor(made: Tool, ledger: MemoryLedger | None) -> Executor:
    return Executor(Registry([made]), {}, {}, ledger=ledger)


async def run(
    by: Executor, no: str = "7", *, who: Caller | None = None, deadline_s: float = 5.0, name: str = "pay", **more: str
) -> Outcome:
    arguments = {"no": no, **more} if name == "pay" else {}
    call = Call(id="c", name=name, arguments=arguments)
    return await by.run(call, who or caller(), confirmation=None, deadline_s=deadline_s)


async def test_a_call_is_written_down_before_and_after(ledger: MemoryLedger) -> None:
    states: list[str] = []

    async def look() -> None:
        states.append(ledger.rows[0].status)

    shop = Shop(look)
    who = caller(thread_id="th", run_id="r", turn_id="t1")
    outcome = await run(executor(shop.tool, ledger), who=who)
    (row,) = ledger.rows
    assert (states, row.status) == (["started"], "done")
    assert (row.tool, row.arguments, row.business_key) == ("pay", {"no": "7"}, None)
    assert (row.tenant, row.user, row.thread_id, row.turn_id, row.run_id) == ("acme", "alex", "th", "t1", "r")
    assert row.result
    assert row.result["summary"] == outcome.content == "paid 7, 1"
    assert shop.keys == [row.effect_key]


async def test_the_same_call_in_one_turn_gives_the_first_result_again(ledger: MemoryLedger) -> None:
    shop = Shop()
    first = await run(executor(shop.tool, ledger))
    second = await run(executor(shop.tool, ledger), who=caller(run_id="another"))
    assert shop.paid == ["7"]
    assert (first.reason, second.reason) == ("", "recorded")
    seen = ("status", "content", "data", "card", "direct", "arguments")
    assert [getattr(first, name) for name in seen] == [getattr(second, name) for name in seen]


async def test_another_turn_and_other_arguments_are_other_effects(ledger: MemoryLedger) -> None:
    shop = Shop()
    by = executor(shop.tool, ledger)
    await run(by)
    await run(by, who=caller(turn_id="t2"))
    await run(by, "8")
    assert shop.paid == ["7", "7", "8"]


async def test_a_reading_tool_never_touches_the_ledger() -> None:
    broken = MemoryLedger(broken_by={"begin": Unavailable(), "settle": Unavailable()})
    outcome = await run(executor(search, broken), name="search")
    assert outcome.status == "done"


async def test_a_refused_call_is_not_written_down(ledger: MemoryLedger) -> None:
    shop = Shop(confirm=True)
    assert (await run(executor(shop.tool, ledger))).status == "rejected"
    assert (await run(executor(shop.tool, ledger), who=caller(mode="replay"))).status == "not_executed"
    assert ledger.rows == []


@pytest.mark.parametrize("error", [StaleThread(), Unavailable()])
async def test_without_its_row_the_call_is_not_made(error: Exception) -> None:
    shop = Shop()
    with pytest.raises(type(error)):
        await run(executor(shop.tool, MemoryLedger(broken_by={"begin": error})))
    assert shop.paid == []


async def test_a_call_whose_end_nobody_knows_is_not_repeated(ledger: MemoryLedger) -> None:
    shop = Shop(lambda: asyncio.sleep(60), timeout_s=0.02)
    by = executor(shop.tool, ledger)
    late = await run(by)
    assert (late.status, late.reason, ledger.rows[0].status) == ("unknown", "timeout", "started")
    again = await run(by)
    assert (again.status, again.reason, again.data) == ("unknown", "unsettled", late.data)
    assert late.data == {"ledger_id": ledger.rows[0].id}
    assert again.content == late.content
    assert late.content.endswith(": outcome unknown, please check before trying again")
    assert len(shop.keys) == 1


async def test_an_idempotent_call_whose_end_nobody_knows_is_repeated_and_settled(ledger: MemoryLedger) -> None:
    shop = Shop(idempotent=True)
    by = executor(shop.tool, ledger)
    await run(by)
    ledger.rows[0].status = "started"  # as a crash leaves it
    again = await run(by)
    assert (again.status, again.reason, len(shop.paid)) == ("done", "", 2)
    assert [row.status for row in ledger.rows] == ["done"]
    assert shop.keys[0] == shop.keys[1]


@pytest.mark.parametrize(
    ("result", "told", "row"),
    [
        (ValueError("a bug"), "failed", "failed"),
        (ConnectionRefusedError(), "failed", "failed"),
        (ToolResult(content="not so", outcome="refused"), "refused", "failed"),
        (httpx.ReadTimeout("late"), "unknown", "started"),
        (psycopg.OperationalError("lost"), "unknown", "started"),
        ("no result at all", "unknown", "started"),
    ],
)
async def test_the_row_says_what_is_known_of_the_end(result: Any, told: str, row: str, ledger: MemoryLedger) -> None:
    outcome = await run(executor(answering(result, effect=True), ledger), name="answer")
    assert (outcome.status, ledger.rows[0].status) == (told, row)


async def test_a_call_that_failed_may_be_tried_again(ledger: MemoryLedger) -> None:
    results = iter([ValueError("a bug"), ToolResult(content="at last"), ToolResult(content="never")])
    by = executor(answering(lambda: next(results), effect=True), ledger)
    assert (await run(by, name="answer")).status == "failed"
    assert (await run(by, name="answer", who=caller(turn_id="t2"))).content == "at last"
    assert (await run(by, name="answer", who=caller(turn_id="t2"))).content == "at last"
    assert [row.status for row in ledger.rows] == ["failed", "done"]


async def test_no_time_left_after_the_row_means_no_call(ledger: MemoryLedger) -> None:
    class Slow(MemoryLedger):
        async def begin(self, **given: Any) -> Any:
            await asyncio.sleep(0.03)
            return await super().begin(**given)

    slow, shop = Slow(), Shop()
    outcome = await run(executor(shop.tool, slow), deadline_s=0.02)
    assert (outcome.status, outcome.reason, shop.keys) == ("failed", "no_time", [])
    assert [row.status for row in slow.rows] == ["failed"]


async def test_two_at_once_in_one_process_are_one_effect_with_one_result(ledger: MemoryLedger) -> None:
    shop = Shop(lambda: asyncio.sleep(0.02))
    by = executor(shop.tool, ledger)
    outcomes = await asyncio.gather(*(run(by) for _ in range(5)))
    assert shop.paid == ["7"]
    assert {(outcome.status, outcome.content) for outcome in outcomes} == {("done", "paid 7, 1")}


async def test_two_executors_at_once_are_one_effect(ledger: MemoryLedger) -> None:
    shop = Shop(lambda: asyncio.sleep(0.02))
    outcomes = await asyncio.gather(*(run(executor(shop.tool, ledger)) for _ in range(5)))
    assert shop.paid == ["7"]
    assert sorted(outcome.status for outcome in outcomes) == ["done", *["unknown"] * 4]


async def test_a_business_key_makes_a_call_unique_across_turns_threads_and_users(ledger: MemoryLedger) -> None:
    shop = Shop(business_key="{no}")
    by = executor(shop.tool, ledger)
    first = await run(by)
    other = Principal(tenant="acme", user="sam")
    second = await run(by, who=caller(turn_id="t2", thread_id="x", principal=other), note="again")
    assert shop.paid == ["7"]
    assert (second.content, second.reason) == (first.content, "done_before")
    await run(by, who=caller(turn_id="t3", principal=Principal(tenant="globex", user="sam")))
    assert shop.paid == ["7", "7"]


async def test_a_business_key_is_free_again_after_a_failure(ledger: MemoryLedger) -> None:
    results = iter([ValueError("a bug"), ToolResult(content="paid")])
    by = executor(answering(lambda: next(results), effect=True, business_key="{user}"), ledger)
    assert (await run(by, name="answer")).status == "failed"
    assert (await run(by, name="answer", who=caller(turn_id="t2"))).status == "done"


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        ({"no": "7", "note": "x"}, "alex:7:x"),
        ({"no": "7"}, "alex:7:-"),
        ({"no": "7", "note": None}, "alex:7:-"),
        ({"no": "7:x"}, "alex:7%3Ax:-"),
        ({"no": "张三 {user}"}, "alex:张三%20%7Buser%7D:-"),
    ],
)
def test_a_business_key_cannot_be_mistaken_for_another(arguments: dict[str, Any], key: str) -> None:
    assert business_key(Shop(business_key="{user}:{no}:{note}").tool, arguments, "alex") == key


async def test_a_result_that_cannot_be_written_down_is_told_all_the_same(
    caplog: pytest.LogCaptureFixture,
) -> None:
    shop, broken = Shop(), MemoryLedger(broken_by={"settle": Unavailable()})
    outcome = await run(executor(shop.tool, broken))
    assert (outcome.status, broken.rows[0].status) == ("done", "started")
    assert "ledger row 0 could not say so" in caplog.text
    assert (await run(executor(shop.tool, broken))).status == "unknown"
    assert shop.paid == ["7"]


async def test_what_an_operator_settled_by_hand_reads_as_done(ledger: MemoryLedger) -> None:
    shop = Shop()
    by = executor(shop.tool, ledger)
    await run(by)
    ledger.rows[0].result = None
    outcome = await run(by, who=caller(locale="zh"))
    assert (outcome.status, outcome.content, outcome.arguments) == ("done", "已完成（由人工核实）", {"no": "7"})


async def test_a_tool_that_interrupts_the_graph_runs_again_from_its_beginning(ledger: MemoryLedger) -> None:
    results = iter([GraphInterrupt(()), ToolResult(content="done")])
    by = executor(answering(lambda: next(results), effect=True), ledger)
    with pytest.raises(GraphInterrupt):
        await run(by, name="answer")
    assert (await run(by, name="answer")).content == "done"


async def cancelled(task: "asyncio.Task[Outcome]", times: int = 1) -> None:
    for _ in range(times):
        task.cancel()
        await asyncio.sleep(0.01)
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("recording", [True, False], ids=["with a ledger", "without one"])
async def test_a_cancelled_call_ends_first(ledger: MemoryLedger, recording: bool) -> None:
    shop = Shop(lambda: asyncio.sleep(0.1))
    by = executor(shop.tool, ledger if recording else None)
    task = asyncio.create_task(run(by))
    await shop.began.wait()
    await cancelled(task, times=3)
    assert shop.paid == ["7"]
    if recording:
        assert [row.status for row in ledger.rows] == ["done"]
        assert (await run(by)).reason == "recorded"


async def test_a_cancelled_call_that_hangs_meets_its_time_limit(ledger: MemoryLedger) -> None:
    shop = Shop(lambda: asyncio.sleep(60), timeout_s=0.1)
    task = asyncio.create_task(run(executor(shop.tool, ledger)))
    await shop.began.wait()
    await cancelled(task)
    assert [row.status for row in ledger.rows] == ["started"]


async def test_a_call_that_has_not_begun_when_it_is_cancelled_is_not_made() -> None:
    class Slow(MemoryLedger):
        async def begin(self, **given: Any) -> Any:
            found = await super().begin(**given)
            await asyncio.sleep(0.05)
            return found

    slow, shop = Slow(), Shop()
    by = executor(shop.tool, slow)
    task = asyncio.create_task(run(by))
    await asyncio.sleep(0.01)
    await cancelled(task)
    assert (shop.keys, [row.status for row in slow.rows]) == ([], ["failed"])
    assert (await run(by)).status == "done"


async def test_a_cancelled_call_is_not_tried_again(ledger: MemoryLedger) -> None:
    async def refuse() -> None:
        await asyncio.sleep(0.05)
        raise ConnectionRefusedError

    shop = Shop(refuse, idempotent=True, retries=5)
    task = asyncio.create_task(run(executor(shop.tool, ledger)))
    await shop.began.wait()
    await cancelled(task)
    assert len(shop.keys) == 1


async def test_a_time_limit_around_a_call_waits_for_its_end(ledger: MemoryLedger) -> None:
    shop = Shop(lambda: asyncio.sleep(0.1))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await run(executor(shop.tool, ledger))
    assert shop.paid == ["7"]
    assert [row.status for row in ledger.rows] == ["done"]


async def test_a_reading_call_is_cancelled_at_once() -> None:
    started = asyncio.get_running_loop().time()
    task = asyncio.create_task(run(executor(answering(lambda: asyncio.sleep(5)), None), name="answer"))
    await asyncio.sleep(0.01)
    await cancelled(task)
    assert asyncio.get_running_loop().time() - started < 2


async def test_a_cancelled_call_leaves_nothing_unawaited(caplog: pytest.LogCaptureFixture) -> None:
    async def fall() -> None:
        await asyncio.sleep(0.05)
        raise StaleThread

    shop = Shop(fall)
    task = asyncio.create_task(run(executor(shop.tool, MemoryLedger())))
    await shop.began.wait()
    with caplog.at_level(logging.ERROR, "asyncio"):
        await cancelled(task)
    assert "never retrieved" not in caplog.text
