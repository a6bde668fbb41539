"""Whatever a graph holds comes out as JSON that every client can read."""

import json
import math
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, ToolMessage

from graphs.plain import plain

NUMBERS = st.none() | st.booleans() | st.integers() | st.floats()
TEXTS = st.text(alphabet=st.characters(codec=None, categories=("L", "N", "P", "Cs", "Cc")))
ANYTHING = st.recursive(NUMBERS | TEXTS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner), max_leaves=20)


@given(ANYTHING)
def test_the_outcome_can_always_be_sent(value: Any) -> None:
    json.dumps(plain(value), allow_nan=False, ensure_ascii=False).encode()


@given(
    st.recursive(
        st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_what_is_plain_already_stays_as_it_is(value: Any) -> None:
    assert plain(value) == value


def test_messages_become_flat() -> None:
    call = {"name": "list_orders", "args": {}, "id": "1", "type": "tool_call"}
    shown = plain(
        [AIMessage("", tool_calls=[call], id="a"), ToolMessage("12 单", tool_call_id="1", artifact=None, id="t")]
    )
    assert (shown[0]["type"], shown[0]["tool_calls"], shown[0]["content"]) == ("ai", [call], "")
    assert (shown[1]["type"], shown[1]["tool_call_id"], shown[1]["status"]) == ("tool", "1", "success")


def test_what_json_cannot_say_becomes_what_comes_closest() -> None:
    moment = datetime(2026, 11, 30, tzinfo=UTC)
    strange = {
        "a": math.nan,
        "b": (1, {2}),
        "c": moment,
        "d": date(2026, 11, 30),
        "e": Decimal("1.5"),
        6: ValueError("x"),
    }
    assert plain(strange) == {
        "a": None,
        "b": [1, [2]],
        "c": "2026-11-30T00:00:00+00:00",
        "d": "2026-11-30",
        "e": 1.5,
        "6": "ValueError('x')",
    }
