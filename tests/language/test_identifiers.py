"""Numbers that name a thing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.identifiers import Rule, begins_with_day, find_identifiers, find_phones
from language.normalise import normalise
from tests.language.conftest import RULES


def identifiers(raw: str) -> list[tuple[str, str]]:
    return [found.value for found in find_identifiers(normalise(raw).text, RULES)]


@pytest.mark.parametrize(
    ("raw", "numbers"),
    [
        ("订单 20261130001 到哪了", ["20261130001"]),
        ("查订单1001，1002的状态", ["1001", "1002"]),
        ("订单1001、1002和1003", ["1001", "1002", "1003"]),
        ("订单1001和订单1002", ["1001", "1002"]),
        ("订单号：1001", ["1001"]),
        ("订单编号是 1001", ["1001"]),
        ("１００１号订单", ["1001"]),
        ("1001这个订单", ["1001"]),
        ("order #1001", ["1001"]),
        ("order no. 1001", ["1001"]),
        ("orders 1001, 1002 and 1003", ["1001", "1002", "1003"]),
        ("ORDER 1001?", ["1001"]),
        ("查order1001", ["1001"]),
        ("把20261130001改成已发货", ["20261130001"]),
        ("20261130001和20261130002", ["20261130001", "20261130002"]),
        ("查订单20240307001", ["20240307001"]),
    ],
)
def test_a_number_beside_its_noun_or_of_its_length_is_an_order(raw: str, numbers: list[str]) -> None:
    assert identifiers(raw) == [("order_no", number) for number in numbers]


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("完成待办3", ("todo_no", "3")),
        ("3号待办", ("todo_no", "3")),
        ("move event 12", ("event_no", "12")),
        ("会议5改到明天", ("event_no", "5")),
    ],
)
def test_each_kind_has_its_nouns(raw: str, value: tuple[str, str]) -> None:
    assert identifiers(raw) == [value]


@pytest.mark.parametrize(
    "raw",
    [
        "查询20240307的订单", "20240307订单", "订单20240307", "最新的5条订单", "订单5条", "前100订单", "订单10月的",
        "订单2024年的", "订单3天内的",
        "订单100元以上", "订单金额100", "会议15:00", "会议3点", "event 3pm", "会议2024-03-07", "订单 10/12",
        "top 1000订单", "99999999999",
        "13800138000", "order 3.5", "border 1001", "订单",
    ],
)  # fmt: skip
def test_dates_counts_and_amounts_are_no_identifiers(raw: str) -> None:
    assert identifiers(raw) == []


def test_without_rules_there_is_nothing_to_find() -> None:
    assert find_identifiers("订单1001", ()) == []
    assert find_identifiers("1001", (Rule(slot="x", nouns=(), digits=(4,)),))[0].value == ("x", "1001")


@pytest.mark.parametrize(
    ("raw", "phones"),
    [
        ("手机号13800138000", ["13800138000"]),
        ("138-0013-8000 和 +86 139 0013 9000", ["13800138000", "13900139000"]),
        ("１３８００１３８０００", ["13800138000"]),
        ("订单20261130001", []),
        ("12345678901", []),
        ("138001380001", []),
        ("888-000-9999", []),
        ("尾号7788是谁的电话", ["7788"]),
        ("who has the number ending in 0042", ["0042"]),
    ],
)
def test_mainland_mobiles(raw: str, phones: list[str]) -> None:
    assert [found.value for found in find_phones(normalise(raw).text)] == phones


def test_a_number_may_begin_with_a_day() -> None:
    assert begins_with_day("20240229001")
    assert not begins_with_day("20230229001")
    assert not begins_with_day("2024")


@given(st.text(alphabet="订单号order待办,，和 0123456789#:是的条"))
def test_identifiers_are_digits_of_the_text_each_used_once(text: str) -> None:
    last = 0
    for found in find_identifiers(text, RULES):
        assert last <= found.start < found.end
        assert text[found.start : found.end] == found.value[1]
        last = found.end


@pytest.mark.parametrize(
    "raw",
    [
        "10月9号的订单", "2025年10月9号订单", "9号的订单", "9号订单", "19号的待办", "3月2号的会议", "3月2号会议",
        "8、9号的订单", "本月21号的单号", "9日的订单",
    ],
)  # fmt: skip
def test_a_day_of_the_month_before_a_noun_is_no_identifier(raw: str) -> None:
    assert identifiers(raw) == []


def test_a_short_number_before_its_noun_names_it_where_numbers_are_short() -> None:
    assert identifiers("7号会议") == [("event_no", "7")]
    assert identifiers("307号订单") == [("order_no", "307")]
