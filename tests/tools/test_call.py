"""An outcome, written down and read back."""

import json

from tools.call import Outcome


def test_an_outcome_reads_back_as_it_was_but_for_its_reason_and_time() -> None:
    fresh = Outcome(
        status="done", content="已发货", data={"total": 1}, card={"type": "todo", "design": {}, "data": {}},
        direct=True, arguments={"order_no": "1"}, elapsed_ms=3.5, reason="too_much",
    )  # fmt: skip
    again = Outcome.recorded(json.loads(json.dumps(fresh.record())))
    assert (again.reason, again.elapsed_ms) == ("recorded", 0.0)
    same = ("status", "content", "data", "card", "direct", "arguments")
    assert [getattr(again, name) for name in same] == [getattr(fresh, name) for name in same]


def test_what_a_message_carries_beside_an_outcome_does_not_matter() -> None:
    record = Outcome(status="refused", content="no").record()
    assert Outcome.recorded({**record, "agent": "business"}).status == "refused"
