"""What is put into a calendar or on a list, or moved, and what it is called."""

import pytest

from language.entries import Entry, find_entry
from language.periods import find_periods
from language.times import find_times
from tests.language.conftest import NOW


def entry(text: str) -> Entry | None:
    days = [found.span for found in find_periods(text, NOW)]
    return find_entry(text, [*days, *(found.span for found in find_times(text))])


@pytest.mark.parametrize(
    ("said", "kind", "title"),
    [
        ("部门聚餐定在周五晚上六点,帮我记进日程", "calendar", "部门聚餐"),
        ("下周四有牙科复诊,上午十一点,写进我的日历", "calendar", "牙科复诊"),
        ("大后天下午五点安排个选品会", "calendar", "选品会"),
        ("把新人欢迎会安排在12月7日上午十点", "calendar", "新人欢迎会"),
        ("日历里记一下 下周一 体检", "calendar", "体检"),
        ("帮我预约周四上午十一点的法务沟通", "calendar", "法务沟通"),
        ("Pencil in a dentist appointment for Wednesday at 4pm", "calendar", "dentist appointment"),
        ("Block Friday 9:30 am for budget planning", "calendar", "budget planning"),
        ("there's a fire drill on Tuesday at 3 pm, note it in the calendar", "calendar", "fire drill"),
        ("add to calendar - audit kickoff - 2026-12-10 - 11:00", "calendar", "audit kickoff"),
        ("Would you mind scheduling a pricing workshop for Thursday?", "calendar", "pricing workshop"),
        ("I'd like to add a yoga class to my calendar on Saturday at 9 am", "calendar", "yoga class"),
        ("清洗录音棚的地毯,这事加到我的待办", "todo", "清洗录音棚的地毯"),
        ("把更新课程封面列进待办,下周三到期", "todo", "更新课程封面"),
        ("能帮我记一条待办吗,后天寄样书", "todo", "寄样书"),
        ("要买投影仪灯泡,先放到待办清单里", "todo", "买投影仪灯泡"),
        ("todo - scan the signed lease - wednesday", "todo", "scan the signed lease"),
        ("I need to pay the hosting bill by Friday, make it a to-do", "todo", "pay the hosting bill"),
        ("I mustn't forget to water the office plants", "todo", "water the office plants"),
        ("make a note to pick up the banners on Thursday", "todo", "pick up the banners"),
        ("把部门周会改到周四下午三点", "moved", "部门周会"),
        ("财务对账会时间变了,帮我把它调到周五上午十点", "moved", "财务对账会"),
        ("周三的复盘我来不了,挪到周五行吗", "moved", "复盘"),
        ("shift tomorrow's vendor call to Wednesday at 9 am", "moved", "vendor call"),
        ("The budget planning has to move, make it December 14", "moved", "budget planning"),
        ("could the yoga class be postponed to Saturday at 10 am", "moved", "yoga class"),
        ("fire drill: reschedule to Wednesday", "moved", "fire drill"),
        ("please postpone the budget talk by two days", "moved", "budget talk"),
    ],
)
def test_the_title_is_what_moments_and_words_of_writing_leave(said: str, kind: str, title: str) -> None:
    found = entry(said)
    assert found is not None
    assert found.title is not None
    assert (found.kind, said[slice(*found.title)]) == (kind, title)


@pytest.mark.parametrize(
    "said", ["帮我排进日程", "给我添一条新待办", "put it in my calendar", "add a new to-do please"]
)
def test_words_of_writing_alone_name_nothing(said: str) -> None:
    found = entry(said)
    assert found is not None
    assert found.title is None


@pytest.mark.parametrize(
    "said",
    [
        "看看我的日程",
        "把今天的待办列出来",
        "待办列一下",
        "日程里加了什么",
        "今天新建的待办有哪些",
        "按金额排一下",
        "我想安排在周边的酒店",
        "what's on my calendar on Friday",
        "schedule of next week",
        "show me my schedule for tomorrow",
        "book me a flight to Rome on Friday",
        "move to Canada next year, good idea?",
        "评价换成上周的",
    ],
)
def test_what_only_looks_like_writing_is_none(said: str) -> None:
    assert entry(said) is None
