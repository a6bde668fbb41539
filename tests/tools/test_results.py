"""What a tool gave back, as it comes out of the executor: sound, small, and with its card."""

import json
import math
import time
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import ToolMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from tests.tools.running import run
from tests.tools.samples import answering, caller, order_list
from tools.results import MAX_DEPTH, Unusable, checked
from tools.tool import Card, ToolResult


class Grade(StrEnum):
    GOOD = "good"


CYCLE: dict[str, Any] = {}
CYCLE["self"] = CYCLE
UNUSABLE = [
    None, "text", {"content": "x"}, 7,
    ToolResult(content=None), ToolResult(content="\ud800"),  # type: ignore[arg-type]  # the mistake under test
    ToolResult(content="x", data=[1]),  # type: ignore[arg-type]  # the mistake under test
    ToolResult(content="x", data={"n": math.nan}), ToolResult(content="x", data={"n": [math.inf]}),
    ToolResult(content="x", data={"n": object()}), ToolResult(content="x", data={"n": "\ud800"}),
    ToolResult(content="x", data=CYCLE),
    ToolResult(content="x", card=Card(type="order_list", data={"n": math.nan})),
    ToolResult(content="x", outcome="fine"),  # type: ignore[arg-type]  # the mistake under test
]  # fmt: skip


@pytest.mark.parametrize("result", UNUSABLE, ids=range(len(UNUSABLE)))
async def test_what_is_no_result_fails(result: Any) -> None:
    outcome = await run(answering(result))
    assert (outcome.status, outcome.data, outcome.card) == ("failed", {}, None)
    assert (await run(answering(result, effect=True, idempotent=True))).status == "unknown"


async def test_a_result_is_plain_json_afterwards() -> None:
    data = {"grade": Grade.GOOD, "pair": (1, 2), 3: "x", "nul": "a\0b"}
    outcome = await run(answering(ToolResult(content="  ", data=data)))  # type: ignore[arg-type]  # int key on purpose
    assert outcome.data == {"grade": "good", "pair": [1, 2], "3": "x", "nul": "a\ufffdb"}
    assert type(outcome.data["grade"]) is str
    assert outcome.content == "nothing to show"


async def test_an_expected_failure_is_passed_on_as_it_is() -> None:
    refusal = ToolResult(content="a completed order stays so", outcome="refused")
    outcome = await run(answering(refusal, direct=True))
    assert (outcome.status, outcome.content, outcome.direct) == ("refused", refusal.content, False)


async def test_ten_megabytes_are_cut_to_the_first_rows_and_say_so() -> None:
    started = time.perf_counter()
    outcome = await run(answering(order_list(85_000)))
    assert time.perf_counter() - started < 10
    assert (outcome.status, outcome.reason) == ("done", "too_much")
    assert outcome.data["total"] == 85_000
    assert outcome.data["orders"][0]["order_no"] == "0"
    assert len(outcome.data["orders"]) > 400
    assert len(json.dumps(outcome.data, ensure_ascii=False, separators=(",", ":")).encode()) <= 64_000
    assert outcome.content.startswith("85000 orders\nresult too large: 10")
    assert outcome.content.endswith("bytes, first rows kept")
    assert outcome.card
    assert outcome.card["data"] == outcome.data


async def test_long_content_is_cut_too() -> None:
    outcome = await run(answering(ToolResult(content="长" * 50_000), max_bytes=6_000), by=caller(locale="zh"))
    assert outcome.content == "长" * 2_000 + "\n结果过大：150002 字节，只保留前面的部分"


async def test_a_card_gets_its_design() -> None:
    outcome = await run(answering(order_list(2), direct=True))
    assert outcome.card
    assert (outcome.card["type"], outcome.card["design"]) == ("order_list", {"title": "Orders"})
    assert outcome.card["data"]["total"] == 2
    assert outcome.direct


@pytest.mark.parametrize(
    "card", [Card(type="order_list", data={"total": "2", "orders": []}), Card(type="nowhere", data={})]
)
async def test_a_card_that_does_not_fit_leaves_a_plain_answer(card: Card, caplog: pytest.LogCaptureFixture) -> None:
    outcome = await run(answering(ToolResult(content="2 orders", card=card)))
    assert (outcome.status, outcome.content, outcome.card) == ("done", "2 orders", None)
    assert card.type in caplog.text


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**80), 2**80) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab\0\\u0", max_size=7), inner, max_size=3),
    max_leaves=20,
)  # fmt: skip


def nested(depth: int) -> dict[str, Any]:
    return {"a": json.loads("[" * (depth - 1) + "]" * (depth - 1))}


def usable(data: dict[str, Any], max_bytes: int = 64_000) -> dict[str, Any]:
    return checked(ToolResult(content="x", data=data), max_bytes, {}, "en").data


@given(VALUES)
def test_whatever_is_usable_can_be_kept(value: Any) -> None:
    message = ToolMessage("x", tool_call_id="1", artifact={"data": usable({"value": value})})
    kept = JsonPlusSerializer().dumps_typed([message])
    assert JsonPlusSerializer().loads_typed(kept)[0].artifact == message.artifact


def test_a_whole_number_beyond_64_bits_becomes_its_text_and_no_other_does() -> None:
    data = {"largest": 2**63 - 1, "least": -(2**63), "more": 2**63, "less": -(2**63) - 1, "text": "9" * 30, "f": 1e30}
    assert usable(data) == {**data, "more": str(2**63), "less": str(-(2**63) - 1)}


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 300, 900])
@pytest.mark.parametrize("max_bytes", [64_000, 100], ids=["whole", "shortened"])
def test_what_is_nested_too_deeply_is_of_no_use(depth: int, max_bytes: int) -> None:
    with pytest.raises(Unusable, match="nested"):
        usable(nested(depth), max_bytes)
    with pytest.raises(Unusable, match="nested"):
        checked(ToolResult(content="x", card=Card(type="t", data=nested(depth))), max_bytes, {}, "en")


def test_what_is_wide_is_not_deep() -> None:
    data = {"rows": [{"cells": [[n]]} for n in range(100)]}
    assert usable(data) == data
    assert usable(nested(MAX_DEPTH - 1)) == nested(MAX_DEPTH - 1)


def test_nul_is_replaced_and_a_backslash_before_u0000_is_text() -> None:
    result = ToolResult(content="a\0b \\u0000", data={"k\0": ["\\\0", "\\\\u0000"]})
    found = checked(result, 1_000, {}, "en")
    assert (found.content, found.data) == ("a\ufffdb \\u0000", {"k\ufffd": ["\\\ufffd", "\\\\u0000"]})
