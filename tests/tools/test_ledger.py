"""What makes two calls one effect."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tools.ledger import canonical, effect_key

NAMES = st.text(max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
ARGUMENTS = st.dictionaries(NAMES, VALUES, max_size=4)


@given(ARGUMENTS)
def test_the_order_of_arguments_does_not_count(arguments: dict[str, Any]) -> None:
    turned = dict(reversed(arguments.items()))
    assert effect_key("t", "pay", arguments) == effect_key("t", "pay", turned)
    assert canonical("pay", arguments) == canonical("pay", turned)


def test_turn_tool_and_arguments_each_make_another_effect() -> None:
    keys = {
        effect_key("t1", "pay", {"no": "1"}),
        effect_key("t2", "pay", {"no": "1"}),
        effect_key("t1", "ship", {"no": "1"}),
        effect_key("t1", "pay", {"no": "2"}),
        effect_key("t1", "pay", {"no": 1}),
        effect_key("t1", "pay", {"no": "1", "note": "x"}),
    }
    assert len(keys) == 6
    assert all(len(key) == 64 for key in keys)


def test_a_call_reads_as_text() -> None:
    assert canonical("pay", {"to": "张三", "no": 1}) == '["pay",{"no":1,"to":"张三"}]'
