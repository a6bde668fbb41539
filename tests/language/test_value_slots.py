"""Values that are wanted, and values that are not to be there."""

import pytest

from tests.language.conftest import Cut, ReadText


@pytest.mark.parametrize(
    "raw",
    [
        "没有已取消的订单",
        "不是已取消的订单",
        "除了已取消的，订单都列出来",
        "除已取消以外的订单",
        "非已取消的订单",
        "列出订单，不含已取消的",
        "the orders which were not cancelled",
        "orders that haven't been cancelled",
        "all orders except the cancelled ones",
        "every order other than cancelled",
        "without cancelled orders please",
    ],
)
def test_a_negated_value_is_one_to_leave_out(reader: ReadText, raw: str) -> None:
    slots = reader(raw).slots
    assert slots["not_order_status"] == ["cancelled"]
    assert "order_status" not in slots


def test_a_negation_holds_for_all_values_that_it_is_followed_by(reader: ReadText) -> None:
    assert reader("除了已取消和已发货的订单").slots == {"not_order_status": ["cancelled", "shipped"]}
    assert reader("orders except shipped or cancelled").slots == {"not_order_status": ["shipped", "cancelled"]}


def test_one_value_may_be_wanted_and_another_not(reader: ReadText) -> None:
    slots = reader("不是已取消，要已发货的").slots
    assert (slots["order_status"], slots["not_order_status"]) == ("shipped", ["cancelled"])


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        ("没付款的有哪些", "pending_payment"),
        ("未发货的有几个", "to_ship"),
        ("有没有已取消的订单", "cancelled"),
        ("是不是已取消", "cancelled"),
        ("除了已取消的还要看统计", "cancelled"),
        ("unpaid orders", "pending_payment"),
        ("another cancelled order", "cancelled"),
    ],
)
def test_a_listed_value_a_question_and_besides_negate_nothing(reader: ReadText, raw: str, status: str) -> None:
    slots = reader(raw).slots
    assert slots["order_status"] == status
    assert "not_order_status" not in slots


def test_the_negation_before_a_value_is_read_with_it(reader: ReadText) -> None:
    assert reader("除了已取消的").spans == ((0, 5),)


@pytest.mark.parametrize(
    "raw", ["list orders except shipped", "看订单不含已发货的", "without shipped ones list orders"]
)
def test_what_leaves_out_a_state_stays_with_what_is_asked_for(clauses: Cut, raw: str) -> None:
    assert clauses(raw) == [raw]
