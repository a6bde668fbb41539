"""What bodies are let in, and what is answered to the others."""

import json
from collections.abc import AsyncIterator
from contextlib import suppress

import httpx
import pytest
from fastapi import FastAPI, Request
from hypothesis import given
from hypothesis import strategies as st

from api.body import MAX_BODY_BYTES, MAX_DEPTH, BodyGuard, parse
from errors import InvalidInput


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    app = FastAPI()

    @app.post("/echo")
    async def echo(body: dict[str, str], request: Request) -> dict[str, object]:
        return {"body": body, "type": request.headers["content-type"]}

    app.add_middleware(BodyGuard)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://desk") as opened:
        yield opened


async def test_json_is_taken_whatever_type_it_is_sent_as(client: httpx.AsyncClient) -> None:
    for sent in ("application/json", "text/plain;charset=UTF-8", "application/x-www-form-urlencoded"):
        answer = await client.post("/echo", content='{"a": "订单"}', headers={"content-type": sent})
        assert answer.json() == {"body": {"a": "订单"}, "type": "application/json"}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"a": "\xff\xfe"}', "UTF-8"),
        ('{"a": "订单"}'.encode("utf-16"), "UTF-8"),
        (b"{", "JSON"),
        (b"hello", "JSON"),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": -Infinity}', "Infinity"),
        (b'{"a": 1e999}', "too large"),
        (b'{"a": -1e999}', "too large"),
        (b'{"a": 9223372036854775808}', "64 bits"),
        (b'{"a": ' + b"9" * 5000 + b"}", "64 bits"),
        (rb'{"a": "\u0000"}', "NUL"),
        (rb'{"\u0000": "a"}', "NUL"),
        (b'{"a": "\x00"}', "JSON"),
        (rb'{"a": ["\ud83d"]}', "surrogate"),
        (rb'{"\udc00": 1}', "surrogate"),
        (b"[" * 100_000, "deeply"),
        (b"[" * 200 + b"]" * 200, "deeply"),
    ],
)
async def test_what_no_later_part_could_hold_is_refused(client: httpx.AsyncClient, body: bytes, said: str) -> None:
    answer = await client.post("/echo", content=body)
    assert answer.status_code == 422
    assert said in answer.json()["detail"]


async def test_a_whole_pair_of_surrogates_is_a_character(client: httpx.AsyncClient) -> None:
    answer = await client.post("/echo", content=rb'{"a": "\ud83d\ude00"}')
    assert answer.json()["body"] == {"a": "😀"}


async def test_a_body_of_one_megabyte_is_the_most(client: httpx.AsyncClient) -> None:
    rest = len('{"a":""}')
    assert (await client.post("/echo", json={"a": "x" * (MAX_BODY_BYTES - rest)})).status_code == 200
    answer = await client.post("/echo", json={"a": "x" * (MAX_BODY_BYTES - rest + 1)})
    assert answer.status_code == 413
    assert isinstance(answer.json()["detail"], str)


async def test_a_body_without_a_length_is_counted_while_it_is_read(client: httpx.AsyncClient) -> None:
    read = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal read
        while True:
            read += 1
            yield b" " * 65536

    answer = await client.post("/echo", content=endless())
    assert answer.status_code == 413
    assert read == MAX_BODY_BYTES // 65536 + 1


async def test_a_length_that_lies_is_not_believed(client: httpx.AsyncClient) -> None:
    answer = await client.post("/echo", content=b" " * (MAX_BODY_BYTES + 1), headers={"content-length": "5"})
    assert answer.status_code == 413


SCALARS = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
)
SAFE = st.text(st.characters(codec="utf-8", exclude_characters="\0"))
JSON = st.recursive(SCALARS | SAFE, lambda inner: st.lists(inner) | st.dictionaries(SAFE, inner), max_leaves=20)


@given(JSON)
def test_all_other_json_is_let_in(value: object) -> None:
    assert parse(json.dumps(value).encode()) == value


@given(st.binary())
def test_no_bytes_break_the_guard(body: bytes) -> None:
    with suppress(InvalidInput):
        parse(body)


def test_the_deepest_nesting_is_a_round_number() -> None:
    parse(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)
    with pytest.raises(InvalidInput, match="deeply"):
        parse(b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1))
