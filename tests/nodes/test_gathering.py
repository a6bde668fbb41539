"""Clauses that say one request together, and those that only tell something beside it."""

from collections.abc import Callable
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from config.catalogue import Catalogue
from nodes.reading import reader_of
from nodes.understanding import understand

NOW = datetime(2026, 11, 30, 10, 0, tzinfo=ZoneInfo("Asia/Shanghai"))
Read = Callable[[str], list[tuple[str, dict[str, Any]]]]


@pytest.fixture(scope="module")
def read(catalogue: Catalogue) -> Read:
    reader = reader_of(catalogue)

    def reads(text: str) -> list[tuple[str, dict[str, Any]]]:
        heard = understand(text, catalogue, reader, now=NOW)
        return [(one["intent"], {k: v for k, v in one["entities"].items() if v}) for one in heard["requests"]]

    return reads


@pytest.mark.parametrize(
    ("said", "intent", "slots"),
    [
        ("20261125008寄走了，系统里还没改，你给改成已发货呗", "order.update_status", {"order_status": "shipped"}),
        ("客户一直没付款，帮我把20261125008取消掉", "order.update_status", {"order_status": "cancelled"}),
        ("20261125021买家反悔不要了，取消掉吧", "order.update_status", {"order_no": ["20261125021"]}),
        ("取消20261122007这一单，买家拍重了", "order.update_status", {"order_status": "cancelled"}),
        ("20261129018 → 已发货", "order.update_status", {"order_status": "shipped"}),
        ("改状态：20261130009，已发货", "order.update_status", {"order_no": ["20261130009"]}),
        ("the parcel for 20261122015 has left, update the order", "order.update_status", {"order_status": "shipped"}),
        ("待办1009搞定啦，勾掉吧", "todo.modify", {"todo_no": ["1009"], "todo_done": "true"}),
        ("待办1005换到跟进分类", "todo.modify", {"todo_category": "follow_up"}),
        ("push to-do 1030 to Friday", "todo.modify", {"todo_no": ["1030"]}),
        ("下周四有牙科复诊，上午十一点，写进我的日历", "calendar.add", {"content": "牙科复诊", "time": "11:00"}),
        ("能帮我记一条待办吗，后天寄样书", "todo.add", {"content": "寄样书"}),
        ("I'm having a supplier call on Friday, put it in the calendar", "calendar.add", {"content": "supplier call"}),
        ("The pricing workshop on Thursday clashes with my train, move it to Friday", "calendar.update", {}),
        ("准备发券：50元面值，共120张，发给银卡会员", "coupon.send", {"limit": 120, "user_level": "silver"}),
        ("任务1002开错了，取消掉", "task.cancel", {"task_no": ["1002"]}),
        ("最近14天每天卖出多少单，画个走势", "order.trend", {}),
        ("我上个月买了课程，怎么退款", "question.ask", {}),
        ("有个客户打电话来，报的单号是20261115004，你帮我看看什么情况", "order", {"order_no": ["20261115004"]}),
    ],
)  # fmt: skip
def test_what_is_told_in_one_clause_is_acted_on_in_another(
    read: Read, said: str, intent: str, slots: dict[str, Any]
) -> None:
    found = read(said)
    assert [name for name, _ in found] == [intent]
    assert {slot: found[0][1].get(slot) for slot in slots} == slots


@pytest.mark.parametrize(
    ("said", "intents"),
    [
        ("20261120003发货了没有", ["order"]),
        ("is order 20261120003 shipped yet", ["order"]),
        ("20261127003是已发货状态吗", ["order"]),
        ("查一下20261120003是不是已经发货", ["order"]),
        ("本月取消的订单有多少", ["order"]),
        ("周会改到几点了", ["calendar.query"]),
        ("待办1012完成了吗", ["todo.query"]),
        ("优惠券怎么用", ["question.ask"]),
        ("一个订单能用几张优惠券", ["question.ask"]),
        ("怎么新建日程", ["question.ask"]),
        ("how can I add an event to my calendar", ["question.ask"]),
        ("我这周有哪些任务要做", ["todo.query"]),
        ("不要把它加到日历", ["chat.declined"]),
        ("进行中的活动有哪些？还有，怎么申请退款？", ["activity", "question.ask"]),
        ("Add a stock count to my calendar and move the hiring sync to Thursday", ["calendar.add", "calendar.update"]),
        ("查今天的订单，再建个明天的待办", ["order", "todo.add"]),
        ("写一个发券系统的代码", []),
        ("book me a flight to Rome on Friday", []),
    ],
)
def test_asking_is_not_acting_and_two_requests_stay_two(read: Read, said: str, intents: list[str]) -> None:
    assert [name for name, _ in read(said)] == intents


@pytest.mark.parametrize(
    ("said", "intent"),
    [
        ("反应挺快嘛，厉害", "chat.praise"),
        ("你怎么老听不懂我说的", "chat.complaint"),
        ("you keep getting it wrong", "chat.complaint"),
        ("你是真人还是程序呀", "chat.identity"),
        ("wow, you're really good at this", "chat.praise"),
        ("oops, sorry about that", "chat.apology"),
        ("先撤了，回头聊", "chat.goodbye"),
    ],
)
def test_small_talk_is_made_of_small_pieces(read: Read, said: str, intent: str) -> None:
    assert [name for name, _ in read(said)] == [intent]


@pytest.mark.parametrize("said", ["你真棒，查一下今天的订单", "sorry, show me the orders of today"])
def test_a_request_beside_small_talk_is_a_request(read: Read, said: str) -> None:
    assert [name for name, _ in read(said)] == ["order"]
