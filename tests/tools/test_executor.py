"""One call, from its name to its outcome, over tools that answer, raise, hang and lie."""

import asyncio
import json
import logging
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import httpx
import psycopg
import pytest
from langgraph.errors import GraphInterrupt

from errors import StaleThread, Unavailable
from tests.tools.samples import agent, answering, caller, order_list, search, set_status
from tools.call import Call, Caller, Outcome
from tools.executor import Executor
from tools.ledger import canonical
from tools.registry import Registry
from tools.tool import Card, Tool, ToolContext, ToolResult

SQL = "'; DROP TABLE orders; --"
SECRET = "password=hunter2"  # what the text of an exception may hold


@dataclass(frozen=True, kw_only=True)
class Design:
    design: Mapping[str, Any] = field(default_factory=lambda: {"title": "Orders"})
    fields: Mapping[str, Any] = field(
        default_factory=lambda: {"total": {"type": "integer"}, "orders": {"type": "array"}}
    )


class Grade(StrEnum):
    GOOD = "good"


def executor(*tools: Tool, resources: Mapping[str, Any] | None = None, max_parallel: int = 16) -> Executor:
    return Executor(Registry(tools), resources or {}, {"order_list": Design()}, max_parallel=max_parallel)


async def run(
    tool: Tool,
    arguments: Mapping[str, Any] | None = None,
    *,
    confirmation: Mapping[str, Any] | None = None,
    by: Caller | None = None,
    deadline_s: float = 5.0,
    name: str | None = None,
) -> Outcome:
    call = Call(id="c1", name=name or tool.name, arguments=arguments or {})
    return await executor(tool).run(call, by or caller(), confirmation=confirmation, deadline_s=deadline_s)


async def test_a_call_is_coerced_and_answered() -> None:
    outcome = await run(search, {"Limit": "三", "status": "已发货"})
    assert (outcome.status, outcome.content, outcome.reason) == ("done", "limit 3", "")
    assert outcome.arguments == {"limit": 3, "status": "shipped"}
    assert outcome.data["given"]["status"] == "shipped"
    assert type(outcome.data["given"]["status"]) is str
    assert outcome.data["tenant"] == "acme"
    assert 0 < outcome.elapsed_ms < 5_000


async def test_text_that_looks_like_sql_is_text() -> None:
    outcome = await run(search, {"order_no": SQL})
    assert outcome.data["given"]["order_no"] == SQL


async def test_an_unknown_tool_is_refused() -> None:
    outcome = await run(search, {"limit": 1}, name="drop_tables")
    assert (outcome.status, outcome.reason) == ("refused", "unknown_tool")
    assert outcome.content == "there is no tool 'drop_tables'"


async def test_a_tool_of_another_agents_group_is_refused() -> None:
    outcome = await run(search, by=caller(agent=agent(tool_groups=("other",)), locale="zh"))
    assert (outcome.status, outcome.reason, outcome.content) == ("refused", "not_permitted", "您没有使用这项功能的权限")


async def test_what_does_not_fit_is_refused_with_every_problem() -> None:
    outcome = await run(search, {"limit": True, "x": 1})
    assert (outcome.status, outcome.reason) == ("refused", "bad_arguments")
    assert "limit: must be a whole number" in outcome.content
    assert "there is no argument 'x'" in outcome.content


async def test_what_is_missing_is_named_in_the_callers_language() -> None:
    outcome = await run(set_status, {"status": "shipped"}, by=caller(locale="zh"))
    assert (outcome.status, outcome.reason) == ("refused", "missing_arguments")
    assert outcome.content == "参数有误：缺少：订单号（例如 20261130001）"


ARGUMENTS = {"order_no": "1", "status": "shipped"}


@pytest.mark.parametrize("confirmation", [None, {}, {"type": "perhaps"}, {"type": None}])
async def test_without_a_yes_nothing_is_carried_out(confirmation: Mapping[str, Any] | None) -> None:
    outcome = await run(set_status, ARGUMENTS, confirmation=confirmation)
    assert (outcome.status, outcome.reason, outcome.data) == ("rejected", "not_confirmed", {})


async def test_a_no_carries_the_persons_message() -> None:
    outcome = await run(set_status, ARGUMENTS, confirmation={"type": "reject", "message": "wrong order"})
    assert (outcome.status, outcome.content) == ("rejected", "not carried out: it was declined (wrong order)")
    outcome = await run(set_status, ARGUMENTS, confirmation={"type": "reject"})
    assert outcome.content == "not carried out: it was declined"


async def test_a_yes_lets_the_call_through() -> None:
    outcome = await run(set_status, ARGUMENTS, confirmation={"type": "approve"})
    assert (outcome.status, outcome.data) == ("done", ARGUMENTS)


async def test_an_edit_changes_arguments_and_passes_the_same_door() -> None:
    edit = {"type": "edit", "edited_action": {"name": "set_status", "args": {"orderNo": 2, "status": "待发货"}}}
    outcome = await run(set_status, ARGUMENTS, confirmation=edit)
    assert outcome.data == {"order_no": "2", "status": "to_ship"}
    broken = {"type": "edit", "edited_action": {"name": "set_status", "args": {"status": "gone"}}}
    assert (await run(set_status, ARGUMENTS, confirmation=broken)).status == "refused"


@pytest.mark.parametrize("edited", [{"name": "search", "args": {}}, {"args": "all"}, ["set_status"], "x"])
async def test_an_edit_changes_nothing_but_arguments(edited: Any) -> None:
    outcome = await run(set_status, ARGUMENTS, confirmation={"type": "edit", "edited_action": edited})
    assert (outcome.status, outcome.reason, outcome.arguments) == ("refused", "bad_edit", ARGUMENTS)


@pytest.mark.parametrize("expired", [True, False])
async def test_an_answer_that_came_too_late_says_so_and_not_that_it_was_wished(expired: bool) -> None:
    outcome = await run(set_status, ARGUMENTS, confirmation={"type": "reject", "expired": expired})
    said = "the confirmation has expired, please ask again" if expired else "it was declined"
    assert (outcome.status, outcome.content) == ("rejected", f"not carried out: {said}")
    late = await run(set_status, ARGUMENTS, confirmation={"type": "approve", "expired": True})
    assert late.status == "done"


def fail() -> None:
    raise AssertionError("called")


async def test_a_replay_never_calls() -> None:
    outcome = await run(answering(fail), by=caller(mode="replay"))
    assert (outcome.status, outcome.content) == ("not_executed", "replay: not executed")


async def test_a_replay_gives_what_was_recorded_whatever_the_spelling_of_the_call() -> None:
    live = await run(search, {"limit": 3})
    recorded = {canonical("search", live.arguments): live.record()}
    by = caller(mode="replay", recorded=recorded)
    again = await run(search, {"Limit": "三"}, by=by)
    assert (again.status, again.content, again.data, again.reason) == ("done", "limit 3", live.data, "recorded")
    assert (await run(search, {"limit": 4}, by=by)).status == "not_executed"
    assert (await run(search, {"limit": True}, by=by)).status == "refused"


async def test_a_replay_needs_no_yes_but_keeps_a_no() -> None:
    recorded = {canonical("set_status", ARGUMENTS): Outcome(status="done", content="shipped").record()}
    by = caller(mode="replay", recorded=recorded)
    assert (await run(set_status, ARGUMENTS, by=by)).content == "shipped"
    assert (await run(set_status, ARGUMENTS, by=by, confirmation={"type": "reject"})).status == "rejected"
    assert (await run(set_status, ARGUMENTS, by=caller(mode="replay"))).status == "not_executed"


async def test_an_exception_becomes_a_failure_without_its_text(caplog: pytest.LogCaptureFixture) -> None:
    outcome = await run(answering(RuntimeError(SECRET)))
    assert (outcome.status, outcome.data) == ("failed", {})
    assert SECRET not in outcome.content
    assert "RuntimeError" not in outcome.content
    trace = outcome.reason.removeprefix("error ")
    assert trace in outcome.content
    record = next(record for record in caplog.records if trace in record.getMessage())
    assert record.exc_info


@pytest.mark.parametrize("raised", [GraphInterrupt(()), StaleThread(), asyncio.CancelledError()])
async def test_what_stops_a_run_passes_through(raised: BaseException) -> None:
    with pytest.raises(type(raised)):
        await run(answering(raised))


async def test_a_read_that_hangs_fails_in_time() -> None:
    outcome = await run(answering(lambda: asyncio.sleep(60), timeout_s=0.02))
    assert (outcome.status, outcome.reason) == ("failed", "timeout")
    assert outcome.elapsed_ms < 2_000


async def test_the_turns_deadline_is_the_shorter_limit() -> None:
    started = time.perf_counter()
    outcome = await run(answering(lambda: asyncio.sleep(60)), deadline_s=0.02)
    assert (outcome.status, outcome.reason) == ("failed", "timeout")
    assert time.perf_counter() - started < 2


async def test_no_time_left_means_no_call() -> None:
    outcome = await run(answering(AssertionError("called"), effect=True), deadline_s=0)
    assert (outcome.status, outcome.reason) == ("failed", "no_time")


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (TimeoutError(), "unknown"),
        (ConnectionResetError(), "unknown"),
        (httpx.ReadTimeout("late"), "unknown"),
        (psycopg.OperationalError("the connection is lost"), "unknown"),
        (ConnectionRefusedError(), "failed"),
        (httpx.ConnectError("nobody there"), "failed"),
        (psycopg.errors.SerializationFailure("rolled back"), "failed"),
        (ValueError("a bug"), "failed"),
    ],
)
async def test_an_effect_that_may_have_happened_is_unknown(error: Exception, status: str) -> None:
    outcome = await run(answering(error, effect=True))
    assert outcome.status == status
    assert (outcome.content == "outcome unknown, please check before trying again") is (status == "unknown")
    assert (await run(answering(error, effect=True, idempotent=True))).status == "failed"


async def test_an_effect_that_hangs_is_unknown() -> None:
    outcome = await run(answering(lambda: asyncio.sleep(60), effect=True, timeout_s=0.02), by=caller(locale="zh"))
    assert (outcome.status, outcome.content) == ("unknown", "结果未知，请先核实，再决定是否重试")


def in_turn(*results: Any) -> Any:
    left = iter(results)
    return lambda: next(left)


@pytest.mark.parametrize("error", [TimeoutError(), ConnectionRefusedError(), Unavailable(), httpx.ReadError("x")])
async def test_a_transient_fault_is_tried_again(error: Exception) -> None:
    tool = answering(in_turn(error, error, ToolResult(content="at last")), retries=2)
    assert (await run(tool)).content == "at last"
    tool = answering(in_turn(error, error, ToolResult(content="too late")), retries=1)
    assert (await run(tool)).status == "failed"


async def test_a_bug_is_not_tried_again() -> None:
    tool = answering(in_turn(ValueError(), ToolResult(content="never")), retries=2)
    assert (await run(tool)).status == "failed"


async def test_every_try_of_a_call_has_the_same_key() -> None:
    seen: list[ToolContext] = []

    async def call(ctx: ToolContext) -> ToolResult:
        seen.append(ctx)
        if len(seen) == 1:
            raise ConnectionResetError
        return ToolResult(content="done")

    tool = Tool(
        name="save", description="Save.", group="shop", permission="p", arguments=answering(0).arguments, call=call,
        effect=True, idempotent=True, retries=1,
    )  # fmt: skip
    resources, by = {"save": object()}, caller(extra={"channel": "web"})
    outcome = await executor(tool, resources=resources).run(
        Call(id="c1", name="save", arguments={}), by, confirmation=None, deadline_s=1
    )
    assert outcome.status == "done"
    assert seen[0].idempotency_key == seen[1].idempotency_key
    assert seen[0].resources is resources["save"]
    assert seen[0].extra == {"channel": "web"}
    assert 0 < seen[0].deadline_s <= 1
    await executor(tool).run(
        Call(id="c2", name="save", arguments={}), caller(turn_id="t2"), confirmation=None, deadline_s=1
    )
    assert seen[2].idempotency_key != seen[0].idempotency_key


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


async def test_no_more_calls_run_at_once_than_allowed() -> None:
    running = most = 0

    async def work() -> ToolResult:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.01)
        running -= 1
        return ToolResult(content="done")

    one = executor(answering(work), max_parallel=3)
    call = Call(id="c", name="answer", arguments={})
    outcomes = await asyncio.gather(*(one.run(call, caller(), confirmation=None, deadline_s=5) for _ in range(12)))
    assert {outcome.status for outcome in outcomes} == {"done"}
    assert most == 3


async def test_waiting_for_a_turn_counts_against_the_deadline_and_frees_its_place() -> None:
    one = executor(answering(lambda: asyncio.sleep(60)), max_parallel=1)
    call = Call(id="c", name="answer", arguments={})
    first = asyncio.create_task(one.run(call, caller(), confirmation=None, deadline_s=60))
    await asyncio.sleep(0)
    second = await one.run(call, caller(), confirmation=None, deadline_s=0.02)
    assert (second.status, second.reason) == ("failed", "no_time")
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    third = await one.run(call, caller(), confirmation=None, deadline_s=0.02)
    assert (third.status, third.reason) == ("failed", "timeout")


async def test_arguments_and_result_are_logged_at_debug_level_only(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        await run(search, {"limit": 7})
    assert "limit" not in caplog.text
    with caplog.at_level(logging.DEBUG):
        await run(search, {"limit": 7})
    assert "{'limit': 7}" in caplog.text
    assert "limit 7" in caplog.text
