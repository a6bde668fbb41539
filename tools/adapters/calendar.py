"""Calendar entries of the caller and of everybody: list, add and move them."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import date, time, timedelta
from typing import Annotated, Any

from demo.calendar import LONGEST_TITLE, Calendar, Event
from demo.rows import Page, Pool
from tools.adapters._arguments import EndDate, Limit, StartDate
from tools.adapters._phrases import (
    Asked,
    Noun,
    Result,
    answered,
    days,
    listing,
    over,
    period,
    pick,
    refused,
    today,
    wrong_order,
)
from tools.tool import Arg, Compensation, Locale, ToolContext, ToolResult, tool

EVENTS = Noun(measure="个", zh="日程", one="entry", many="entries")
DAYS_AHEAD = timedelta(days=6)
OFFERED = 5


class EventRow(Result):
    """`starts_at`: as 14:30, None for the whole day; `shared`: everybody of the tenant sees it."""

    event_no: int
    title: str
    place: str | None
    day: date
    starts_at: str | None
    shared: bool


class EventList(Result):
    """`total` and `found`: how many there are; `events`: in the order in which they come."""

    total: int
    found: int
    start: date | None
    end: date | None
    events: list[EventRow]


@asynccontextmanager
async def lifespan(pool: Pool, resources: Mapping[str, Any]) -> AsyncIterator[Calendar]:  # noqa: ARG001  needs no settings
    yield Calendar(pool)


@tool(group="calendar", permission="calendar:read", cards=("calendar_list",), result=EventList)
async def list_events(
    ctx: ToolContext,
    *,
    start_date: StartDate = None,
    end_date: EndDate = None,
    title: Annotated[
        str | None,
        Arg(description="A part of the title", zh="标题", example="周会", aliases=("keyword", "name", "query")),
    ] = None,
    limit: Limit = 10,
) -> ToolResult:
    """List calendar entries in the order in which they come; the next 7 days by default."""
    if refusal := wrong_order(ctx, start_date, end_date):
        return refusal
    if start_date is None and end_date is None:
        start_date, end_date = today(ctx), today(ctx) + DAYS_AHEAD
    calendar: Calendar = ctx.resources
    span = days(ctx, start_date, end_date)
    page = await calendar.find(ctx.principal.tenant, ctx.principal.user, days=span, title=title, limit=limit)
    events = [_row(event) for event in page.rows]
    result = EventList(total=page.total, found=page.total, start=start_date, end=end_date, events=events)
    asked = Asked(which=f"“{title}”" if title else "", when=period(ctx, start_date, end_date), past=over(ctx, end_date))
    content = listing(ctx, page, EVENTS, lambda event: _line(ctx.locale, event), asked)
    return answered(content, result, "calendar_list" if page.rows else None)


@tool(
    group="calendar",
    permission="calendar:write",
    effect=True,
    cards=("calendar_event",),
    result=EventRow,
    compensate=Compensation(tool="remove_event", arguments={"event_no": "result.event_no", "title": "result.title"}),
)
async def add_event(
    ctx: ToolContext,
    *,
    title: Annotated[
        str, Arg(description="What it is", zh="标题", example="部门周会", aliases=("content", "name", "subject"))
    ],
    date: Annotated[
        date, Arg(description="The day on which it is", zh="日期", example="2026-12-01", aliases=("day", "start_date"))
    ],
    time: Annotated[
        time | None,
        Arg(description="When it begins; none for the whole day", zh="时间", example="15:00", aliases=("starts_at",)),
    ] = None,
    place: Annotated[
        str | None, Arg(description="Where it is", zh="地点", example="三楼会议室", aliases=("location", "room"))
    ] = None,
) -> ToolResult:
    """Add an entry to the caller's own calendar."""
    if len(title) > LONGEST_TITLE:
        zh = f"日程标题最多 {LONGEST_TITLE} 个字。"
        return refused(pick(ctx.locale, zh, f"The title of an entry has at most {LONGEST_TITLE} characters."))
    calendar: Calendar = ctx.resources
    event = await calendar.add(ctx.principal.tenant, ctx.principal.user, title, date, starts_at=time, place=place)
    line = _line(ctx.locale, event)
    content = pick(ctx.locale, f"已添加日程：{line}", f"Added to the calendar: {line}")
    return answered(content, _row(event), "calendar_event")


@tool(
    group="calendar", permission="calendar:write", effect=True, direct=True, cards=("calendar_event",), result=EventRow
)
async def update_event(
    ctx: ToolContext,
    *,
    event_no: Annotated[
        int | None,
        Arg(
            description="The number of the entry, if it is known",
            zh="日程编号",
            example=501,
            aliases=("event_id", "id"),
        ),
    ] = None,
    title: Annotated[
        str | None,
        Arg(description="A part of the title of the entry", zh="标题", example="周会", aliases=("keyword", "name")),
    ] = None,
    date: Annotated[
        date | None,
        Arg(
            description="The day on which it is now",
            zh="原来的日期",
            example="2026-12-01",
            aliases=("day", "start_date"),
        ),
    ] = None,
    time: Annotated[
        time | None,
        Arg(description="The time at which it begins now", zh="原来的时间", example="15:00", aliases=("starts_at",)),
    ] = None,
    new_date: Annotated[
        date | None,
        Arg(description="The day to move it to", zh="新日期", example="2026-12-02", aliases=("to_date", "new_day")),
    ] = None,
    new_time: Annotated[
        time | None, Arg(description="The time to move it to", zh="新时间", example="16:00", aliases=("to_time",))
    ] = None,
) -> ToolResult:
    """Move a calendar entry to another day or time; the entry is named by its number, title, day or time."""
    if new_date is None and new_time is None:
        return refused(pick(ctx.locale, "要改到哪一天或几点？", "Which day or time should it be moved to?"))
    if all(one is None for one in (event_no, title, date, time)):
        return refused(
            pick(ctx.locale, "要改哪一个日程？请说编号、标题或日期。", "Which entry? Name its number, title or day.")
        )
    calendar: Calendar = ctx.resources
    principal = ctx.principal
    span = days(ctx, date or (None if event_no else today(ctx)), date)
    page = await calendar.find(
        principal.tenant, principal.user, days=span, event_no=event_no, title=title, starts_at=time, limit=OFFERED
    )
    if page.total != 1:
        return _which_one(ctx, page)
    event = await calendar.move(
        principal.tenant, principal.user, page.rows[0].event_no, day=new_date, starts_at=new_time
    )
    if event is None:
        return refused(pick(ctx.locale, "没有找到这个日程，没有改动。", "There is no such entry; nothing was changed."))
    line = _line(ctx.locale, event)
    content = pick(ctx.locale, f"已修改日程：{line}", f"Moved the entry: {line}")
    return answered(content, _row(event), "calendar_event", direct=True)


def _which_one(ctx: ToolContext, page: Page[Event]) -> ToolResult:
    """Nothing was changed: none fits, or several do."""
    if not page.rows:
        return refused(pick(ctx.locale, "没有找到这个日程，没有改动。", "There is no such entry; nothing was changed."))
    lines = [_line(ctx.locale, event) for event in page.rows]
    zh = f"有 {page.total} 个日程符合，请说出要改的编号，没有改动："
    en = f"{page.total} entries fit; name the number of the one to move. Nothing was changed:"
    events = [_row(event).model_dump(mode="json") for event in page.rows]
    return refused("\n".join([pick(ctx.locale, zh, en), *lines]), {"found": page.total, "events": events})


def _row(event: Event) -> EventRow:
    at = f"{event.starts_at:%H:%M}" if event.starts_at else None
    return EventRow(**event.model_dump() | {"starts_at": at})


def _line(locale: Locale, event: Event) -> str:
    at = f"{event.starts_at:%H:%M}" if event.starts_at else pick(locale, "全天", "all day")
    place = pick(locale, f"，{event.place}", f", {event.place}") if event.place else ""
    return f"[{event.event_no}] {event.day} {at} {event.title}{place}"
