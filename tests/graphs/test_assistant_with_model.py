"""The eight nodes with a model in the middle: a real HTTP server that speaks the OpenAI wire, well and badly."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from nodes.state import Question, State
from tests.fakes.openai_replies import Reply, call, calls, cut, endless, hang, status, text
from tests.fakes.openai_server import ModelServer
from tests.graphs import driver
from tests.graphs.conftest import NOW
from tests.graphs.driver import APPROVE, Desk, answers, called, intents, kinds, sources

MakeDesk = Callable[[], Desk]
Rows = Callable[[str], Awaitable[list[dict[str, Any]]]]


@pytest.fixture
def model_first(with_model: MakeDesk) -> MakeDesk:
    """Desks that have orders planned by the model, whatever rules can read."""

    def make() -> Desk:
        desk = with_model()
        catalogue = desk.services.catalogue
        business = catalogue.agents["business"]
        intents = {**business.intents, "order": business.intents["order"].model_copy(update={"plan": "model"})}
        agents = {**catalogue.agents, "business": business.model_copy(update={"intents": intents})}
        return Desk(replace(desk.services, catalogue=replace(catalogue, agents=agents)), desk.saver, NOW)

    return make


def question(state: State) -> Question:
    asked = state["turn"]["question"]
    assert asked is not None
    return asked


def chosen(*names: str, **more: Any) -> Reply:
    return call("choose_intents", {"intents": list(names), **more})


async def test_the_model_settles_agent_and_intent_in_one_call(with_model: MakeDesk, model_server: ModelServer) -> None:
    model_server.script([chosen("order", confidence=0.7)])
    state = await with_model().say("昨天那些事儿给我讲讲")
    assert intents(state) == ["order"]
    assert [(d["source"], d["confidence"]) for d in state["turn"]["decisions"][:2]] == [("model", 0.7)] * 2
    assert called(state)[0][1]["start_date"] == "2026-11-29"
    assert state["turn"]["usage"]["model_calls"] == 1
    choices = model_server.requests[0]["tools"][0]["function"]["parameters"]["properties"]["intents"]["items"]["enum"]
    assert {"order", "todo.add", "unknown"} <= set(choices)


async def test_classification_sees_the_users_own_questions_and_no_answer(
    with_model: MakeDesk, model_server: ModelServer
) -> None:
    desk = with_model()
    await desk.say("查张三的订单")
    model_server.script([chosen("dashboard")])
    await desk.say("最近行情咋样呀")
    roles = [(m["role"], m["content"]) for m in model_server.requests[0]["messages"][1:]]
    assert roles == [("user", "查张三的订单"), ("user", "最近行情咋样呀")]


async def test_keywords_cost_no_model_call(with_model: MakeDesk, model_server: ModelServer) -> None:
    state = await with_model().say("查一下今天的订单")
    assert state["turn"]["usage"]["model_calls"] == 0
    assert not model_server.requests


async def test_a_date_of_the_model_never_beats_the_servers_clock(
    with_model: MakeDesk, model_server: ModelServer
) -> None:
    model_server.script([chosen("order", slots={"period": "2022-08-23", "person": "某公司", "order_no": "999"})])
    state = await with_model().say("某公司昨天那些事儿给我讲讲")
    arguments = called(state)[0][1]
    assert arguments["start_date"] == "2026-11-29"
    assert arguments["customer"] == "某公司"
    assert "order_no" not in arguments


BAD: dict[str, Reply] = {
    "prose": text("Sure! I think it is about cars."),
    "empty": text(""),
    "half": call("choose_intents", '{"intents": ["ord'),
    "json": text("```json {bad"),
    "unknown intent": chosen("query_logistics_v9"),
    "unknown tool": call("rm_rf", {}),
    "odd": call("choose_intents", {"skill": "order"}),
    "500": status(500),
    "429": status(429),
    "cut": cut("order"),
}


@pytest.mark.parametrize("fault", BAD)
async def test_a_bad_answer_falls_to_rules_and_then_to_an_honest_unknown(
    with_model: MakeDesk, model_server: ModelServer, fault: str
) -> None:
    model_server.script([BAD[fault]] * 12)
    state = await with_model().say("给我讲讲这辆车")
    assert intents(state) == ["unknown"]
    assert kinds(state) == "ha"
    assert "没有执行任何操作" in driver.text(state)
    assert state["turn"]["suggestions"][0] in driver.text(state)
    assert ("tools", "model") not in sources(state)


async def test_a_bad_answer_leaves_a_bare_keyword_to_the_fallback_rules(
    with_model: MakeDesk, model_server: ModelServer
) -> None:
    model_server.script([text("no idea")])
    desk = with_model()
    defaults = {a.name: a for a in desk.services.catalogue.agents.values()}
    word = next(w for a in defaults.values() if desk.services.catalogue.default_intent(a.name) for w in a.keywords)
    state = await desk.say(word)
    assert ("intent", "fallback") in sources(state)
    assert state["turn"]["decisions"][-2]["confidence"] == 0.85


@pytest.mark.timeout(60)
@pytest.mark.parametrize("fault", ["hang", "endless"])
async def test_a_model_that_never_ends_costs_a_bounded_time(
    with_model: MakeDesk, model_server: ModelServer, fault: str
) -> None:
    model_server.script([hang() if fault == "hang" else endless()] * 6)
    state = await with_model().say("给我讲讲这辆车")
    assert intents(state) == ["unknown"]


async def test_a_dead_model_costs_nothing_after_a_few_failures(with_model: MakeDesk, model_server: ModelServer) -> None:
    model_server.script([status(500)] * 40)
    desk = with_model()
    for _ in range(4):
        await desk.say("给我讲讲这辆车")
    seen = len(model_server.requests)
    state = await desk.say("给我讲讲这辆车")
    assert len(model_server.requests) == seen
    assert state["turn"]["usage"]["model_calls"] == 0


async def test_the_model_plans_what_rules_cannot_fill_and_its_words_are_the_reply(
    with_model: MakeDesk, model_server: ModelServer, orders: Rows
) -> None:
    rows = await orders("select order_no from demo.orders where tenant_id = 'acme' and status = 'to_ship' limit 1")
    number = rows[0]["order_no"]
    model_server.script(
        [
            call("update_order_status", {"orderNumber": number, "status": "已发货"}),
            text("好了，这个订单已经发货。"),
        ]
    )
    desk = with_model()
    await desk.say(f"修改订单 {number} 的状态，东西从我们这儿走了呀")
    assert desk.interrupts[0].value["action_requests"][0]["args"] == {"order_no": number, "status": "shipped"}
    state = await desk.answer(APPROVE)
    assert answers(state)[0].artifact["status"] == "done"
    assert driver.text(state) == "好了，这个订单已经发货。"
    assert kinds(state) == "hcta"
    assert ("tools", "model") in sources(state)


async def test_an_identifier_that_the_model_invents_is_asked_for(
    with_model: MakeDesk, model_server: ModelServer
) -> None:
    model_server.script([call("update_order_status", {"order_no": "20261130999", "status": "shipped"})])
    state = await with_model().say("修改订单状态")
    assert state["turn"]["question"]
    assert kinds(state) == "ha"


async def test_prose_in_the_first_round_counts_as_abstained(with_model: MakeDesk, model_server: ModelServer) -> None:
    model_server.script([text("好的，我现在为您查询"), text("好的，我现在为您查询")])
    state = await with_model().say("修改订单状态")
    assert state["turn"]["question"]
    assert driver.text(state) == question(state)["text"]


async def test_the_model_sees_only_the_tools_of_the_agent(with_model: MakeDesk, model_server: ModelServer) -> None:
    model_server.script([text("?"), text("?")])
    await with_model().say("修改订单状态")
    offered = {tool["function"]["name"] for tool in model_server.requests[0]["tools"]}
    assert "update_order_status" in offered
    assert "add_todo" not in offered


async def test_a_model_that_never_ends_calling_stops_after_five_rounds_with_every_call_answered(
    with_model: MakeDesk, model_server: ModelServer
) -> None:
    rounds = [call("list_orders", {"limit": n}) for n in range(1, 9)]
    model_server.script(rounds)
    state = await with_model().say("修改订单状态")
    assert kinds(state) == "h" + "ct" * 5 + "a"
    assert state["turn"]["capped"]
    assert len(model_server.requests) == 5
    assert "步骤太多" in driver.text(state)


async def test_a_model_that_repeats_a_call_has_finished(with_model: MakeDesk, model_server: ModelServer) -> None:
    model_server.script([call("list_orders", {"limit": n}) for n in (2, "2", 2, 2, 2)])
    state = await with_model().say("修改订单状态")
    assert kinds(state) == "hcta"
    assert len(model_server.requests) == 2
    assert driver.text(state).count(str(answers(state)[0].content)) == 1
    assert driver.text(state).endswith(question(state)["text"])


async def test_what_a_repeating_model_has_found_is_put_into_words_once(
    model_first: MakeDesk, model_server: ModelServer
) -> None:
    again = call("list_orders", {"limit": 2})
    model_server.script([again, again, text("最新的是这两个。")])
    state = await model_first().say("查最新的两个订单")
    assert kinds(state) == "hcta"
    assert driver.text(state) == "最新的是这两个。"


async def test_beside_a_repeated_call_only_the_new_one_is_made(with_model: MakeDesk, model_server: ModelServer) -> None:
    two = ("list_orders", {"limit": 2})
    model_server.script([call(*two), calls(two, ("find_users", {"limit": 1})), call(*two)])
    state = await with_model().say("修改订单状态")
    assert [name for name, _ in called(state)] == ["list_orders", "find_users"]


@pytest.mark.parametrize("tail", [text("订单已经全部取消成功了。"), status(500)])
async def test_a_change_that_no_tool_made_is_never_claimed(
    with_model: MakeDesk, model_server: ModelServer, tail: Reply
) -> None:
    model_server.script([call("list_orders", {"limit": 2}), *[tail] * 4])
    state = await with_model().say("修改订单状态")
    assert "成功" not in driver.text(state)
    assert question(state)["slot"] == "order_no"
    assert driver.text(state) == f"{answers(state)[0].content}\n{question(state)['text']}"
    assert state["memory"]["pending"]


async def test_a_refused_change_is_told_by_its_tool(
    with_model: MakeDesk, model_server: ModelServer, orders: Rows
) -> None:
    rows = await orders("select order_no from demo.orders where tenant_id = 'acme' and status = 'completed' limit 1")
    number = rows[0]["order_no"]
    model_server.script([call("update_order_status", {"order_no": number, "status": "shipped"}), text("改好了！")])
    desk = with_model()
    await desk.say(f"修改订单 {number} 的状态，东西从我们这儿走了呀")
    state = await desk.answer(APPROVE) if desk.interrupts else await desk.stored()
    assert answers(state)[0].artifact["status"] == "refused"
    assert driver.text(state) == answers(state)[0].content


async def test_an_order_that_the_user_named_is_never_another_one(
    with_model: MakeDesk, model_server: ModelServer
) -> None:
    other = call("update_order_status", {"order_no": "20261127001", "status": "shipped"})
    model_server.script([other])
    desk = with_model()
    state = await desk.say("修改订单20261128002的状态")
    assert not desk.interrupts
    assert kinds(state) == "ha"
    assert question(state)["slot"] == "order_status"
    state = await desk.say("已取消")
    assert desk.interrupts[0].value["action_requests"][0]["args"] == {"order_no": "20261128002", "status": "cancelled"}


async def test_a_later_round_cannot_take_another_order_either(with_model: MakeDesk, model_server: ModelServer) -> None:
    other = call("update_order_status", {"order_no": "20261127001", "status": "shipped"})
    model_server.script([call("list_orders", {}), other])
    desk = with_model()
    state = await desk.say("修改订单20261128002的状态")
    assert not desk.interrupts
    assert question(state)["slot"] == "order_status"


async def test_what_the_model_leaves_out_is_taken_from_the_words(
    with_model: MakeDesk, model_server: ModelServer
) -> None:
    model_server.script([call("update_order_status", {"status": "已取消"})])
    desk = with_model()
    await desk.say("修改订单20261128002的状态，货退回来啦")
    assert desk.interrupts[0].value["action_requests"][0]["args"] == {"order_no": "20261128002", "status": "cancelled"}


async def test_several_calls_of_one_answer_run_in_one_round(with_model: MakeDesk, model_server: ModelServer) -> None:
    model_server.script([calls(("list_orders", {"limit": 1}), ("find_users", {"keyword": "张三"})), text("好。")])
    state = await with_model().say("修改订单状态")
    assert [name for name, _ in called(state)] == ["list_orders", "find_users"]
    assert state["turn"]["rounds"] == 1


async def test_numbers_as_a_model_writes_them_are_fitted_or_refused(
    with_model: MakeDesk, model_server: ModelServer
) -> None:
    wanted = {"3": 3, "三": 3, "100000": 50}
    for said, meant in wanted.items():
        model_server.script([call("list_orders", {"limit": said}), text("好。")])
        assert called(await with_model().say("修改订单状态"))[0][1]["limit"] == meant
    for odd in (True, 2.5):
        model_server.script([call("list_orders", {"limit": odd}), text("好。")])
        assert answers(await with_model().say("修改订单状态"))[0].artifact["status"] == "refused"


async def test_unknown_is_worded_by_the_model_where_there_is_one(
    with_model: MakeDesk, model_server: ModelServer
) -> None:
    model_server.script([chosen("unknown"), text("这个我帮不上忙，可以问我订单。")])
    state = await with_model().say("给我讲讲这辆车")
    assert intents(state) == ["unknown"]
    assert driver.text(state) == "这个我帮不上忙，可以问我订单。"
    assert state["turn"]["usage"]["model_calls"] == 2


async def test_what_a_result_says_is_never_a_command(
    with_model: MakeDesk, model_server: ModelServer, orders: Rows
) -> None:
    before = await orders("select order_no, status from demo.orders order by 1")
    look = call("list_orders", {"customer": "张三", "limit": 50})
    model_server.script([look, call("update_order_status", {"order_no": "20261130001", "status": "cancelled"})])
    desk = with_model()
    await desk.say("修改订单状态")
    assert "SystemAlert" in json.dumps(model_server.requests[-1]["messages"])
    assert await orders("select order_no, status from demo.orders order by 1") == before
    assert all(m.artifact["status"] != "done" or m.name == "list_orders" for m in answers(await desk.stored()))
