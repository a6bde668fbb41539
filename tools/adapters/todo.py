"""Todos of the caller and of everybody: list, add and change them."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import date
from typing import Annotated, Any

from demo.rows import Pool
from demo.todos import CATEGORY_NAMES, LONGEST_CONTENT, Todo, TodoCategory, Todos
from tools.adapters._arguments import EndDate, Limit, StartDate
from tools.adapters._phrases import (
    Asked,
    Noun,
    Result,
    answered,
    days,
    listing,
    period,
    pick,
    refused,
    words,
    wrong_order,
)
from tools.tool import Arg, Compensation, Locale, ToolContext, ToolResult, tool

CATEGORY_WORDS = words(
    CATEGORY_NAMES,
    {
        "审核": TodoCategory.APPROVAL,
        "回访": TodoCategory.FOLLOW_UP,
        "客户跟进": TodoCategory.FOLLOW_UP,
        "开会": TodoCategory.MEETING,
        "其它": TodoCategory.OTHER,
    },
)
Category = Annotated[
    TodoCategory | None,
    Arg(description="What kind of todo", zh="待办类别", example="approval", words=CATEGORY_WORDS, aliases=("type",)),
]
Initiator = Annotated[
    str | None,
    Arg(description="Who wants it done", zh="发起人", example="秦小满", aliases=("from_person", "requester")),
]
DueDate = Annotated[
    date | None,
    Arg(description="The day on which it is due", zh="日期", example="2026-12-01", aliases=("due", "due_date")),
]
Done = Annotated[
    bool | None,
    Arg(
        description="Whether it is done",
        zh="是否完成",
        example=True,
        words={"已完成": True, "完成": True, "未完成": False, "没完成": False},
        aliases=("finished", "completed"),
    ),
]
TODOS = Noun(measure="个", zh="待办", one="todo", many="todos")


class TodoRow(Result):
    """`shared`: everybody of the tenant sees it."""

    todo_no: int
    category: TodoCategory
    category_name: str
    initiator: str
    content: str
    due_on: date | None
    done: bool
    shared: bool


class TodoList(Result):
    """`total` and `found`: how many there are; `todos`: those that are due first."""

    total: int
    found: int
    start: date | None
    end: date | None
    todos: list[TodoRow]


@asynccontextmanager
async def lifespan(pool: Pool, resources: Mapping[str, Any]) -> AsyncIterator[Todos]:  # noqa: ARG001  needs no settings
    yield Todos(pool)


@tool(group="todo", permission="todo:read", cards=("todo_list",), result=TodoList)
async def list_todos(
    ctx: ToolContext,
    *,
    category: Category = None,
    initiator: Initiator = None,
    start_date: StartDate = None,
    end_date: EndDate = None,
    done: Done = False,
    limit: Limit = 10,
) -> ToolResult:
    """List todos by category, initiator or the days on which they are due; those that are not done by default."""
    if refusal := wrong_order(ctx, start_date, end_date):
        return refusal
    todos: Todos = ctx.resources
    page = await todos.find(
        ctx.principal.tenant,
        ctx.principal.user,
        days=days(ctx, start_date, end_date),
        category=category,
        initiator=initiator,
        done=done,
        limit=limit,
    )
    result = TodoList(
        total=page.total,
        found=page.total,
        start=start_date,
        end=end_date,
        todos=[_row(ctx.locale, todo) for todo in page.rows],
    )
    asked = Asked(
        whose=(initiator or "") if ctx.locale == "en" else "",
        which=_which(ctx.locale, category, initiator, done),
        when=_due(ctx, start_date, end_date),
    )
    content = listing(ctx, page, TODOS, lambda todo: _line(ctx.locale, todo), asked)
    return answered(content, result, "todo_list" if page.rows else None)


@tool(
    group="todo",
    permission="todo:write",
    effect=True,
    cards=("todo",),
    result=TodoRow,
    compensate=Compensation(tool="remove_todo", arguments={"todo_no": "result.todo_no", "content": "result.content"}),
)
async def add_todo(
    ctx: ToolContext,
    *,
    content: Annotated[
        str,
        Arg(description="What is to be done", zh="待办内容", example="给李四回电话", aliases=("title", "text", "todo")),
    ],
    date: DueDate = None,
    category: Category = None,
    initiator: Initiator = None,
) -> ToolResult:
    """Add a todo of the caller's own."""
    if refusal := _too_long(ctx, content):
        return refusal
    todos: Todos = ctx.resources
    todo = await todos.add(
        ctx.principal.tenant,
        ctx.principal.user,
        content,
        at=ctx.now,
        due_on=date,
        category=category or TodoCategory.OTHER,
        initiator=initiator,
    )
    line = _line(ctx.locale, todo)
    return answered(pick(ctx.locale, f"已添加待办：{line}", f"Added a todo: {line}"), _row(ctx.locale, todo), "todo")


@tool(group="todo", permission="todo:write", effect=True, idempotent=True, cards=("todo",), result=TodoRow)
async def modify_todo(
    ctx: ToolContext,
    *,
    todo_no: Annotated[
        int, Arg(description="The number of the todo", zh="待办编号", example=1001, aliases=("todo_id", "id", "number"))
    ],
    content: Annotated[
        str | None,
        Arg(description="What is to be done instead", zh="待办内容", example="给李四回电话", aliases=("title", "text")),
    ] = None,
    date: DueDate = None,
    category: Category = None,
    initiator: Initiator = None,
    done: Done = None,
) -> ToolResult:
    """Change a todo: its text, its day, its category, who wants it, or that it is done."""
    if refusal := _too_long(ctx, content or ""):
        return refusal
    if all(change is None for change in (content, date, category, initiator, done)):
        zh = f"要把待办 {todo_no} 改成什么？可以改内容、日期、类别、发起人，或标记为完成。"
        en = f"What should change about todo {todo_no}? Its text, day, category, initiator, or that it is done."
        return refused(pick(ctx.locale, zh, en))
    todos: Todos = ctx.resources
    todo = await todos.modify(
        ctx.principal.tenant,
        ctx.principal.user,
        todo_no,
        content=content,
        due_on=date,
        category=category,
        initiator=initiator,
        done=done,
    )
    if todo is None:
        return refused(
            pick(ctx.locale, f"没有找到待办 {todo_no}，没有改动。", f"There is no todo {todo_no}; nothing was changed.")
        )
    line = _line(ctx.locale, todo)
    return answered(
        pick(ctx.locale, f"已修改待办：{line}", f"Changed the todo: {line}"), _row(ctx.locale, todo), "todo"
    )


def _too_long(ctx: ToolContext, content: str) -> ToolResult | None:
    if len(content) <= LONGEST_CONTENT:
        return None
    zh = f"待办内容最多 {LONGEST_CONTENT} 个字。"
    return refused(pick(ctx.locale, zh, f"The text of a todo has at most {LONGEST_CONTENT} characters."))


def _which(locale: Locale, category: TodoCategory | None, initiator: str | None, done: bool | None) -> str:
    state = {None: "", True: pick(locale, "已完成", "finished"), False: pick(locale, "未完成", "open")}[done]
    kind = CATEGORY_NAMES[category][locale] if category else ""
    if locale == "en":
        return " ".join(part for part in (state, kind) if part)
    return (f"{initiator}发起的" if initiator else "") + state + kind


def _due(ctx: ToolContext, start: date | None, end: date | None) -> str:
    when = period(ctx, start, end)
    return pick(ctx.locale, f"{when.rstrip()}到期" if when else "", f"due {when}" if when else "")


def _row(locale: Locale, todo: Todo) -> TodoRow:
    return TodoRow(**todo.model_dump(), category_name=CATEGORY_NAMES[todo.category][locale])


def _line(locale: Locale, todo: Todo) -> str:
    category = CATEGORY_NAMES[todo.category][locale]
    state = pick(locale, "已完成" if todo.done else "未完成", "done" if todo.done else "open")
    if locale == "en":
        due = f"due {todo.due_on}" if todo.due_on else "no day"
        return f"[{todo.todo_no}] {todo.content}, {category}, {due}, from {todo.initiator}, {state}"
    due = f"{todo.due_on} 到期" if todo.due_on else "未定日期"
    return f"[{todo.todo_no}] {todo.content}，{category}，{due}，{todo.initiator}发起，{state}"
