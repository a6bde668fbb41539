"""JSON from a model is an object that can be stored, or it is nothing."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.strict import clean, json_object, looks_like_a_call, unfenced

scalars = (
    st.none() | st.booleans() | st.integers(1 - 2**63, 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
values: st.SearchStrategy[Any] = st.recursive(
    scalars | texts, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=10
)


@given(st.dictionaries(texts, values))
def test_every_storable_object_is_read_as_it_was_written(value: dict[str, Any]) -> None:
    assert json_object(json.dumps(value)) == value
    assert json_object(json.dumps(value, ensure_ascii=False)) == value


@given(st.text())
def test_any_text_is_an_object_or_a_value_error(text: str) -> None:
    with suppress(ValueError):
        assert isinstance(json_object(text), dict)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "1",
        "null",
        '{"a": NaN}',
        '{"a": -Infinity}',
        '{"a": 1e999}',
        '{"a": 1} x',
        "{'a': 1}",
        '{"a": 1,}',
    ],
)
def test_what_only_looks_like_an_object_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - any of them
        json_object(text)


def test_a_backslash_before_u0000_as_text_is_only_text() -> None:
    assert json_object(r'{"a": "\\u0000"}') == {"a": r"\u0000"}


@given(texts)
def test_cleaning_leaves_ordinary_text_alone(text: str) -> None:
    assert clean(text) == text


@given(st.text())
def test_clean_text_can_be_stored_as_utf8(text: str) -> None:
    assert b"\0" not in clean(text).encode()


def test_only_a_text_that_is_one_code_block_is_unfenced() -> None:
    assert unfenced('```json\n{"a": 1}\n```') == '{"a": 1}'
    assert unfenced('look:\n```json\n{"a": 1}\n```') != '{"a": 1}'


@pytest.mark.parametrize("text", ["今天共有 12 个订单。", "{用户} 您好", "1. 订单\n2. {x}", "```\nplain\n```", "[]"])
def test_ordinary_answers_do_not_look_like_calls(text: str) -> None:
    assert not looks_like_a_call(text)


@pytest.mark.parametrize(
    "text",
    ['{"a": 9223372036854775808}', '{"a": ' + "1" * 5_000 + "}", '{"a": ' + "[" * 65 + "]" * 65 + "}"],
    ids=["above 64 bits", "thousands of digits", "too deep"],
)
def test_what_cannot_be_kept_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"64 bits|deeply"):
        json_object(text)


def test_the_largest_number_and_ordinary_depth_are_kept() -> None:
    assert json_object('{"a": -9223372036854775807, "b": [[[1]]]}') == {"a": -9223372036854775807, "b": [[[1]]]}
