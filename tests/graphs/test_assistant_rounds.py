"""What one turn calls, in which rounds, and how much of it."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from nodes.rounds import MAX_CALLS
from tests.graphs import driver
from tests.graphs.driver import APPROVE, REJECT, Desk, answers, called, kinds

Rows = Callable[[str], Awaitable[list[dict[str, Any]]]]


async def to_ship(orders: Rows) -> str:
    rows = await orders("select order_no from demo.orders where tenant_id = 'acme' and status = 'to_ship' order by 1")
    return str(rows[0]["order_no"])


async def todos(orders: Rows, content: str) -> int:
    return len(await orders(f"select 1 from demo.todos where tenant_id = 'acme' and content like '%{content}%'"))


async def test_what_comes_before_a_question_for_a_yes_does_not_wait_for_it(desk: Desk, orders: Rows) -> None:
    number = await to_ship(orders)
    state = await desk.say(f"看下统计，再把订单{number}改成已发货")
    assert [request["name"] for request in desk.interrupts[0].value["action_requests"]] == ["update_order_status"]
    assert kinds(state) == "hctc"
    state = await desk.answer(APPROVE)
    assert kinds(state) == "hctcta"
    assert [name for name, _ in called(state)] == ["dashboard_overview", "update_order_status"]
    assert [m.artifact["status"] for m in answers(state)] == ["done", "done"]
    assert driver.text(state) == "\n".join(str(m.content) for m in answers(state))
    assert (state["turn"]["held"], state["turn"]["rounds"]) == ([], 2)


async def test_what_came_before_is_told_whatever_is_said_to_the_question(desk: Desk, orders: Rows) -> None:
    number = await to_ship(orders)
    await desk.say(f"看下统计，再把订单{number}改成已发货")
    state = await desk.answer(REJECT)
    assert [m.artifact["status"] for m in answers(state)] == ["done", "rejected"]
    assert driver.text(state) == "\n".join(str(m.content) for m in answers(state))
    await desk.say(f"看下统计，再把订单{number}改成已发货")
    state = await desk.say("查张三的订单")
    assert [name for name, _ in called(state)] == ["list_orders"]
    assert kinds(state)[-6:] == "hcthcta"[-6:]


async def test_what_comes_after_a_question_for_a_yes_stays_behind_it(desk: Desk, orders: Rows) -> None:
    number = await to_ship(orders)
    await desk.say(f"把订单{number}改成已发货，再新建待办：给丁公司回电")
    assert await todos(orders, "给丁公司回电") == 0
    state = await desk.answer(APPROVE)
    assert [name for name, _ in called(state)] == ["update_order_status", "add_todo"]
    assert kinds(state) == "hctta"


async def test_a_turn_makes_so_many_calls_and_says_how_many_it_left_out(desk: Desk) -> None:
    numbers = "，".join(f"202611{day:02d}00{n}" for day in range(1, 9) for n in range(1, 5))
    state = await desk.say(f"查订单{numbers}")
    assert len(answers(state)) == MAX_CALLS
    assert state["turn"]["left_out"] == 32 - MAX_CALLS
    assert driver.text(state).endswith("还有 12 项没有执行：一次最多执行 20 项，请分几次提出。")
    assert kinds(state) == "hc" + "t" * MAX_CALLS + "a"


async def test_all_requests_of_a_turn_share_its_calls(desk: Desk) -> None:
    numbers = "，".join(f"202611{day:02d}00{n}" for day in range(1, 7) for n in range(1, 4))
    state = await desk.say(f"查订单{numbers}。把订单{numbers}改成已发货")
    assert len(desk.interrupts[0].value["action_requests"]) == MAX_CALLS - 18
    assert len(answers(state)) == 18
    state = await desk.answer(*[REJECT] * MAX_CALLS)
    assert len(answers(state)) == MAX_CALLS
    assert state["turn"]["left_out"] == 16
    assert "还有 16 项没有执行" in driver.text(state)


@pytest.mark.parametrize("times", [700, 7_200])
async def test_a_question_however_long_is_asked_with_as_many_words_as_a_tool_takes(desk: Desk, times: int) -> None:
    state = await desk.say("密码是" * times)
    for name, arguments in called(state):
        assert (name, len(arguments["question"])) == ("search_knowledge", 2_000)
    assert "参数有误" not in driver.text(state)
    assert all(m.artifact["status"] == "done" for m in answers(state))


async def test_a_faulty_edit_is_refused_in_the_callers_language(desk: Desk, orders: Rows) -> None:
    number = await to_ship(orders)
    await desk.say(f"把订单{number}改成已发货")
    state = await desk.answer({"type": "edit", "edited_action": {"name": "update_order_status", "args": {}}})
    assert driver.text(state) == "参数有误：缺少：订单号（例如 20261130001）；缺少：订单状态（例如 shipped）"


async def test_an_agent_without_examples_says_so_without_a_list(desk: Desk) -> None:
    desk.asking(agent="chat")
    state = await desk.say("查今天的订单")
    assert state["turn"]["suggestions"] == []
    assert driver.text(state) == "抱歉，我没有理解您的需求，没有执行任何操作。"
