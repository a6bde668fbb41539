"""The judge sees what is wrong, so that its silence means something."""

from typing import Any

import pytest

from tests.crash.caller import Ask
from tests.crash.judge import Json, Verdict, damage, untruths

HUMAN = {"type": "human", "id": "h0", "content": "payium a"}
CALL = {"type": "ai", "id": "p0", "content": "", "tool_calls": [{"id": "c0"}, {"id": "c1"}]}
ANSWERS = [{"type": "tool", "id": f"t{n}", "tool_call_id": f"c{n}", "content": "done"} for n in range(2)]
REPLY = {"type": "ai", "id": "r0", "content": "settled a"}
WHOLE: list[Json] = [HUMAN, CALL, *ANSWERS, REPLY]
NEXT: list[Json] = [{**HUMAN, "id": "h1", "content": "hello"}, {**REPLY, "id": "r1"}]


def without(*left_out: Json) -> list[Json]:
    return [message for message in WHOLE if message not in left_out]


def test_a_history_in_order_is_not_damaged() -> None:
    assert damage([*WHOLE, *NEXT], ["payium a", "hello"]) == []


@pytest.mark.parametrize(
    "messages",
    [
        without(REPLY),
        without(ANSWERS[0]),
        without(CALL),
        without(CALL, *ANSWERS, REPLY),
        [*WHOLE, {**REPLY, "id": "r9"}],
        [*WHOLE, {**ANSWERS[0], "id": "t9"}],
        [HUMAN, CALL, ANSWERS[0], REPLY, ANSWERS[1]],
        [*WHOLE[:-1], {**REPLY, "id": "h0"}],
        [*WHOLE, *NEXT],
        [],
    ],
)
def test_a_damaged_history_is_found(messages: list[Json]) -> None:
    assert damage(messages, ["payium a"])


def told(status: str, no: str = "1", reply: str = "settled a") -> Ask:
    call: dict[str, Any] = {"tool": "pay", "arguments": {"no": no}, "status": status}
    return Ask(name="a", message="payium a", result={"status": "completed", "reply": reply, "tool_calls": [call]})


@pytest.mark.parametrize(
    ("ask", "effects", "true"),
    [
        (told("done"), [("pay", "1")], True),
        (told("unknown"), [("pay", "1")], True),
        (told("unknown"), [], True),
        (told("rejected"), [], True),
        (told("done"), [], False),
        (told("done", no="2"), [("pay", "1")], False),
        (told("failed"), [("pay", "1")], False),
        (told("done"), [("pay", "1"), ("ship", "2")], False),
        (told("done", reply="settled b"), [("pay", "1")], False),
    ],
)
def test_what_is_told_must_be_what_happened(ask: Ask, effects: list[tuple[str, str]], true: bool) -> None:
    assert (untruths(ask, effects) == []) is true


def test_each_fault_alone_spoils_a_verdict() -> None:
    assert Verdict(turns=3, effects=2, unknown=1).is_clean
    for fault in ("twice", "lost", "stuck", "damaged", "untrue"):
        verdict = Verdict()
        setattr(verdict, fault, 1)
        assert not verdict.is_clean
