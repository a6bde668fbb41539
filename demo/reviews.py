"""Reviews: what buyers say about the courses."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from demo.days import Days
from demo.rows import Page, Pool, Record, fetch_page

ReviewStatus = Literal["pending", "published", "hidden"]
REVIEW_STATUS_NAMES: dict[ReviewStatus, dict[str, str]] = {
    "pending": {"zh": "待审核", "en": "to be checked"},
    "published": {"zh": "已展示", "en": "published"},
    "hidden": {"zh": "已隐藏", "en": "hidden"},
}


class Review(Record):
    """`rating`: 1 to 5."""

    review_no: int
    customer: str
    course: str
    rating: int
    body: str
    status: ReviewStatus
    created_at: datetime


_LIST = """
    select r.review_no, u.name as customer, c.title as course, r.rating, r.body, r.status, r.created_at,
        count(*) over () as total
    from demo.reviews r
        join demo.users u using (tenant_id, user_id)
        join demo.courses c using (tenant_id, course_id)
    where r.tenant_id = %(tenant)s
        and (%(keyword)s::text is null or strpos(lower(c.title || ' ' || r.body), lower(%(keyword)s)) > 0)
        and (%(status)s::text is null or r.status = %(status)s)
        and (%(ratings)s::int[] is null or r.rating = any(%(ratings)s::int[]))
        and (%(customer)s::text is null or r.user_id in (select demo.users_named(%(tenant)s, %(customer)s)))
        and (%(since)s::timestamptz is null or r.created_at >= %(since)s)
        and (%(before)s::timestamptz is null or r.created_at < %(before)s)
    order by r.created_at desc, r.review_no desc"""


class Reviews:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def find(
        self,
        tenant: str,
        *,
        days: Days,
        keyword: str | None = None,
        customer: str | None = None,
        status: ReviewStatus | None = None,
        ratings: Sequence[int] | None = None,
        limit: int = 10,
    ) -> Page[Review]:
        """The newest first; `keyword`: a part of the course's title or of the review; `ratings`: numbers of stars."""
        given = {"keyword": keyword, "customer": customer, "status": status}
        values = {"tenant": tenant, **given, "ratings": list(ratings) if ratings else None, **days.bounds}
        return await fetch_page(self._pool, Review, _LIST, values, limit=limit)
