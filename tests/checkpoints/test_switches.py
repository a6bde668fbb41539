"""The board of switches, over a real database."""

import pytest

from checkpoints.database import Pool, open_pool
from checkpoints.switches import SwitchBoard
from errors import Unavailable


async def stands(board: SwitchBoard) -> list[tuple[str | None, bool, bool]]:
    return [(one.tool, one.stopped, one.later) for one in await board.switches()]


async def test_nothing_is_stopped_until_somebody_does_it(fresh_pool: Pool) -> None:
    assert await stands(await SwitchBoard.opened(fresh_pool)) == []


async def test_what_one_process_is_told_the_other_sees_at_its_next_look(
    fresh_pool: Pool, fresh_database_url: str
) -> None:
    here = await SwitchBoard.opened(fresh_pool)
    elsewhere = await open_pool(fresh_database_url, 1)
    there = await SwitchBoard.opened(elsewhere)
    set_now = await there.switch(None, stopped=True, by="olga", note="moving")
    assert (set_now.tool, set_now.stopped, set_now.changed_by, set_now.note) == (None, True, "olga", "moving")
    await there.switch("update_order_status", stopped=True, by="olga")
    assert await stands(here) == [(None, True, True), ("update_order_status", True, True)]
    await here.switch(None, stopped=False, by="ben")
    assert await stands(there) == [(None, False, True), ("update_order_status", True, True)]
    await elsewhere.close()


async def test_a_process_knows_what_was_set_before_it_began(fresh_pool: Pool) -> None:
    await (await SwitchBoard.opened(fresh_pool)).switch("a", stopped=True, by="olga")
    later = await SwitchBoard.opened(fresh_pool)
    assert await stands(later) == [("a", True, False)]
    await later.switch("a", stopped=False, by="olga")
    assert await stands(later) == [("a", False, True)]


async def test_without_its_database_nobody_can_tell(fresh_database_url: str) -> None:
    gone = await open_pool(fresh_database_url, 1)
    board = await SwitchBoard.opened(gone)
    await gone.close()
    with pytest.raises(Unavailable):
        await board.switches()
