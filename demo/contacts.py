"""Contacts: the address book of a tenant, with entries that only one person sees."""

from enum import StrEnum

from demo.rows import Page, Pool, Record, fetch_page
from demo.users import digits


class Department(StrEnum):
    SALES = "sales"
    MARKETING = "marketing"
    FINANCE = "finance"
    HR = "hr"
    ENGINEERING = "engineering"
    SUPPORT = "support"
    CONTENT = "content"
    LEGAL = "legal"
    CUSTOMER = "customer"


DEPARTMENT_NAMES: dict[Department, dict[str, str]] = {
    Department.SALES: {"zh": "销售部", "en": "sales"},
    Department.MARKETING: {"zh": "市场部", "en": "marketing"},
    Department.FINANCE: {"zh": "财务部", "en": "finance"},
    Department.HR: {"zh": "人事部", "en": "human resources"},
    Department.ENGINEERING: {"zh": "技术部", "en": "engineering"},
    Department.SUPPORT: {"zh": "客服部", "en": "support"},
    Department.CONTENT: {"zh": "教研部", "en": "content"},
    Department.LEGAL: {"zh": "法务部", "en": "legal"},
    Department.CUSTOMER: {"zh": "客户", "en": "customers"},
}


class Contact(Record):
    contact_no: int
    name: str
    latin_name: str
    department: Department
    position: str
    phone: str
    email: str


# A whole name beats a part of one, as for users.
_LIST = """
    with found as (
        select contact_no, name, latin_name, department, position, phone, email,
            %(name)s::text is not null and lower(%(name)s) in (lower(name), lower(latin_name)) as exact
        from demo.contacts
        where tenant_id = %(tenant)s and (owner is null or owner = %(user)s)
            and (%(name)s::text is null or strpos(lower(name || ' ' || latin_name), lower(%(name)s)) > 0)
            and (%(phone)s::text is null or right(regexp_replace(phone, '\\D', '', 'g'), length(%(phone)s)) = %(phone)s)
            and (%(department)s::text is null or department = %(department)s))
    select contact_no, name, latin_name, department, position, phone, email, count(*) over () as total
    from found where exact or not exists (select from found where exact)
    order by name, contact_no"""


class Contacts:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def find(
        self,
        tenant: str,
        user: str,
        *,
        name: str | None = None,
        phone: str | None = None,
        department: Department | None = None,
        limit: int = 10,
    ) -> Page[Contact]:
        """Those of the tenant and the user's own; `phone`: a whole number or how it ends."""
        values = {"tenant": tenant, "user": user, "name": name, "phone": digits(phone), "department": department}
        return await fetch_page(self._pool, Contact, _LIST, values, limit=limit)
