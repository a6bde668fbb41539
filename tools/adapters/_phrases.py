"""How results read in Chinese and English: periods, counts and lists."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from typing import Any

from pydantic import BaseModel, ConfigDict

from demo.days import Days
from demo.rows import Page, RecordT
from tools.tool import Card, Locale, ToolContext, ToolResult

# The ends of a period that has none (`language.periods`).
OPEN_START, OPEN_END = date(1970, 1, 1), date(2099, 12, 31)


class Result(BaseModel):
    """The structured result of a tool."""

    model_config = ConfigDict(frozen=True, extra="forbid")


@dataclass(frozen=True, kw_only=True)
class Noun:
    """What is counted: `measure` and `zh` make 12 个订单, `one` and `many` make 1 order and 12 orders."""

    measure: str
    zh: str
    one: str
    many: str


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What narrowed a list down, as it is said. `whose`: a person; `which`: a status or a kind; `after`: what follows
    the noun, in English alone; `when`: a period; `past`: it is over; `by`: how the rows are sorted, if not as usual."""

    whose: str = ""
    which: str = ""
    after: str = ""
    when: str = ""
    past: bool = False
    by: str = ""


def zone(ctx: ToolContext) -> tzinfo:
    """The tenant's zone."""
    if ctx.now.tzinfo is None:
        raise ValueError("ToolContext.now must be aware")
    return ctx.now.tzinfo


def today(ctx: ToolContext) -> date:
    return ctx.now.date()


def days(ctx: ToolContext, start: date | None, end: date | None) -> Days:
    return Days(zone=zone(ctx), start=start, end=end)


def days_or_today(ctx: ToolContext, start: date | None, end: date | None) -> Days:
    """Today where no day was given."""
    return days(ctx, start, end) if start or end else days(ctx, today(ctx), today(ctx))


def wrong_order(ctx: ToolContext, start: date | None, end: date | None) -> ToolResult | None:
    """A refusal where the first day comes after the last one."""
    if start is None or end is None or start <= end:
        return None
    zh = f"开始日期 {start} 晚于结束日期 {end}，请换一个时间段。"
    en = f"The first day, {start}, comes after the last one, {end}; give them the other way round."
    return refused(pick(ctx.locale, zh, en))


def refused(content: str, data: Mapping[str, Any] | None = None) -> ToolResult:
    return ToolResult(content=content, data=dict(data or {}), outcome="refused")


def answered(content: str, result: Result, card: str | None = None, *, direct: bool = False) -> ToolResult:
    """`card`: the type of the card that shows the whole result."""
    data = result.model_dump(mode="json")
    return ToolResult(content=content, data=data, card=Card(type=card, data=data) if card else None, direct=direct)


def pick(locale: Locale, zh: str, en: str) -> str:
    return en if locale == "en" else zh


def period(ctx: ToolContext, start: date | None, end: date | None) -> str:
    """今天, 2026-11-01 至 2026-11-30, on 2026-11-03, since 2026-11-01; empty where no day was given."""
    start, end = None if start == OPEN_START else start, None if end == OPEN_END else end
    if start is not None and start == end:
        return _day(ctx, start)
    if start and end:
        return pick(ctx.locale, f"{start} 至 {end} ", f"from {start} to {end}")
    if start:
        return pick(ctx.locale, f"{start} 起", f"since {start}")
    return pick(ctx.locale, f"{end} 为止", f"until {end}") if end else ""


def over(ctx: ToolContext, end: date | None) -> bool:
    """Whether a period has ended before today."""
    return end is not None and end < today(ctx)


def beside(locale: Locale, state: str, which: str = "") -> tuple[str, str]:
    """What stands before and after the noun: in English a state of several words follows it (orders to be shipped)."""
    if locale == "en" and " " in state:
        return which, state
    return (" ".join(filter(None, [which, state])) if locale == "en" else f"{which}{state}"), ""


def _day(ctx: ToolContext, day: date) -> str:
    near = {-1: ("昨天", "yesterday"), 0: ("今天", "today"), 1: ("明天", "tomorrow")}
    zh, en = near.get((day - today(ctx)).days, (f"{day} ", f"on {day}"))
    return pick(ctx.locale, zh, en)


def period_of(ctx: ToolContext, span: Days) -> str:
    return period(ctx, span.start, span.end)


def moment(ctx: ToolContext, at: datetime) -> str:
    """As 11-30 09:12 in the tenant's zone; with the year where it is another one."""
    here = at.astimezone(zone(ctx))
    return f"{here:%m-%d %H:%M}" if here.year == ctx.now.year else f"{here:%Y-%m-%d %H:%M}"


def local(ctx: ToolContext, at: datetime) -> datetime:
    return at.astimezone(zone(ctx))


def counted(locale: Locale, number: int, noun: Noun, which: str = "") -> str:
    """12 个已发货订单, 12 shipped orders."""
    if locale == "en":
        return " ".join(part for part in (f"{number:,}", which, noun.one if number == 1 else noun.many) if part)
    return f"{number} {noun.measure}{spaced(which)}{noun.zh}"


def listing(
    ctx: ToolContext, page: Page[RecordT], noun: Noun, line: Callable[[RecordT], str], asked: Asked = Asked()
) -> str:
    """How many there are, then a line for each that is shown."""
    if not page.rows:
        return nothing(ctx.locale, noun, asked)
    how_many = counted(ctx.locale, page.total, noun, asked.which)
    shown = len(page.rows)
    if ctx.locale == "en":
        whose = f"of {asked.whose}" if asked.whose else ""
        verb = {True: "was", False: "is"} if page.total == 1 else {True: "were", False: "are"}
        parts = (f"There {verb[asked.past]} {how_many}", asked.after, whose, asked.when)
        head = " ".join(part for part in parts if part) + (f", {asked.by}" if asked.by else "")
        head += f", the first {shown}:" if shown < page.total else ":"
    else:
        head = f"{whose_and_when(asked.whose, asked.when)}共有 {how_many}" + (f"，{asked.by}" if asked.by else "")
        head += f"，前 {shown} 个：" if shown < page.total else "："
    return "\n".join([head, *numbered([line(row) for row in page.rows])])


def spaced(words: str) -> str:
    """In Chinese, a space between a character and a digit that follows it."""
    return f" {words}" if words[:1].isdigit() else words


def nothing(locale: Locale, noun: Noun, asked: Asked) -> str:
    if locale == "en":
        whose = f"of {asked.whose}" if asked.whose else ""
        parts = ("No", asked.which, noun.many, asked.after, whose, asked.when)
        return " ".join(part for part in parts if part) + " were found."
    of = whose_and_when(asked.whose, asked.when)
    before = " " if of[:1].isdigit() else ""
    return f"没有找到{before}{of}{'的' if of else ''}{spaced(asked.which) if of else asked.which}{noun.zh}。"


def whose_and_when(whose: str, when: str) -> str:
    """In Chinese, with a space between a character and a digit."""
    return f"{whose} {when}" if whose and when[:1].isdigit() else f"{whose}{when}"


def numbered(lines: Sequence[str]) -> list[str]:
    return [f"{number}. {line}" for number, line in enumerate(lines, 1)]


def numbers(locale: Locale, of: Mapping[str, int]) -> str:
    """已发货 3，已完成 4; what there is none of is left out."""
    return pick(locale, "，", ", ").join(f"{name} {number}" for name, number in of.items() if number)


def words(names: Mapping[Any, Mapping[str, str]], more: Mapping[str, Any]) -> dict[str, Any]:
    """Spoken names of values: first those that are shown, then others."""
    shown = {name[locale]: value for value, name in names.items() for locale in ("zh", "en")}
    return shown | dict(more)
