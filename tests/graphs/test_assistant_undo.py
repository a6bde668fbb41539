"""A plan that fails half-way is undone, newest first, once, and nobody is left to guess what stands."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import pytest
from langchain_core.messages import HumanMessage

from auth.principal import Principal
from checkpoints.ledger import LedgerStore
from config.loading import load_catalogue
from config.settings import HERE
from nodes.context import Recording
from nodes.reading import reader_of
from nodes.rounds import MAX_ROUNDS
from nodes.state import State
from server import House
from tests.fakes.openai_replies import call, text
from tests.fakes.openai_server import ModelServer
from tests.graphs import driver
from tests.graphs.conftest import NOW
from tests.graphs.driver import APPROVE, REJECT, Desk, answers, kinds
from tests.graphs.replaying import Rows
from tools.executor import Executor
from tools.ledger import canonical, undo_of
from tools.providers.python import open_adapters
from tools.registry import Registry
from tools.tool import Arg, Compensation, ToolContext, ToolResult, tool

SHOP = Path(__file__).parent / "shop"
No = Annotated[str, Arg(description="what it is about", example="7")]
Act = Callable[[str], Awaitable[ToolResult]]
MakeDesk = Callable[[], Desk]


async def refuse(no: str) -> ToolResult:
    return ToolResult(content=f"{no} cannot go", outcome="refused")


async def break_down(no: str) -> ToolResult:
    raise RuntimeError(no)


async def lose_the_line(no: str) -> ToolResult:
    raise ConnectionResetError(no)


class Shop:
    """It writes down what was done, over the real ledger. `ship`, `unbook`, `look`: what these do."""

    def __init__(self, house: House, resources: Mapping[str, Any]) -> None:
        self.done: list[str] = []
        self.ship: Act = refuse
        self.unbook: Act = self._nothing_else
        self.look: Act = self._nothing_else
        tools = self._tools()
        self._ledger, self._resources = LedgerStore(house.pool, house.saver), resources
        self._registry = Registry([*house.services.registry.values(), *tools])
        catalogue = load_catalogue(HERE, [SHOP])
        self._services = replace(
            house.services, catalogue=catalogue, registry=self._registry, reader=reader_of(catalogue)
        )
        self._saver = house.saver

    def _tools(self) -> list[Any]:
        own: dict[str, Any] = {"group": "shop", "permission": "order:write", "effect": True}
        back = Compensation(tool="unbook", arguments={"no": "result.no"})

        @tool(**own, compensate=back)
        async def book(ctx: ToolContext, no: No) -> ToolResult:
            """Book."""
            self.done.append(f"book {no}")
            return ToolResult(content=f"booked {no}", data={"no": no})

        @tool(**own, compensate=back, confirm=True)
        async def rent(ctx: ToolContext, no: No) -> ToolResult:
            """Rent."""
            self.done.append(f"rent {no}")
            return ToolResult(content=f"rented {no}", data={"no": no})

        @tool(**{**own, "group": "undo", "confirm": True})
        async def unbook(ctx: ToolContext, no: No) -> ToolResult:
            """Take a booking back."""
            answer = await self.unbook(no)
            self.done.append(f"unbook {no}")
            return answer

        @tool(**own)
        async def ship(ctx: ToolContext, no: No) -> ToolResult:
            """Ship."""
            answer = await self.ship(no)
            self.done.append(f"ship {no}")
            return answer

        @tool(**own, confirm=True)
        async def sign(ctx: ToolContext, no: No) -> ToolResult:
            """Sign."""
            self.done.append(f"sign {no}")
            return ToolResult(content=f"signed {no}")

        @tool(**{**own, "effect": False, "permission": "order:read"})
        async def look(ctx: ToolContext, no: No) -> ToolResult:
            """Look."""
            return await self.look(no)

        return [book, rent, unbook, ship, sign, look]

    async def _nothing_else(self, no: str) -> ToolResult:
        return ToolResult(content=f"ok {no}", data={"found": [no]})

    def desk(self, **more: Any) -> Desk:
        """Each with an executor of its own, as another process has it."""
        executor = Executor(self._registry, self._resources, self._services.catalogue.cards, ledger=self._ledger)
        one = Desk(replace(self._services, executor=executor), self._saver, NOW, **more)
        one.asking(locale="en")
        return one


@pytest.fixture(scope="module")
async def resources(house: House) -> AsyncIterator[Mapping[str, Any]]:
    async with open_adapters(house.written.adapters, house.pool, {}) as opened:
        yield opened


@pytest.fixture
def shop(house: House, resources: Mapping[str, Any]) -> Shop:
    return Shop(house, resources)


def ends(state: State) -> list[tuple[str, str]]:
    return [(str(m.name), m.artifact["status"]) for m in answers(state)]


async def again(desk: Desk, at: str) -> State:
    """Run on from the newest checkpoint whose next node is `at`."""
    async for snapshot in desk.graph.aget_state_history(desk.config):
        if snapshot.next and snapshot.next[0] == at:
            return await desk.graph.ainvoke(None, snapshot.config, context=desk.context)  # type: ignore[return-value]
    raise AssertionError(f"no checkpoint before {at}")


async def number(orders: Rows, status: str, skip: int = 0) -> str:
    query = f"SELECT order_no FROM demo.orders WHERE tenant_id = 'acme' AND status = '{status}' ORDER BY 1"
    return str((await orders(query))[skip]["order_no"])


async def status(orders: Rows, order_no: str) -> str:
    query = f"SELECT status FROM demo.orders WHERE tenant_id = 'acme' AND order_no = '{order_no}'"
    return str((await orders(query))[0]["status"])


async def test_an_order_is_set_back_where_the_next_one_cannot_be_changed(desk: Desk, orders: Rows) -> None:
    one, other = await number(orders, "to_ship"), await number(orders, "completed")
    await desk.say(f"把订单{one}改为已发货，再把订单{other}改为已发货")
    state = await desk.answer(APPROVE, APPROVE)
    assert ends(state) == [
        ("update_order_status", "undone"), ("update_order_status", "refused"), ("restore_order_status", "done"),
    ]  # fmt: skip
    assert await status(orders, one) == "to_ship"
    assert driver.text(state) == (
        f"订单 {other} 现在是已完成，不能改为已发货；不能再改。没有改动。\n"
        f"因此撤销了之前完成的改动：\n订单 {one} 的状态已从已发货改回待发货。"
    )
    assert state["turn"]["decisions"][-1]["value"] == ["restore_order_status"]
    again_ = await desk.say(f"把订单{one}改为已发货")
    assert (desk.interrupts, kinds(again_)[-2:]) != ((), "ha")
    assert ends(await desk.answer(APPROVE)) == [("update_order_status", "done")]


async def test_a_todo_is_taken_off_where_another_agents_step_fails(desk: Desk, orders: Rows) -> None:
    other = await number(orders, "completed")
    await desk.say(f"新建待办：给戊公司回电，再把订单{other}改为已发货")
    assert len(await orders("SELECT 1 FROM demo.todos WHERE content LIKE '%戊公司%'")) == 1
    state = await desk.answer(APPROVE)
    assert ends(state) == [("add_todo", "undone"), ("update_order_status", "refused"), ("remove_todo", "done")]
    assert await orders("SELECT 1 FROM demo.todos WHERE content LIKE '%戊公司%'") == []


async def test_a_step_that_is_final_is_not_undone_and_says_so(desk: Desk, orders: Rows) -> None:
    one, other = await number(orders, "pending_payment"), await number(orders, "completed")
    await desk.say(f"set order {one} to cancelled, then set order {other} to shipped")
    state = await desk.answer(APPROVE, APPROVE)
    assert ends(state) == [
        ("update_order_status", "done"), ("update_order_status", "refused"), ("restore_order_status", "refused"),
    ]  # fmt: skip
    assert await status(orders, one) == "cancelled"
    assert driver.text(state).endswith(
        "This was not undone and stands:\n"
        f"Order {one} was awaiting payment and is now cancelled. (an order that was cancelled stays so)"
    )


async def test_a_no_to_one_step_undoes_nothing(desk: Desk, orders: Rows) -> None:
    one, other = await number(orders, "to_ship"), await number(orders, "to_ship", 1)
    await desk.say(f"把订单{one}改为已发货，再把订单{other}改为已发货")
    state = await desk.answer(APPROVE, REJECT)
    assert ends(state) == [("update_order_status", "done"), ("update_order_status", "rejected")]
    assert await status(orders, one) == "shipped"


async def test_what_the_caller_may_not_do_is_refused_before_anything_is_done(desk: Desk, orders: Rows) -> None:
    desk.asking(principal=Principal(permissions=frozenset({"todo:write", "todo:read", "order:read"})))
    state = await desk.say(f"新建待办：给己公司回电，再把订单{await number(orders, 'to_ship')}改为已发货")
    assert not desk.interrupts
    assert ends(state) == [("update_order_status", "refused"), ("add_todo", "not_executed")]
    assert await orders("SELECT 1 FROM demo.todos WHERE content LIKE '%己公司%'") == []
    assert "因为另一步没有完成" in driver.text(state)


async def test_finished_steps_are_undone_newest_first(shop: Shop) -> None:
    desk = shop.desk()
    state = await desk.say("bookium 1; rebookium 2; shipium 3")
    assert ends(state) == [
        ("book", "undone"), ("book", "undone"), ("ship", "refused"), ("unbook", "done"), ("unbook", "done"),
    ]  # fmt: skip
    assert shop.done[-2:] == ["unbook rebookium 2", "unbook bookium 1"]
    assert kinds(state) == "hctttctta"


@pytest.mark.parametrize("ship", [refuse, break_down])
async def test_a_step_fails_by_a_refusal_or_by_an_error(shop: Shop, ship: Act) -> None:
    shop.ship = ship
    state = await shop.desk().say("bookium 1; shipium 2")
    assert (shop.done[0], shop.done[-1]) == ("book bookium 1", "unbook bookium 1")
    assert "So what had been done before was undone:\nok bookium 1" in driver.text(state)


async def test_where_nobody_knows_what_a_step_came_to_nothing_is_undone_and_nothing_more_is_done(shop: Shop) -> None:
    shop.ship = lose_the_line
    desk = shop.desk()
    state = await desk.say("bookium 1; shipium 2; signium 3; lookium 4")
    assert not desk.interrupts
    assert ends(state) == [("book", "done"), ("ship", "unknown"), ("sign", "not_executed"), ("look", "done")]
    assert shop.done == ["book bookium 1"]
    assert "not carried out: sign(no=signium 3) (because another step failed)" in driver.text(state)


async def test_after_a_failure_nobody_is_asked_about_the_steps_that_are_left(shop: Shop) -> None:
    desk = shop.desk()
    state = await desk.say("bookium 1; shipium 2; signium 3; lookium 4")
    assert not desk.interrupts
    assert ends(state) == [
        ("book", "undone"), ("ship", "refused"), ("sign", "not_executed"), ("look", "done"), ("unbook", "done"),
    ]  # fmt: skip
    assert state["turn"]["held"] == []


async def test_what_could_not_be_undone_is_told_with_the_reason(shop: Shop) -> None:
    shop.unbook = refuse
    desk = shop.desk()
    await desk.say("signium 1; bookium 2; shipium 3")
    state = await desk.answer(APPROVE)
    assert driver.text(state) == (
        "shipium 3 cannot go\nThis was not undone and stands:\n"
        "signed signium 1 (it cannot be undone)\nbooked bookium 2 (bookium 2 cannot go)"
    )
    assert ends(state)[-1] == ("unbook", "refused")


async def test_a_look_that_fails_breaks_the_plan_only_where_a_change_was_waiting_for_it(shop: Shop) -> None:
    shop.look = refuse
    state = await shop.desk().say("bookium 1; lookium 2")
    assert ends(state) == [("book", "done"), ("look", "refused")]
    shop.done.clear()
    state = await shop.desk().say("bookium 1; findium sendium 2")
    assert ends(state) == [("book", "undone"), ("look", "refused"), ("unbook", "done")]
    assert shop.done == ["book bookium 1", "unbook bookium 1"]


async def test_another_process_goes_on_between_the_failure_and_the_undo(shop: Shop) -> None:
    desk = shop.desk()
    async with desk.saver.turn():
        await desk.graph.ainvoke(
            {"messages": [HumanMessage("bookium 1; shipium 2", id="m")]},
            desk.config,
            context=desk.context,
            durability="sync",
            interrupt_before=["undo"],
        )
    assert shop.done == ["book bookium 1", "ship shipium 2"]
    other = shop.desk()
    other.thread = desk.thread
    state = await again(other, "undo")
    assert ends(state) == [("book", "undone"), ("ship", "refused"), ("unbook", "done")]
    assert shop.done[2:] == ["unbook bookium 1"]
    for node in ("undo", "plan", "execute"):
        state = await again(shop_desk(shop, desk), node)
        assert ends(state)[0] == ("book", "undone"), node
    assert shop.done.count("unbook bookium 1") == 1


def shop_desk(shop: Shop, like: Desk) -> Desk:
    other = shop.desk()
    other.thread = like.thread
    return other


async def test_a_run_that_is_stopped_in_the_middle_of_undoing_undoes_all_of_it_once(shop: Shop) -> None:
    began, go = asyncio.Event(), asyncio.Event()

    async def slowly(no: str) -> ToolResult:
        began.set()
        await go.wait()
        return ToolResult(content=f"ok {no}")

    shop.unbook = slowly
    desk = shop.desk()
    turn = asyncio.create_task(desk.say("bookium 1; rebookium 2; shipium 3"))
    await began.wait()
    turn.cancel()
    asyncio.get_running_loop().call_later(0.05, go.set)
    with pytest.raises(asyncio.CancelledError):
        await turn
    undone = ["unbook rebookium 2", "unbook bookium 1"]
    assert shop.done[-2:] == undone
    state = await again(shop_desk(shop, desk), "undo")
    assert ends(state)[-2:] == [("unbook", "done")] * 2
    assert [each for each in shop.done if each.startswith("unbook")] == undone


async def test_a_replay_undoes_nothing_and_tells_the_same(shop: Shop) -> None:
    live = await shop.desk().say("bookium 1; shipium 2")
    before, replayed = list(shop.done), shop.desk()
    outcomes = {canonical(str(m.name), m.artifact["arguments"]): m.artifact for m in answers(live)[:2]}
    booked = canonical("book", {"no": "bookium 1"})
    outcomes[booked] = {**outcomes[booked], "status": "done"}
    outcomes[undo_of(booked)] = answers(live)[2].artifact
    replayed.asking(mode="replay", recorded=Recording(outcomes=outcomes))
    state = await replayed.say("bookium 1; shipium 2")
    assert (ends(state), driver.text(state)) == (ends(live), driver.text(live))
    del outcomes[undo_of(booked)]
    state = await replayed.say("bookium 1; shipium 2")
    assert ends(state) == [("book", "done"), ("ship", "refused"), ("unbook", "not_executed")]
    assert shop.done == before


async def test_a_model_that_makes_up_for_a_failure_keeps_what_it_did(
    shop: Shop, with_model: MakeDesk, model_server: ModelServer
) -> None:
    model_server.script(
        [call("book", {"no": "1"}), call("ship", {"no": "1"}), call("book", {"no": "2"}), text("Done.")]
    )
    state = await shop.desk(models=with_model().services.models).say("planium")
    assert ends(state) == [("book", "done"), ("ship", "refused"), ("book", "done")]
    assert driver.text(state) == "Done."


async def test_a_model_that_gives_up_after_a_failure_does_not_have_the_last_word(
    shop: Shop, with_model: MakeDesk, model_server: ModelServer
) -> None:
    model_server.script([call("book", {"no": "1"}), call("ship", {"no": "1"}), text("Booked, but not shipped.")])
    state = await shop.desk(models=with_model().services.models).say("planium")
    assert ends(state) == [("book", "undone"), ("ship", "refused"), ("unbook", "done")]
    assert driver.text(state) == "1 cannot go\nSo what had been done before was undone:\nok 1"
    assert state["turn"]["usage"]["model_calls"] == 3


async def test_undoing_takes_one_round_more_than_there_are(
    shop: Shop, with_model: MakeDesk, model_server: ModelServer
) -> None:
    tried = [call("ship", {"no": str(n)}) for n in range(MAX_ROUNDS)]
    model_server.script([call("book", {"no": "1"}), *tried])
    state = await shop.desk(models=with_model().services.models).say("planium")
    assert state["turn"]["rounds"] == MAX_ROUNDS
    assert ends(state)[0] == ("book", "undone")
    assert ends(state)[-1] == ("unbook", "done")
    assert driver.text(state).endswith("undone:\nok 1")


async def test_a_call_that_came_twice_is_undone_once(shop: Shop) -> None:
    desk = shop.desk()
    await desk.say("rentium 1; hirium 2; shipium 3")
    same = {"type": "edit", "edited_action": {"name": "rent", "args": {"no": "1"}}}
    state = await desk.answer(same, same)
    assert ends(state) == [("rent", "undone"), ("rent", "undone"), ("ship", "refused"), ("unbook", "done")]
    assert shop.done[0] == "rent 1"
    assert shop.done[-1] == "unbook 1"
    assert len(shop.done) == 3


async def test_nobody_is_asked_for_a_yes_to_arguments_that_do_not_fit(
    shop: Shop, with_model: MakeDesk, model_server: ModelServer
) -> None:
    model_server.script([call("rent", {"number": "1"}), call("rent", {"no": "1"}), text("Rented.")])
    desk = shop.desk(models=with_model().services.models)
    state = await desk.say("planium")
    assert [action["args"] for action in desk.interrupts[0].value["action_requests"]] == [{"no": "1"}]
    state = await desk.answer(APPROVE)
    assert ends(state)[:2] == [("rent", "refused"), ("rent", "done")]
    assert shop.done[0] == "rent 1"
