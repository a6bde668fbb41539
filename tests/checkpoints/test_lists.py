"""The last list of each source of tools, over a real database."""

from typing import Any

import pytest

from checkpoints.database import Pool
from checkpoints.lists import ToolLists

URL = "http://127.0.0.1:8010"


async def written_at(pool: Pool) -> Any:
    async with pool.connection() as connection:
        row = await (await connection.execute("SELECT listed_at, xmin FROM frontdesk.function_lists")).fetchone()
    assert row is not None
    return row["listed_at"], row["xmin"]


async def test_a_centre_that_never_listed_anything_has_no_list(fresh_pool: Pool) -> None:
    assert await ToolLists(fresh_pool).last(URL) is None


async def test_the_last_list_counts_and_each_centre_has_its_own(fresh_pool: Pool) -> None:
    lists = ToolLists(fresh_pool)
    await lists.keep(URL, [{"name": "a"}])
    await lists.keep("http://elsewhere", [])
    await lists.keep(URL, [{"name": "b"}, 5, None])
    assert await ToolLists(fresh_pool).last(URL) == [{"name": "b"}, 5, None]
    assert await lists.last("http://elsewhere") == []


async def test_the_same_list_again_writes_nothing(fresh_pool: Pool) -> None:
    lists = ToolLists(fresh_pool)
    await lists.keep(URL, [1])
    before = await written_at(fresh_pool)
    await lists.keep(URL, [1])
    assert await written_at(fresh_pool) == before


@pytest.mark.parametrize("odd", ["\0", "\ud800", 10**400, {"": [[]]}])
async def test_whatever_json_holds_can_be_kept(fresh_pool: Pool, odd: Any) -> None:
    await ToolLists(fresh_pool).keep(URL, [odd])
    assert await ToolLists(fresh_pool).last(URL) == [odd]
