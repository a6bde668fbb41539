"""Effects happen once through the real ledger: over turns, processes and crashes."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest
from psycopg.rows import dict_row

from auth.principal import Principal
from checkpoints.database import Pool
from checkpoints.ledger import LedgerStore
from checkpoints.saver import TurnSaver
from tests.tools.samples import answering, caller
from tests.tools.test_effect import Shop
from tools.call import Call, Caller, Outcome
from tools.executor import Executor
from tools.registry import Registry
from tools.tool import Tool, ToolResult


class Desk:
    """Executors over one ledger, each as another process has it. A turn of its own for each test."""

    def __init__(self, pool: Pool, saver: TurnSaver) -> None:
        self.pool, self.saver = pool, saver
        self.turn_id = str(uuid4())

    def executor(self, made: Tool) -> Executor:
        return Executor(Registry([made]), {}, {}, ledger=LedgerStore(self.pool, self.saver))

    def caller(self, **more: Any) -> Caller:
        return caller(**{"turn_id": self.turn_id, "thread_id": str(uuid4()), "run_id": str(uuid4()), **more})

    async def run(self, made: Tool, *, in_a_turn: bool = True, by: Executor | None = None, **who: Any) -> Outcome:
        executor = by or self.executor(made)
        arguments = {"no": "7"} if made.name == "pay" else {}
        call = Call(id="c", name=made.name, arguments=arguments)
        if not in_a_turn:
            return await executor.run(call, self.caller(**who), confirmation=None, deadline_s=5)
        async with self.saver.turn():
            return await executor.run(call, self.caller(**who), confirmation=None, deadline_s=5)

    async def rows(self) -> list[dict[str, Any]]:
        async with self.pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
            await cursor.execute(
                "select * from frontdesk.ledger where turn_id like %s order by id", (f"{self.turn_id}%",)
            )
            return list(await cursor.fetchall())


@pytest.fixture
async def desk(pool: Pool, saver: TurnSaver) -> AsyncIterator[Desk]:
    one = Desk(pool, saver)
    yield one
    async with pool.connection() as connection:
        await connection.execute("delete from frontdesk.ledger where turn_id like %s", (f"{one.turn_id}%",))


@pytest.mark.parametrize("in_a_turn", [True, False])
async def test_another_process_finds_the_result(desk: Desk, in_a_turn: bool) -> None:
    shop = Shop()
    first = await desk.run(shop.tool, in_a_turn=in_a_turn)
    second = await desk.run(shop.tool, in_a_turn=in_a_turn)
    assert shop.paid == ["7"]
    assert (second.status, second.content, second.data, second.reason) == (
        "done",
        "paid 7, 1",
        {"count": 1},
        "recorded",
    )
    (row,) = await desk.rows()
    assert (row["status"], row["effect_key"], row["arguments"]) == ("done", shop.keys[0], {"no": "7"})
    assert first.content == second.content


async def test_the_row_is_committed_before_the_call(desk: Desk) -> None:
    seen: list[str] = []

    async def look() -> None:
        seen.extend(row["status"] for row in await desk.rows())

    await desk.run(Shop(look).tool)
    assert seen == ["started"]


async def test_the_same_call_twice_in_one_turn_finds_the_end_that_is_not_committed_yet(desk: Desk) -> None:
    shop = Shop()
    by = desk.executor(shop.tool)
    async with desk.saver.turn():
        outcomes = [await desk.run(shop.tool, in_a_turn=False, by=by) for _ in range(2)]
    assert [(outcome.status, outcome.content) for outcome in outcomes] == [("done", "paid 7, 1")] * 2


async def test_a_crash_leaves_it_unknown_and_an_operator_settles_it(desk: Desk) -> None:
    shop = Shop(lambda: asyncio.sleep(60), timeout_s=0.02)
    assert (await desk.run(shop.tool)).status == "unknown"
    assert (await desk.run(shop.tool)).reason == "unsettled"
    (row,) = await desk.rows()
    await LedgerStore(desk.pool, desk.saver).resolve(row["id"], "done", "kim")
    assert (await desk.run(shop.tool)).content == "done (verified by an operator)"
    assert len(shop.keys) == 1


async def test_what_an_operator_found_not_done_may_be_done(desk: Desk) -> None:
    hangs = iter([60.0, 0.0])
    shop = Shop(lambda: asyncio.sleep(next(hangs)), timeout_s=0.05)
    assert (await desk.run(shop.tool)).status == "unknown"
    (row,) = await desk.rows()
    await LedgerStore(desk.pool, desk.saver).resolve(row["id"], "failed", "kim")
    assert (await desk.run(shop.tool)).status == "done"
    assert shop.paid == ["7"]


async def test_an_idempotent_call_is_repeated_and_settled(desk: Desk) -> None:
    shop = Shop(idempotent=True)
    await desk.run(shop.tool)
    async with desk.pool.connection() as connection:
        started = "update frontdesk.ledger set status = 'started', result = null where turn_id = %s"
        await connection.execute(started, (desk.turn_id,))
    assert (await desk.run(shop.tool)).reason == ""
    assert [row["status"] for row in await desk.rows()] == ["done"]


async def test_a_failure_may_be_tried_again_in_a_new_turn(desk: Desk) -> None:
    results = iter([ValueError("a bug"), ToolResult(content="at last")])
    tool = answering(lambda: next(results), effect=True, business_key="{user}")
    assert (await desk.run(tool)).status == "failed"
    again = await desk.run(tool, turn_id=f"{desk.turn_id}-2")
    assert again.content == "at last"
    assert [row["status"] for row in await desk.rows()] == ["failed", "done"]


async def test_a_business_key_counts_across_turns_and_users_of_a_tenant(desk: Desk) -> None:
    shop = Shop(business_key="{no}")
    await desk.run(shop.tool)
    other = await desk.run(shop.tool, turn_id=f"{desk.turn_id}-2", principal=Principal(tenant="acme", user="sam"))
    assert (shop.paid, other.reason) == (["7"], "done_before")
    await desk.run(shop.tool, turn_id=f"{desk.turn_id}-3", principal=Principal(tenant="globex", user="sam"))
    assert shop.paid == ["7", "7"]


async def test_five_processes_at_once_are_one_effect(desk: Desk) -> None:
    shop = Shop(lambda: asyncio.sleep(0.05))
    outcomes = await asyncio.gather(*(desk.run(shop.tool) for _ in range(5)))
    assert shop.paid == ["7"]
    assert sorted(outcome.status for outcome in outcomes) == ["done", *["unknown"] * 4]


async def test_five_calls_at_once_in_one_process_have_one_result(desk: Desk) -> None:
    shop = Shop(lambda: asyncio.sleep(0.05), business_key="{no}")
    by = desk.executor(shop.tool)
    turns = (desk.run(shop.tool, by=by, in_a_turn=False, turn_id=f"{desk.turn_id}-{n}") for n in range(5))
    outcomes = await asyncio.gather(*turns)
    assert shop.paid == ["7"]
    assert {outcome.content for outcome in outcomes} == {"paid 7, 1"}


async def test_a_cancelled_call_is_written_down(desk: Desk) -> None:
    shop = Shop(lambda: asyncio.sleep(0.1))
    task = asyncio.create_task(desk.run(shop.tool))
    await shop.began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [row["status"] for row in await desk.rows()] == ["done"]
