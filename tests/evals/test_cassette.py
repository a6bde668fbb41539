"""Recorded answers: found by what was asked, and by nothing else."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from errors import ConfigurationError
from evals.cassette import Cassette, key_of, read_takes, vendor_of
from evals.waiting import one_turn

ASKED: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "你好"}], "temperature": 0}


class Answering(httpx.AsyncBaseTransport):
    def __init__(self, status: int = 200) -> None:
        self.status, self.asked = status, 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        assert request.method == "POST"
        self.asked += 1
        return httpx.Response(self.status, json={"said": self.asked}, headers={"x-request-id": "1"})


async def ask(tape: Cassette, body: Any = ASKED) -> httpx.Response:
    async with httpx.AsyncClient(transport=tape) as http:
        return await http.post("http://model.invalid/v1/chat/completions", json=body)


def key(**changes: Any) -> str:
    return key_of(json.dumps({**ASKED, **changes}).encode())


def test_the_key_is_what_is_asked_and_not_whom_or_how_warmly() -> None:
    assert key() == key(model="other", temperature=1, thinking={"type": "disabled"})
    assert key() == key_of(json.dumps(dict(reversed(ASKED.items()))).encode())
    assert len({key(), key(stream=True), key(tools=[{}]), key(messages=[])}) == 4
    assert key_of(b"\xff{") == key_of(b"\xff{")


async def test_an_answer_is_kept_and_played(tmp_path: Path) -> None:
    path, inner = tmp_path / "deep" / "m.jsonl", Answering()
    first = await ask(Cassette(path, inner, vendor="generic"))
    again = Cassette(path, None, vendor="generic")
    second = await ask(again)
    assert (first.json(), second.json(), inner.asked) == ({"said": 1}, {"said": 1}, 1)
    assert (again.played, again.missed, vendor_of(path)) == (1, 0, "generic")


async def test_the_time_that_it_took_counts_in_the_turn_that_plays_it(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    await ask(Cassette(path, Answering(), vendor="generic"))
    head, take = path.read_text().splitlines()
    path.write_text("\n".join([head, json.dumps({**json.loads(take), "ms": 1234.5})]))
    with one_turn() as waited:
        await ask(Cassette(path, None, vendor="generic"))
    await ask(Cassette(path, None, vendor="generic"))
    assert waited.ms == 1234.5


@pytest.mark.parametrize("status", [429, 500])
async def test_a_fault_is_not_kept(tmp_path: Path, status: int) -> None:
    path = tmp_path / "m.jsonl"
    assert (await ask(Cassette(path, Answering(status), vendor="generic"))).status_code == status
    assert read_takes(path) == {}


async def test_what_is_not_on_it_is_404_where_nobody_can_be_asked(tmp_path: Path) -> None:
    tape = Cassette(tmp_path / "none.jsonl", None, vendor="generic")
    assert (await ask(tape)).status_code == 404
    assert tape.missed == 1


async def test_without_a_path_nothing_is_kept() -> None:
    inner = Answering()
    await ask(Cassette(None, inner, vendor="generic"))
    await ask(Cassette(None, inner, vendor="generic"))
    assert inner.asked == 2


@pytest.mark.parametrize("line", ["{", "[]", '{"key": "a"}', "1"])
def test_a_line_that_is_no_take_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text(f'{{"vendor": "generic"}}\n{line}\n')
    with pytest.raises(ConfigurationError, match=r"m\.jsonl:2"):
        read_takes(path)
    path.write_text(f"{line}\n")
    with pytest.raises(ConfigurationError, match=r"m\.jsonl:1"):
        vendor_of(path)
