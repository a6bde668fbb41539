"""Messages that put the last request right, or ask the same of another thing."""

from typing import Any

import pytest

from tests.graphs.driver import Desk, called, intents
from tests.graphs.test_assistant_talk import talk


@pytest.mark.parametrize(
    ("first", "then", "call"),
    [
        ("把评审会改到周五", "不对，改到周四", ("update_event", {"title": "评审会", "new_date": "2026-12-03"})),
        (
            "move the weekly meeting to Friday at 3 pm",
            "no, at 4 pm",
            ("update_event", {"title": "weekly meeting", "new_date": "2026-12-04", "new_time": "16:00:00"}),
        ),
        (
            "move the weekly meeting to Friday at 3 pm",
            "4 pm instead",
            ("update_event", {"title": "weekly meeting", "new_date": "2026-12-04", "new_time": "16:00:00"}),
        ),
        ("push to-do 1030 to Friday", "make that Saturday", ("modify_todo", {"todo_no": 1030, "date": "2026-12-05"})),
        ("取消后台任务1003", "不对，是1004", ("cancel_task", {"task_no": "1004"})),
        ("发券任务进度怎么样", "1003的呢", ("task_progress", {"task_no": "1003"})),
        ("关于Excel的文章", "那Tableau的呢", ("list_content", {"keyword": "Tableau"})),
        ("articles about Excel", "what about Tableau?", ("list_content", {"keyword": "Tableau"})),
        ("who is in sales", "and legal?", ("find_contacts", {"department": "legal"})),
        ("今天的订单", "按金额排一下", ("list_orders", {"sort": "amount"})),
    ],
)
async def test_the_last_request_is_made_again_with_what_is_new(
    desk: Desk, first: str, then: str, call: tuple[str, dict[str, Any]]
) -> None:
    name, arguments = called(await talk(desk, first, then))[-1]
    assert name == call[0]
    assert {key: arguments.get(key) for key in call[1]} == call[1]


@pytest.mark.parametrize("then", ["不对，是20261130002", "sorry, I meant 20261130002", "说错了，是20261130002"])
async def test_a_change_that_waits_for_a_yes_is_put_right(desk: Desk, then: str) -> None:
    await desk.say("把20261130001改成已发货")
    desk.asking(dropped=("把订单 20261130001 的状态改为已发货",))  # as the runner says, which passes the question over
    state = await desk.say(then)
    assert intents(state) == ["order.update_status"]
    entities = state["turn"]["requests"][0]["entities"]
    assert (entities["order_no"], entities["order_status"]) == (["20261130002"], "shipped")


async def test_a_new_request_after_a_change_is_no_correction(desk: Desk) -> None:
    assert intents(await talk(desk, "把评审会改到周五", "不对，查一下今天的订单")) == ["order"]
