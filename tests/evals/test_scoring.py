"""What is right, wrong, refused and offered, level by level."""

from typing import Any

import pytest

from evals.cases import Expected
from evals.outcomes import NOTHING_USED, Outcome
from evals.scoring import Judge

ORDERS = {"tool": "list_orders", "arguments": {"start_date": "2026-11-23", "end_date": "2026-11-29"}}
WEEK = {"start": "2026-11-23", "end": "2026-11-29"}


def expected(**more: Any) -> Expected:
    return Expected.model_validate({"agent": "business", "intents": ["order"], **more})


def came(**more: Any) -> Outcome:
    plain: dict[str, Any] = {
        "agent": "business", "intents": ["order"], "entities": {}, "calls": [], "question": None, "asked": [],
        "offered": [], "decisions": [], "degraded": [], "usage": NOTHING_USED, "reply": "", "elapsed_ms": 1.0,
        "error": None,
    }  # fmt: skip
    return Outcome(**{**plain, **more})  # type: ignore[typeddict-item]  # made of plain values


UNKNOWN = {"agent": "unknown", "intents": ["unknown"]}


@pytest.mark.parametrize(
    ("wanted", "got", "route", "intent"),
    [
        ({}, {}, "right", "right"),
        ({}, {"intents": ["order.trend"]}, "right", "wrong"),
        ({}, {"agent": "todo", "intents": ["todo.query"]}, "wrong", "wrong"),
        ({}, UNKNOWN, "refused", "refused"),
        ({}, {**UNKNOWN, "offered": ["user", "order"]}, "offered", "offered"),
        (UNKNOWN, UNKNOWN, "right", "right"),
        (UNKNOWN, {**UNKNOWN, "offered": ["user"]}, "right", "right"),
        (UNKNOWN, {}, "wrong", "wrong"),
        ({"intents": ["order", "user"]}, {"intents": ["user", "order"]}, "right", "wrong"),
        ({"intents": ["order", "order"]}, {"intents": ["order"]}, "right", "right"),
    ],
)
def test_route_and_intent(judge: Judge, wanted: Any, got: Any, route: str, intent: str) -> None:
    score = judge.turn(expected(**wanted), came(**got), first=True)
    assert (score.route, score.intent) == (route, intent)


def test_an_offer_says_whether_the_right_one_was_in_it(judge: Judge) -> None:
    offer = {**UNKNOWN, "question": "intent"}
    assert judge.turn(expected(), came(**offer, offered=["user", "order"]), first=True).gold_offered
    assert not judge.turn(expected(), came(**offer, offered=["user"]), first=True).gold_offered


def test_expected_slots_are_found_wrong_or_missing_and_others_are_extra_in_a_first_turn(judge: Judge) -> None:
    wanted = expected(entities={"period": WEEK, "person": "张三", "limit": 5})
    got = came(entities={"period": {**WEEK, "name": "lastWeek"}, "person": "李四", "limit": None, "order_no": ["1"]})
    slots = judge.turn(wanted, got, first=True).slots
    assert (slots.found, slots.wrong, slots.missing, slots.extra) == (
        ("period",),
        ("person",),
        ("limit",),
        ("order_no",),
    )
    assert judge.turn(wanted, got, first=False).slots.extra == ()


@pytest.mark.parametrize(
    ("calls", "right"),
    [
        ([ORDERS], True),
        ([{"tool": "list_orders", "arguments": {**ORDERS["arguments"], "limit": 10}}], True),  # type: ignore[dict-item]
        ([{"tool": "list_orders", "arguments": {"start_date": "2026-11-23"}}], False),
        ([], False),
        ([ORDERS, {"tool": "find_users", "arguments": {}}], False),
        ([{"tool": "find_users", "arguments": {}}], False),
    ],
)
def test_calls_hold_what_is_expected_and_nothing_beside_it(judge: Judge, calls: Any, right: bool) -> None:
    assert judge.turn(expected(calls=[ORDERS]), came(calls=calls), first=True).calls is right


def test_one_call_cannot_stand_for_two(judge: Judge) -> None:
    assert judge.turn(expected(calls=[ORDERS, ORDERS]), came(calls=[ORDERS]), first=True).calls is False


def test_calls_are_not_looked_at_where_none_are_written_down(judge: Judge) -> None:
    assert judge.turn(expected(), came(calls=[ORDERS]), first=True).calls is None
    assert judge.turn(expected(calls=[]), came(calls=[ORDERS]), first=True).calls is False


def test_a_question_has_to_ask_for_the_right_argument_and_only_where_it_is_due(judge: Judge) -> None:
    wanted = expected(calls=[], question="order_no")
    asks = came(question="order_no", asked=["order_no"])
    assert judge.turn(wanted, asks, first=True).calls is True
    assert judge.turn(wanted, came(question="status", asked=["status"]), first=True).calls is False
    assert judge.turn(wanted, came(), first=True).faults == ("did not ask for order_no",)
    assert judge.turn(expected(calls=[]), asks, first=True).faults == ("asked for order_no",)


def test_a_forbidden_call_is_a_fault_of_its_own_and_one_that_changes_something_is_told_apart(judge: Judge) -> None:
    wanted = expected(never=["update_order_status", "list_orders"])
    reads = judge.turn(wanted, came(calls=[ORDERS]), first=True)
    assert (reads.forbidden, reads.changes, reads.failed) == (("list_orders",), (), ("calls",))
    changes = judge.turn(wanted, came(calls=[{"tool": "update_order_status", "arguments": {}}]), first=True)
    assert changes.changes == ("update_order_status",)


def test_the_levels_that_fail_are_told_in_the_order_of_the_funnel(judge: Judge) -> None:
    score = judge.turn(expected(entities={"limit": 3}, calls=[ORDERS]), came(**UNKNOWN), first=True)
    assert score.failed == ("route", "intent", "entities", "calls")
