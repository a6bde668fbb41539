"""One call, from its name to its outcome, over tools that answer, raise, hang and lie."""

import asyncio
import logging
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import httpx
import psycopg
import pytest
from langgraph.errors import GraphInterrupt

from auth.principal import Principal
from errors import StaleThread, Unavailable
from tests.tools.running import executor, run
from tests.tools.samples import agent, answering, caller, search, set_status
from tools.call import Call, Outcome
from tools.ledger import canonical
from tools.tool import Tool, ToolContext, ToolResult

SQL = "'; DROP TABLE orders; --"
SECRET = "password=hunter2"  # what the text of an exception may hold


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


@pytest.mark.parametrize(
    ("locale", "said"),
    [
        ("zh", "您没有 order:write 权限，这一步没有执行"),
        ("en", "you lack the permission order:write; this was not carried out"),
    ],
)
async def test_a_refusal_names_the_permission_that_is_missing(locale: str, said: str) -> None:
    by = caller(principal=Principal(permissions=frozenset({"*:read"})), locale=locale)
    for confirmation in (None, {"type": "approve"}, {"type": "reject"}):
        outcome = await run(set_status, {"order_no": "1"}, by=by, confirmation=confirmation)
        assert (outcome.status, outcome.reason, outcome.content) == ("refused", "not_permitted", said)


@pytest.mark.parametrize(
    ("locale", "said"),
    [
        ("zh", "“shop”只对角色 boss、deputy 开放，这一步没有执行"),
        ("en", "shop is open to the role boss / deputy only; this was not carried out"),
    ],
)
async def test_a_refusal_of_an_agent_names_the_roles_that_it_is_for(locale: str, said: str) -> None:
    outcome = await run(search, by=caller(agent=agent(roles=("boss", "deputy")), locale=locale))
    assert (outcome.status, outcome.reason, outcome.content) == ("refused", "not_permitted", said)
    theirs = await run(search, by=caller(agent=agent(roles=("boss",), tenants=("globex",)), locale=locale))
    assert (theirs.status, "boss" in theirs.content) == ("refused", False)


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
    outcome = await run(set_status, ARGUMENTS, confirmation={"type": "approve", "asked": ARGUMENTS})
    assert (outcome.status, outcome.data) == ("done", ARGUMENTS)


@pytest.mark.parametrize(
    "shown", [None, {}, {"order_no": "1"}, {**ARGUMENTS, "order_no": "2"}, {**ARGUMENTS, "x": None}]
)
async def test_a_yes_belongs_to_the_arguments_that_were_shown_and_to_no_others(shown: Any) -> None:
    yes = {"type": "approve"} if shown is None else {"type": "approve", "asked": shown}
    outcome = await run(set_status, ARGUMENTS, confirmation=yes)
    assert (outcome.status, outcome.reason, outcome.arguments) == ("refused", "not_as_shown", ARGUMENTS)
    assert outcome.content == "not carried out: it is not what was confirmed, please ask again"
    unchanged = {**yes, "type": "edit"}
    assert (await run(set_status, ARGUMENTS, confirmation=unchanged)).reason == "not_as_shown"


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
    yes = {"type": "approve", "expired": True, "asked": ARGUMENTS}
    late = await run(set_status, ARGUMENTS, confirmation=yes)
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


@pytest.mark.parametrize("raised", [GraphInterrupt(()), StaleThread()])
async def test_what_stops_a_run_passes_through(raised: BaseException) -> None:
    with pytest.raises(type(raised)):
        await run(answering(raised))


async def test_a_read_that_hangs_fails_in_time() -> None:
    outcome = await run(answering(lambda: asyncio.sleep(60), timeout_s=0.02))
    assert (outcome.status, outcome.reason) == ("failed", "timeout")
    assert outcome.elapsed_ms < 2_000


@pytest.mark.parametrize(("effect", "status"), [(False, "failed"), (True, "unknown")])
async def test_a_tool_that_does_not_let_itself_be_stopped_is_left_behind(effect: bool, status: str) -> None:
    free = asyncio.Event()

    async def stubborn() -> ToolResult:
        while not free.is_set():
            with suppress(asyncio.CancelledError):
                await free.wait()
        return ToolResult(content="at last")

    outcome = await run(answering(stubborn, timeout_s=0.02, effect=effect))
    assert (outcome.status, outcome.reason) == (status, "timeout")
    free.set()


async def test_a_tool_that_tells_its_result_when_it_is_stopped_is_believed() -> None:
    async def tidy() -> ToolResult:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            return ToolResult(content="half of it")
        raise AssertionError

    assert (await run(answering(tidy, timeout_s=0.02))).content == "half of it"


async def test_a_tool_whose_clearing_up_fails_was_too_late_all_the_same() -> None:
    async def untidy() -> ToolResult:
        try:
            await asyncio.sleep(60)
        finally:
            raise ValueError(SECRET)

    outcome = await run(answering(untidy, timeout_s=0.02))
    assert (outcome.status, outcome.reason) == ("failed", "timeout")


async def test_a_call_that_is_cancelled_cancels_its_tool() -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def work() -> ToolResult:
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()
        raise AssertionError

    calling = asyncio.create_task(run(answering(work, timeout_s=60), deadline_s=60))
    await begun.wait()
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    assert ended.is_set()


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
    assert outcome.content.endswith(": outcome unknown, please check before trying again") is (status == "unknown")
    assert (await run(answering(error, effect=True, idempotent=True))).status == "failed"


async def test_an_effect_that_hangs_is_unknown() -> None:
    outcome = await run(answering(lambda: asyncio.sleep(60), effect=True, timeout_s=0.02), by=caller(locale="zh"))
    assert outcome.status == "unknown"
    assert outcome.content.endswith("：结果未知，请先核实，再决定是否重试")


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
        name="save", description="Save.", group="shop", permission="order:write", arguments=answering(0).arguments,
        call=call, effect=True, idempotent=True, retries=1,
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
