"""What rules make of sentences with several objects, with questions, and with too much of everything."""

from collections.abc import Callable, Collection
from datetime import datetime
from time import perf_counter
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from config.catalogue import Catalogue
from language.particulars import Reader
from nodes.hits import MAX_REQUESTS
from nodes.reading import reader_of
from nodes.understanding import understand

NOW = datetime(2026, 11, 30, 10, 0, tzinfo=ZoneInfo("Asia/Shanghai"))
Read = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def reader(catalogue: Catalogue) -> Reader:
    return reader_of(catalogue)


@pytest.fixture(scope="module")
def read(catalogue: Catalogue, reader: Reader) -> Read:
    def reads(text: str, allowed: Collection[str] | None = None) -> dict[str, Any]:
        return understand(text, catalogue, reader, now=NOW, allowed=allowed)

    return reads


def asked(heard: dict[str, Any]) -> list[tuple[str, str | None, str | None]]:
    """Each request as intent, period and person."""
    return [
        (r["intent"], (r["entities"]["period"] or {}).get("name"), r["entities"]["person"]) for r in heard["requests"]
    ]


@pytest.mark.parametrize(
    ("text", "requests"),
    [
        ("查今天的订单和昨天的待办", [("order", "today", None), ("todo.query", "yesterday", None)]),
        ("明天的日程和后天的待办", [("calendar.query", "tomorrow", None), ("todo.query", "dayAfterTomorrow", None)]),
        ("今天的订单、昨天的评价", [("order", "today", None), ("review", "yesterday", None)]),
        ("show yesterday's orders and tomorrow's calendar",
         [("order", "yesterday", None), ("calendar.query", "tomorrow", None)]),
        ("orders of Alice and reviews of Carol", [("order", None, "Alice"), ("review", None, "Carol")]),
        ("张三的订单和李四的评价", [("order", None, "张三"), ("review", None, "李四")]),
        ("张三的订单和李四的订单", [("order", None, "张三"), ("order", None, "李四")]),
    ],
)  # fmt: skip
def test_each_object_takes_its_own_particulars(read: Read, text: str, requests: list[Any]) -> None:
    assert asked(read(text)) == requests


def test_particulars_on_one_side_alone_belong_to_both(read: Read) -> None:
    assert asked(read("张三上周的订单和评价")) == [("order", "lastWeek", "张三"), ("review", "lastWeek", "张三")]
    assert asked(read("看下张三上周的订单和这周的评价")) == [("order", "lastWeek", "张三"), ("review", "week", "张三")]


def test_one_object_with_several_people_or_times_makes_one_request_each(read: Read) -> None:
    assert asked(read("张三和李四的订单")) == [("order", None, "张三"), ("order", None, "李四")]
    assert [r["entities"]["period"]["start"] for r in read("1月和2月的订单")["requests"]] == [
        "2026-01-01",
        "2026-02-01",
    ]


def test_a_change_of_two_things_changes_both(read: Read) -> None:
    assert [r["intent"] for r in read("把订单20261130001和订单20261130002改成已发货")["requests"]] == [
        "order.update_status",
        "order.update_status",
    ]


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("已完成的待办", "todo.query"),
        ("查未完成待办", "todo.query"),
        ("今天完成的任务有几个", "todo.query"),
        ("待办1180完成了吗", "todo.query"),
        ("show finished tasks", "todo.query"),
        ("待办1180已完成", "todo.modify"),
        ("完成待办1180", "todo.modify"),
        ("把待办1180标记为完成", "todo.modify"),
        ("把周报那条待办完成", "todo.modify"),
        ("task 1004 is finished", "todo.modify"),
    ],
)
def test_what_is_done_already_is_not_to_be_done(read: Read, text: str, intent: str) -> None:
    assert read(text)["intents"] == [intent]


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("订单20261130001什么时候改成已发货的", "order"),
        ("今天有没有人取消订单", "order"),
        ("谁取消了订单20261130001", "order"),
        ("订单20261130001改成已发货了吗", "order"),
        ("今天取消订单的有多少", "order"),
        ("when was order 20261130001 changed to shipped", "order"),
        ("did anyone cancel order 20261130001", "order"),
        ("为什么待办1180推迟到明天", "todo.query"),
        ("会议502什么时候改到周五的", "calendar.query"),
        ("can you cancel order 20261130001", "order.update_status"),
        ("能不能把订单20261130001改成已发货", "order.update_status"),
        ("可以帮我取消订单20261130001吗", "order.update_status"),
        ("新建待办：问谁取消了订单", "todo.add"),
    ],
)
def test_a_question_is_no_command(read: Read, text: str, intent: str) -> None:
    assert read(text)["intents"] == [intent]


@pytest.mark.parametrize(
    "text", ["怎么修改订单状态", "如何查看订单", "能货到付款吗", "什么是待办", "会员有什么权益", "怎样新建日程"]
)
def test_how_something_is_done_is_a_question_for_the_knowledge_base(read: Read, text: str) -> None:
    assert read(text)["intents"] == ["question.ask"]


@pytest.mark.parametrize("text", ["今天订单怎么样", "最近七天订单走势如何", "怎么联系张三", "how can I reach Bob"])
def test_how_something_goes_is_no_question_for_the_knowledge_base(read: Read, text: str) -> None:
    assert "question.ask" not in read(text)["intents"]


@pytest.mark.parametrize("text", ["前 3 个", "前３名", "top 3"])
def test_particulars_are_shown_where_nothing_is_asked_for(read: Read, text: str) -> None:
    heard = read(text)
    assert heard["intents"] == ["unknown"]
    assert heard["entities"]["limit"] == 3


@pytest.mark.parametrize("text", ["取消", "Cancel", "取消吧", "不用了", "cancel please"])
def test_a_bare_no_asks_for_nothing(read: Read, text: str) -> None:
    assert read(text)["intents"] == ["chat.declined"]


def test_what_is_too_much_is_left_out_and_said(read: Read) -> None:
    things = ["订单", "评价", "活动", "文章", "待办", "日程", "联系人", "告警", "社区", "用户", "课程", "仪表盘"]
    heard = read("，".join(f"查{thing}" for thing in things))
    assert len(heard["requests"]) == MAX_REQUESTS
    assert "2 more left out" in heard["decisions"][-1]["reason"]


@pytest.mark.parametrize(
    "text",
    ["order " * 10900, "查订单" * 21000, "今天的订单和昨天的待办和" * 5400, "，a" * 32000, "1," * 32000,
     "张三" * 32000, "他的订单" * 16000, "什么时候" * 16000, "“" * 65000, "内容：" * 20000],
    ids=lambda text: text[:6],
)  # fmt: skip
def test_the_longest_message_is_read_at_once(read: Read, text: str) -> None:
    read(text[:100])
    begun = perf_counter()
    read(text)
    assert perf_counter() - begun < 1  # a third of that where nothing else runs
