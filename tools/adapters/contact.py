"""Contacts: find somebody in the address book."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Annotated, Any

from demo.contacts import DEPARTMENT_NAMES, Contact, Contacts, Department
from demo.rows import Pool
from tools.adapters._arguments import Limit, Phone
from tools.adapters._phrases import Asked, Noun, Result, answered, listing, pick, words
from tools.tool import Arg, ToolContext, ToolResult, tool

DEPARTMENT_WORDS = words(
    DEPARTMENT_NAMES,
    {
        "销售": Department.SALES,
        "市场": Department.MARKETING,
        "财务": Department.FINANCE,
        "会计": Department.FINANCE,
        "人事": Department.HR,
        "人力资源": Department.HR,
        "人力资源部": Department.HR,
        "技术": Department.ENGINEERING,
        "研发": Department.ENGINEERING,
        "研发部": Department.ENGINEERING,
        "客服": Department.SUPPORT,
        "教研": Department.CONTENT,
        "内容": Department.CONTENT,
        "法务": Department.LEGAL,
        "学员": Department.CUSTOMER,
    },
)
CONTACTS = Noun(measure="位", zh="联系人", one="contact", many="contacts")


class ContactRow(Result):
    contact_no: int
    name: str
    latin_name: str
    department: Department
    department_name: str
    position: str
    phone: str
    email: str


class ContactList(Result):
    """`total` and `found`: how many there are; `contacts`: the first of them by name."""

    total: int
    found: int
    contacts: list[ContactRow]


@asynccontextmanager
async def lifespan(pool: Pool, resources: Mapping[str, Any]) -> AsyncIterator[Contacts]:  # noqa: ARG001  needs no settings
    yield Contacts(pool)


@tool(group="contact", permission="contact:read", cards=("contact_list",), result=ContactList)
async def find_contacts(
    ctx: ToolContext,
    *,
    name: Annotated[
        str | None,
        Arg(description="A name or a part of one", zh="姓名", example="李四", aliases=("keyword", "person", "query")),
    ] = None,
    phone: Phone = None,
    department: Annotated[
        Department | None,
        Arg(
            description="Where the person works",
            zh="部门",
            example="finance",
            words=DEPARTMENT_WORDS,
            aliases=("team",),
        ),
    ] = None,
    limit: Limit = 10,
) -> ToolResult:
    """Find telephone, e-mail and position of colleagues and partners by name, telephone or department."""
    contacts: Contacts = ctx.resources
    page = await contacts.find(
        ctx.principal.tenant, ctx.principal.user, name=name, phone=phone, department=department, limit=limit
    )
    result = ContactList(total=page.total, found=page.total, contacts=[_row(ctx, one) for one in page.rows])
    asked_for = " ".join(part for part in (name, phone) if part)
    where = DEPARTMENT_NAMES[department][ctx.locale] if department else ""
    zh = (f"“{asked_for}”的" if asked_for else "") + (f"{where}的" if where else "")
    en = " ".join(part for part in (f"“{asked_for}”" if asked_for else "", where) if part)
    content = listing(ctx, page, CONTACTS, lambda one: _line(ctx, one), Asked(which=pick(ctx.locale, zh, en)))
    return answered(content, result, "contact_list" if page.rows else None)


def _row(ctx: ToolContext, one: Contact) -> ContactRow:
    return ContactRow(**one.model_dump(), department_name=DEPARTMENT_NAMES[one.department][ctx.locale])


def _line(ctx: ToolContext, one: Contact) -> str:
    parts = (one.name, DEPARTMENT_NAMES[one.department][ctx.locale], one.position, one.phone, one.email)
    return pick(ctx.locale, "，", ", ").join(parts)
