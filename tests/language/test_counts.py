"""How many of something are wanted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.counts import find_limits
from language.normalise import normalise


def limits(raw: str) -> list[int]:
    return [found.value for found in find_limits(normalise(raw).text)]


@pytest.mark.parametrize(
    ("raw", "limit"),
    [
        ("销量排名前三的商品", 3),
        ("前 3 个", 3),
        ("前３名", 3),
        ("top three products", 3),
        ("TOP10", 10),
        ("最新的５条订单", 5),
        ("最近的十笔交易", 10),
        ("前五个", 5),
        ("5条订单", 5),
        ("给我看20个用户", 20),
        ("只要两条", 2),
        ("show me the top three orders from the last 7 days", 3),
        ("first 5", 5),
        ("last 10 orders", 10),
        ("latest two reviews", 2),
        ("show five users", 5),
        ("list 20 recent orders", 20),
        ("the 3 most expensive orders", 3),
        ("limit 8", 8),
        ("at most 4 rows", 4),
        ("purchases of October, five at most", 5),
        ("10 max", 10),
        ("reviews, 3 are enough", 3),
        ("first two calendar entries", 2),
        ("no more than 6 orders", 6),
        ("给用户发300张优惠券", 300),
        ("发五百张20元的优惠券", 500),
        ("send 500 coupons", 500),
        ("hand out 40 coupons of 20 yuan", 40),
    ],
)
def test_a_count_of_things(raw: str, limit: int) -> None:
    assert limits(raw) == [limit]


@pytest.mark.parametrize(
    "raw",
    [
        "帮我收拾一下今天的订单", "查大陆队伍的订单", "查一下订单", "前三天", "最近7天", "前五个月", "最近三个月",
        "三个工作日", "前10%",
        "第3个订单", "建一个待办", "两个人的订单", "超过5笔", "100元", "三个小时", "last 7 days", "top of the list",
        "order 1001", "in 3 days", "the last two weeks", "first half", "5 stars", "show me 5 days",
    ],
)  # fmt: skip
def test_time_money_and_look_alikes_are_no_count(raw: str) -> None:
    assert limits(raw) == []


@given(st.text(alphabet="前最新的3５十条个天orders top last 7 days "))
def test_counts_are_positive_and_stand_in_the_text(text: str) -> None:
    for found in find_limits(text):
        assert found.value > 0
        assert text[found.start : found.end] == found.text
