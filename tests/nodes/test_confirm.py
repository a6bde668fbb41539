"""A replay is answered from what a person said when the turn was live."""

from langchain_core.messages.tool import tool_call

from nodes.confirm import recorded
from nodes.context import Recording
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
