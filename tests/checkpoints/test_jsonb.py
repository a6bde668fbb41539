"""What `jsonb` takes, asked of PostgreSQL itself."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from checkpoints.jsonb import lenient, strict

texts = st.text(st.characters(codec=None) | st.sampled_from("\x00\\u0\ud800\udfff订"), max_size=12)
leaves = st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(width=32) | texts
values = st.recursive(leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3))
fixtures = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def connection(database_url: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(database_url, autocommit=True) as opened:
        yield opened


def takes(connection: psycopg.Connection[Any], text: str) -> bool:
    try:
        connection.execute("SELECT %s::jsonb", (text,))
    except (psycopg.DataError, psycopg.errors.UntranslatableCharacter, UnicodeEncodeError):
        return False
    return True


@given(value=values)
@fixtures
def test_what_strict_lets_through_is_taken(connection: psycopg.Connection[Any], value: Any) -> None:
    try:
        text = strict(value)
    except ValueError:
        return
    assert takes(connection, text)


@given(text=texts)
@fixtures
def test_strict_refuses_no_text_that_would_be_taken(connection: psycopg.Connection[Any], text: str) -> None:
    try:
        strict({"text": text})
    except ValueError:
        assert "\x00" in text or any("\ud800" <= character <= "\udfff" for character in text)
    else:
        row = connection.execute("SELECT %s::jsonb ->> 'text'", (strict({"text": text}),)).fetchone()
        assert row == (text,)


@given(value=values)
@fixtures
def test_lenient_is_always_taken(connection: psycopg.Connection[Any], value: Any) -> None:
    connection.execute("SELECT %s", (lenient(value),))


@pytest.mark.parametrize("value", ["a\\u0000b", "\\\\u0000", "\\", {"k": ["\\u0000"]}])
def test_text_that_only_looks_like_an_escape_is_kept_as_it_is(connection: psycopg.Connection[Any], value: Any) -> None:
    row = connection.execute("SELECT %s::jsonb", (strict(value),)).fetchone()
    assert row == (value,)
