"""What a turn's runs recorded, as a replay looks it up."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from checkpoints.run import Run
from graphs.recorded import RecordedTurn, recorded, recording
from nodes.context import Recording
from tools.ledger import canonical
from tools.providers.python import load_adapters
from tools.registry import Registry

Json = dict[str, Any]
NOW = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
ASKED = {"order_no": "20261130001", "status": "shipped"}
RUN = Run(
    run_id=uuid4(),
    thread_id=uuid4(),
    tenant_id="acme",
    user_id="alex",
    turn_id="t1",
    status="success",
    input={"message": "改成已发货", "message_id": "t1"},
    context={"clock": NOW.isoformat(), "time_zone": "Asia/Shanghai", "roles": ["operator"]},
    multitask_strategy="enqueue",
    idempotency_key=None,
    metadata={},
    kwargs={},
    cancel_action=None,
    attempt=1,
    lease_owner=None,
    lease_until=None,
    first_checkpoint_id=None,
    first_writes=None,
    result=None,
    transcript=None,
    error=None,
    usage=None,
    agents=None,
    model=None,
    created_at=NOW,
    started_at=NOW,
    finished_at=NOW,
    updated_at=NOW,
)


@pytest.fixture(scope="module")
def registry() -> Registry:
    return Registry(tool for file in load_adapters(()) for tool in file.tools)


def call(arguments: Json, status: str = "done", **more: Any) -> Json:
    told: Json = {"id": "c1", "tool": "update_order_status", "content": "done", "data": {}, "confirmation": None}
    return {**told, "arguments": arguments, "status": status, **more}


def run(*calls: Json, asks: bool = False, **changes: Any) -> Run:
    action = {"name": "update_order_status", "args": ASKED}
    interrupt = {"action_requests": [action]} if asks else None
    return replace(RUN, transcript={"calls": list(calls), "interrupt": interrupt, "locale": "zh"}, **changes)


def found(registry: Registry, *runs: Run) -> Recording:
    turn = recorded(1, runs)
    assert isinstance(turn, RecordedTurn)
    return recording(turn, registry)


def test_results_are_found_by_tool_and_arguments(registry: Registry) -> None:
    outcomes = found(registry, run(call(ASKED)))["outcomes"]
    outcome = outcomes[canonical("update_order_status", ASKED)]
    assert (outcome["status"], outcome["summary"]) == ("done", "done")


def test_a_call_is_found_under_the_arguments_that_its_tool_would_read_today(registry: Registry) -> None:
    then = {"orderNumber": "20261130001", "status": "已发货"}
    outcomes = found(registry, run(call(then)))["outcomes"]
    assert set(outcomes) == {canonical("update_order_status", then), canonical("update_order_status", ASKED)}


def test_a_tool_that_is_gone_keeps_its_results(registry: Registry) -> None:
    outcomes = found(registry, run(call({"x": 1}, tool="gone")))["outcomes"]
    assert set(outcomes) == {canonical("gone", {"x": 1})}


def test_a_call_without_an_answer_has_no_result(registry: Registry) -> None:
    assert found(registry, run(call(ASKED, "awaiting", content=None)))["outcomes"] == {}


def test_an_answer_is_found_by_what_was_asked(registry: Registry) -> None:
    edit = {"type": "edit", "edited_action": {"args": {**ASKED, "status": "completed"}}}
    resume = {"resume": {"interrupt_id": "i", "decisions": [edit]}}
    decisions = found(registry, run(asks=True), run(input=resume))["decisions"]
    assert decisions == {canonical("update_order_status", ASKED): edit}


@pytest.mark.parametrize(
    ("end", "decision"),
    [
        (call(ASKED), {"type": "approve"}),
        (call(ASKED, "rejected"), {"type": "reject"}),
        (call(ASKED, "failed"), {"type": "approve"}),
        (
            call(ASKED, "rejected", confirmation={"type": "reject", "expired": True}),
            {"type": "reject", "expired": True},
        ),
    ],
)
def test_a_plain_yes_or_no_is_told_by_what_became_of_the_call(registry: Registry, end: Json, decision: Json) -> None:
    waiting = run(call(ASKED, "awaiting", content=None), asks=True)
    words = run(end, input={"message": "好的", "message_id": "t2"})
    decisions = found(registry, waiting, words)["decisions"]
    assert decisions == {canonical("update_order_status", ASKED): decision}


def test_a_question_that_nobody_answered_has_no_answer(registry: Registry) -> None:
    assert found(registry, run(asks=True))["decisions"] == {}


def test_refused_answers_are_passed_over(registry: Registry) -> None:
    resume = {"resume": {"interrupt_id": "old", "decisions": [{"type": "reject"}]}}
    late = replace(RUN, input=resume, status="error")
    turn = recorded(1, [run(asks=True), late])
    assert isinstance(turn, RecordedTurn)
    assert (len(turn.runs), recording(turn, registry)["decisions"]) == (1, {})


def test_what_never_ran_or_was_pruned_is_no_turn_to_replay() -> None:
    assert recorded(1, [RUN]) == "never_ran"
    assert recorded(1, [replace(RUN, input={}, context={})]) == "pruned"
    assert recorded(1, [run(), replace(RUN, input={})]) == "pruned"
    assert recorded(1, [run(input={"resume": {}})]) == "pruned"


def test_each_run_has_its_own_context() -> None:
    later = {**RUN.context, "clock": "2026-11-30T10:09:00+00:00", "roles": ["boss"]}
    turn = recorded(3, [run(asks=True), run(input={"resume": {"decisions": []}}, context=later)])
    assert isinstance(turn, RecordedTurn)
    assert (turn.number, turn.turn_id, turn.message, turn.locale) == (3, "t1", "改成已发货", "zh")
    first, second = turn.contexts(lambda roles: frozenset(f"{role}:read" for role in roles))
    assert (first.clock, first.principal.roles) == (NOW, ("operator",))
    assert (second.clock, second.principal.roles) == (datetime(2026, 11, 30, 10, 9, tzinfo=UTC), ("boss",))
    assert [c.principal.permissions for c in (first, second)] == [{"operator:read"}, {"boss:read"}]
