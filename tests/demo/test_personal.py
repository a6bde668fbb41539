"""Todos, calendar entries and contacts: a person sees the shared ones and their own, and changes no others."""

from datetime import date, time, timedelta

import pytest
from psycopg.rows import scalar_row

from checkpoints.database import Pool
from demo.calendar import Calendar
from demo.contacts import Contacts, Department
from demo.days import Days
from demo.todos import TodoCategory, Todos
from tests.demo.conftest import NOW, SHANGHAI

TODAY = NOW.date()
ALWAYS = Days(zone=SHANGHAI)


def only(day: date) -> Days:
    return Days(zone=SHANGHAI, start=day, end=day)


@pytest.fixture
def todos(business: Pool) -> Todos:
    return Todos(business)


@pytest.fixture
def calendar(business: Pool) -> Calendar:
    return Calendar(business)


@pytest.fixture
def contacts(business: Pool) -> Contacts:
    return Contacts(business)


async def test_a_todo_that_was_added_is_seen_by_its_owner_alone(todos: Todos) -> None:
    added = await todos.add("acme", "alex", "给张三回电话", at=NOW, due_on=TODAY, category=TodoCategory.FOLLOW_UP)
    assert (added.done, added.shared, added.initiator) == (False, False, "alex")
    for tenant, user, seen in (("acme", "alex", True), ("acme", "meilin", False), ("globex", "alex", False)):
        page = await todos.find(tenant, user, days=only(TODAY), limit=50)
        assert (added in page.rows) is seen


async def test_what_is_not_given_stays_as_it_is(todos: Todos) -> None:
    added = await todos.add("acme", "alex", "写周报", at=NOW, due_on=TODAY, initiator="程守正")
    changed = await todos.modify("acme", "alex", added.todo_no, done=True)
    assert changed == added.model_copy(update={"done": True})
    moved = await todos.modify("acme", "alex", added.todo_no, due_on=TODAY + timedelta(days=1), content="写月报")
    assert moved == added.model_copy(update={"done": True, "due_on": TODAY + timedelta(days=1), "content": "写月报"})


@pytest.mark.parametrize(("tenant", "user"), [("acme", "meilin"), ("globex", "alex")])
async def test_a_todo_of_somebody_else_is_not_changed(todos: Todos, tenant: str, user: str) -> None:
    added = await todos.add("acme", "alex", "秘密", at=NOW)
    assert await todos.modify(tenant, user, added.todo_no, content="x") is None
    assert added in (await todos.find("acme", "alex", days=ALWAYS, limit=1000)).rows


@pytest.mark.parametrize("number", [0, -1, 2**31, 2**63, 10**30])
async def test_a_number_that_no_entry_has_is_no_error(todos: Todos, calendar: Calendar, number: int) -> None:
    assert await todos.modify("acme", "alex", number, done=True) is None
    assert (await calendar.find("acme", "alex", days=ALWAYS, event_no=number)).total == 0
    assert await calendar.move("acme", "alex", number, day=TODAY) is None


async def test_todos_are_found_by_category_initiator_and_state(todos: Todos) -> None:
    approvals = await todos.find("acme", "alex", days=ALWAYS, category=TodoCategory.APPROVAL)
    assert approvals.total > 0
    assert {todo.category for todo in approvals.rows} == {TodoCategory.APPROVAL}
    asked = await todos.find("acme", "alex", days=ALWAYS, initiator="秦小满")
    assert asked.total > 0
    assert {todo.initiator for todo in asked.rows} == {"秦小满"}
    done = await todos.find("acme", "alex", days=ALWAYS, done=True)
    assert done.total > 0
    assert all(todo.done for todo in done.rows)


async def test_open_todos_come_in_the_order_in_which_they_are_due(todos: Todos) -> None:
    page = await todos.find("acme", "haoran", days=ALWAYS, done=False, limit=1000)
    due = [todo.due_on for todo in page.rows if todo.due_on]
    assert due == sorted(due)
    assert page.total > 0


async def test_somebody_unknown_sees_what_is_shared(todos: Todos, calendar: Calendar) -> None:
    page = await todos.find("acme", "somebody", days=ALWAYS, limit=1000)
    assert page.total > 0
    assert all(todo.shared for todo in page.rows)
    entries = await calendar.find("acme", "somebody", days=ALWAYS, limit=1000)
    assert entries.total > 0
    assert all(entry.shared for entry in entries.rows)


async def test_an_entry_is_added_found_and_moved(calendar: Calendar) -> None:
    added = await calendar.add("acme", "alex", "和李四碰头", TODAY, starts_at=time(16, 30))
    found = await calendar.find("acme", "alex", days=only(TODAY), title="碰头", starts_at=time(16, 30))
    assert found.rows == (added,)
    moved = await calendar.move("acme", "alex", added.event_no, day=TODAY + timedelta(days=2))
    assert moved == added.model_copy(update={"day": TODAY + timedelta(days=2)})
    later = await calendar.move("acme", "alex", added.event_no, starts_at=time(9, 0))
    assert later is not None
    assert (later.day, later.starts_at) == (TODAY + timedelta(days=2), time(9, 0))


@pytest.mark.parametrize(("tenant", "user"), [("acme", "meilin"), ("globex", "alex")])
async def test_an_entry_of_somebody_else_is_not_seen_and_not_moved(calendar: Calendar, tenant: str, user: str) -> None:
    added = await calendar.add("acme", "alex", "体检", TODAY)
    assert (await calendar.find(tenant, user, days=ALWAYS, event_no=added.event_no)).total == 0
    assert await calendar.move(tenant, user, added.event_no, day=TODAY + timedelta(days=1)) is None


async def test_entries_come_in_the_order_in_which_they_happen(calendar: Calendar) -> None:
    week = Days(zone=SHANGHAI, start=TODAY, end=TODAY + timedelta(days=6))
    page = await calendar.find("acme", "alex", days=week, limit=50)
    moments = [(entry.day, entry.starts_at or time.min) for entry in page.rows]
    assert moments == sorted(moments)
    assert page.total >= 7


async def test_contacts_are_found_by_name_telephone_and_department(contacts: Contacts) -> None:
    (li_si,) = (await contacts.find("acme", "alex", name="李四")).rows
    assert (li_si.department, li_si.phone) == (Department.CUSTOMER, "13800000001")
    assert (await contacts.find("acme", "alex", phone="138-0000-0001")).rows == (li_si,)
    assert (await contacts.find("acme", "alex", name="li si")).rows == (li_si,)
    finance = await contacts.find("acme", "alex", department=Department.FINANCE)
    assert finance.total == 4
    assert {one.department for one in finance.rows} == {Department.FINANCE}
    assert (await contacts.find("globex", "alex", name="李四")).total == 0


async def test_a_private_contact_is_seen_by_its_owner_alone(contacts: Contacts, business: Pool) -> None:
    async with business.connection() as connection, connection.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(
            "insert into demo.contacts (tenant_id, owner, name, latin_name, department, position, phone, email)"
            " values ('acme', 'alex', '秘密联系人', 'Mimi', 'sales', '-', '13800009999', 'm@acme.example')"
        )
    assert (await contacts.find("acme", "alex", name="秘密联系人")).total == 1
    assert (await contacts.find("acme", "meilin", name="秘密联系人")).total == 0


async def test_what_is_removed_is_gone_and_removing_it_again_is_no_error(todos: Todos, calendar: Calendar) -> None:
    todo = await todos.add("acme", "alex", "要删掉的", at=NOW)
    event = await calendar.add("acme", "alex", "要删掉的", TODAY)
    for tenant, user in (("acme", "meilin"), ("globex", "alex")):
        assert not await todos.remove(tenant, user, todo.todo_no)
        assert not await calendar.remove(tenant, user, event.event_no)
    for is_there in (True, False):
        assert await todos.remove("acme", "alex", todo.todo_no) is is_there
        assert await calendar.remove("acme", "alex", event.event_no) is is_there


async def test_what_everybody_sees_is_nobodys_to_remove(todos: Todos, calendar: Calendar) -> None:
    shared = next(one for one in (await todos.find("acme", "alex", days=ALWAYS, limit=1000)).rows if one.shared)
    entry = next(one for one in (await calendar.find("acme", "alex", days=ALWAYS, limit=1000)).rows if one.shared)
    assert not await todos.remove("acme", "alex", shared.todo_no)
    assert not await calendar.remove("acme", "alex", entry.event_no)
