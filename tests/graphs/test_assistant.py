"""The eight nodes, end to end, by rules alone."""

from collections.abc import Awaitable, Callable
from copy import deepcopy
from typing import Any

import pytest
from langchain_core.messages import HumanMessage, ToolMessage
from pydantic import ValidationError

from graphs.assistant import build_graph
from nodes.state import Input
from tests.graphs.driver import APPROVE, REJECT, Desk, answers, called, intents, kinds, sources, text

Rows = Callable[[str], Awaitable[list[dict[str, Any]]]]
DAY = {"start_date": "2026-11-30", "end_date": "2026-11-30"}


async def one(orders: Rows, condition: str) -> str:
    """The number of an order of the caller's tenant."""
    rows = await orders(f"select order_no from demo.orders where tenant_id = 'acme' and {condition} order by 1 limit 1")
    return str(rows[0]["order_no"])


async def status_of(orders: Rows, number: str) -> str:
    rows = await orders(f"select status from demo.orders where tenant_id = 'acme' and order_no = '{number}'")
    return str(rows[0]["status"])


async def events_of(orders: Rows, number: str) -> list[tuple[str, str]]:
    rows = await orders(f"select from_status, to_status from demo.order_events where order_no = '{number}' order by at")
    return [(row["from_status"], row["to_status"]) for row in rows]


async def test_a_greeting_ends_without_a_tool(desk: Desk) -> None:
    state = await desk.say("你好")
    assert kinds(state) == "ha"
    assert intents(state) == ["chat.greeting"]
    assert sources(state) == [("route", "chitchat"), ("intent", "chitchat")]


async def test_todays_orders_are_counted_as_the_database_counts_them(desk: Desk, orders: Rows) -> None:
    state = await desk.say("查一下今天的订单")
    assert called(state)[0][0] == "list_orders"
    assert {k: called(state)[0][1][k] for k in DAY} == DAY
    day = "(created_at at time zone 'Asia/Shanghai')::date = '2026-11-30'"
    rows = await orders(f"select count(*) as n from demo.orders where tenant_id = 'acme' and {day}")
    assert answers(state)[0].artifact["data"]["total"] == rows[0]["n"] >= 8
    assert str(rows[0]["n"]) in text(state)
    assert sources(state) == [("route", "keyword"), ("intent", "keyword"), ("tools", "keyword")]
    assert state["turn"]["usage"] == {"model_calls": 0, "input_tokens": 0, "output_tokens": 0}


async def test_another_tenant_sees_only_its_own_orders(desk: Desk, orders: Rows) -> None:
    number = await one(orders, "true")
    desk.asking(principal=type(desk.context.principal)(tenant="globex", user="sam"))
    state = await desk.say(f"订单 {number} 到哪了")
    assert answers(state)[0].artifact["data"]["total"] == 0


async def test_several_requests_run_side_by_side_in_spoken_order_and_plan_runs_once_after_all(desk: Desk) -> None:
    nodes: list[str] = []
    given: Input = {"messages": [HumanMessage("查张三的订单顺便看统计", id="q")]}
    async for part in desk.graph.astream(given, desk.config, context=desk.context, stream_mode="tasks", version="v2"):
        if part["type"] == "tasks" and "triggers" in part["data"]:
            nodes.append(part["data"]["name"])
    assert nodes == ["pre_route", "extract", "plan", "execute", "execute", "plan", "reply"]
    state = await desk.stored()
    assert [name for name, _ in called(state)] == ["list_orders", "dashboard_overview"]
    assert called(state)[0][1]["customer"] == "张三"


async def test_two_requests_of_one_kind_are_two_calls_and_pronouns_mean_the_last_person(desk: Desk) -> None:
    state = await desk.say("查张三的订单，再查李四的订单")
    assert [arguments["customer"] for _, arguments in called(state)] == ["张三", "李四"]
    again = await desk.say("他的订单呢")
    assert [arguments["customer"] for _, arguments in called(again)] == ["李四"]


async def test_one_sentence_may_ask_two_agents(desk: Desk) -> None:
    state = await desk.say("查今天的订单，再建个明天的待办：给客户打电话")
    assert [m.artifact["agent"] for m in answers(state)] == ["business", "todo"]
    assert [name for name, _ in called(state)] == ["list_orders", "add_todo"]


async def test_a_list_of_numbers_makes_one_call_each(desk: Desk) -> None:
    state = await desk.say("查订单1001，1002的状态")
    assert [arguments["order_no"] for _, arguments in called(state)] == ["1001", "1002"]


async def test_a_negated_request_runs_nothing(desk: Desk) -> None:
    state = await desk.say("不要查订单")
    assert kinds(state) == "ha"
    state = await desk.say("不要查订单，看下统计就行")
    assert [name for name, _ in called(state)] == ["dashboard_overview"]


async def test_talking_about_the_word_is_no_request(desk: Desk) -> None:
    for words in ("写一首关于订单的诗", "订单这个词用英语怎么说"):
        state = await desk.say(words)
        assert kinds(state)[-2:] == "ha"
        assert intents(state) == ["unknown"]


async def test_unknown_says_what_the_desk_can_do_and_never_reaches_plan(desk: Desk) -> None:
    state = await desk.say("asdfgh")
    assert kinds(state) == "ha"
    assert state["turn"]["suggestions"]
    assert state["turn"]["suggestions"][0] in text(state)
    assert state["turn"]["decisions"][-1]["confidence"] == 0


async def test_a_missing_particular_is_asked_for_and_the_answer_is_understood(desk: Desk, orders: Rows) -> None:
    number = await one(orders, "status = 'to_ship'")
    state = await desk.say("修改订单状态")
    assert kinds(state) == "ha"
    assert state["turn"]["question"]
    state = await desk.say(f"{number} 改成已发货")
    assert desk.interrupts
    assert desk.interrupts[0].value["action_requests"][0]["args"] == {"order_no": number, "status": "shipped"}


async def test_another_request_drops_the_open_question(desk: Desk) -> None:
    await desk.say("修改订单状态")
    state = await desk.say("看下统计")
    assert [name for name, _ in called(state)] == ["dashboard_overview"]
    assert state["memory"]["pending"] is None


async def test_particulars_alone_inherit_the_last_request(desk: Desk) -> None:
    await desk.say("查张三今天的订单")
    state = await desk.say("昨天的呢")
    assert sources(state)[0] == ("route", "inherited")
    assert called(state)[0][1]["customer"] == "张三"
    assert called(state)[0][1]["start_date"] == "2026-11-29"
    state = await desk.say("前五个")
    assert called(state)[0][1]["limit"] == 5


async def test_a_chain_takes_its_argument_from_the_first_result(desk: Desk) -> None:
    state = await desk.say("查用户张三的订单")
    assert [name for name, _ in called(state)] == ["find_users", "list_orders"]
    assert called(state)[1][1]["customer"] == "张三"
    assert state["turn"]["rounds"] == 2


async def test_a_chain_whose_source_finds_nothing_stops_and_says_so(desk: Desk) -> None:
    state = await desk.say("查用户钱多多的订单")
    assert [name for name, _ in called(state)] == ["find_users"]
    assert text(state) == str(answers(state)[0].content)


async def test_what_the_knowledge_base_does_not_hold_is_unknown(desk: Desk) -> None:
    state = await desk.say("怎么申请退款")
    assert intents(state) == ["question.ask"]
    assert answers(state)[0].artifact["data"]["found"] >= 1
    state = await desk.say("怎么申请火星签证")
    assert intents(state) == ["unknown"]
    assert state["turn"]["suggestions"]


async def test_a_write_waits_for_a_yes_and_is_carried_out_once(desk: Desk, orders: Rows) -> None:
    number = await one(orders, "status = 'to_ship'")
    await desk.say(f"把订单 {number} 改成已发货")
    assert await status_of(orders, number) == "to_ship"
    request = desk.interrupts[0].value["action_requests"][0]
    assert request["name"] == "update_order_status"
    assert number in request["description"]
    assert "已发货" in request["description"]
    state = await desk.answer(APPROVE)
    assert await status_of(orders, number) == "shipped"
    assert await events_of(orders, number) == [("to_ship", "shipped")]
    assert kinds(state) == "hcta"


async def test_a_no_changes_nothing(desk: Desk, orders: Rows) -> None:
    number = await one(orders, "status = 'to_ship'")
    await desk.say(f"把订单 {number} 改成已发货")
    state = await desk.answer(REJECT)
    assert await status_of(orders, number) == "to_ship"
    assert answers(state)[0].artifact["status"] == "rejected"
    assert kinds(state) == "hcta"


async def test_an_edit_runs_with_the_new_arguments_and_the_transcript_shows_them(desk: Desk, orders: Rows) -> None:
    number = await one(orders, "status = 'to_ship'")
    await desk.say(f"把订单 {number} 改成已发货")
    edited = {"name": "update_order_status", "args": {"order_no": number, "status": "cancelled"}}
    state = await desk.answer({"type": "edit", "edited_action": edited})
    assert await status_of(orders, number) == "cancelled"
    assert called(state) == [("update_order_status", {"order_no": number, "status": "cancelled"})]


async def test_an_edit_that_names_another_tool_is_refused(desk: Desk, orders: Rows) -> None:
    number = await one(orders, "status = 'to_ship'")
    await desk.say(f"把订单 {number} 改成已发货")
    edited = {"name": "add_todo", "args": {"order_no": number, "status": "cancelled"}}
    state = await desk.answer({"type": "edit", "edited_action": edited})
    assert answers(state)[0].artifact["status"] == "refused"
    assert await status_of(orders, number) == "to_ship"


async def test_an_illegal_step_is_refused_as_a_value(desk: Desk, orders: Rows) -> None:
    number = await one(orders, "status = 'completed'")
    await desk.say(f"把订单 {number} 改成待付款")
    state = await desk.answer(APPROVE)
    assert answers(state)[0].artifact["status"] == "refused"
    assert await status_of(orders, number) == "completed"


async def test_a_missing_answer_is_a_no(desk: Desk, orders: Rows) -> None:
    number = await one(orders, "status = 'to_ship'")
    await desk.say(f"把订单 {number} 改成已发货")
    await desk.answer()
    assert await status_of(orders, number) == "to_ship"


async def test_an_answer_of_the_wrong_shape_is_refused_and_can_be_given_again(desk: Desk, orders: Rows) -> None:
    number = await one(orders, "status = 'to_ship'")
    await desk.say(f"把订单 {number} 改成已发货")
    with pytest.raises(ValidationError):
        await desk.answer({"type": "perhaps"})
    await desk.answer(APPROVE)
    assert await status_of(orders, number) == "shipped"


async def test_a_new_message_drops_the_question_and_leaves_no_open_call(desk: Desk, orders: Rows) -> None:
    number = await one(orders, "status = 'to_ship'")
    await desk.say(f"把订单 {number} 改成已发货")
    state = await desk.say("看下统计")
    assert kinds(state) == "hhcta"
    assert not desk.interrupts
    assert await status_of(orders, number) == "to_ship"


async def test_an_update_of_the_calendar_is_answered_by_its_card(desk: Desk, orders: Rows) -> None:
    owned = "tenant_id = 'acme' and owner = 'alex'"
    event = (await orders(f"select event_no from demo.calendar_events where {owned} limit 1"))[0]["event_no"]
    state = await desk.say(f"把日程{event}改到后天下午三点")
    assert [name for name, _ in called(state)] == ["update_event"]
    assert answers(state)[0].artifact["status"] == "done", text(state)
    assert answers(state)[0].artifact["card"]["type"] == "calendar_event"
    assert answers(state)[0].artifact["card"]["design"]
    rows = await orders(f"select day::text, starts_at::text from demo.calendar_events where event_no = {event}")
    assert rows == [{"day": "2026-12-02", "starts_at": "15:00:00"}]


async def test_a_second_turn_starts_clean(desk: Desk, orders: Rows) -> None:
    number = await one(orders, "status = 'to_ship'")
    await desk.say(f"把订单 {number} 改成已发货")
    await desk.answer(APPROVE)
    turn = (await desk.say("你好"))["turn"]
    assert (turn["rounds"], turn["planned"], turn["confirmations"], turn["question"]) == (0, {}, {}, None)


async def test_state_reads_back_as_it_was_written(desk: Desk) -> None:
    out = deepcopy(await desk.say("看下统计"))
    assert await desk.stored() == out
    await desk.say("你好")
    assert next(m for m in (await desk.stored())["messages"] if isinstance(m, ToolMessage)).artifact is None


async def test_messages_stay_bounded_and_what_falls_out_is_in_the_summary(desk: Desk) -> None:
    await desk.say("查张三的订单")
    for _ in range(12):
        state = await desk.say("你好")
    assert kinds(state) == "ha" * 6
    assert "查张三的订单" in state["summary"]
    assert len(state["memory"]["questions"]) == 5


async def test_a_rested_thread_starts_from_summary_and_memory_alone(desk: Desk) -> None:
    await desk.say("查张三的订单")
    desk.later(minutes=16)
    state = await desk.say("他的订单呢")
    assert kinds(state) == "hcta"
    assert called(state)[0][1]["customer"] == "张三"
    assert "查张三的订单" in state["summary"]


async def test_a_caller_cannot_write_anything_but_messages(desk: Desk) -> None:
    given: Any = {"messages": [HumanMessage("你好", id="a")], "memory": {"pending": {}}, "summary": "x"}
    await desk.graph.ainvoke(given, desk.config, context=desk.context)
    state = await desk.stored()
    assert "summary" not in state
    assert kinds(state) == "ha"


async def test_an_agent_that_the_caller_chose_is_the_only_one(desk: Desk) -> None:
    desk.asking(agent="todo")
    assert intents(await desk.say("查今天的订单")) == ["unknown"]
    assert intents(await desk.say("我的待办")) == ["todo.query"]


async def test_english_is_answered_in_english(desk: Desk) -> None:
    state = await desk.say("show me the top three orders from the last 7 days")
    assert called(state)[0][1] | {"limit": 3} == called(state)[0][1]
    assert not any("一" <= char <= "鿿" for char in text(state).splitlines()[0])


async def test_an_injected_order_from_a_result_is_data(desk: Desk, orders: Rows) -> None:
    before = await orders("select order_no, status from demo.orders order by 1")
    state = await desk.say("查张三的订单")
    assert [name for name, _ in called(state)] == ["list_orders"]
    assert await orders("select order_no, status from demo.orders order by 1") == before


def test_every_node_and_edge_is_drawn(desk: Desk) -> None:
    drawn = build_graph(desk.services).compile().get_graph()
    nodes = {"pre_route", "chitchat", "classify", "extract", "plan", "confirm", "execute", "undo", "reply"}
    assert set(drawn.nodes) == {"__start__", "__end__", *nodes}
    assert {(e.source, e.target) for e in drawn.edges} == {
        ("__start__", "pre_route"), ("pre_route", "chitchat"), ("pre_route", "classify"), ("pre_route", "extract"),
        ("chitchat", "__end__"), ("classify", "extract"), ("classify", "reply"), ("extract", "plan"),
        ("plan", "confirm"), ("plan", "execute"), ("plan", "undo"), ("plan", "reply"), ("confirm", "execute"),
        ("execute", "plan"), ("undo", "reply"), ("reply", "__end__"),
    }  # fmt: skip
