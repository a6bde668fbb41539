"""Dotted paths into results, by the schema of the result's model."""

from enum import StrEnum
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, RootModel

from config.schemas import members, missing_step


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Owner(BaseModel):
    name: str
    tags: list[str] = []


class Row(BaseModel):
    name: str
    owner: Owner | None = None
    pair: tuple[int, str] = (0, "")
    colour: Colour = Colour.RED


class Result(BaseModel):
    total: int
    rows: list[Row]
    by_name: dict[str, Owner] = {}
    free: Any = None
    children: "list[Result]" = []


@pytest.mark.parametrize(
    "path",
    [
        "total", "rows", "rows.0", "rows.3.name", "rows.0.owner.name", "rows.0.owner.tags.1", "rows.0.pair.1",
        "by_name.whoever.name", "free.any.thing", "children.0.children.2.rows.0.name", "rows.0.colour",
    ],
)  # fmt: skip
def test_a_path_that_can_lead_to_a_value_is_good(path: str) -> None:
    assert missing_step(Result, path) is None


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("totl", "the result has no field 'totl'; did you mean 'total'?"),
        ("rows.0.nmae", "'rows.0' of the result has no field 'nmae'; did you mean 'name'?"),
        ("rows.name", "'rows' of the result is a list; 'name' must be an index such as 0"),
        ("rows.0.owner.phone", "'rows.0.owner' of the result has no field 'phone'"),
        ("total.0", "'total' of the result has no field '0'"),
        ("rows.0.pair.2", "'rows.0.pair' of the result has no field '2'"),
        ("", "the result has no field ''"),
        ("rows.-1", "'rows' of the result is a list; '-1' must be an index such as 0"),
        ("rows.0.colour.red", "'rows.0.colour' of the result has no field 'red'"),
    ],
)
def test_a_path_that_leads_nowhere_is_explained(path: str, problem: str) -> None:
    assert missing_step(Result, path) == problem


def test_a_result_may_be_a_list() -> None:
    assert missing_step(RootModel[list[Row]], "0.name") is None


@given(st.recursive(st.just("total"), lambda inner: inner.map(lambda path: f"children.0.{path}"), max_leaves=8))
def test_records_within_records_are_followed(path: str) -> None:
    assert missing_step(Result, path) is None
    assert missing_step(Result, f"{path}s") is not None


def test_the_values_of_a_parameter_are_known_where_they_are_listed() -> None:
    class Arguments(BaseModel):
        colour: Colour | None = None
        size: Literal["s", "m"] = "s"
        one: Literal["only"] = "only"
        text: str | None = None
        mixed: Colour | int = 0

    assert members(Arguments, "colour") == {"red", "blue"}
    assert members(Arguments, "size") == {"s", "m"}
    assert members(Arguments, "one") == {"only"}
    assert members(Arguments, "text") is None
    assert members(Arguments, "mixed") is None
