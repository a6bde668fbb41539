"""Todos, calendar entries, contacts and questions as the desk shows and changes them."""

import re
from typing import Any

import pytest

from tests.tools.adapters.conftest import Desk

TODAY = "2026-11-30"


async def test_open_todos_are_listed_by_default(desk: Desk) -> None:
    result = await desk("list_todos")
    assert re.match(r"共有 \d+ 个未完成待办", result.content)
    assert not any(todo["done"] for todo in result.data["todos"])
    assert result.card is not None
    assert result.card.type == "todo_list"


@pytest.mark.parametrize(
    ("locale", "arguments", "head"),
    [
        ("zh", {"start_date": TODAY, "end_date": TODAY}, r"今天到期共有 \d+ 个未完成待办：?.*"),
        ("zh", {"category": "审批", "done": True}, r"共有 \d+ 个已完成审批待办.*"),
        ("zh", {"initiator": "秦小满", "done": "已完成"}, r"共有 \d+ 个秦小满发起的已完成待办.*"),
        ("en", {"start_date": TODAY, "end_date": TODAY}, r"There (is|are) \d+ open todos? due today:"),
        ("en", {"initiator": "秦小满", "done": True}, r"There are \d+ finished todos of 秦小满.*"),
    ],
)
async def test_the_heading_says_what_was_asked_for(
    desk: Desk, locale: Any, arguments: dict[str, Any], head: str
) -> None:
    result = await desk("list_todos", locale, **arguments)
    assert re.fullmatch(head, result.content.splitlines()[0])


async def test_a_todo_is_added_changed_and_done(desk: Desk) -> None:
    added = await desk("add_todo", content="给李四回电话", date="2026-12-01", category="跟进")
    number = added.data["todo_no"]
    assert added.content == f"已添加待办：[{number}] 给李四回电话，跟进，2026-12-01 到期，alex发起，未完成"
    moved = await desk("modify_todo", todo_no=str(number), date="2026-12-03")
    assert moved.content.startswith("已修改待办：")
    assert (moved.data["due_on"], moved.data["content"]) == ("2026-12-03", "给李四回电话")
    done = await desk("modify_todo", "en", todo_no=number, done=True)
    assert done.content == f"Changed the todo: [{number}] 给李四回电话, follow-up, due 2026-12-03, from alex, done"
    listed = await desk("list_todos", start_date="2026-12-03", end_date="2026-12-03", limit=50)
    assert number not in {todo["todo_no"] for todo in listed.data["todos"]}


async def test_a_todo_needs_no_more_than_its_text(desk: Desk) -> None:
    added = await desk("add_todo", content="想一想")
    assert (added.data["due_on"], added.data["category"], added.data["initiator"]) == (None, "other", "alex")
    assert "未定日期" in added.content


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("modify_todo", {"todo_no": 1001}, "要把待办 1001 改成什么？"),
        ("modify_todo", {"todo_no": 99_999_999, "done": True}, "没有找到待办 99999999"),
        ("add_todo", {"content": "长" * 501}, "待办内容最多 500 个字"),
        ("modify_todo", {"todo_no": 1001, "content": "长" * 501}, "待办内容最多 500 个字"),
        ("add_event", {"title": "长" * 201, "date": TODAY}, "日程标题最多 200 个字"),
        ("update_event", {"event_no": 501}, "要改到哪一天或几点？"),
        ("update_event", {"new_date": TODAY}, "要改哪一个日程？"),
        ("update_event", {"event_no": 99_999_999, "new_date": TODAY}, "没有找到这个日程，没有改动。"),
    ],
)
async def test_what_cannot_be_done_is_refused_as_a_value(
    desk: Desk, name: str, arguments: dict[str, Any], said: str
) -> None:
    result = await desk(name, **arguments)
    assert result.outcome == "refused"
    assert result.content.startswith(said)


async def test_another_user_neither_sees_nor_changes_it(desk: Desk) -> None:
    todo = (await desk("add_todo", content="只给自己")).data["todo_no"]
    event = (await desk("add_event", title="只给自己", date=TODAY)).data["event_no"]
    for other in (desk.as_("acme", "meilin"), desk.as_("globex", "alex")):
        assert (await other("modify_todo", todo_no=todo, done=True)).outcome == "refused"
        assert (await other("update_event", event_no=event, new_date="2026-12-01")).outcome == "refused"
        assert (await other("list_events", start_date=TODAY, end_date=TODAY, title="只给自己")).data["found"] == 0


async def test_the_calendar_shows_the_next_seven_days_by_default(desk: Desk) -> None:
    result = await desk("list_events")
    assert (result.data["start"], result.data["end"]) == (TODAY, "2026-12-06")
    assert result.content.startswith("2026-11-30 至 2026-12-06 共有 ")
    assert result.card is not None
    assert result.card.type == "calendar_list"


async def test_tomorrow_has_an_entry_with_day_and_time(desk: Desk) -> None:
    result = await desk("list_events", start_date="2026-12-01", end_date="2026-12-01")
    assert re.search(r"\n1\. \[\d+\] 2026-12-01 \d\d:\d\d \S+", result.content)
    assert result.content.startswith("明天共有 ")


async def test_an_entry_is_added_and_moved_with_its_card_as_the_answer(desk: Desk) -> None:
    added = await desk("add_event", title="和李四碰头", date="2026-12-01", time="下午三点")
    number = added.data["event_no"]
    assert added.content == f"已添加日程：[{number}] 2026-12-01 15:00 和李四碰头"
    moved = await desk("update_event", event_no=number, new_date="2026-12-02", new_time="16:30")
    assert (moved.data["day"], moved.data["starts_at"], moved.direct) == ("2026-12-02", "16:30", True)
    assert moved.content == f"已修改日程：[{number}] 2026-12-02 16:30 和李四碰头"
    assert moved.card is not None
    assert moved.card.type == "calendar_event"
    assert desk.tools["update_event"].direct


async def test_an_entry_is_moved_by_its_title_and_day(desk: Desk) -> None:
    await desk("add_event", title="独一无二的会", date="2026-12-01")
    moved = await desk("update_event", "en", title="独一无二", date="2026-12-01", new_date="2026-12-05")
    assert moved.data["day"] == "2026-12-05"
    assert "all day" in moved.content


async def test_moving_an_entry_by_its_old_day_cannot_be_repeated_and_changing_a_todo_can(desk: Desk) -> None:
    await desk("add_event", title="只挪一次的会", date="2026-12-01")
    move = {"title": "只挪一次", "date": "2026-12-01", "new_date": "2026-12-05"}
    assert [(await desk("update_event", **move)).outcome for _ in range(2)] == ["done", "refused"]
    assert not desk.tools["update_event"].idempotent
    todo = (await desk("add_todo", content="想一想")).data["todo_no"]
    first, second = [await desk("modify_todo", todo_no=todo, done=True, content="想好了") for _ in range(2)]
    assert first == second
    assert desk.tools["modify_todo"].idempotent


async def test_several_entries_that_fit_are_offered_and_none_is_moved(desk: Desk) -> None:
    numbers = {(await desk("add_event", title="重名的会", date="2026-12-04")).data["event_no"] for _ in range(2)}
    result = await desk("update_event", title="重名的会", new_date="2026-12-05")
    assert result.outcome == "refused"
    assert result.content.startswith("有 2 个日程符合，请说出要改的编号，没有改动：")
    assert {event["event_no"] for event in result.data["events"]} == numbers
    assert {event["day"] for event in result.data["events"]} == {"2026-12-04"}


async def test_a_past_entry_can_be_moved_by_its_number(desk: Desk) -> None:
    number = (await desk("add_event", title="昨天的会", date="2026-11-29")).data["event_no"]
    assert (await desk("update_event", event_no=number, new_date=TODAY)).data["day"] == TODAY


@pytest.mark.parametrize(
    ("arguments", "head"),
    [
        ({"name": "李四"}, "共有 1 位“李四”的联系人："),
        ({"department": "财务"}, "共有 4 位财务部的联系人："),
        ({"phone": "13800000001"}, "共有 1 位“13800000001”的联系人："),
        ({"name": "没有这个人"}, "没有找到“没有这个人”的联系人。"),
        ({}, "共有 40 位联系人，前 10 个："),
    ],
)
async def test_contacts_are_found(desk: Desk, arguments: dict[str, Any], head: str) -> None:
    result = await desk("find_contacts", **arguments)
    assert result.content.splitlines()[0] == head
    assert (result.card is not None) == (result.data["found"] > 0)


async def test_a_contact_reads_with_telephone_and_address(desk: Desk) -> None:
    result = await desk("find_contacts", "en", name="Li Si")
    assert result.content == ("There is 1 “Li Si” contact:\n1. 李四, customers, 学员, 13800000001, li.si@acme.example")


@pytest.mark.parametrize("question", ["如何申请退款", "怎么退款？", "如何申請退款", "how do I get a refund"])
async def test_a_held_question_is_answered_with_its_answer(desk: Desk, question: str) -> None:
    result = await desk("search_knowledge", question=question)
    assert result.data["answers"][0]["question"] == "如何申请退款？"
    assert result.content.startswith("开课后 7 天内")
    assert result.card is not None
    english = await desk("search_knowledge", "en", question=question)
    assert english.content.startswith("Within 7 days")


@pytest.mark.parametrize("question", ["为什么人会说话", "what is the capital of France", "-。-"])
async def test_what_is_not_held_is_said_to_be_unknown(desk: Desk, question: str) -> None:
    result = await desk("search_knowledge", question=question)
    assert (result.data, result.card) == ({"found": 0, "answers": []}, None)
    assert result.content == "知识库里没有这个问题的答案。"
