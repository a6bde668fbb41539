"""`frontdesk switch`: what it sets, and how it says how things stand."""

import pytest

from checkpoints.switches import SwitchBoard
from tests.commands.said import Frontdesk


@pytest.fixture(autouse=True)
async def _as_before(frontdesk: Frontdesk) -> None:
    async with frontdesk.pool.connection() as connection:
        await connection.execute("DELETE FROM frontdesk.switches")


async def test_nothing_was_ever_stopped(frontdesk: Frontdesk) -> None:
    said = await frontdesk("switch", "list")
    assert (said.status, said.out) == (0, "no switch was ever set: nothing is stopped here\n")


async def test_writing_is_stopped_and_released(frontdesk: Frontdesk) -> None:
    said = await frontdesk("switch", "read-only", "on", "--note", "搬家")
    assert said.status == 0
    head, row = said.lines
    assert head.split() == ["switch", "stands", "at", "since", "set", "by", "note"]
    assert row.split()[:2] == ["read-only", "on"]
    assert "搬家" in row
    board = await SwitchBoard.opened(frontdesk.pool)
    (switch,) = await board.switches()
    assert (switch.tool, switch.stopped, switch.note) == (None, True, "搬家")
    assert switch.changed_by
    said = await frontdesk("switch", "read-only", "off")
    assert said.lines[1].split()[:2] == ["read-only", "off"]
    assert [one.stopped for one in await board.switches()] == [False]


async def test_a_tool_is_stopped_and_released(frontdesk: Frontdesk) -> None:
    said = await frontdesk("switch", "disable", "update_order_status")
    assert said.lines[1].split()[:3] == ["tool", "update_order_status", "disabled"]
    assert "note: " not in said.out
    said = await frontdesk("switch", "enable", "update_order_status")
    assert said.lines[1].split()[:3] == ["tool", "update_order_status", "enabled"]


async def test_a_tool_of_another_provider_is_stopped_with_a_word_on_it(frontdesk: Frontdesk) -> None:
    said = await frontdesk("switch", "disable", "update_order_statu")
    assert said.lines[0] == (
        "note: no adapter here has a tool 'update_order_statu'; did you mean 'update_order_status'; "
        "it may be one of a remote provider"
    )
    assert said.lines[2].split()[1] == "update_order_statu"


async def test_what_a_start_from_here_brings_is_said(frontdesk: Frontdesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READ_ONLY", "1")
    monkeypatch.setenv("DISABLED_TOOLS", "b, a")
    said = await frontdesk("switch", "list")
    assert "READ_ONLY is set" in said.lines[1]
    assert said.lines[2] == "DISABLED_TOOLS is set: a process that starts from here begins without a, b"


@pytest.mark.parametrize(
    "arguments",
    [("read-only",), ("read-only", "perhaps"), ("disable",), ("disable", "drop table"), ("disable", ""), ("stop",), ()],
)
async def test_what_cannot_be_meant_is_refused(frontdesk: Frontdesk, arguments: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as ended:
        await frontdesk("switch", *arguments)
    assert ended.value.code == 2
