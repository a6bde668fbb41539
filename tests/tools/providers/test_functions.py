"""What a function centre lists, as tools: never looser than the operator and the built-in adapters have it."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.functions import FunctionRule, FunctionRules
from demo.function_centre import FUNCTIONS
from tests.tools.running import Design
from tests.tools.samples import answering
from tools.providers.function_centre import SOURCE, Address, FunctionCentre
from tools.providers.functions import Offer, Offering
from tools.providers.python import load_adapters
from tools.tool import Tool

FUNCTION = {"name": "stock", "description": "Count what is in stock.", "group": "shop", "effect": False}
OWN = {tool.name: tool for file in load_adapters([]) for tool in file.tools}


@pytest.fixture
async def centre() -> AsyncIterator[FunctionCentre]:
    async with httpx.AsyncClient(trust_env=False) as client:
        yield FunctionCentre(client, Address(url="http://127.0.0.1:1", connect_s=10, read_s=30))


def offered(
    centre: FunctionCentre,
    *functions: Any,
    own: dict[str, Tool] | None = None,
    cards: Sequence[str] = ("order_list",),
    **rules: Any,
) -> Offer:
    known = OWN if own is None else own
    designs = {name: Design() for name in cards}
    return Offering(centre=centre, rules=FunctionRules(**rules), own=known, cards=designs).of(list(functions))


async def test_a_function_becomes_a_tool_with_what_it_declares(centre: FunctionCentre) -> None:
    declared = {
        **FUNCTION, "effect": True, "confirm": True, "confirm_text": {"en": "Count {what}?"}, "idempotent": True,
        "retries": 2, "timeout_s": 3.0, "direct": True, "cards": ["order_list"], "permission": "stock:count",
        "parameters": {"type": "object", "properties": {"what": {"type": "string"}}}, "colour": "red",
    }  # fmt: skip
    offer = offered(centre, declared)
    assert (offer.left_out, offer.wrong) == ((), ())
    (tool,) = offer.tools
    assert (tool.name, tool.group, tool.permission, tool.source) == ("stock", "shop", "stock:count", SOURCE)
    assert (tool.effect, tool.confirm, tool.idempotent, tool.retries) == (True, True, True, 2)
    assert (tool.timeout_s, tool.direct, tool.cards) == (3.0, True, ("order_list",))
    assert tool.confirm_text == {"en": "Count {what}?"}


async def test_without_a_permission_the_group_makes_one(centre: FunctionCentre) -> None:
    reading, writing = offered(centre, FUNCTION, {**FUNCTION, "name": "count", "effect": True}).tools
    assert (reading.permission, writing.permission) == ("shop:read", "shop:write")
    assert reading.timeout_s == 40


async def test_a_function_takes_the_place_of_a_built_in_adapter_and_is_as_strict(centre: FunctionCentre) -> None:
    loose = {**FUNCTION, "name": "update_order_status", "group": "todo", "permission": "todo:read", "idempotent": True}
    (tool,) = offered(centre, loose).tools
    before = OWN["update_order_status"]
    assert (tool.group, tool.permission) == (before.group, before.permission)
    assert tool.effect
    assert tool.confirm
    assert tool.idempotent is before.idempotent


async def test_what_the_operator_wrote_is_never_loosened(centre: FunctionCentre) -> None:
    rule = FunctionRule(group="vault", permission="vault:open", effect=True, confirm=True, timeout_s=2)
    loose = {**FUNCTION, "timeout_s": 30.0, "retries": 3, "permission": "shop:read"}
    (tool,) = offered(centre, loose, functions={"stock": rule}).tools
    assert (tool.group, tool.permission, tool.timeout_s) == ("vault", "vault:open", 2)
    assert (tool.effect, tool.confirm, tool.retries) == (True, True, 0)
    careful = {**FUNCTION, "effect": True, "confirm": True}
    (tool,) = offered(centre, careful, functions={"stock": FunctionRule()}).tools
    assert (tool.effect, tool.confirm) == (True, True)


async def test_what_the_operator_does_not_want_is_not_there(centre: FunctionCentre) -> None:
    offer = offered(centre, FUNCTION, functions={"stock": FunctionRule(allowed=False)})
    assert offer == Offer(tools=())
    offer = offered(centre, FUNCTION, groups=("todo",))
    assert offer.tools == ()
    assert offer.left_out == ("function_centre: tool 'stock': functions.yaml allows the groups todo, not 'shop'",)


async def test_a_taken_name_and_an_unknown_card_are_wrong_and_not_just_left_out(centre: FunctionCentre) -> None:
    own = {"answer": answering("a")}
    functions = [FUNCTION, FUNCTION, {**FUNCTION, "name": "answer"}, {**FUNCTION, "name": "c", "cards": ["nowhere"]}]
    offer = offered(centre, *functions, own=own)
    assert [tool.name for tool in offer.tools] == ["stock"]
    assert offer.wrong == (
        "function_centre: two functions are named 'stock'",
        "function_centre: the function 'answer' has the name of a tool of tests.tools.samples",
        "function_centre: tool 'c': cards: no card 'nowhere' in config/cards/",
    )


ODD: list[Any] = [
    None, 5, "stock", [], {},
    {**FUNCTION, "name": "a/b"}, {**FUNCTION, "name": "../functions"}, {**FUNCTION, "name": ""},
    {**FUNCTION, "name": "x" * 65}, {**FUNCTION, "name": "库存"}, {**FUNCTION, "name": "a\0b"}, {**FUNCTION, "name": 5},
    {**FUNCTION, "description": ""}, {**FUNCTION, "group": ""}, {**FUNCTION, "group": 5},
    {**FUNCTION, "permission": "everything"}, {**FUNCTION, "permission": "*"}, {**FUNCTION, "permission": "a:b\n"},
    {**FUNCTION, "effect": "no"}, {key: value for key, value in FUNCTION.items() if key != "effect"},
    {**FUNCTION, "timeout_s": 0}, {**FUNCTION, "timeout_s": "soon"}, {**FUNCTION, "retries": 99},
    {**FUNCTION, "retries": True}, {**FUNCTION, "cards": "order_list"}, {**FUNCTION, "parameters": []},
    {**FUNCTION, "parameters": {"type": "array"}},
    {**FUNCTION, "confirm": True, "confirm_text": {"fr": "Vraiment ?"}},
    {**FUNCTION, "confirm": True, "confirm_text": {"en": "{a.__class__}"}},
    {**FUNCTION, "confirm": True, "confirm_text": {"en": "{what:>1000000}"}},
    {**FUNCTION, "effect": True, "compensate": {"function": "nowhere", "arguments": {}}},
    {**FUNCTION, "compensate": {"function": "stock", "arguments": {}}},
]  # fmt: skip


@pytest.mark.parametrize("entry", ODD, ids=repr)
async def test_an_odd_function_is_left_out_with_its_reason_and_the_others_stay(
    centre: FunctionCentre, entry: Any
) -> None:
    offer = offered(centre, entry, {**FUNCTION, "name": "sound"})
    assert [tool.name for tool in offer.tools] == ["sound"]
    (said,) = offer.left_out
    assert said.startswith("function_centre: tool ")
    assert len(said) < 600


UNDONE = {
    **FUNCTION, "name": "reserve", "effect": True,
    "compensate": {"function": "release", "arguments": {"number": "result.number"}},
}  # fmt: skip
RELEASE = {
    **FUNCTION, "name": "release", "effect": True,
    "parameters": {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]},
}  # fmt: skip


async def test_a_function_may_name_the_one_that_undoes_it(centre: FunctionCentre) -> None:
    offer = offered(centre, UNDONE, RELEASE)
    assert offer.left_out == ()
    assert offer.tools[0].compensate is not None
    assert offer.tools[0].compensate.tool == "release"


async def test_what_the_operator_has_confirmed_does_not_undo_anything_unasked(centre: FunctionCentre) -> None:
    offer = offered(centre, UNDONE, RELEASE, functions={"release": FunctionRule(confirm=True)})
    assert [tool.name for tool in offer.tools] == ["release"]
    (said,) = offer.left_out
    assert "'reserve'" in said


async def test_what_undoes_a_built_in_adapter_takes_no_place_without_it(centre: FunctionCentre) -> None:
    remove, add = FUNCTIONS["remove_todo"].described(), FUNCTIONS["add_todo"].described()
    assert [tool.name for tool in offered(centre, remove, add, cards=["todo"]).tools] == ["remove_todo", "add_todo"]
    offer = offered(centre, remove)
    assert offer.tools == ()
    assert offer.left_out == ("function_centre: tool 'remove_todo': it undoes 'add_todo', which is not served there",)


async def test_there_is_an_end_to_how_many_there_may_be(centre: FunctionCentre) -> None:
    many = [{**FUNCTION, "name": f"f{number}"} for number in range(600)]
    offer = offered(centre, *many)
    assert len(offer.tools) == 500
    assert offer.left_out == ("function_centre: 100 functions beyond the first 500",)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(
    st.lists(
        json_values | st.dictionaries(st.sampled_from([*FUNCTION, "parameters", "cards"]), json_values), max_size=3
    )
)
def test_no_list_whatever_raises(listed: list[Any]) -> None:
    centre = FunctionCentre(httpx.AsyncClient(trust_env=False), Address(url="http://127.0.0.1:1"))
    offered(centre, *listed)
