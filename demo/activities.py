"""Activities: events and offers, each over some days."""

from datetime import date
from typing import Literal

from demo.days import Days
from demo.rows import Page, Pool, Record, fetch_page

ActivityStatus = Literal["upcoming", "ongoing", "ended"]
ACTIVITY_STATUS_NAMES: dict[ActivityStatus, dict[str, str]] = {
    "upcoming": {"zh": "未开始", "en": "upcoming"},
    "ongoing": {"zh": "进行中", "en": "ongoing"},
    "ended": {"zh": "已结束", "en": "ended"},
}


class Activity(Record):
    activity_no: int
    title: str
    place: str
    status: ActivityStatus
    starts_on: date
    ends_on: date
    places: int
    signed_up: int


_LIST = """
    select *, count(*) over () as total from (
        select activity_no, title, place, starts_on, ends_on, places, signed_up,
            case when starts_on > %(today)s then 'upcoming'
                when ends_on < %(today)s then 'ended' else 'ongoing' end as status
        from demo.activities where tenant_id = %(tenant)s) a
    where (%(keyword)s::text is null or strpos(lower(title || ' ' || place), lower(%(keyword)s)) > 0)
        and (%(status)s::text is null or status = %(status)s)
        and (%(start)s::date is null or ends_on >= %(start)s)
        and (%(end)s::date is null or starts_on <= %(end)s)
    order by abs(starts_on - %(today)s::date), activity_no"""


class Activities:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def find(
        self,
        tenant: str,
        *,
        today: date,
        days: Days,
        keyword: str | None = None,
        status: ActivityStatus | None = None,
        limit: int = 10,
    ) -> Page[Activity]:
        """Those that touch `days`, the nearest to `today` first."""
        values = {"tenant": tenant, "today": today, "keyword": keyword, "status": status, **days.bounds}
        return await fetch_page(self._pool, Activity, _LIST, values, limit=limit)
