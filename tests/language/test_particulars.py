"""All particulars of a sentence, each character used once."""

from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.matcher import Matcher
from language.normalise import normalise
from language.particulars import rest
from tests.language.conftest import NOW, ReadText

TODAY = {"name": "today", "start": "2026-11-30", "end": "2026-11-30"}
WEEK = {"name": "7days", "start": "2026-11-24", "end": "2026-11-30"}


@pytest.mark.parametrize(
    ("raw", "slots"),
    [
        ("今天的订单", {"period": TODAY}),
        ("把订单 20261130001 改成已发货", {"order_no": ["20261130001"], "order_status": "shipped"}),
        ("show me the top three orders from the last 7 days", {"limit": 3, "period": WEEK}),
        (
            "最近一周张三的待付款订单前10条",
            {"period": WEEK, "people": ["张三"], "order_status": "pending_payment", "limit": 10},
        ),
        ("查张三和李四的订单", {"people": ["张三", "李四"]}),
        ("手机号是138-0013-8000的用户", {"phone": ["13800138000"]}),
        ("从待发货改成已发货", {"order_status": "shipped"}),
        ("订单1001，1002，1001", {"order_no": ["1001", "1002"]}),
        ("新建待办：Ｂuy Milk，雞蛋", {"content": "Ｂuy Milk，雞蛋"}),
        ("關於退貨的内容", {"keyword": "退貨"}),
        ("已完成的", {"order_status": "completed", "todo_done": "done"}),
        ("查一下订单", {}),
        ("", {}),
    ],
)
def test_slots(reader: ReadText, raw: str, slots: dict[str, Any]) -> None:
    taken = ["订单"] if "订单" in raw else []
    assert reader(raw, *taken).slots == slots


def test_a_new_date_and_time_follow_a_word_of_moving(reader: ReadText) -> None:
    slots = reader("把会议5从明天下午三点改到后天上午10点").slots
    assert slots["period"]["name"] == "tomorrow"
    assert slots["new_period"]["name"] == "dayAfterTomorrow"
    assert (slots["time"], slots["new_time"]) == ("15:00", "10:00")
    assert slots["event_no"] == ["5"]


@pytest.mark.parametrize(
    ("raw", "start"),
    [("把明天的会推迟两天", "2026-12-03"), ("明天的会提前一天", "2026-11-30"), ("今天的会延后一周", "2026-12-07")],
)
def test_a_date_is_shifted_by_a_length(reader: ReadText, raw: str, start: str) -> None:
    assert reader(raw).slots["new_period"]["start"] == start


def test_a_second_date_without_one_is_ignored(reader: ReadText) -> None:
    slots = reader("昨天和今天的订单").slots
    assert slots["period"]["name"] == "yesterday"
    assert "new_period" not in slots


def test_moving_works_in_english(reader: ReadText) -> None:
    slots = reader("move meeting 5 from today 3pm to tomorrow 4pm").slots
    assert (slots["period"]["name"], slots["new_period"]["name"]) == ("today", "tomorrow")
    assert (slots["time"], slots["new_time"]) == ("15:00", "16:00")


def test_the_clock_is_the_callers(reader: ReadText) -> None:
    period = reader("上周的订单", now=datetime(2026, 1, 1, 8)).slots["period"]
    assert (period["start"], period["end"]) == ("2025-12-22", "2025-12-28")


def test_taken_words_are_no_names_and_bound_them(reader: ReadText) -> None:
    assert reader("查张三任务", "任务").slots == {"people": ["张三"]}
    assert reader("张三订单趋势", "订单趋势").slots == {"people": ["张三"]}


def test_the_time_at_the_edge_of_content_is_read_from_it(reader: ReadText) -> None:
    slots = reader("添加待办：明天下午三点交周报").slots
    assert slots["content"] == "交周报"
    assert (slots["period"]["name"], slots["time"]) == ("tomorrow", "15:00")


@pytest.mark.parametrize(
    "raw",
    [
        "昨天的呢",
        "前五个",
        "那李四呢",
        "what about yesterday?",
        "换成上周",
        "10条",
        "只看已发货的",
        "👍",
        "-。-",
        "？？？",
    ],
)
def test_a_message_of_particulars_alone_leaves_no_rest(reader: ReadText, particles: Matcher[bool], raw: str) -> None:
    assert rest(normalise(raw).text, reader(raw).spans, particles) == ""


def test_what_else_is_said_is_the_rest(reader: ReadText, particles: Matcher[bool]) -> None:
    assert rest("昨天的天气", reader("昨天的天气").spans, particles) == "天气"
    assert rest("a b", [(0, 1)], ["b"]) == ""


PIECES = (
    "查 订单 张三 的 李四 和 1001 20261130001 13800138000 今天 明天 改到 下午三点 前三 5条 已发货 已完成 “ ” ： 关于 "
    "叫 搜索 提醒我 ， 。 orders of Alice from last week top 3 to tomorrow 3pm about named 　 é 🎉 ㎏ \ud800"
)
TEXTS = st.lists(st.sampled_from(PIECES.split(" ")) | st.text(max_size=3), max_size=14).map("".join)


@given(TEXTS, st.lists(st.tuples(st.integers(-2, 30), st.integers(-2, 30)), max_size=3), st.datetimes())
def test_no_character_is_read_twice(reader: ReadText, raw: str, taken: list[tuple[int, int]], now: datetime) -> None:
    text = normalise(raw)
    found = reader.reader.read(text, now, taken)
    last = 0
    for start, end in found.spans:
        assert last <= start < end <= len(text.text)
        last = end
    assert not rest(text.text, [(0, len(text.text))], ())


@given(st.text(alphabet=st.characters(codec=None)))
def test_any_text_can_be_read(reader: ReadText, raw: str) -> None:
    reader.reader.read(normalise(raw), NOW, ())


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("前天和昨天的订单", ["dayBeforeYesterday", "yesterday"]),
        ("orders this month and last month", ["month", "lastMonth"]),
        ("王五本周和上周的订单", ["week", "lastWeek"]),
        ("orders this year vs last year", ["year", "lastYear"]),
        ("今天、昨天和前天的订单", ["today", "yesterday", "dayBeforeYesterday"]),
        ("周一、周二的日程", ["today", "tomorrow"]),
    ],
)
def test_times_side_by_side_are_all_meant(reader: ReadText, raw: str, expected: list[str]) -> None:
    slots = reader(raw).slots
    assert [period["name"] for period in slots["periods"]] == expected
    assert slots["period"] == slots["periods"][0]


@pytest.mark.parametrize("raw", ["把明天的会议改到后天", "昨天的订单", "从昨天到今天的订单", "12月4日、周五的会议"])
def test_one_time_and_a_range_are_no_list(reader: ReadText, raw: str) -> None:
    assert "periods" not in reader(raw).slots


@pytest.mark.parametrize(
    ("raw", "due"),
    [
        ("新建待办：周四之前交稿", "2026-12-03"),
        ("add a todo to pay by Thursday", "2026-12-03"),
        ("添加任务，2026-12-06前完成", "2026-12-06"),
        ("今天之前要交的待办", "2026-11-30"),
    ],
)
def test_what_is_written_down_may_be_due(reader: ReadText, raw: str, due: str) -> None:
    slots = reader(raw).slots
    assert (slots["due"], slots["period"]["end"]) == (due, due)


def test_what_is_looked_up_is_not_due(reader: ReadText) -> None:
    assert "due" not in reader("周四之前的订单").slots
    assert "due" not in reader("新建待办：周四交稿").slots


@pytest.mark.parametrize(
    ("raw", "days"),
    [
        ("把12月8号的会议改到9号", ("2026-12-08", "2026-12-09")),
        ("把1月8号的会议改到9号", ("2027-01-08", "2027-01-09")),
    ],
)
def test_a_day_alone_is_of_the_month_said_before(reader: ReadText, raw: str, days: tuple[str, str]) -> None:
    slots = reader(raw).slots
    assert (slots["period"]["start"], slots["new_period"]["start"]) == days


@pytest.mark.parametrize(
    ("raw", "content"),
    [
        ("提醒我给客户送合同", "给客户送合同"),
        ("后天提醒我给王五回电", "给王五回电"),
        ("remind me to review the orders tomorrow", "review the orders"),
        ("添加日程：后天下午两点客户参观", "客户参观"),
        ("add meeting: retro tomorrow at 10", "retro"),
        ("建个待办 后天交稿", "交稿"),
        ("create a todo to phone Carol on Friday", "phone Carol"),
        ("新建待办：已完成的任务归档", "已完成的任务归档"),
    ],
)
def test_only_dates_and_times_are_cut_off_what_is_written_down(reader: ReadText, raw: str, content: str) -> None:
    taken = [word for word in ("客户", "orders", "任务") if word in raw]
    assert reader(raw, *taken).slots["content"] == content


@pytest.mark.parametrize(
    "raw", ["安排一个会议和王五明天下午三点", "schedule a meeting with Carol tomorrow", "添加待办3"]
)
def test_particulars_alone_are_nothing_to_write_down(reader: ReadText, raw: str) -> None:
    assert "content" not in reader(raw).slots
