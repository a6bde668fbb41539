"""Who stands in each company's address book at the beginning."""

from random import Random

from demo.daily import Row, Rows
from demo.people import REGULARS, person, phone
from demo.tenants import Tenant
from demo.wording import DEPARTMENTS

# Far from the numbers of the users, so that nobody is a customer and a colleague at once.
_FIRST_NUMBER = 700


def contacts(tenant: Tenant) -> Rows:
    random = Random(f"{tenant.tenant_id}:contacts")  # noqa: S311  made-up data, no secrets
    rows: list[Row] = []
    number = _FIRST_NUMBER
    for department, position, heads in DEPARTMENTS[tenant.tenant_id]:
        for _ in range(heads):
            someone = person(tenant.tenant_id, number, random)
            rows.append(_contact(tenant, (department, position), (someone.name, someone.latin_name), number))
            number += 1
    if tenant.tenant_id == "acme":
        rows += [_contact(tenant, ("customer", "学员"), names, number) for number, names in enumerate(REGULARS)]
    return {"contacts": rows}


def _contact(tenant: Tenant, works_as: tuple[str, str], names: tuple[str, str], number: int) -> Row:
    """`works_as`: department and position; `names`: as written, and in Latin letters."""
    email = f"{names[1].lower().replace(' ', '.')}@{tenant.tenant_id}.example"
    return tenant.tenant_id, *names, *works_as, phone(tenant.tenant_id, number), email
