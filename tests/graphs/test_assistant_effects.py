"""Effects in the graph: once whatever is repeated, to their end whatever is cancelled, never in a replay."""

import asyncio
import copy
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, cast

import pytest
from langchain_core.messages import ToolMessage
from langgraph.types import Command
from psycopg.rows import namedtuple_row

from checkpoints.ledger import LedgerStore
from config.loading import load_catalogue
from config.settings import HERE
from nodes.context import Recording
from nodes.reading import reader_of
from nodes.state import State
from nodes.summary import summarise
from server import House
from tests.fakes.openai_replies import call, text
from tests.fakes.openai_server import ModelServer
from tests.graphs import driver
from tests.graphs.conftest import NOW
from tests.graphs.driver import APPROVE, REJECT, Desk, answers, kinds
from tools.executor import Executor
from tools.ledger import canonical
from tools.providers.python import open_adapters
from tools.registry import Registry
from tools.tool import Arg, ToolContext, ToolResult, tool

TILL = Path(__file__).parent / "till"
RUN = "01939e5c-0000-7000-8000-000000000001"


class Till:
    """A till that counts what is paid, over the real ledger."""

    def __init__(self, house: House, resources: Mapping[str, Any], *, confirm: bool = False) -> None:
        self.paid: list[str] = []
        self.began = asyncio.Event()
        self.during: Callable[[], Awaitable[object]] | None = None

        @tool(group="till", permission="till:write", effect=True, confirm=confirm)
        async def pay(ctx: ToolContext, no: Annotated[str, Arg(description="an invoice", example="7")]) -> ToolResult:
            """Pay an invoice."""
            self.began.set()
            if self.during:
                await self.during()
            self.paid.append(no)
            return ToolResult(content=f"paid {no}, {len(self.paid)}")

        self._resources, self._ledger = resources, LedgerStore(house.pool, house.saver)
        registry = Registry([*house.services.registry.values(), pay])
        catalogue = load_catalogue(HERE, [TILL])
        executor = Executor(registry, resources, catalogue.cards, ledger=self._ledger)
        self._services = replace(
            house.services, catalogue=catalogue, registry=registry, executor=executor, reader=reader_of(catalogue)
        )
        self._saver, self._pool = house.saver, house.pool

    def beside(self) -> "Till":
        """The same till, asked by another process: nothing is shared but the database."""
        other = copy.copy(self)
        services = self._services
        executor = Executor(services.registry, self._resources, services.catalogue.cards, ledger=self._ledger)
        other._services = replace(services, executor=executor)
        return other

    async def rows(self, desk: Desk) -> list[Any]:
        """What the ledger holds of a thread."""
        async with self._pool.connection() as connection, connection.cursor(row_factory=namedtuple_row) as cursor:
            await cursor.execute(
                "select * from frontdesk.ledger where thread_id::text = %s order by id", (desk.thread,)
            )
            return list(await cursor.fetchall())

    async def forget_the_end(self, desk: Desk) -> None:
        """As a crash in the middle of a call leaves it."""
        async with self._pool.connection() as connection:
            started = "update frontdesk.ledger set status = 'started', result = null where thread_id::text = %s"
            await connection.execute(started, (desk.thread,))

    def desk(self, **more: Any) -> Desk:
        one = Desk(self._services, self._saver, NOW, **more)
        one.asking(run_id=RUN)
        return one


@pytest.fixture(scope="module")
async def resources(house: House) -> AsyncIterator[Mapping[str, Any]]:
    async with open_adapters(house.written.adapters, house.pool, {}) as opened:
        yield opened


@pytest.fixture
def till(house: House, resources: Mapping[str, Any]) -> Till:
    return Till(house, resources)


@pytest.fixture
def guarded(house: House, resources: Mapping[str, Any]) -> Till:
    """A till that asks for a yes."""
    return Till(house, resources, confirm=True)


async def again(desk: Desk, at: str) -> State:
    """Run on from the newest checkpoint whose next node is `at`."""
    async for snapshot in desk.graph.aget_state_history(desk.config):
        if snapshot.next and snapshot.next[0] == at:
            out: Any = await desk.graph.ainvoke(None, snapshot.config, context=desk.context)
            return cast("State", out)
    raise AssertionError(f"no checkpoint before {at}")


async def test_a_write_is_recorded_with_its_thread_turn_and_run(till: Till) -> None:
    desk = till.desk()
    state = await desk.say("tillia 7")
    (row,) = await till.rows(desk)
    assert (str(row.thread_id), row.turn_id, str(row.run_id)) == (desk.thread, state["turn"]["id"], RUN)
    assert (row.tool, row.arguments, row.status) == ("pay", {"no": "tillia 7"}, "done")
    assert driver.text(state) == "paid tillia 7, 1"


async def test_a_read_leaves_no_row(till: Till) -> None:
    desk = till.desk()
    await desk.say("查张三的订单")
    assert await till.rows(desk) == []


async def test_a_replayed_checkpoint_gives_the_recorded_result(till: Till) -> None:
    desk = till.desk()
    first = await desk.say("tillia 7")
    for node in ("execute", "plan", "pre_route"):
        state = await again(desk, node)
        assert driver.text(state) == "paid tillia 7, 1", node
    assert till.paid == ["tillia 7"]
    artifact = answers(first)[0].artifact
    assert {**artifact, "reason": "recorded", "elapsed_ms": 0} == {**answers(state)[0].artifact, "elapsed_ms": 0}


async def test_the_same_request_in_a_new_turn_is_a_new_effect(till: Till) -> None:
    desk = till.desk()
    await desk.say("tillia 7")
    await desk.say("tillia 7")
    assert till.paid == ["tillia 7"] * 2


async def test_two_resumes_at_once_are_one_effect(guarded: Till) -> None:
    desk = guarded.desk()
    await desk.say("tillia 7")
    guarded.during = lambda: asyncio.sleep(0.05)
    resume: Command[Any] = Command(resume={desk.interrupts[0].id: {"decisions": [APPROVE]}})
    both = (desk.graph.ainvoke(resume, desk.config, context=desk.context) for _ in range(2))
    await asyncio.gather(*both)
    assert guarded.paid == ["tillia 7"]


async def test_two_processes_that_resume_at_once_are_one_effect(guarded: Till) -> None:
    one, two = guarded.desk(), guarded.beside().desk()
    await one.say("tillia 7")
    two.thread, two.interrupts = one.thread, one.interrupts
    guarded.during = lambda: asyncio.sleep(0.05)
    ends = await asyncio.gather(one.answer(APPROVE), two.answer(APPROVE), return_exceptions=True)
    assert sorted(type(end).__name__ for end in ends) == ["StaleThread", "dict"]
    assert guarded.paid == ["tillia 7"]
    assert [row.status for row in await guarded.rows(one)] == ["done"]


async def test_a_cancelled_turn_lets_its_write_end_and_goes_on_without_a_second_one(till: Till) -> None:
    desk = till.desk()
    till.during = lambda: asyncio.sleep(0.2)
    turn = asyncio.create_task(desk.say("tillia 7"))
    await till.began.wait()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert till.paid == ["tillia 7"]
    assert [row.status for row in await till.rows(desk)] == ["done"]
    state = await again(desk, "execute")
    assert (driver.text(state), till.paid) == ("paid tillia 7, 1", ["tillia 7"])
    assert kinds(state) == "hcta"


async def test_a_crash_in_the_middle_of_a_write_is_told_and_not_repeated(till: Till) -> None:
    desk = till.desk()
    desk.asking(locale="en")
    await desk.say("tillia 7")
    await till.forget_the_end(desk)
    state = await again(desk, "execute")
    assert answers(state)[0].artifact["status"] == "unknown"
    assert driver.text(state) == "pay(no=tillia 7): outcome unknown, please check before trying again"
    assert till.paid == ["tillia 7"]


async def test_after_a_finished_write_only_summary_and_memory_go_on(till: Till) -> None:
    desk = till.desk()
    await desk.say("查张三的订单")
    await desk.say("你好")
    state = await desk.say("tillia 7")
    assert kinds(state).endswith("hcta")
    assert len(state["messages"]) > 4
    assert state["memory"]["finished"]
    state = await desk.say("谢谢")
    assert kinds(state) == "ha"
    assert state["summary"].endswith("tillia 7 -> paid tillia 7, 1")
    assert "张三" in state["summary"]
    assert state["memory"]["entities"]["person"] == "张三"
    assert "finished" not in state["memory"]
    state = await desk.say("你好")
    assert kinds(state) == "haha"


async def test_after_a_write_that_was_declined_the_messages_stay(guarded: Till) -> None:
    desk = guarded.desk()
    await desk.say("tillia 7")
    await desk.answer(REJECT)
    assert kinds(await desk.say("你好")) == "hctaha"


async def test_a_question_is_open_for_its_time_though_its_run_had_to_wait(guarded: Till) -> None:
    desk = guarded.desk()
    desk.asking(waited_s=3_600.0)
    await desk.say("tillia 7")
    assert desk.interrupts[0].value["expires_at"] == (NOW + timedelta(hours=1, minutes=10)).isoformat()


async def test_an_answer_that_came_too_late_asks_to_ask_again(guarded: Till) -> None:
    desk = guarded.desk()
    await desk.say("tillia 7")
    state = await desk.answer({**REJECT, "expired": True})
    assert driver.text(state) == "not carried out: the confirmation has expired, please ask again"


def recording(desk_answers: list[ToolMessage], asked: Collection[dict[str, Any]], *decisions: Any) -> Recording:
    """As a replay makes it of a transcript."""
    outcomes = {canonical(str(m.name), m.artifact["arguments"]): m.artifact for m in desk_answers}
    keys = [canonical(action["name"], action["args"]) for action in asked]
    return Recording(outcomes=outcomes, decisions=dict(zip(keys, decisions, strict=True)))


async def test_a_replay_answers_from_the_record_and_asks_nobody(guarded: Till) -> None:
    desk = guarded.desk()
    await desk.say("tillia 7")
    asked = desk.interrupts[0].value["action_requests"]
    edited = {"type": "edit", "edited_action": {"name": "pay", "args": {"no": "8"}}}
    live = await desk.answer(edited)
    replayed = guarded.desk()
    replayed.asking(mode="replay", recorded=recording(answers(live), asked, edited))
    state = await replayed.say("tillia 7")
    assert not replayed.interrupts
    assert driver.text(state) == driver.text(live) == "paid 8, 1"
    assert driver.called(state) == driver.called(live) == [("pay", {"no": "8"})]
    assert guarded.paid == ["8"]
    assert await guarded.rows(replayed) == []


async def test_a_call_that_the_record_does_not_hold_is_not_executed(guarded: Till) -> None:
    desk = guarded.desk()
    desk.asking(mode="replay", locale="en")
    state = await desk.say("tillia 7")
    assert not desk.interrupts
    assert answers(state)[0].artifact["status"] == "not_executed"
    assert driver.text(state) == "replay: not executed"
    assert guarded.paid == []
    assert await guarded.rows(desk) == []


MakeDesk = Callable[[], Desk]


async def test_a_model_that_asks_for_the_same_write_again_asks_nobody_and_does_nothing_more(
    guarded: Till, with_model: MakeDesk, model_server: ModelServer
) -> None:
    model_server.script([call("pay", {"no": "7"}), call("pay", {"No": "７"}), text("已付。")])
    desk = guarded.desk(models=with_model().services.models)
    await desk.say("planium")
    state = await desk.answer(APPROVE)
    assert not desk.interrupts
    assert kinds(state) == "hcta"
    assert guarded.paid == ["7"]
    assert [m.artifact["status"] for m in answers(state)] == ["done"]


async def test_a_planner_does_not_see_what_other_agents_called(
    till: Till, with_model: MakeDesk, model_server: ModelServer
) -> None:
    desk = till.desk(models=with_model().services.models)
    await desk.say("tillia 7")
    desk.asking(agent=None)
    model_server.script([call("list_orders", {"limit": 1}), text("好。")])
    await desk.say("修改订单状态")
    said = [m for request in model_server.requests for m in request["messages"]]
    named = {c["function"]["name"] for m in said for c in m.get("tool_calls") or ()}
    assert named == {"list_orders"}
    assert not any(m["role"] == "tool" and "paid" in m["content"] for m in said)


async def test_a_better_summary_takes_the_place_of_the_turns_that_would_fall_out(
    till: Till, with_model: MakeDesk, model_server: ModelServer
) -> None:
    desk = till.desk(models=with_model().services.models)
    for _ in range(6):
        await desk.say("我的待办")
    model_server.script([text("用户多次查看待办。")])
    state = await desk.stored()
    change = await summarise(state, catalogue=desk.services.catalogue, models=desk.services.models)
    assert change
    async with desk.saver.turn():
        head = await desk.graph.aget_state(desk.config)
        await desk.graph.aupdate_state(head.config, change, as_node="reply")
    after = await desk.graph.aget_state(desk.config)
    assert (after.next, after.values["summary"]) == ((), "用户多次查看待办。")
    assert kinds(await desk.stored()) == "hcta" * 5
    state = await desk.say("你好")
    assert kinds(state) == "hcta" * 5 + "ha"
    assert state["summary"] == "用户多次查看待办。"
