"""`frontdesk audit`: the calls that were made or refused, as a table and as JSON."""

import json
import uuid
from datetime import UTC, datetime, timedelta

import pytest

import cli
from checkpoints.audit import AuditStore
from checkpoints.saver import TurnSaver
from tests.checkpoints.entries import Entry
from tests.commands.said import Frontdesk


async def record(frontdesk: Frontdesk, *entries: Entry) -> None:
    audit = AuditStore(frontdesk.pool, TurnSaver(frontdesk.pool))
    for entry in entries:
        await audit.record(entry)


async def test_calls_are_listed_with_who_what_and_how_they_ended(frontdesk: Frontdesk) -> None:
    thread = str(uuid.uuid4())
    confirmation = {"asked": {"order_no": "1"}, "answer": "approve", "by": "alex"}
    change = Entry(
        tool="update_order_status",
        arguments={"status": "已发货"},
        confirmation=confirmation,
        thread_id=thread,
        elapsed_ms=12.4,
    )
    refused = Entry(tool="add_todo", outcome="refused", reason="not_permitted", thread_id=thread, arguments=None)
    await record(frontdesk, change, refused)
    said = await frontdesk("audit", "--thread", thread)
    head, newest, older = said.lines
    assert head.split() == ["at", "owner", "tool", "arguments", "outcome", "confirmed", "ms", "thread"]
    for word in ("acme/alex", "add_todo", "(deleted)", "refused (not_permitted)", thread):
        assert word in newest
    for word in ("update_order_status", '{"status": "已发货"}', "done", "approve by alex", " 12 ", thread):
        assert word in older


async def test_filters_leave_what_fits_all_of_them(frontdesk: Frontdesk) -> None:
    user = uuid.uuid4().hex
    await record(frontdesk, *(Entry(user_id=user, tool=tool) for tool in ("add_todo", "list_todos", "add_todo")))
    await record(frontdesk, Entry(user_id=user, tool="add_todo", tenant_id="globex", outcome="failed"))
    lines = {
        ("--tool", "add_todo"): 3,
        ("--tool", "add_todo", "--tenant", "acme"): 2,
        ("--outcome", "failed"): 1,
        ("--since", "2h"): 4,
        ("--since", "2999-01-01"): 0,
        ("--since", (datetime.now(UTC) + timedelta(hours=1)).isoformat()): 0,
        ("--limit", "3"): 3,
    }
    for given, count in lines.items():
        said = await frontdesk("audit", "--user", user, "--json", *given)
        assert (said.status, len(said.lines)) == (0, count), given


async def test_as_json_a_call_is_one_object_a_line(frontdesk: Frontdesk) -> None:
    user = uuid.uuid4().hex
    await record(frontdesk, Entry(user_id=user, result="三个订单"))
    said = await frontdesk("audit", "--user", user, "--json")
    assert "三个订单" in said.out
    assert json.loads(said.out)["user_id"] == user
    assert "T" in json.loads(said.out)["at"]


async def test_more_than_the_limit_says_so_and_nothing_says_so(frontdesk: Frontdesk) -> None:
    user = uuid.uuid4().hex
    said = await frontdesk("audit", "--user", user)
    assert said.out == "there are no such calls\n"
    await record(frontdesk, *(Entry(user_id=user) for _ in range(3)))
    said = await frontdesk("audit", "--user", user, "--limit", "2")
    assert len(said.lines) == 4
    assert "--limit" in said.lines[-1]


def test_an_outcome_that_there_is_not_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["audit", "--outcome", "happy"]) == 2
    assert "--outcome: must be one of done, " in capsys.readouterr().err


@pytest.mark.parametrize("given", [("--since", "yesterday"), ("--since", "x7d"), ("--limit", "0"), ("--limit", "many")])
def test_what_cannot_be_meant_is_refused(given: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refusal:
        cli.main(["audit", *given])
    assert refusal.value.code == 2
    assert given[0] in capsys.readouterr().err
