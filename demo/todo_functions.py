"""Todos as functions of the function centre: list, add and change them."""

import datetime as dt

from demo.functions import Answer, Arguments, Call, Function, answered, argument, refused
from demo.rows import Pool
from demo.todos import CATEGORY_NAMES, LONGEST_CONTENT, Todo, TodoCategory, Todos

CATEGORY_WORDS = {
    **{name: category.value for category, names in CATEGORY_NAMES.items() for name in names.values()},
    "审核": "approval",
    "回访": "follow_up",
    "客户跟进": "follow_up",
    "开会": "meeting",
    "其它": "other",
}
DONE_WORDS = {"已完成": True, "完成": True, "未完成": False, "没完成": False}


class ListTodos(Arguments):
    category: TodoCategory | None = argument(
        None, "What kind of todo", zh="待办类别", example="approval", words=CATEGORY_WORDS, aliases=("type",)
    )
    initiator: str | None = argument(
        None, "Who wants it done", zh="发起人", example="秦小满", aliases=("from_person", "requester")
    )
    start_date: dt.date | None = argument(
        None, "First day of the period, included", zh="开始日期", example="2026-11-01", aliases=("from", "since")
    )
    end_date: dt.date | None = argument(
        None, "Last day of the period, included", zh="结束日期", example="2026-11-30", aliases=("to", "until")
    )
    done: bool | None = argument(
        None,
        "Whether it is done; without it the open ones",
        zh="是否完成",
        example=True,
        words=DONE_WORDS,
        aliases=("finished", "completed"),
    )
    limit: int = argument(10, "How many rows to show", zh="条数", example=10, aliases=("count", "top"), most=50)


class AddTodo(Arguments):
    content: str = argument(
        ..., "What is to be done", zh="待办内容", example="给李四回电话", aliases=("title", "text", "todo")
    )
    date: dt.date | None = argument(
        None, "The day on which it is due", zh="日期", example="2026-12-01", aliases=("due", "due_date")
    )
    category: TodoCategory | None = argument(
        None, "What kind of todo", zh="待办类别", example="approval", words=CATEGORY_WORDS, aliases=("type",)
    )
    initiator: str | None = argument(
        None, "Who wants it done", zh="发起人", example="秦小满", aliases=("from_person", "requester")
    )


class ModifyTodo(Arguments):
    todo_no: int = argument(
        ..., "The number of the todo", zh="待办编号", example=1001, aliases=("todo_id", "id", "number")
    )
    content: str | None = argument(
        None, "What is to be done instead", zh="待办内容", example="给李四回电话", aliases=("title", "text")
    )
    date: dt.date | None = argument(
        None, "The day on which it is due", zh="日期", example="2026-12-01", aliases=("due", "due_date")
    )
    category: TodoCategory | None = argument(
        None, "What kind of todo", zh="待办类别", example="approval", words=CATEGORY_WORDS, aliases=("type",)
    )
    initiator: str | None = argument(
        None, "Who wants it done", zh="发起人", example="秦小满", aliases=("from_person", "requester")
    )
    done: bool | None = argument(
        None, "Whether it is done", zh="是否完成", example=True, words=DONE_WORDS, aliases=("finished", "completed")
    )


class RemoveTodo(Arguments):
    todo_no: int = argument(..., "The number of the todo", zh="待办编号", example=1001)
    content: str = argument(..., "What it says", zh="待办内容", example="给李四回电话")


async def list_todos(pool: Pool, call: Call, asked: ListTodos) -> Answer:
    start, end = asked.start_date, asked.end_date
    if start and end and start > end:
        return refused(call.pick("开始日期晚于结束日期，请换一个时间段。", "The first day comes after the last one."))
    page = await Todos(pool).find(
        call.caller.tenant,
        call.caller.user,
        days=call.days(start, end),
        category=asked.category,
        initiator=asked.initiator,
        done=asked.done or False,
        limit=asked.limit,
    )
    data = {
        "total": page.total,
        "found": page.total,
        "start": str(start) if start else None,
        "end": str(end) if end else None,
        "todos": [_row(call, todo) for todo in page.rows],
    }
    if not page.rows:
        return answered(call.pick("没有找到待办。", "No todos were found."), data, None)
    head = call.pick(f"共有 {page.total} 个待办：", f"There are {page.total} todos:")
    if len(page.rows) < page.total:
        shown = len(page.rows)
        head = call.pick(
            f"共有 {page.total} 个待办，前 {shown} 个：", f"There are {page.total} todos, the first {shown}:"
        )
    lines = [f"{number}. {_line(call, todo)}" for number, todo in enumerate(page.rows, 1)]
    return answered("\n".join([head, *lines]), data, "todo_list")


async def add_todo(pool: Pool, call: Call, asked: AddTodo) -> Answer:
    if refusal := _too_long(call, asked.content):
        return refusal
    todo = await Todos(pool).add(
        call.caller.tenant,
        call.caller.user,
        asked.content,
        at=call.now,
        due_on=asked.date,
        category=asked.category or TodoCategory.OTHER,
        initiator=asked.initiator,
    )
    line = _line(call, todo)
    return answered(call.pick(f"已添加待办：{line}", f"Added a todo: {line}"), _row(call, todo), "todo")


async def modify_todo(pool: Pool, call: Call, asked: ModifyTodo) -> Answer:
    if refusal := _too_long(call, asked.content or ""):
        return refusal
    changes = asked.model_dump(exclude={"todo_no", "date"}) | {"due_on": asked.date}
    number = asked.todo_no
    if all(change is None for change in changes.values()):
        zh = f"要把待办 {number} 改成什么？可以改内容、日期、类别、发起人，或标记为完成。"
        en = f"What should change about todo {number}? Its text, day, category, initiator, or that it is done."
        return refused(call.pick(zh, en))
    todo = await Todos(pool).modify(call.caller.tenant, call.caller.user, number, **changes)
    if todo is None:
        zh, en = f"没有找到待办 {number}，没有改动。", f"There is no todo {number}; nothing was changed."
        return refused(call.pick(zh, en))
    line = _line(call, todo)
    return answered(call.pick(f"已修改待办：{line}", f"Changed the todo: {line}"), _row(call, todo), "todo")


async def remove_todo(pool: Pool, call: Call, asked: RemoveTodo) -> Answer:
    await Todos(pool).remove(call.caller.tenant, call.caller.user, asked.todo_no)
    named = f"[{asked.todo_no}] {asked.content}"
    return answered(call.pick(f"已删除待办：{named}", f"Removed the todo: {named}"), {"no": asked.todo_no}, None)


FUNCTIONS = (
    Function(
        name="list_todos",
        description="List todos by category, initiator or the days on which they are due; those that are not done by "
        "default.",
        group="todo",
        permission="todo:read",
        arguments=ListTodos,
        run=list_todos,
        retries=1,
        cards=("todo_list",),
    ),
    Function(
        name="add_todo",
        description="Add a todo of the caller's own.",
        group="todo",
        permission="todo:write",
        arguments=AddTodo,
        run=add_todo,
        effect=True,
        cards=("todo",),
        undone_by=("remove_todo", {"todo_no": "result.todo_no", "content": "result.content"}),
    ),
    Function(
        name="modify_todo",
        description="Change a todo: its text, its day, its category, who wants it, or that it is done.",
        group="todo",
        permission="todo:write",
        arguments=ModifyTodo,
        run=modify_todo,
        effect=True,
        idempotent=True,
        retries=1,
        cards=("todo",),
    ),
    Function(
        name="remove_todo",
        description="Take a todo of the caller's own off the list; one that is gone already is as good as removed.",
        group="undo",
        permission="todo:write",
        arguments=RemoveTodo,
        run=remove_todo,
        effect=True,
        idempotent=True,
        retries=2,
    ),
)


def _too_long(call: Call, content: str) -> Answer | None:
    if len(content) <= LONGEST_CONTENT:
        return None
    zh = f"待办内容最多 {LONGEST_CONTENT} 个字。"
    return refused(call.pick(zh, f"The text of a todo has at most {LONGEST_CONTENT} characters."))


def _row(call: Call, todo: Todo) -> dict[str, object]:
    return {**todo.model_dump(mode="json"), "category_name": CATEGORY_NAMES[todo.category][call.locale]}


def _line(call: Call, todo: Todo) -> str:
    category = CATEGORY_NAMES[todo.category][call.locale]
    state = call.pick("已完成" if todo.done else "未完成", "done" if todo.done else "open")
    due_zh, due_en = (f"{todo.due_on} 到期", f"due {todo.due_on}") if todo.due_on else ("未定日期", "no day")
    return call.pick(
        f"[{todo.todo_no}] {todo.content}，{category}，{due_zh}，{todo.initiator}发起，{state}",
        f"[{todo.todo_no}] {todo.content}, {category}, {due_en}, from {todo.initiator}, {state}",
    )
