"""What the desk says and shows to callers who may not do everything."""

import json
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from auth.principal import Principal
from nodes.state import State
from tests.fakes.openai_replies import call, calls, text
from tests.fakes.openai_server import ModelServer
from tests.graphs import driver
from tests.graphs.conftest import NOW
from tests.graphs.driver import APPROVE, Desk, answers, intents
from tools.switches import Stops, Switches

MakeDesk = Callable[[], Desk]
Rows = Callable[[str], Awaitable[list[dict[str, Any]]]]
VIEWER = Principal(roles=("viewer",), permissions=frozenset({"*:read"}))
NOBODY = Principal(roles=(), permissions=frozenset())
CHANGE = "把订单 20261130001 改成已发货"
WRITES = {"update_order_status", "add_todo", "modify_todo", "add_event"}


def outcomes(state: State) -> list[tuple[str, str, str]]:
    return [(str(m.name), m.artifact["status"], m.artifact["reason"]) for m in answers(state)]


def with_agents(desk: Desk, **changes: Any) -> Desk:
    """The desk with another business agent."""
    catalogue = desk.services.catalogue
    agents = {**catalogue.agents, "business": catalogue.agents["business"].model_copy(update=changes)}
    services = replace(desk.services, catalogue=replace(catalogue, agents=agents))
    return Desk(services, desk.saver, NOW)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (CHANGE, "您没有 order:write 权限，这一步没有执行"),
        ("set order 20261130001 to shipped", "you lack the permission order:write; this was not carried out"),
    ],
)
async def test_a_change_that_the_caller_may_not_make_is_refused_without_a_question(
    desk: Desk, orders: Rows, message: str, said: str
) -> None:
    before = await orders("SELECT status FROM demo.orders WHERE order_no = '20261130001' AND tenant_id = 'acme'")
    desk.asking(principal=VIEWER)
    state = await desk.say(message)
    assert driver.text(state) == said
    assert desk.interrupts == ()
    assert outcomes(state) == [("update_order_status", "refused", "not_permitted")]
    assert intents(state) == ["order.update_status"]
    assert before == await orders(
        "SELECT status FROM demo.orders WHERE order_no = '20261130001' AND tenant_id = 'acme'"
    )


async def test_nothing_is_asked_back_for_what_is_refused_anyhow(desk: Desk) -> None:
    desk.asking(principal=VIEWER)
    for message in ("把订单改成已发货", "新建一个待办"):
        state = await desk.say(message)
        assert [status for _, status, _ in outcomes(state)] == ["refused"], message
        assert state["turn"]["question"] is None
        assert "权限" in driver.text(state)


async def test_the_permitted_half_of_a_sentence_is_done(desk: Desk) -> None:
    desk.asking(principal=VIEWER)
    state = await desk.say("查一下今天的订单，再新建一个待办：买牛奶")
    assert [(name, status) for name, status, _ in outcomes(state)] == [("list_orders", "done"), ("add_todo", "refused")]
    assert "todo:write" in driver.text(state)


async def test_who_may_do_nothing_is_told_what_is_missing_and_gets_no_examples(desk: Desk) -> None:
    desk.asking(principal=NOBODY)
    assert driver.text(await desk.say("查一下今天的订单")) == "您没有 order:read 权限，这一步没有执行"
    state = await desk.say("今晚月亮圆不圆")
    assert state["turn"]["suggestions"] == []


async def test_examples_show_only_what_the_caller_may_use(desk: Desk) -> None:
    desk.asking(principal=Principal(permissions=frozenset({"todo:read"})))
    state = await desk.say("今晚月亮圆不圆")
    todo = desk.services.catalogue.agents["todo"].intents["todo.query"]
    assert state["turn"]["suggestions"] == list(todo.examples.zh[:1])


@pytest.fixture
def viewing(with_model: MakeDesk) -> Desk:
    desk = with_model()
    desk.asking(principal=VIEWER)
    return desk


def seen(model_server: ModelServer) -> str:
    """Everything that the model was sent, but for the words of the desk's own fixed prompts."""
    return json.dumps(
        [
            {**request, "messages": [m for m in request["messages"] if m["role"] != "system"]}
            for request in model_server.requests
        ],
        ensure_ascii=False,
    )


async def test_a_refusal_by_rules_costs_no_model_call(viewing: Desk, model_server: ModelServer) -> None:
    state = await viewing.say(CHANGE)
    assert outcomes(state) == [("update_order_status", "refused", "not_permitted")]
    assert model_server.requests == []


async def test_the_model_is_offered_no_intent_that_the_caller_may_not_use(
    viewing: Desk, model_server: ModelServer
) -> None:
    model_server.script([call("choose_intents", {"intents": ["order.update_status"]}), text("no")])
    state = await viewing.say("那个东西帮我弄一弄")
    assert intents(state) == ["unknown"]
    request = model_server.requests[0]
    choices = request["tools"][0]["function"]["parameters"]["properties"]["intents"]["items"]["enum"]
    assert "order" in choices
    assert not {"order.update_status", "todo.add", "todo.finish", "calendar.add"} & set(choices)
    assert all("update_status" not in str(m["content"]) for one in model_server.requests for m in one["messages"])


async def test_the_model_is_shown_no_tool_that_the_caller_may_not_use_whatever_was_refused_before(
    viewing: Desk, model_server: ModelServer
) -> None:
    await viewing.say(CHANGE)
    model_server.script([calls(("find_users", {"name": "张三"})), text("找到了")])
    viewing = planned_by_model(viewing, "user")
    state = await viewing.say(f"查一下用户张三，{CHANGE}")
    assert ("update_order_status", "refused", "not_permitted") in outcomes(state)
    assert len(model_server.requests) == 2
    offered = {tool["function"]["name"] for one in model_server.requests for tool in one.get("tools", [])}
    assert not WRITES & offered
    assert "update_order_status" not in seen(model_server)


def planned_by_model(desk: Desk, intent: str) -> Desk:
    business = desk.services.catalogue.agents["business"]
    changed = {**business.intents, intent: business.intents[intent].model_copy(update={"plan": "model"})}
    other = with_agents(desk, intents=changed)
    other.context, other.thread = desk.context, desk.thread
    return other


async def test_a_refusal_is_said_beside_the_models_own_words(viewing: Desk, model_server: ModelServer) -> None:
    desk = planned_by_model(viewing, "user")
    model_server.script([calls(("find_users", {"name": "张三"})), text("张三是一位学员。")])
    state = await desk.say(f"查一下用户张三，{CHANGE}")
    assert driver.text(state) == "您没有 order:write 权限，这一步没有执行\n张三是一位学员。"


async def test_a_model_that_calls_what_it_was_not_shown_is_not_believed(
    viewing: Desk, model_server: ModelServer
) -> None:
    desk = planned_by_model(viewing, "order")
    model_server.script([calls(("update_order_status", {"order_no": "20261130001", "status": "shipped"}))] * 2)
    state = await desk.say("查一下今天的订单")
    assert outcomes(state) == [("list_orders", "done", "")]


async def test_an_agent_for_other_roles_refuses_naming_them(desk: Desk) -> None:
    closed = with_agents(desk, roles=("manager", "boss"))
    state = await closed.say("查一下今天的订单")
    assert driver.text(state) == "“业务助手”只对角色 manager、boss 开放，这一步没有执行"
    assert outcomes(state) == [("list_orders", "refused", "not_permitted")]
    closed.asking(principal=Principal(roles=("boss",)))
    assert (await closed.say("查一下今天的订单"))["messages"][-1].text != driver.text(state)


async def test_an_agent_of_another_tenant_does_not_exist(desk: Desk) -> None:
    theirs = with_agents(desk, tenants=("globex",), roles=("manager",))
    state = await theirs.say("查一下今天的订单")
    assert (intents(state), outcomes(state)) == (["unknown"], [])
    assert "业务助手" not in driver.text(state)


async def test_a_yes_of_somebody_who_may_not_give_it_any_more_changes_nothing(desk: Desk) -> None:
    desk.asking(principal=Principal())
    await desk.say("把订单 20261130002 改成已发货")
    assert desk.interrupts
    desk.asking(principal=VIEWER)
    state = await desk.answer(APPROVE)
    assert outcomes(state) == [("update_order_status", "refused", "not_permitted")]


def stopped(desk: Desk, stops: Stops) -> Desk:
    executor = desk.services.executor
    executor.switches = Switches(stops)
    return Desk(desk.services, desk.saver, NOW)


@pytest.fixture
def released(desk: Desk) -> Iterator[None]:
    before = desk.services.executor.switches
    yield
    desk.services.executor.switches = before


@pytest.mark.usefixtures("released")
async def test_while_the_desk_is_read_only_nobody_is_asked_for_a_yes_to_no_effect(desk: Desk) -> None:
    closed = stopped(desk, Stops(read_only=True))
    state = await closed.say(CHANGE)
    assert closed.interrupts == ()
    assert driver.text(state) == "系统目前处于只读状态，暂时不能修改，这一步没有执行"
    assert outcomes(state) == [("update_order_status", "refused", "read_only")]
    assert outcomes(await closed.say("查一下今天的订单")) == [("list_orders", "done", "")]


@pytest.mark.usefixtures("released")
async def test_a_disabled_tool_is_refused_in_the_callers_language(desk: Desk) -> None:
    closed = stopped(desk, Stops(disabled=frozenset({"list_orders"})))
    state = await closed.say("show today's orders")
    assert driver.text(state) == "list_orders is switched off at present; this was not carried out"
    assert outcomes(state) == [("list_orders", "refused", "disabled")]
