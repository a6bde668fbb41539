"""Every call that the executor makes or refuses is told to the audit once, masked and small."""

import asyncio
import json
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auth.principal import Principal
from errors import Unavailable
from tests.fakes.audit import MemoryAudit
from tests.fakes.ledger import MemoryLedger
from tests.tools import samples
from tests.tools.samples import answering, caller
from tools.audit import LONGEST_RESULT, MOST_BYTES, AuditEntry
from tools.call import Call, Caller, Outcome
from tools.executor import Executor
from tools.registry import Registry
from tools.tool import Tool, ToolResult

APPROVE = {"type": "approve"}
CHANGE = {"order_no": "20261130001", "status": "shipped"}


class Shop:
    """An executor over a few tools, and what its audit was told."""

    def __init__(self, *more: Tool) -> None:
        self.audit = MemoryAudit()
        self.ledger = MemoryLedger()
        registry = Registry([samples.search, samples.set_status, *more])
        self.executor = Executor(registry, {}, {}, ledger=self.ledger, audit=self.audit)

    async def call(
        self,
        name: str,
        arguments: Any = None,
        confirmation: Any = None,
        who: Caller | None = None,
        deadline_s: float = 5,
    ) -> Outcome:
        call = Call(id="c1", name=name, arguments=arguments or {})
        return await self.executor.run(call, who or caller(), confirmation=confirmation, deadline_s=deadline_s)


async def test_a_call_is_told_with_who_made_it_where_and_what_came_of_it() -> None:
    shop = Shop()
    who = caller(thread_id="t", run_id="r", principal=Principal(user="kim", roles=("viewer", "operator")))
    await shop.call("search", {"limit": "3"}, who=who)
    (entry,) = shop.audit.entries
    columns = entry.columns()
    assert columns.pop("elapsed_ms") > 0
    assert columns == {
        "tenant_id": "acme",
        "user_id": "kim",
        "roles": ["viewer", "operator"],
        "thread_id": "t",
        "turn_id": "t1",
        "run_id": "r",
        "call_id": "c1",
        "undoes": None,
        "agent": "shop",
        "tool": "search",
        "arguments": columns["arguments"],
        "result": "limit 3",
        "source": "keyword",
        "outcome": "done",
        "reason": "",
        "confirmation": None,
    }
    assert columns["arguments"]["limit"] == 3


async def failing() -> ToolResult:
    raise ValueError("db password is hunter2")


async def test_refused_rejected_and_failed_calls_are_told_too() -> None:
    shop = Shop(answering(failing, permission="order:read"))
    await shop.call("no_such_tool")
    await shop.call("search", {"limit": "many"})
    await shop.call("search", who=caller(agent=samples.agent(public=False)))
    await shop.call("set_status", CHANGE)
    await shop.call("set_status", CHANGE, {"type": "edit", "edited_action": {"name": "search", "args": {}}})
    await shop.call("answer")
    assert [told[:2] for told in shop.audit.told] == [
        ("no_such_tool", "refused"),
        ("search", "refused"),
        ("search", "refused"),
        ("set_status", "rejected"),
        ("set_status", "refused"),
        ("answer", "failed"),
    ]
    assert "hunter2" not in json.dumps([entry.columns() for entry in shop.audit.entries])


CONFIRMED: Sequence[tuple[dict[str, Any], str, dict[str, Any]]] = [
    (APPROVE, "done", {"answer": "approve"}),
    ({"type": "reject", "message": "not yet"}, "rejected", {"answer": "reject", "message": "not yet"}),
    ({"type": "reject", "expired": True}, "rejected", {"answer": "expired"}),
]


@pytest.mark.parametrize(("given", "outcome", "kept"), CONFIRMED)
async def test_what_was_asked_and_how_it_was_answered_is_told(
    given: dict[str, Any], outcome: str, kept: dict[str, Any]
) -> None:
    shop = Shop()
    await shop.call("set_status", CHANGE, {**given, "asked": CHANGE})
    (entry,) = shop.audit.entries
    assert entry.outcome == outcome
    assert entry.confirmation == {"asked": CHANGE, "by": "alex", **kept}


async def test_of_an_edited_call_both_are_told_what_was_asked_and_what_was_done() -> None:
    shop = Shop()
    edited = {**CHANGE, "status": "to_ship"}
    given = {"type": "edit", "edited_action": {"name": "set_status", "args": edited}, "asked": CHANGE}
    await shop.call("set_status", edited, given)
    (entry,) = shop.audit.entries
    assert entry.outcome == "done"
    assert entry.arguments == edited
    assert entry.confirmation == {"asked": CHANGE, "answer": "edit", "by": "alex"}


async def test_a_replay_tells_nothing() -> None:
    shop = Shop()
    await shop.call("search", who=caller(mode="replay"))
    assert shop.audit.entries == []


async def test_a_call_whose_record_cannot_be_kept_is_answered_and_the_log_has_the_record(
    caplog: pytest.LogCaptureFixture,
) -> None:
    shop = Shop()
    shop.audit.broken_by = Unavailable("the database does not answer")
    with caplog.at_level(logging.ERROR):
        outcome = await shop.call("search", {"order_no": "13812345678"})
    assert outcome.status == "done"
    assert "138****5678" in caplog.text
    assert "13812345678" not in caplog.text


async def test_what_stops_a_run_is_no_outcome_and_is_not_told() -> None:
    shop = Shop(answering(ToolResult(content="paid"), effect=True, permission="order:write"))
    shop.ledger.broken_by["begin"] = Unavailable("away")
    with pytest.raises(Unavailable):
        await shop.call("answer")
    assert shop.audit.entries == []


class Slow:
    """A tool that waits until it is let go."""

    def __init__(self) -> None:
        self.began, self.goes_on = asyncio.Event(), asyncio.Event()

    async def __call__(self) -> ToolResult:
        self.began.set()
        await self.goes_on.wait()
        return ToolResult(content="paid 7")


async def test_an_effect_that_ends_after_its_caller_was_cancelled_is_told_as_it_ended() -> None:
    slow = Slow()
    shop = Shop(answering(slow, effect=True, permission="order:write"))
    task = asyncio.create_task(shop.call("answer"))
    await slow.began.wait()
    task.cancel()
    slow.goes_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    (entry,) = shop.audit.entries
    assert (entry.outcome, entry.result, shop.ledger.rows[0].status) == ("done", "paid 7", "done")
    assert entry.elapsed_ms > 0


async def test_a_reading_call_that_was_cancelled_is_told_as_cut_off() -> None:
    slow = Slow()
    shop = Shop(answering(slow))
    task = asyncio.create_task(shop.call("answer"))
    await slow.began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert shop.audit.told == [("answer", "failed", "cancelled")]


def entry(**values: Any) -> AuditEntry:
    base: dict[str, Any] = {"agent": "shop", "tool": "search", "source": "model", "outcome": "done", "arguments": {}}
    return AuditEntry(principal=Principal(), **{**base, **values})


def test_secrets_and_phone_numbers_are_masked_wherever_they_stand() -> None:
    secret = {"phone": "13812345678", "note": "密码是 hunter2", "api_key": "sk-abcdefghijkl", "lines": ["13912345678"]}
    columns = entry(
        arguments=secret,
        result="call 13812345678, token: abcdef123456",
        confirmation={"asked": secret, "answer": "reject", "message": "my password is hunter2"},
        tool="search 13812345678",
    ).columns()
    text = json.dumps(columns, ensure_ascii=False)
    for hidden in ("13812345678", "13912345678", "hunter2", "sk-abc", "abcdef123456"):
        assert hidden not in text
    assert "138****5678" in text
    assert columns["arguments"]["api_key"] == "***"


@pytest.mark.parametrize("before", range(LONGEST_RESULT - 14, LONGEST_RESULT + 2))
@pytest.mark.parametrize("secret", ["13812345678", "138 1234 5678", "+86 138-1234-5678", "sk-abcdefghijklmnop"])
def test_a_secret_that_is_cut_in_two_is_not_shown_in_part(before: int, secret: str) -> None:
    result = entry(result="订" * before + " " + secret + "x" * 400).columns()["result"]
    assert "1381234" not in result.replace(" ", "").replace("-", "")
    assert "sk-abc" not in result
    assert len(result) <= LONGEST_RESULT + 1


def test_a_very_large_call_is_kept_in_a_small_row() -> None:
    deep: Any = "x"
    for _ in range(2_000):
        deep = {"a": deep}
    rows = [{"note": "长" * 5_000, "n": 10**400} for _ in range(2_000)]
    columns = entry(arguments={"rows": rows, "deep": deep}, result="很" * 8_000, call_id="i" * 5_000).columns()
    assert len(json.dumps(columns, ensure_ascii=False).encode()) < MOST_BYTES + 4_000


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(st.dictionaries(st.text(), VALUES), st.text(), st.text())
def test_whatever_a_call_holds_it_can_be_kept(arguments: dict[str, Any], result: str, name: str) -> None:
    kept = replace(entry(arguments=arguments), result=result, tool=name, call_id=name).columns()
    json.dumps(kept, allow_nan=False).encode()
    json.dumps(kept, ensure_ascii=False).encode()
