"""Plans that fail half-way, as a caller of the API sees them: what is undone, and what is told of it."""

from typing import Any

from tests.api.desk import Desk, Json
from tests.api.scenes import get, post

APPROVE = {"type": "approve"}


async def orders(desk: Desk, status: str) -> list[str]:
    async with desk.opened["pool"].connection() as connection:
        query = "SELECT order_no FROM demo.orders WHERE tenant_id = 'acme' AND status = %s ORDER BY 1"
        return [row["order_no"] for row in await (await connection.execute(query, (status,))).fetchall()]


async def half_done(desk: Desk, locale: str = "zh") -> tuple[Json, str]:
    """A turn of which the second step fails after the yes, and the order of its first."""
    one, other = (await orders(desk, "to_ship"))[0], (await orders(desk, "completed"))[0]
    waiting = await desk.ask(f"把订单{one}改为已发货，再把订单{other}改为已发货", locale=locale)
    answer = await desk.resume(waiting, APPROVE, APPROVE)
    assert answer.status_code == 200, answer.text
    return answer.json(), one


def ends(result: Json) -> list[tuple[str, str]]:
    return [(call["tool"], call["status"]) for call in result["tool_calls"]]


UNDONE = [("update_order_status", "undone"), ("update_order_status", "refused"), ("restore_order_status", "done")]


async def test_the_result_shows_what_was_undone_and_by_what(desk: Desk) -> None:
    result, one = await half_done(desk)
    assert (result["status"], ends(result)) == ("completed", UNDONE)
    assert one in await orders(desk, "to_ship")
    undone, _, undo = result["tool_calls"]
    assert undone["summary"] == f"订单 {one} 的状态已从待发货改为已发货。"
    assert undo["arguments"] == {"order_no": one, "before": "to_ship", "after": "shipped"}
    assert f"因此撤销了之前完成的改动：\n订单 {one} 的状态已从已发货改回待发货。" in result["reply"]


async def test_it_is_told_in_english_as_well(desk: Desk) -> None:
    result, one = await half_done(desk, "en")
    told = f"So what had been done before was undone:\nOrder {one} was shipped and is to be shipped again."
    assert told in result["reply"]


async def test_the_card_of_what_was_undone_is_not_shown(desk: Desk) -> None:
    waiting = await desk.ask(f"新建待办：给庚公司回电，再把订单{(await orders(desk, 'completed'))[0]}改为已发货")
    assert [card["type"] for card in waiting["cards"]] == ["todo"]
    result = (await desk.resume(waiting, APPROVE)).json()
    assert ends(result)[0] == ("add_todo", "undone")
    assert result["cards"] == []


async def test_a_stream_tells_each_undo_and_that_its_call_is_undone(desk: Desk) -> None:
    one, other = (await orders(desk, "to_ship"))[0], (await orders(desk, "completed"))[0]
    waiting = await desk.ask(f"把订单{one}改为已发货，再把订单{other}改为已发货")
    resume = {"interrupt_id": waiting["interrupt"]["id"], "decisions": [APPROVE, APPROVE]}
    events = await desk.events(thread_id=waiting["thread_id"], resume=resume)
    told = [(e.data["tool"], e.data.get("status", "started")) for e in events if e.kind == "tool_call"][-3:]
    assert told == [("restore_order_status", "started"), ("restore_order_status", "done"), UNDONE[0]]
    assert ends(events[-1].data) == UNDONE


async def test_the_transcript_keeps_what_each_call_came_to_and_what_it_undid(desk: Desk) -> None:
    result, _ = await half_done(desk)
    (turn,) = await get(desk, f"/threads/{result['thread_id']}/turns")
    undone, _, undo = turn["calls"]
    assert (undone["status"], undone["content"]) == ("undone", result["tool_calls"][0]["summary"])
    assert (undo["undoes"], undone["undoes"]) == (undone["id"], None)


async def test_a_replay_comes_out_the_same_and_undoes_nothing(desk: Desk) -> None:
    result, one = await half_done(desk)
    async with desk.opened["pool"].connection() as connection:
        count = "SELECT count(*) AS n FROM demo.order_events"
        before: Any = await (await connection.execute(count)).fetchone()
        replay = await post(desk, f"/threads/{result['thread_id']}/replay", {})
        assert [turn["differences"] for turn in replay["turns"]] == [[]], replay["text"]["en"]
        assert await (await connection.execute(count)).fetchone() == before
    assert one in await orders(desk, "to_ship")


async def test_nobody_can_ask_for_an_undo_or_sees_it_among_the_tools(desk: Desk) -> None:
    listed = await desk.http.get("/tools")
    assert "restore_order_status" not in listed.text
    assert "update_order_status" in listed.text
