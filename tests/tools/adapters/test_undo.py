"""What takes the changes of the sample business back, from what those gave back."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from checkpoints.database import Pool
from tests.tools.adapters.conftest import Desk, Value
from tools.call import Done
from tools.compensation import undoing
from tools.providers.python import load_adapters, open_adapters
from tools.tool import Locale, ToolResult


@pytest.fixture
async def all_tools(desk: Desk, pool: Pool) -> AsyncIterator[Desk]:
    """The desk with the tools that only undo beside the others."""
    files = [file for file in load_adapters([]) if any(tool.group == "undo" for tool in file.tools)]
    async with open_adapters(files, pool, {}) as resources:
        more = {tool.name: tool for file in files for tool in file.tools}
        yield replace(desk, tools={**desk.tools, **more}, resources={**desk.resources, **resources})


async def undone(desk: Desk, name: str, locale: Locale = "zh", **arguments: Any) -> ToolResult:
    """What became of undoing a call that is made here."""
    made = await desk(name, locale, **arguments)
    assert made.outcome == "done"
    tool = desk.tools[name]
    call = undoing(Done(id="c", tool=name, arguments=arguments, data=made.data), tool)
    assert call is not None
    assert tool.compensate is not None
    again = [await desk(tool.compensate.tool, locale, **call) for _ in range(2)]
    assert (again[0].outcome, again[0].content) == (again[1].outcome, again[1].content)
    return again[0]


async def test_an_order_gets_its_old_status_back(all_tools: Desk, value: Value) -> None:
    number = await value("select min(order_no) from demo.orders where tenant_id = 'acme' and status = 'to_ship'")
    said = await undone(all_tools, "update_order_status", order_no=number, status="shipped")
    assert said.content == f"订单 {number} 的状态已从已发货改回待发货。"
    said = await undone(all_tools, "update_order_status", "en", order_no=number, status="shipped")
    assert said.content == f"Order {number} was shipped and is to be shipped again."
    assert await value("select status from demo.orders where order_no = %(no)s", no=number) == "to_ship"


@pytest.mark.parametrize(
    ("locale", "why"), [("zh", "已取消的订单不能恢复"), ("en", "an order that was cancelled stays so")]
)
async def test_a_cancelled_order_is_not_restored(all_tools: Desk, value: Value, locale: Locale, why: str) -> None:
    query = "select min(order_no) from demo.orders where tenant_id = 'acme' and status = 'pending_payment'"
    said = await undone(all_tools, "update_order_status", locale, order_no=await value(query), status="cancelled")
    assert (said.outcome, said.content) == ("refused", why)


async def test_an_order_that_has_moved_on_is_not_restored(all_tools: Desk, value: Value) -> None:
    query = "select max(order_no) from demo.orders where tenant_id = 'acme' and status = 'completed'"
    given = {"order_no": await value(query), "before": "to_ship", "after": "shipped"}
    said = await all_tools("restore_order_status", **given)
    assert (said.outcome, said.content) == ("refused", f"订单 {given['order_no']} 之后又被改为已完成")
    said = await all_tools("restore_order_status", "en", **{**given, "order_no": "0"})
    assert (said.outcome, said.content) == ("refused", "there is no order 0")


async def test_what_was_added_is_removed_again(all_tools: Desk, value: Value) -> None:
    said = await undone(all_tools, "add_todo", content="给辛公司回电")
    assert said.content == f"已删除待办：[{said.data['no']}] 给辛公司回电"
    assert await value("select 1 from demo.todos where todo_no = %(no)s", no=said.data["no"]) is None
    said = await undone(all_tools, "add_event", "en", title="review", date="2026-12-01")
    assert said.content == f"Removed the entry: [{said.data['no']}] review"
    assert await value("select 1 from demo.calendar_events where event_no = %(no)s", no=said.data["no"]) is None
