"""Calendar entries: each belongs to one person, or to everybody of the tenant; days and times are the tenant's own."""

from datetime import date, time

from demo.days import Days
from demo.rows import Page, Pool, Record, fetch, fetch_one, fetch_page

LONGEST_TITLE = 200


class Event(Record):
    """`starts_at`: None for the whole day; `shared`: everybody of the tenant sees it."""

    event_no: int
    title: str
    place: str | None
    day: date
    starts_at: time | None
    shared: bool


_LIST = """
    select event_no, title, place, day, starts_at, owner is null as shared, count(*) over () as total
    from demo.calendar_events
    where tenant_id = %(tenant)s and (owner is null or owner = %(user)s)
        and (%(event_no)s::numeric is null or event_no = %(event_no)s)
        and (%(title)s::text is null or strpos(lower(title), lower(%(title)s)) > 0)
        and (%(starts_at)s::time is null or starts_at = %(starts_at)s)
        and (%(start)s::date is null or day >= %(start)s) and (%(end)s::date is null or day <= %(end)s)
    order by day, starts_at nulls first, event_no"""
_ADD = """
    insert into demo.calendar_events (tenant_id, owner, title, place, day, starts_at, changed_by)
    values (%(tenant)s, %(user)s, %(title)s, %(place)s, %(day)s, %(starts_at)s, %(user)s)
    returning event_no, title, place, day, starts_at, owner is null as shared"""
_UPDATE = """
    update demo.calendar_events set
        day = coalesce(%(day)s, day), starts_at = coalesce(%(starts_at)s, starts_at), changed_by = %(user)s
    where tenant_id = %(tenant)s and (owner is null or owner = %(user)s) and event_no = %(event_no)s
    returning event_no, title, place, day, starts_at, owner is null as shared"""


_REMOVE = """
    delete from demo.calendar_events where tenant_id = %(tenant)s and owner = %(user)s and event_no = %(event_no)s
    returning event_no"""


class Calendar:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def find(
        self,
        tenant: str,
        user: str,
        *,
        days: Days,
        event_no: int | None = None,
        title: str | None = None,
        starts_at: time | None = None,
        limit: int = 10,
    ) -> Page[Event]:
        """The user's own and the shared ones, in the order in which they come; `title`: a part of it."""
        values = {"tenant": tenant, "user": user, "event_no": event_no, "title": title, "starts_at": starts_at}
        return await fetch_page(self._pool, Event, _LIST, {**values, **days.bounds}, limit=limit)

    async def add(
        self,
        tenant: str,
        user: str,
        title: str,
        day: date,
        *,
        starts_at: time | None = None,
        place: str | None = None,
    ) -> Event:
        """One of the user's own."""
        values = {"tenant": tenant, "user": user, "title": title, "day": day, "starts_at": starts_at, "place": place}
        return Event(**await fetch_one(self._pool, _ADD, values))

    async def move(
        self, tenant: str, user: str, event_no: int, *, day: date | None = None, starts_at: time | None = None
    ) -> Event | None:
        """Sets what is given and leaves the rest; None where this user sees no such entry."""
        values = {"tenant": tenant, "user": user, "event_no": event_no, "day": day, "starts_at": starts_at}
        rows = await fetch(self._pool, _UPDATE, values)
        return Event(**rows[0]) if rows else None

    async def remove(self, tenant: str, user: str, event_no: int) -> bool:
        """One of the user's own; whether it was still there."""
        return bool(await fetch(self._pool, _REMOVE, {"tenant": tenant, "user": user, "event_no": event_no}))
