"""Several messages of one thread: answers to questions, what goes on from the last request, and what does not."""

from typing import Any

import pytest

from nodes.state import State
from tests.graphs.driver import APPROVE, Desk, called, intents, text

ORDER = "20261130001"


async def talk(desk: Desk, *messages: str) -> State:
    for message in messages:
        state = await desk.say(message)
    return state


@pytest.mark.parametrize(
    ("answer", "arguments"),
    [
        ("订单对账", {"content": "订单对账"}),
        ("不要忘记给客户打电话", {"content": "给客户打电话"}),
        ("明天给客户打电话", {"content": "给客户打电话", "date": "2026-12-01"}),
        ("处理退款", {"content": "处理退款"}),
        ("给客户打电话。然后订机票", {"content": "给客户打电话。然后订机票"}),
    ],
)
async def test_what_is_to_be_written_down_may_name_anything(desk: Desk, answer: str, arguments: Any) -> None:
    assert called(await talk(desk, "新建待办", answer)) == [("add_todo", arguments)]


@pytest.mark.parametrize(
    ("answer", "intent"),
    [
        ("查今天的订单", "order"),
        ("今天有多少订单？", "order"),
        ("show me the orders", "order"),
        ("你好", "chat.greeting"),
        ("取消", "chat.declined"),
        ("不要了", "chat.declined"),
        ("把订单20261130001改成已发货", "order.update_status"),
    ],
)
async def test_a_request_in_so_many_words_drops_the_question(desk: Desk, answer: str, intent: str) -> None:
    state = await talk(desk, "新建待办", answer)
    assert intents(state) == [intent]
    assert state["turn"]["question"] is None


async def test_a_day_alone_is_kept_and_the_content_asked_for_again(desk: Desk) -> None:
    state = await talk(desk, "新建待办", "明天")
    assert state["turn"]["question"]
    assert state["turn"]["question"]["slot"] == "content"
    assert called(await desk.say("交周报")) == [("add_todo", {"content": "交周报", "date": "2026-12-01"})]


async def test_one_answer_fills_title_day_and_time(desk: Desk) -> None:
    filled = {"title": "周会", "date": "2026-12-01", "time": "10:00:00"}
    assert called(await talk(desk, "添加日程", "明天10点周会")) == [("add_event", filled)]
    assert called(await talk(desk, "添加日程：周会", "10点", "明天")) == [("add_event", filled)]


async def test_a_status_that_there_is_not_is_asked_for_again_with_the_values(desk: Desk) -> None:
    state = await talk(desk, "修改订单状态", ORDER, "已退款")
    assert state["turn"]["question"]
    assert "已发货" in text(state)
    await desk.say("已发货")
    assert desk.interrupts[0].value["action_requests"][0]["args"] == {"order_no": ORDER, "status": "shipped"}


async def test_a_change_alone_is_about_the_order_spoken_of(desk: Desk) -> None:
    await talk(desk, f"订单{ORDER}到哪了", "改成已发货")
    assert desk.interrupts[0].value["action_requests"][0]["args"] == {"order_no": ORDER, "status": "shipped"}


async def test_a_no_after_all_is_settled_asks_for_nothing(desk: Desk) -> None:
    await desk.say(f"把订单 {ORDER} 改成已发货")
    await desk.answer(APPROVE)
    state = await desk.say("取消")
    assert intents(state) == ["chat.declined"]
    assert not called(state)


async def test_a_status_narrows_the_last_request(desk: Desk) -> None:
    state = await talk(desk, "今天的订单", "只要已发货的")
    day = {"start_date": "2026-11-30", "end_date": "2026-11-30"}
    assert called(state) == [("list_orders", {"status": "shipped", **day})]


@pytest.mark.parametrize(
    ("first", "second", "customer"),
    [("张三的订单", "换李四", "李四"), ("张三的订单", "不要他的，要王小明的", "王小明"),
     ("show Zhang San's orders", "how about Li Si", "Li Si"),
     ("show Zhang San's orders", "what about Li Si?", "Li Si")],
)  # fmt: skip
async def test_somebody_else_takes_the_place(desk: Desk, first: str, second: str, customer: str) -> None:
    assert called(await talk(desk, first, second)) == [("list_orders", {"customer": customer})]


async def test_what_the_last_request_cannot_take_does_not_repeat_it(desk: Desk) -> None:
    state = await talk(desk, "张三的电话", "上个月的")
    assert intents(state) == ["unknown"]
    assert not called(state)


@pytest.mark.parametrize(
    ("first", "answer", "arguments"),
    [
        ("查他的订单", "张三", {"customer": "张三"}),
        ("his orders", "Zhang San", {"customer": "Zhang San"}),
        ("这个订单到哪了", ORDER, {"order_no": ORDER}),
        ("2月30日的订单", "3月2日", {"start_date": "2026-03-02", "end_date": "2026-03-02"}),
    ],
)
async def test_nobody_is_shown_what_was_not_said(desk: Desk, first: str, answer: str, arguments: Any) -> None:
    state = await desk.say(first)
    assert state["turn"]["question"]
    assert not called(state)
    assert called(await desk.say(answer)) == [("list_orders", arguments)]


async def test_what_is_to_be_left_out_is_not_shown(desk: Desk) -> None:
    state = await desk.say("除了已取消的订单")
    assert state["turn"]["question"]
    assert not called(state)


@pytest.mark.parametrize(
    ("agent", "message", "intent"),
    [
        ("calendar", "明天", "calendar.query"),
        ("contact", "张三", "contact.find"),
        ("calendar", "张三的订单", "unknown"),
    ],
)
async def test_a_chosen_agent_is_meant_where_only_particulars_are_said(
    desk: Desk, agent: str, message: str, intent: str
) -> None:
    desk.asking(agent=agent)
    assert intents(await desk.say(message)) == [intent]


async def test_done_todos_are_shown_as_done(desk: Desk) -> None:
    assert called(await desk.say("已完成的待办")) == [("list_todos", {"done": True})]


@pytest.mark.parametrize(
    ("messages", "arguments"),
    [
        (("昨天的订单", "不对，我要上周的"), {"start_date": "2026-11-23", "end_date": "2026-11-29"}),
        (("张三的订单", "不是，是李四的"), {"customer": "李四"}),
        (("orders of Alice Wong", "no, I meant Bob Smith"), {"customer": "Bob Smith"}),
        (("orders of last week", "only the shipped ones"), {
            "status": "shipped", "start_date": "2026-11-23", "end_date": "2026-11-29"}),
        (("上周的订单", "已发货的呢"), {"status": "shipped", "start_date": "2026-11-23", "end_date": "2026-11-29"}),
    ],
)  # fmt: skip
async def test_a_correction_and_a_narrowing_keep_what_still_holds(
    desk: Desk, messages: tuple[str, ...], arguments: Any
) -> None:
    assert called(await talk(desk, *messages)) == [("list_orders", arguments)]


async def test_bounds_of_money_are_read(desk: Desk) -> None:
    assert called(await desk.say("金额超过500的已发货订单")) == [
        ("list_orders", {"status": "shipped", "min_amount": 500.0})
    ]
    bounds = {"min_amount": 100.0, "max_amount": 200.0}
    assert called(await desk.say("orders between 100 and 200 yuan")) == [("list_orders", bounds)]


async def test_a_number_is_an_answer_however_it_is_said(desk: Desk) -> None:
    for said in ("1005", "number 1005", "编号1005", "1005号"):
        state = await talk(desk, "把待办标记为完成", said)
        assert [arguments for name, arguments in called(state) if name == "modify_todo"] in (
            [{"todo_no": 1005, "done": True}],
            [{"todo_no": 1005, "done": True, "category": None}],
        )
