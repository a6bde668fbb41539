"""Users: who buys here, found by name, place, number or telephone."""

from datetime import datetime
from typing import Literal

from demo.days import Days
from demo.rows import Page, Pool, Record, fetch_page

MOBILE_WITH_PREFIX = 13
Level = Literal["standard", "silver", "gold"]


class User(Record):
    """`orders`: how many are kept of this user; `registered_at`: aware."""

    user_id: str
    name: str
    latin_name: str
    phone: str
    city: str
    level: str
    registered_at: datetime
    orders: int


LEVEL_NAMES: dict[str, dict[str, str]] = {
    "standard": {"zh": "普通会员", "en": "standard"},
    "silver": {"zh": "银卡会员", "en": "silver"},
    "gold": {"zh": "金卡会员", "en": "gold"},
}
_LIST = """
    select u.user_id, u.name, u.latin_name, u.phone, u.city, u.level, u.registered_at,
        (select count(*) from demo.orders o where o.tenant_id = u.tenant_id and o.user_id = u.user_id) as orders,
        count(*) over () as total
    from demo.users u
    where u.tenant_id = %(tenant)s
        and (%(keyword)s::text is null or lower(u.city) = lower(%(keyword)s)
            or u.user_id in (select demo.users_named(%(tenant)s, %(keyword)s)))
        and (%(phone)s::text is null or right(regexp_replace(u.phone, '\\D', '', 'g'), length(%(phone)s)) = %(phone)s)
        and (%(city)s::text is null or lower(u.city) = lower(%(city)s))
        and (%(level)s::text is null or u.level = %(level)s)
        and (%(since)s::timestamptz is null or u.registered_at >= %(since)s)
        and (%(before)s::timestamptz is null or u.registered_at < %(before)s)
    order by u.registered_at desc, u.user_id"""


class Users:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def find(
        self,
        tenant: str,
        *,
        days: Days,
        keyword: str | None = None,
        phone: str | None = None,
        city: str | None = None,
        level: Level | None = None,
        limit: int = 10,
    ) -> Page[User]:
        """`keyword`: a name (as for orders), a user's id or a city. `phone`: a whole number or how it ends.

        `days`: of registration. The latest to register come first.
        """
        given = {"keyword": keyword, "phone": digits(phone), "city": city, "level": level}
        values = {"tenant": tenant, **given, **days.bounds}
        return await fetch_page(self._pool, User, _LIST, values, limit=limit)


def digits(phone: str | None) -> str | None:
    """What can be compared of a telephone number, without China's prefix; a text without a digit fits no number."""
    if phone is None:
        return None
    found = "".join(c for c in phone if c in "0123456789")
    return found.removeprefix("86" if len(found) == MOBILE_WITH_PREFIX else "") or "no digits"
