"""Tools from a description in JSON: what their arguments come to at the door, and which descriptions are left out."""

import json
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it comes without types
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auth.principal import Principal
from tests.tools.samples import NOW
from tools.coercion import Coerced, coerce
from tools.providers.json_tools import InexpressibleError, json_tool
from tools.registry import Registry
from tools.tool import Tool, ToolContext, ToolResult

CONTEXT = ToolContext(principal=Principal(), locale="en", now=NOW, deadline_s=5, idempotency_key="k")


@dataclass
class Taken:
    """Keeps what a call was given."""

    arguments: dict[str, Any] = field(default_factory=dict)

    async def __call__(self, _: ToolContext, arguments: dict[str, Any]) -> ToolResult:
        self.arguments = arguments
        return ToolResult(content="ok")


def made(schema: Any, taken: Taken | None = None, **more: Any) -> Tool:
    given = {"name": "note", "description": "Note.", "group": "shop", "permission": "a:b", "source": "else", **more}
    return json_tool(schema=schema, call=taken or Taken(), **given)


def of(properties: dict[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), **more}


def at_the_door(tool: Tool, arguments: dict[str, Any]) -> Coerced:
    return coerce(tool, arguments, now=NOW, locale="en")


async def sent(schema: dict[str, Any], arguments: dict[str, Any]) -> Any:
    """What the other process is sent for these arguments; the problems where they do not get through."""
    taken = Taken()
    tool = made(schema, taken)
    coerced = at_the_door(tool, arguments)
    if coerced.values is None:
        return [*coerced.problems, *coerced.missing]
    await tool.call(CONTEXT, **{name: getattr(coerced.values, name) for name in tool.arguments.model_fields})
    return taken.arguments


ORDERS = of(
    {
        "orderNo": {"type": "string", "pattern": "^[0-9]+$"},
        "count": {"type": "integer", "minimum": 1, "maximum": 50, "x-frontdesk": {"clamp": True}},
        "since": {"type": "string", "format": "date"},
        "at": {"type": "string", "format": "date-time"},
        "hour": {"type": "string", "format": "time"},
        "paid": {"type": "boolean"},
        "price": {"type": "number", "exclusiveMinimum": 0},
        "status": {
            "enum": ["to_ship", "shipped"],
            "x-frontdesk": {"words": {"已发货": "shipped"}, "aliases": ["state"]},
        },
        "tags": {"type": "array", "items": {"type": "integer"}, "uniqueItems": True, "maxItems": 3},
        "lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}},
        "note": {"type": ["string", "null"]},
        "anything": {},
    },
    "orderNo",
    **{"$defs": {"Line": of({"sku": {"type": "string", "minLength": 1}, "from": {"type": "integer"}}, "sku")}},
)


async def test_arguments_are_coerced_as_those_of_any_tool_and_go_out_under_their_own_names() -> None:
    given = {
        "order_no": 1001,
        "COUNT": "三",
        "since": "昨天",
        "at": "2026-11-30T10:00:00+08:00",
        "hour": "下午三点",
        "paid": "是",
        "price": "９.5",
        "state": "已发货",
        "tags": ["1", 2],
        "lines": [{"sku": "a", "from": 1}],
        "note": None,
        "anything": {"deep": [1, None]},
    }
    assert await sent(ORDERS, given) == {
        "orderNo": "1001",
        "count": 3,
        "since": "2026-11-29",
        "at": "2026-11-30T10:00:00+08:00",
        "hour": "15:00:00",
        "paid": True,
        "price": 9.5,
        "status": "shipped",
        "tags": [1, 2],
        "lines": [{"sku": "a", "from": 1}],
        "anything": {"deep": [1, None]},
    }


async def test_a_number_over_its_maximum_is_drawn_down_where_the_schema_says_so() -> None:
    assert await sent(ORDERS, {"orderNo": "1", "count": 500}) == {"orderNo": "1", "count": 50}
    assert await sent(of({"n": {"type": "integer", "maximum": 5}}), {"n": 6}) == [
        "n: not a fitting value (n, e.g. 1)",
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"orderNo": "a"},
        {"orderNo": "1", "price": 0},
        {"orderNo": "1", "tags": [1, 1]},
        {"orderNo": "1", "tags": [1, 2, 3, 4]},
        {"orderNo": "1", "lines": [{}]},
        {"orderNo": "1", "lines": [{"sku": "a", "more": 1}]},
        {"orderNo": "1", "lines": [{"sku": "a", "from": None}]},
        {"orderNo": "1", "status": "lost"},
        {"orderNo": "1", "paid": 7},
        {"orderNo": "1", "more": 1},
        {"orderNo": ["1", "2"]},
    ],
    ids=json.dumps,
)
async def test_what_the_schema_does_not_take_never_goes_out(arguments: dict[str, Any]) -> None:
    assert isinstance(await sent(ORDERS, arguments), list)


async def test_names_that_python_or_pydantic_need_are_names_like_any_other() -> None:
    names = ["from", "class", "schema", "json", "copy", "_id", "model_config", "order-no", "a.b", "城市", "self"]
    schema = of({name: {"type": "integer"} for name in names})
    assert await sent(schema, {name: 1 for name in names}) == {name: 1 for name in names}
    inside = of({"all": schema})
    assert await sent(inside, {"all": {name: 1 for name in names}}) == {"all": {name: 1 for name in names}}


async def test_a_required_value_that_may_be_null_goes_out_as_null() -> None:
    nullable = of({"a": {"type": ["integer", "null"]}, "b": {"type": ["integer", "null"]}}, "a")
    assert await sent(nullable, {}) == {"a": None}


async def test_free_objects_and_maps_keep_what_they_hold() -> None:
    schema = of({"free": {"type": "object"}, "map": {"type": "object", "additionalProperties": {"type": "integer"}}})
    given = {"free": {"a": {"b": None}}, "map": {"x": 1}}
    assert await sent(schema, given) == given
    assert isinstance(await sent(schema, {"map": {"x": "one"}}), list)


@pytest.mark.parametrize("schema", [None, {}, {"type": "object"}, {"type": "object", "properties": {}}])
async def test_a_tool_without_arguments_takes_none(schema: Any) -> None:
    assert await sent(schema or {}, {}) == {}
    assert isinstance(await sent(schema or {}, {"a": 1}), list)


LEFT_OUT: dict[str, Any] = {
    "no object": {"type": "array"},
    "arguments of any name": {"type": "object", "additionalProperties": True},
    "a reference to elsewhere": of({"a": {"$ref": "https:else/schema.json"}}),
    "a reference to a file": of({"a": {"$ref": "#/components/schemas/A"}}),
    "a reference to nothing": of({"a": {"$ref": "#/$defs/A"}}),
    "a reference to itself": of({"a": {"$ref": "#/$defs/A"}}, **{"$defs": {"A": of({"a": {"$ref": "#/$defs/A"}})}}),
    "references in a ring": of(
        {"a": {"$ref": "#/$defs/A"}}, **{"$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}}
    ),
    "several at once": of({"a": {"allOf": [{"type": "string"}, {"minLength": 1}]}}),
    "one of two alike": of({"a": {"oneOf": [{"type": "string", "pattern": "a"}, {"type": "string", "pattern": "b"}]}}),
    "not": of({"a": {"not": {"type": "string"}}}),
    "a condition": of({"a": {"type": "string"}}) | {"if": {}, "then": {}},
    "a dependency": of({"a": {"type": "string"}}, dependentRequired={"a": ["b"]}),
    "a condition inside": of({"a": of({"b": {"type": "string"}}, patternProperties={"^x": {}})}),
    "a tuple": of({"a": {"type": "array", "prefixItems": [{"type": "string"}]}}),
    "the old tuple": of({"a": {"type": "array", "items": [{"type": "string"}]}}),
    "named beside unnamed": of({"a": of({"b": {"type": "string"}}, additionalProperties={"type": "string"})}),
    "no such type": of({"a": {"type": "money"}}),
    "bounds without a type": of({"a": {"minimum": 1}}),
    "an enum of objects": of({"a": {"enum": [{}]}}),
    "an enum of numbers between": of({"a": {"enum": [1.5]}}),
    "an enum of nothing": of({"a": {"enum": []}}),
    "an enum of another type": of({"a": {"type": "integer", "enum": ["a"]}}),
    "the old exclusive bound": of({"a": {"type": "integer", "minimum": 1, "exclusiveMinimum": True}}),
    "steps of nothing": of({"a": {"type": "integer", "multipleOf": 0}}),
    "steps between whole numbers": of({"a": {"type": "integer", "multipleOf": 0.5}}),
    "a pattern that looks back": of({"a": {"type": "string", "pattern": "(?<=a)b"}}),
    "no pattern": of({"a": {"type": "string", "pattern": "("}}),
    "required and not described": of({"a": {"type": "string"}}, "b"),
    "required that is no list": of({"a": {"type": "string"}}) | {"required": "a"},
    "properties that are no object": {"type": "object", "properties": []},
    "no schema": of({"a": 5}),
    "never": of({"a": False}),
    "two names alike": of({"order_no": {"type": "string"}, "orderNo": {"type": "string"}}),
    "a name of nothing": of({"": {"type": "string"}}),
    "an alias that is taken": of(
        {"a": {"type": "integer", "x-frontdesk": {"aliases": ["b"]}}, "b": {"type": "integer"}}
    ),
    "a word for no value": of({"a": {"enum": ["x"], "x-frontdesk": {"words": {"乙": "y"}}}}),
    "an extra that is none": of({"a": {"type": "integer", "x-frontdesk": {"colour": "red"}}}),
    "a clamp without bounds": of({"a": {"type": "integer", "x-frontdesk": {"clamp": True}}}),
    "too deep": of({"a": json.loads('{"type":"array","items":' * 20 + "{}" + "}" * 20)}),
    "too wide": of({f"a{n}": {"type": "string"} for n in range(200)}),
    "too large": of({"a": {"type": "string", "description": "x" * 100_000}}),
    "a lone surrogate": of({"a": {"enum": ["\ud800"]}}),
    "NUL": of({"a": {"enum": ["\0"]}}),
    "NaN": of({"a": {"type": "number", "minimum": float("nan")}}),
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_cannot_be_checked_exactly_is_left_out_and_named(name: str) -> None:
    with pytest.raises(InexpressibleError, match=r"^else: tool 'note': "):
        made(LEFT_OUT[name])


@pytest.mark.parametrize(
    "more",
    [
        {"name": ""},
        {"name": "../admin"},
        {"name": "两"},
        {"name": "a" * 65},
        {"description": " "},
        {"group": ""},
        {"permission": ""},
        {"timeout_s": 0},
        {"effect": True, "retries": 1},
        {"confirm": True, "confirm_text": {"en": "Really {nothing}?"}},
        {"confirm": True, "confirm_text": {"fr": "Vraiment ?"}},
        {"confirm_text": {"en": "Really?"}},
    ],
    ids=str,
)
def test_metadata_is_held_to_the_same_as_of_any_tool(more: dict[str, Any]) -> None:
    with pytest.raises(InexpressibleError, match=r"^else: tool "):
        made({}, **more)


def test_a_tool_that_is_confirmed_has_an_effect_and_asks_in_its_own_words() -> None:
    tool = made(of({"a": {"type": "string"}}), confirm=True, confirm_text={"en": "Note {a}?"})
    assert (tool.effect, tool.confirm, tool.source) == (True, True, "else")
    assert Registry([tool]).schema("note")["parameters"]["properties"]["a"]["type"] == "string"


def test_descriptions_and_examples_reach_the_model() -> None:
    tool = made(
        of({"n": {"type": "integer", "description": "how many", "examples": ["x", 7]}, "d": {"type": "string"}}),
        description="  Note.\n" + "x" * 5_000,
    )
    schema = Registry([tool]).schema("note")
    assert schema["parameters"]["properties"]["n"]["description"] == "how many; e.g. 7"
    assert schema["parameters"]["properties"]["d"]["description"] == "d"
    assert len(schema["description"]) == 4_000


# Schemas that can be expressed, and arguments for them that fit and that do not.
texts = st.sampled_from(["", "a", "aa", "三", "3", "-1", "2.5", "2026-11-30", "true", "null", " x "])
numbers = st.integers(-3, 12) | st.sampled_from([0.5, 1.5, -2.0, 3.0])
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "from"]), inner, max_size=3),
    max_leaves=6,
)
simple = st.one_of(
    st.fixed_dictionaries(
        {"type": st.just("string")}, optional={"minLength": st.integers(0, 2), "pattern": st.just("a")}
    ),
    st.fixed_dictionaries(
        {"type": st.just("integer")}, optional={"minimum": st.integers(0, 3), "multipleOf": st.just(2)}
    ),
    st.fixed_dictionaries({"type": st.just("number")}, optional={"exclusiveMaximum": st.integers(1, 9)}),
    st.just({"type": "boolean"}),
    st.fixed_dictionaries({"enum": st.lists(st.sampled_from(["a", "aa", 3, True]), min_size=1, unique_by=repr)}),
)
schemas = st.recursive(
    simple | st.just({}),
    lambda inner: st.one_of(
        st.fixed_dictionaries(
            {"type": st.just("array"), "items": inner}, optional={"maxItems": st.just(2), "uniqueItems": st.just(True)}
        ),
        st.fixed_dictionaries(
            {"type": st.just("object"), "properties": st.dictionaries(st.sampled_from(["a", "b", "from"]), inner)}
        ),
        st.fixed_dictionaries({"type": st.just("object"), "additionalProperties": inner}),
        st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=3)}),
        inner.map(lambda one: {"anyOf": [one, {"type": "null"}]}),
    ),
    max_leaves=4,
)


@given(schemas, values, st.booleans())
async def test_whatever_gets_through_the_door_fits_the_schema(schema: Any, value: Any, required: bool) -> None:
    whole = of({"v": schema}, *(["v"] if required else []))
    try:
        came = await sent(whole, {"v": value})
    except InexpressibleError:
        return
    if isinstance(came, dict):
        jsonschema.Draft202012Validator(whole).validate(came)


def test_the_types_at_the_door_are_those_that_coercion_knows() -> None:
    fields = made(ORDERS).arguments.model_fields
    assert [fields[name].annotation for name in ("since", "at", "hour")] == [date, datetime, time]


@pytest.mark.parametrize("fan", [2, 5, 20])
def test_references_that_say_more_and_more_of_each_other_are_not_written_out_without_end(fan: int) -> None:
    """Ten lines of them would be a billion properties, and the desk would stand still over them."""
    defs = {
        f"D{n}": of({f"p{k}": {"$ref": f"#/$defs/D{n + 1}"} for k in range(fan)}) for n in range(10)
    }  # fmt: skip
    schema = of({"a": {"$ref": "#/$defs/D0"}}, **{"$defs": {**defs, "D10": {"type": "string"}}})
    with pytest.raises(InexpressibleError, match=r"more than 500 parts"):
        made(schema)


@pytest.mark.parametrize("name", [["a"], {"a": 1}, 1, None])
def test_a_required_property_that_is_no_name_leaves_the_tool_out(name: Any) -> None:
    with pytest.raises(InexpressibleError, match="requires"):
        made({"type": "object", "properties": {"a": {"type": "string"}}, "required": [name]})
