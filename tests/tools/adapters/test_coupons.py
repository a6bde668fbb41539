"""Coupons are sent in parts, each once, and sending goes on where it ended."""

from collections.abc import Mapping
from typing import Any

import pytest

from checkpoints.database import Pool
from checkpoints.task import Task as Row
from checkpoints.tasks import Tasks
from demo.seeding import seed
from tests.checkpoints.working import accept, again
from tests.tools.adapters.conftest import NOW, Value
from tests.tools.packing import perform, place, worker
from tools.providers.python import load_adapters, open_adapters
from tools.tool import Tool
from tools.work import Place, Worker

SENT = "select count(*) from demo.coupons where campaign = %(key)s"
TWICE = "select count(*) from (select from demo.coupons where campaign = %(key)s group by serial having count(*) > 1) t"
USERS = "select count(*) from demo.users where tenant_id = 'acme'"
TO_GOLD = (
    "select count(*) from demo.coupons join demo.users using (tenant_id, user_id)"
    " where campaign = %(key)s and level = 'gold'"
)
GOLD = "select count(*) from demo.users where tenant_id = 'acme' and level = 'gold'"


@pytest.fixture(scope="module")
async def at(pool: Pool) -> Any:
    await seed(pool, NOW)
    (file,) = [file for file in load_adapters([]) if file.path.stem == "coupons"]
    async with open_adapters([file], pool, {"coupons": {"pause_s": 0}}) as resources:
        shop = place().agents["shop"].model_copy(update={"tool_groups": ("business",)})
        yield place(*file.tools, resources=resources, agents={"shop": shop})


async def asked(pool: Pool, arguments: Mapping[str, Any], **more: Any) -> Row:
    return await accept(pool, tool="send_coupons", arguments=arguments, **more)


async def test_they_are_dealt_out_to_the_users_in_turn(pool: Pool, at: Place, value: Value) -> None:
    task = await asked(pool, {"count": 500, "value": "50"})
    await perform(pool, task, worker(pool, at))
    over, users = await again(pool, task), await value(USERS)
    assert (over.status, over.done, over.total) == ("done", 500, 500)
    assert over.result is not None
    assert over.result["summary"] == f"500 coupons of ¥50.00 were sent to {users} users."
    assert over.result["data"]["campaign"] == task.effect_key
    assert (await value(SENT, key=task.effect_key), await value(TWICE, key=task.effect_key)) == (500, 0)
    share = "select {}(n) from (select count(*) as n from demo.coupons where campaign = %(key)s group by user_id) t"
    least, most = [await value(share.format(which), key=task.effect_key) for which in ("min", "max")]
    assert most - least <= 1


async def test_only_members_of_a_level_get_some(pool: Pool, at: Place, value: Value) -> None:
    task = await asked(pool, {"count": 300, "level": "gold"}, locale="zh")
    await perform(pool, task, worker(pool, at))
    gold = await value(GOLD)
    over = await again(pool, task)
    assert over.result is not None
    assert over.result["summary"] == f"已向 {gold} 位用户发放 300 张 ¥20.00 优惠券。"
    assert await value(TO_GOLD, key=task.effect_key) == await value(SENT, key=task.effect_key) == 300


async def test_a_tenant_without_users_is_told_so(pool: Pool, at: Place, value: Value) -> None:
    task = await asked(pool, {}, tenant="nobody")
    await perform(pool, task, worker(pool, at))
    over = await again(pool, task)
    assert over.result is not None
    assert (over.status, over.result["summary"]) == ("failed", "There is no such user; nothing was sent.")
    assert await value(SENT, key=task.effect_key) == 0


async def test_sending_goes_on_where_it_was_handed_back(pool: Pool, at: Place, value: Value) -> None:
    task = await asked(pool, {"count": 220})
    rounds = 0
    while (await again(pool, task)).status == "queued":
        await perform(pool, task, short(pool, at))
        rounds += 1
    over = await again(pool, task)
    assert (over.status, over.done) == ("done", 220)
    assert rounds > 2
    assert (await value(SENT, key=task.effect_key), await value(TWICE, key=task.effect_key)) == (220, 0)


def short(pool: Pool, at: Place) -> Worker:
    """A worker that closes after two parts."""
    looked = 0

    async def stopping(_: Tool) -> str | None:
        nonlocal looked
        looked += 1
        by.closing = looked > 3
        return None

    by = worker(pool, Place(**{**vars(at), "stopping": stopping}))
    return by


async def test_a_cancelled_sending_keeps_what_was_sent(pool: Pool, at: Place, value: Value) -> None:
    task = await asked(pool, {"count": 500})
    looked = 0

    async def stopping(_: Tool) -> str | None:
        nonlocal looked
        looked += 1
        if looked == 4:
            await Tasks(pool).cancel(task.task_id, "acme", "alex")
        return None

    await perform(pool, task, worker(pool, Place(**{**vars(at), "stopping": stopping})))
    over = await again(pool, task)
    assert over.status == "cancelled"
    assert over.done == await value(SENT, key=task.effect_key) == 50
