"""`frontdesk ledger`: calls whose end is unknown, and their settlement by hand."""

import uuid
from typing import Any

import pytest

from checkpoints.ledger import LedgerStore
from checkpoints.saver import TurnSaver
from tests.commands.said import Frontdesk


async def begin(frontdesk: Frontdesk, **more: Any) -> tuple[LedgerStore, int]:
    """A call that began in a process which is gone."""
    ledger = LedgerStore(frontdesk.pool, TurnSaver(frontdesk.pool))
    given: dict[str, Any] = {
        "effect_key": uuid.uuid4().hex,
        "business_key": None,
        "tenant": "acme",
        "user": "alex",
        "thread_id": str(uuid.uuid4()),
        "turn_id": "t",
        "run_id": str(uuid.uuid4()),
        "tool": "update_order_status",
        "arguments": {"order_no": "20261130001", "status": "已发货"},
    }
    row = await ledger.begin(**{**given, **more})
    return ledger, row.id


async def test_every_end_is_known(frontdesk: Frontdesk) -> None:
    said = await frontdesk("ledger", "unknown")
    assert (said.status, said.out) == (0, "the end of every call is known\n")


async def test_an_unknown_end_is_listed_with_what_was_asked(frontdesk: Frontdesk) -> None:
    _, row_id = await begin(frontdesk)
    said = await frontdesk("ledger", "unknown")
    head, row, advice = said.lines
    assert head.split() == ["id", "began", "owner", "tool", "arguments", "thread"]
    assert row.split()[0] == str(row_id)
    assert "acme/alex" in row
    assert '{"order_no": "20261130001", "status": "已发货"}' in row
    assert "resolve" in advice
    assert (await frontdesk("ledger", "resolve", str(row_id), "failed")).status == 0


async def test_a_settled_call_is_answered_from_the_ledger_or_may_be_made_again(frontdesk: Frontdesk) -> None:
    ledger, happened = await begin(frontdesk, effect_key="happened")
    _, did_not = await begin(frontdesk, effect_key="did not")
    said = await frontdesk("ledger", "resolve", str(happened), "done", "--note", "the order is 已发货 in the shop")
    assert (said.status, said.out.startswith(f"settled: update_order_status, row {happened}, is done; ")) == (0, True)
    assert (await frontdesk("ledger", "resolve", str(did_not), "failed")).status == 0
    assert await ledger.unknown() == []
    again = {"business_key": None, "tenant": "acme", "user": "alex", "thread_id": "", "turn_id": "t", "run_id": ""}
    call: dict[str, Any] = {**again, "tool": "update_order_status", "arguments": {}}
    assert (await ledger.begin(effect_key="happened", **call)).state == "recorded"
    assert (await ledger.begin(effect_key="did not", **call)).state == "begun"
    async with frontdesk.pool.connection() as connection:
        select = "SELECT settled_by, note FROM frontdesk.ledger WHERE id = %s"
        row = await (await connection.execute(select, (happened,))).fetchone()
    assert row is not None
    assert row["settled_by"]
    assert row["note"] == "the order is 已发货 in the shop"


async def test_what_cannot_be_settled_is_told_plainly(frontdesk: Frontdesk) -> None:
    _, row_id = await begin(frontdesk)
    assert (await frontdesk("ledger", "resolve", str(row_id), "done")).status == 0
    said = await frontdesk("ledger", "resolve", str(row_id), "failed")
    assert (said.status, said.out) == (
        1, f"nothing was settled: Row {row_id} of the ledger is settled already: done\n",
    )  # fmt: skip
    said = await frontdesk("ledger", "resolve", "999999999", "done")
    assert (said.status, said.out) == (1, "nothing was settled: The ledger has no row 999999999\n")


@pytest.mark.parametrize("row_id", ["first", "-1", "1.5", "9" * 30, "１"])
async def test_a_row_is_a_number(frontdesk: Frontdesk, row_id: str) -> None:
    with pytest.raises(SystemExit) as ended:
        await frontdesk("ledger", "resolve", row_id, "done")
    assert ended.value.code == 2
