"""The registry and the schemas that models see."""

import json
from dataclasses import replace
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from errors import ConfigurationError
from tests.tools.samples import answering, search, set_status
from tools.registry import Registry
from tools.tool import Arg, ToolContext, ToolResult, tool


class Tree(BaseModel):
    children: list["Tree"] = []


def keys_of(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*map(keys_of, value.values()))
    return set().union(*map(keys_of, value)) if isinstance(value, list) else set()


def test_tools_are_found_by_name_and_by_group() -> None:
    registry = Registry([search, set_status])
    assert registry["search"] is search
    assert registry.get("nothing") is None
    assert list(registry) == ["search", "set_status"]
    assert registry.groups == ("shop",)
    assert registry.group("shop") == (search, set_status)
    assert registry.group("nothing") == ()


def test_it_does_not_change_with_the_list_that_it_was_made_of() -> None:
    tools = [search]
    registry = Registry(tools)
    tools.append(set_status)
    assert len(registry) == 1


def test_two_tools_of_one_name_stop_start_up() -> None:
    with pytest.raises(ConfigurationError, match=r"'answer'.*samples"):
        Registry([answering("a"), answering("b")])


def test_a_schema_is_an_openai_function_without_references_bounds_and_nulls() -> None:
    schema = Registry([search]).schema(search)
    assert set(schema) == {"name", "description", "parameters"}
    assert schema["name"] == "search"
    unwanted = {"$ref", "$defs", "anyOf", "minimum", "maximum", "minLength", "default", "title", "pattern"}
    assert not keys_of(schema) & unwanted
    assert "null" not in json.dumps(schema)
    assert schema["parameters"]["additionalProperties"] is False


def test_descriptions_carry_the_example_and_the_documented_cap() -> None:
    properties = Registry([search]).schema("search")["parameters"]["properties"]
    assert properties["limit"] == {"type": "integer", "description": "how many, 1 to 100; e.g. 5"}
    assert properties["status"] == {
        "type": "string", "enum": ["to_ship", "shipped"], "description": "status; e.g. shipped",
    }  # fmt: skip
    assert properties["start_date"]["format"] == "date"
    assert properties["order"]["enum"] == ["newest", "oldest"]
    line = properties["lines"]["items"]["properties"]
    assert line == {"sku": {"type": "string"}, "count": {"type": "integer"}}


def test_required_arguments_are_listed() -> None:
    registry = Registry([search, set_status])
    assert registry.schema("set_status")["parameters"]["required"] == ["order_no", "status"]
    assert registry.schema("search")["parameters"]["required"] == []


def test_a_type_that_refers_to_itself_stops_start_up() -> None:
    @tool(group="shop", permission="order:read")
    async def plant(
        ctx: ToolContext, tree: Annotated[Tree, Arg(description="a tree", example={"children": []})]
    ) -> ToolResult:
        """Plant a tree."""
        return ToolResult(content="")

    with pytest.raises(ConfigurationError, match="'plant', parameter 'tree'"):
        Registry([plant])


def test_the_tools_of_a_source_are_replaced_at_once_or_not_at_all() -> None:
    registry = Registry([search, replace(set_status, source="centre")])
    registry.replace("centre", [replace(set_status, name="cancel", source="centre")])
    assert list(registry) == ["search", "cancel"]
    assert registry.schema("cancel")["name"] == "cancel"
    with pytest.raises(ConfigurationError, match="two tools are named 'search'"):
        registry.replace("centre", [replace(search, source="centre")])
    assert list(registry) == ["search", "cancel"]


def test_a_tool_may_take_the_place_of_one_that_it_is_allowed_to_for_as_long_as_it_is_there() -> None:
    registry = Registry([search, set_status])
    other = replace(search, source="centre", description="elsewhere")
    with pytest.raises(ConfigurationError, match="two tools are named 'search'"):
        registry.replace("centre", [other])
    registry.replace("centre", [other, replace(search, name="stock", source="centre")], over={"search", "set_status"})
    assert list(registry) == ["search", "set_status", "stock"]
    assert registry["search"] is other
    assert registry.schema("search")["description"] == "elsewhere"
    registry.replace("centre", [], over={"search"})
    assert registry["search"] is search
    assert list(registry) == ["search", "set_status"]


def test_two_sources_do_not_both_take_one_place() -> None:
    registry = Registry([search])
    registry.replace("one", [replace(search, source="one")], over={"search"})
    with pytest.raises(ConfigurationError, match="two tools are named 'search'"):
        registry.replace("two", [replace(search, source="two")], over={"search"})
    assert registry["search"].source == "one"
