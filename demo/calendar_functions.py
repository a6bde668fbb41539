"""The calendar as functions of the function centre: list, add and move its entries."""

import datetime as dt

from demo.calendar import LONGEST_TITLE, Calendar, Event
from demo.functions import Answer, Arguments, Call, Function, answered, argument, refused
from demo.rows import Page, Pool

DAYS_AHEAD = dt.timedelta(days=6)
OFFERED = 5


class ListEvents(Arguments):
    start_date: dt.date | None = argument(
        None, "First day of the period, included", zh="开始日期", example="2026-11-01", aliases=("from", "since")
    )
    end_date: dt.date | None = argument(
        None, "Last day of the period, included", zh="结束日期", example="2026-11-30", aliases=("to", "until")
    )
    title: str | None = argument(
        None, "A part of the title", zh="标题", example="周会", aliases=("keyword", "name", "query")
    )
    limit: int = argument(10, "How many rows to show", zh="条数", example=10, aliases=("count", "top"), most=50)


class AddEvent(Arguments):
    title: str = argument(..., "What it is", zh="标题", example="部门周会", aliases=("content", "name", "subject"))
    date: dt.date = argument(
        ..., "The day on which it is", zh="日期", example="2026-12-01", aliases=("day", "start_date")
    )
    time: dt.time | None = argument(
        None, "When it begins; none for the whole day", zh="时间", example="15:00", aliases=("starts_at",)
    )
    place: str | None = argument(None, "Where it is", zh="地点", example="三楼会议室", aliases=("location", "room"))


class UpdateEvent(Arguments):
    event_no: int | None = argument(
        None, "The number of the entry, if it is known", zh="日程编号", example=501, aliases=("event_id", "id")
    )
    title: str | None = argument(
        None, "A part of the title of the entry", zh="标题", example="周会", aliases=("keyword", "name")
    )
    date: dt.date | None = argument(
        None, "The day on which it is now", zh="原来的日期", example="2026-12-01", aliases=("day", "start_date")
    )
    time: dt.time | None = argument(
        None, "The time at which it begins now", zh="原来的时间", example="15:00", aliases=("starts_at",)
    )
    new_date: dt.date | None = argument(
        None, "The day to move it to", zh="新日期", example="2026-12-02", aliases=("to_date", "new_day")
    )
    new_time: dt.time | None = argument(
        None, "The time to move it to", zh="新时间", example="16:00", aliases=("to_time",)
    )


class RemoveEvent(Arguments):
    event_no: int = argument(..., "The number of the entry", zh="日程编号", example=501)
    title: str = argument(..., "What it is", zh="标题", example="部门周会")


async def list_events(pool: Pool, call: Call, asked: ListEvents) -> Answer:
    start, end = asked.start_date, asked.end_date
    if start and end and start > end:
        return refused(call.pick("开始日期晚于结束日期，请换一个时间段。", "The first day comes after the last one."))
    if start is None and end is None:
        start, end = call.today, call.today + DAYS_AHEAD
    page = await Calendar(pool).find(
        call.caller.tenant, call.caller.user, days=call.days(start, end), title=asked.title, limit=asked.limit
    )
    data = {
        "total": page.total,
        "found": page.total,
        "start": str(start) if start else None,
        "end": str(end) if end else None,
        "events": [_row(event) for event in page.rows],
    }
    if not page.rows:
        return answered(call.pick("没有找到日程。", "No entries were found."), data, None)
    head = call.pick(f"共有 {page.total} 个日程：", f"There are {page.total} entries:")
    lines = [f"{number}. {_line(call, event)}" for number, event in enumerate(page.rows, 1)]
    return answered("\n".join([head, *lines]), data, "calendar_list")


async def add_event(pool: Pool, call: Call, asked: AddEvent) -> Answer:
    if len(asked.title) > LONGEST_TITLE:
        zh = f"日程标题最多 {LONGEST_TITLE} 个字。"
        return refused(call.pick(zh, f"The title of an entry has at most {LONGEST_TITLE} characters."))
    event = await Calendar(pool).add(
        call.caller.tenant, call.caller.user, asked.title, asked.date, starts_at=asked.time, place=asked.place
    )
    line = _line(call, event)
    return answered(call.pick(f"已添加日程：{line}", f"Added to the calendar: {line}"), _row(event), "calendar_event")


async def update_event(pool: Pool, call: Call, asked: UpdateEvent) -> Answer:
    if asked.new_date is None and asked.new_time is None:
        return refused(call.pick("要改到哪一天或几点？", "Which day or time should it be moved to?"))
    if all(one is None for one in (asked.event_no, asked.title, asked.date, asked.time)):
        zh = "要改哪一个日程？请说编号、标题或日期。"
        return refused(call.pick(zh, "Which entry? Name its number, title or day."))
    calendar, caller = Calendar(pool), call.caller
    page = await calendar.find(
        caller.tenant,
        caller.user,
        days=call.days(asked.date or (None if asked.event_no else call.today), asked.date),
        event_no=asked.event_no,
        title=asked.title,
        starts_at=asked.time,
        limit=OFFERED,
    )
    if page.total != 1:
        return _which_one(call, page)
    number = page.rows[0].event_no
    event = await calendar.move(caller.tenant, caller.user, number, day=asked.new_date, starts_at=asked.new_time)
    if event is None:
        return _which_one(call, Page[Event](total=0, rows=()))
    line = _line(call, event)
    content = call.pick(f"已修改日程：{line}", f"Moved the entry: {line}")
    return answered(content, _row(event), "calendar_event", direct=True)


async def remove_event(pool: Pool, call: Call, asked: RemoveEvent) -> Answer:
    await Calendar(pool).remove(call.caller.tenant, call.caller.user, asked.event_no)
    named = f"[{asked.event_no}] {asked.title}"
    return answered(call.pick(f"已删除日程：{named}", f"Removed the entry: {named}"), {"no": asked.event_no}, None)


FUNCTIONS = (
    Function(
        name="list_events",
        description="List calendar entries in the order in which they come; the next 7 days by default.",
        group="calendar",
        permission="calendar:read",
        arguments=ListEvents,
        run=list_events,
        retries=1,
        cards=("calendar_list",),
    ),
    Function(
        name="add_event",
        description="Add an entry to the caller's own calendar.",
        group="calendar",
        permission="calendar:write",
        arguments=AddEvent,
        run=add_event,
        effect=True,
        cards=("calendar_event",),
        undone_by=("remove_event", {"event_no": "result.event_no", "title": "result.title"}),
    ),
    Function(
        name="update_event",
        description="Move a calendar entry to another day or time; the entry is named by its number, title, day or "
        "time.",
        group="calendar",
        permission="calendar:write",
        arguments=UpdateEvent,
        run=update_event,
        effect=True,
        cards=("calendar_event",),
    ),
    Function(
        name="remove_event",
        description="Take an entry of the caller's own out of the calendar; one that is gone already is as good as "
        "removed.",
        group="undo",
        permission="calendar:write",
        arguments=RemoveEvent,
        run=remove_event,
        effect=True,
        idempotent=True,
        retries=2,
    ),
)


def _which_one(call: Call, page: Page[Event]) -> Answer:
    """Nothing was changed: none fits, or several do."""
    if not page.rows:
        return refused(call.pick("没有找到这个日程，没有改动。", "There is no such entry; nothing was changed."))
    zh = f"有 {page.total} 个日程符合，请说出要改的编号，没有改动："
    en = f"{page.total} entries fit; name the number of the one to move. Nothing was changed:"
    lines = [_line(call, event) for event in page.rows]
    data = {"found": page.total, "events": [_row(event) for event in page.rows]}
    return refused("\n".join([call.pick(zh, en), *lines]), data)


def _row(event: Event) -> dict[str, object]:
    at = f"{event.starts_at:%H:%M}" if event.starts_at else None
    return {**event.model_dump(mode="json"), "starts_at": at}


def _line(call: Call, event: Event) -> str:
    at = f"{event.starts_at:%H:%M}" if event.starts_at else call.pick("全天", "all day")
    place = call.pick(f"，{event.place}", f", {event.place}") if event.place else ""
    return f"[{event.event_no}] {event.day} {at} {event.title}{place}"
