"""Coupons and background tasks in the words of people, which take nothing away from what was there before."""

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


@pytest.mark.parametrize("intent", ["coupon.send", "task.progress", "task.cancel"])
def test_every_example_is_read_by_rules_alone(catalogue: Catalogue, read: Read, intent: str) -> None:
    examples = catalogue.intents[intent].examples
    found = {said: [name for name, _ in read(said)] for said in (*examples.zh, *examples.en)}
    assert {said: names for said, names in found.items() if names != [intent]} == {}


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("发500张20元优惠券", {"limit": 500, "coupon_value": "20"}),
        ("给用户发300张优惠券", {"limit": 300}),
        ("给金卡会员发五十张十元的代金券", {"limit": 50, "coupon_value": "10", "user_level": "gold"}),
        ("送1000位会员每人一张50元的优惠券", {"limit": 1000, "coupon_value": "50"}),
        ("发優惠券給用戶", {}),
        ("send 300 coupons of 50 yuan to gold members", {"limit": 300, "coupon_value": "50", "user_level": "gold"}),
        ("hand out 40 vouchers of 20 yuan", {"limit": 40, "coupon_value": "20"}),
    ],
)
def test_number_and_value_of_the_coupons_are_read(read: Read, text: str, slots: dict[str, Any]) -> None:
    assert read(text) == [("coupon.send", slots)]


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("昨天发券了吗", "task.progress"),
        ("发了多少张优惠券了", "task.progress"),
        ("优惠券发到哪了", "task.progress"),
        ("how many coupons were sent", "task.progress"),
        ("优惠券怎么用", "question.ask"),
        ("我有两张优惠券能一起用吗", "question.ask"),
        ("这张20元优惠券过期了还能用吗", "question.ask"),
        ("怎么领优惠券", "question.ask"),
        ("how do I apply a coupon to my order", "question.ask"),
        ("my coupon has expired can I still use it", "question.ask"),
        ("看看我的任务", "todo.query"),
        ("任务1004做完了", "todo.modify"),
        ("取消订单20260301002", "order.update_status"),
        ("订单的进度如何", "order"),
        ("今天的会议进行到哪了", "calendar.query"),
        ("上个月发布了多少文章", "content"),
    ],
)
def test_a_question_is_no_order_and_other_words_keep_their_meaning(read: Read, text: str, intent: str) -> None:
    assert [found for found, _ in read(text)] == [intent]


@pytest.mark.parametrize("text", ["不要发优惠券", "别发券了", "先不发优惠券", "don't send coupons"])
def test_what_is_not_to_be_sent_is_not_sent(read: Read, text: str) -> None:
    assert "coupon.send" not in [found for found, _ in read(text)]


@pytest.mark.parametrize(
    "text", ["后台任务1001做到哪了", "后台任务 1001 的进度如何", "where does background task 1001 stand"]
)
def test_the_number_of_a_task_is_read(read: Read, text: str) -> None:
    assert read(text) == [("task.progress", {"task_no": ["1001"]})]


def test_the_number_of_a_todo_stays_one(read: Read) -> None:
    (found,) = read("任务1004推迟到后天")
    assert (found[0], found[1]["todo_no"]) == ("todo.modify", ["1004"])
