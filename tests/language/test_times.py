"""Times of day."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.normalise import normalise
from language.times import find_times


def times(raw: str) -> list[str]:
    return [found.value for found in find_times(normalise(raw).text)]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("下午三点", ["15:00"]), ("明天上午九点半", ["09:30"]), ("晚上8点一刻", ["20:15"]), ("中午12点", ["12:00"]),
        ("中午一点", ["13:00"]),
        ("凌晨12点", ["00:00"]), ("晚上十二点", ["00:00"]), ("今晚七点四十", ["19:40"]), ("15点20分", ["15:20"]),
        ("九点零五分", ["09:05"]),
        ("20时", ["20:00"]), ("24点", ["00:00"]), ("三点开会", ["15:00"]), ("8点开会", ["08:00"]),
        ("10:30", ["10:30"]), ("３：０５", ["03:05"]),
        ("下午 3:30", ["15:30"]), ("3pm", ["15:00"]), ("3:30 PM", ["15:30"]), ("12am", ["00:00"]),
        ("12 pm", ["12:00"]), ("noon", ["12:00"]),
        ("at 4 o'clock", ["16:00"]), ("上午九点到十点半", ["09:00", "10:30"]),
    ],
)  # fmt: skip
def test_times_are_read(raw: str, expected: list[str]) -> None:
    assert times(raw) == expected


@pytest.mark.parametrize(
    "raw",
    [
        "一点都不难",
        "快一点",
        "早一点发货",
        "有两点问题",
        "零点五",
        "二十点六",
        "温度10点五度",
        "25点",
        "三十一点",
        "时间",
        "小时候",
        "10:75",
        "1:2:3:4",
        "spam",
    ],
)
def test_decimals_and_a_bit_of_something_are_no_times(raw: str) -> None:
    assert times(raw) == []


@given(st.text(alphabet="上下午晚点半刻时分零一二十3:0 apm"))
def test_times_are_within_the_day(text: str) -> None:
    for found in find_times(text):
        hour, minute = map(int, found.value.split(":"))
        assert 0 <= hour < 24
        assert 0 <= minute < 60
        assert text[found.start : found.end] == found.text


@pytest.mark.parametrize(
    ("text", "time"),
    [("standup tomorrow at 9", "09:00"), ("dinner at 6 on Friday", "18:00"), ("lunch at 12, downtown", "12:00")],
)
def test_at_and_a_number_is_an_hour(text: str, time: str) -> None:
    assert [found.value for found in find_times(text)] == [time]


@pytest.mark.parametrize("text", ["at 9 percent", "at 30", "at 9.5", "at 5 yuan", "look at 3 orders"])
def test_at_and_an_amount_is_none(text: str) -> None:
    assert find_times(text) == []
