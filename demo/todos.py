"""Todos: each belongs to one person, or to everybody of the tenant."""

from datetime import date, datetime
from enum import StrEnum

from demo.days import Days
from demo.rows import Page, Pool, Record, fetch, fetch_one, fetch_page

LONGEST_CONTENT = 500


class TodoCategory(StrEnum):
    APPROVAL = "approval"
    """Somebody waits for a yes or no."""
    FOLLOW_UP = "follow_up"
    """A customer is to be called or written to."""
    CONTENT = "content"
    """Something is to be written or corrected."""
    MEETING = "meeting"
    """A meeting is to be prepared or written up."""
    OTHER = "other"
    """Anything else."""


CATEGORY_NAMES: dict[TodoCategory, dict[str, str]] = {
    TodoCategory.APPROVAL: {"zh": "审批", "en": "approval"},
    TodoCategory.FOLLOW_UP: {"zh": "跟进", "en": "follow-up"},
    TodoCategory.CONTENT: {"zh": "内容", "en": "content"},
    TodoCategory.MEETING: {"zh": "会议", "en": "meeting"},
    TodoCategory.OTHER: {"zh": "其他", "en": "other"},
}


class Todo(Record):
    """`shared`: everybody of the tenant sees it; `initiator`: who wants it done."""

    todo_no: int
    category: TodoCategory
    initiator: str
    content: str
    due_on: date | None
    done: bool
    shared: bool


_LIST = """
    select todo_no, category, initiator, content, due_on, done, owner is null as shared, count(*) over () as total
    from demo.todos
    where tenant_id = %(tenant)s and (owner is null or owner = %(user)s)
        and (%(category)s::text is null or category = %(category)s)
        and (%(initiator)s::text is null or strpos(lower(initiator), lower(%(initiator)s)) > 0)
        and (%(done)s::boolean is null or done = %(done)s)
        and (%(start)s::date is null or due_on >= %(start)s)
        and (%(end)s::date is null or due_on <= %(end)s)
    order by done, due_on nulls last, todo_no"""
_ADD = """
    insert into demo.todos (tenant_id, owner, category, initiator, content, due_on, created_at, changed_by)
    values (%(tenant)s, %(user)s, %(category)s, %(initiator)s, %(content)s, %(due_on)s, %(at)s, %(user)s)
    returning todo_no, category, initiator, content, due_on, done, owner is null as shared"""
_MODIFY = """
    update demo.todos set
        content = coalesce(%(content)s, content), due_on = coalesce(%(due_on)s, due_on),
        category = coalesce(%(category)s, category), initiator = coalesce(%(initiator)s, initiator),
        done = coalesce(%(done)s, done), changed_by = %(user)s
    where tenant_id = %(tenant)s and (owner is null or owner = %(user)s) and todo_no = %(todo_no)s
    returning todo_no, category, initiator, content, due_on, done, owner is null as shared"""


_REMOVE = """
    delete from demo.todos where tenant_id = %(tenant)s and owner = %(user)s and todo_no = %(todo_no)s
    returning todo_no"""


class Todos:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def find(
        self,
        tenant: str,
        user: str,
        *,
        days: Days,
        category: TodoCategory | None = None,
        initiator: str | None = None,
        done: bool | None = None,
        limit: int = 10,
    ) -> Page[Todo]:
        """The user's own and the shared ones, open ones first, then by the day on which they are due (`days`)."""
        values = {"tenant": tenant, "user": user, "category": category, "initiator": initiator, "done": done}
        return await fetch_page(self._pool, Todo, _LIST, {**values, **days.bounds}, limit=limit)

    async def add(
        self,
        tenant: str,
        user: str,
        content: str,
        *,
        at: datetime,
        due_on: date | None = None,
        category: TodoCategory = TodoCategory.OTHER,
        initiator: str | None = None,
    ) -> Todo:
        """One of the user's own; without an `initiator` it is the user's idea."""
        values = {"tenant": tenant, "user": user, "content": content, "at": at, "due_on": due_on, "category": category}
        return Todo(**await fetch_one(self._pool, _ADD, {**values, "initiator": initiator or user}))

    async def modify(
        self,
        tenant: str,
        user: str,
        todo_no: int,
        *,
        content: str | None = None,
        due_on: date | None = None,
        category: TodoCategory | None = None,
        initiator: str | None = None,
        done: bool | None = None,
    ) -> Todo | None:
        """Sets what is given and leaves the rest; None where this user sees no such todo."""
        values = {"tenant": tenant, "user": user, "todo_no": todo_no, "content": content, "due_on": due_on}
        values |= {"category": category, "initiator": initiator, "done": done}
        rows = await fetch(self._pool, _MODIFY, values)
        return Todo(**rows[0]) if rows else None

    async def remove(self, tenant: str, user: str, todo_no: int) -> bool:
        """One of the user's own; whether it was still there."""
        return bool(await fetch(self._pool, _REMOVE, {"tenant": tenant, "user": user, "todo_no": todo_no}))
