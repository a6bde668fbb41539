"""What a person said to a question for a yes, live and in a replay."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.messages.tool import tool_call

from nodes.confirm import decided, edit, recorded
from nodes.context import Recording
from nodes.state import State
from tools.ledger import canonical

SHIP = {"order_no": "1", "status": "shipped"}


def test_each_call_finds_its_own_answer_and_a_new_one_none() -> None:
    asked = [
        tool_call(name="update_order_status", args=dict(reversed(SHIP.items())), id="a"),
        tool_call(name="update_order_status", args={**SHIP, "order_no": "2"}, id="b"),
        tool_call(name="add_todo", args=SHIP, id="c"),
    ]
    no = {"type": "reject", "message": "not this one"}
    known = Recording(decisions={canonical("update_order_status", SHIP): no})
    assert recorded(asked, known) == {"a": no}
    assert recorded(asked, Recording()) == {}


@pytest.mark.parametrize(
    "given", [{"type": "edit"}, {"type": "edit", "edited_action": {"name": "t"}}, {"type": "edit", "edited_action": 1}]
)
def test_a_badly_shaped_edit_leaves_the_call_as_it_is(given: Any) -> None:
    call = tool_call(name="t", args={"a": 1}, id="k")
    assert edit(call, {"k": given}) == call


def test_an_answer_goes_with_the_arguments_that_were_shown_whatever_it_says_of_them() -> None:
    shown, other = tool_call(name="t", args=SHIP, id="k"), {**SHIP, "order_no": "2"}
    state = State(messages=[AIMessage("", tool_calls=[shown], id="m")])
    given: Any = {"k": {"type": "approve", "asked": other}}
    assert decided(state, given)["turn"]["confirmations"]["k"] == {"type": "approve", "asked": SHIP}
    edited: Any = {"k": {"type": "edit", "edited_action": {"name": "t", "args": other}}}
    change = decided(state, edited)
    assert change["turn"]["confirmations"]["k"]["asked"] == SHIP
    assert change["messages"][0].tool_calls[0]["args"] == other  # type: ignore[union-attr]  # an AIMessage
    assert state["messages"][0].tool_calls == [shown]  # type: ignore[union-attr]
