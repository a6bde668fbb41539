"""Which answers fit an open question for a yes."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from langgraph.types import Interrupt

from errors import ExpiredInterrupt, InvalidInput, NoInterrupt, StaleInterrupt
from graphs.resuming import Resume, answered, answered_in_words

NOW = datetime(2026, 11, 30, 10, tzinfo=UTC)
APPROVE, REJECT = {"type": "approve"}, {"type": "reject"}


def waiting(
    *tools: str, expires_at: datetime = NOW + timedelta(minutes=10), allowed: tuple[str, ...] = ()
) -> Interrupt:
    decisions = list(allowed or ("approve", "edit", "reject"))
    value = {
        "action_requests": [{"name": name, "args": {"order_no": "1"}, "description": name} for name in tools],
        "review_configs": [{"action_name": name, "allowed_decisions": decisions} for name in tools],
        "expires_at": expires_at.isoformat(),
    }
    return Interrupt(value=value, id="open")


def resume(*decisions: dict[str, Any], interrupt_id: str = "open") -> Resume:
    return Resume(interrupt_id=interrupt_id, decisions=decisions)


def test_an_answer_goes_to_the_question_by_its_id() -> None:
    command = answered(resume(APPROVE, REJECT), waiting("ship", "cancel"), NOW)
    assert command.resume == {"open": {"decisions": [APPROVE, REJECT]}}


def test_without_a_question_there_is_nothing_to_answer() -> None:
    with pytest.raises(NoInterrupt):
        answered(resume(APPROVE), None, NOW)


def test_an_answer_to_another_question_is_stale() -> None:
    with pytest.raises(StaleInterrupt):
        answered(resume(APPROVE, interrupt_id="older"), waiting("ship"), NOW)


def test_an_answer_that_comes_when_the_time_is_up_is_late() -> None:
    with pytest.raises(ExpiredInterrupt):
        answered(resume(APPROVE), waiting("ship", expires_at=NOW), NOW)


@pytest.mark.parametrize("decisions", [(), (APPROVE,), (APPROVE, APPROVE, APPROVE)])
def test_each_action_needs_one_decision(decisions: tuple[dict[str, Any], ...]) -> None:
    with pytest.raises(InvalidInput, match="2 needed"):
        answered(resume(*decisions), waiting("ship", "cancel"), NOW)


def test_only_what_the_question_allows_can_be_decided() -> None:
    with pytest.raises(InvalidInput, match="'edit' is not one of approve, reject"):
        answered(resume({"type": "edit"}), waiting("ship", allowed=("approve", "reject")), NOW)
    with pytest.raises(InvalidInput, match="'perhaps' is not one of"):
        answered(resume({"type": "perhaps"}), waiting("ship"), NOW)


def test_an_edit_changes_arguments() -> None:
    edit = {"type": "edit", "edited_action": {"args": {"order_no": "2"}}}
    command = answered(resume(edit), waiting("ship"), NOW)
    edited = {"name": "ship", "args": {"order_no": "2"}}
    assert command.resume == {"open": {"decisions": [{"type": "edit", "edited_action": edited}]}}


def test_an_edit_never_changes_the_tool() -> None:
    edit = {"type": "edit", "edited_action": {"name": "cancel", "args": {}}}
    with pytest.raises(InvalidInput, match="'ship' only"):
        answered(resume(edit), waiting("ship"), NOW)


@pytest.mark.parametrize("edited", [None, {}, {"name": "ship"}, {"name": "ship", "args": None}, "ship"])
def test_an_edit_needs_arguments(edited: object) -> None:
    with pytest.raises(InvalidInput, match="edited_action"):
        answered(resume({"type": "edit", "edited_action": edited}), waiting("ship"), NOW)


def test_a_reason_for_a_no_goes_along() -> None:
    command = answered(resume({"type": "reject", "message": "wrong order"}), waiting("ship"), NOW)
    assert command.resume == {"open": {"decisions": [{"type": "reject", "message": "wrong order"}]}}


def test_a_plain_yes_answers_every_action() -> None:
    command = answered_in_words("approve", waiting("ship", "cancel"), NOW)
    assert command.resume == {"open": {"decisions": [APPROVE, APPROVE]}}


def test_a_plain_yes_that_comes_too_late_is_a_no_that_says_so_and_a_no_stays_a_no() -> None:
    late = waiting("ship", expires_at=NOW - timedelta(seconds=1))
    command = answered_in_words("approve", late, NOW)
    assert command.resume == {"open": {"decisions": [{"type": "reject", "expired": True}]}}
    command = answered_in_words("reject", late, NOW)
    assert command.resume == {"open": {"decisions": [REJECT]}}
