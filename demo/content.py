"""Content: articles, videos and notices, from draft to published."""

from datetime import datetime
from typing import Literal

from demo.days import Days
from demo.rows import Page, Pool, Record, fetch_page

PostStatus = Literal["draft", "reviewing", "published"]
POST_STATUS_NAMES: dict[PostStatus, dict[str, str]] = {
    "draft": {"zh": "草稿", "en": "draft"},
    "reviewing": {"zh": "审核中", "en": "under review"},
    "published": {"zh": "已发布", "en": "published"},
}
KIND_NAMES: dict[str, dict[str, str]] = {
    "article": {"zh": "文章", "en": "article"},
    "video": {"zh": "视频", "en": "video"},
    "notice": {"zh": "公告", "en": "notice"},
}


class Post(Record):
    post_no: int
    title: str
    kind: str
    status: PostStatus
    author: str
    views: int
    likes: int
    created_at: datetime


_LIST = """
    select post_no, title, kind, status, author, views, likes, created_at, count(*) over () as total
    from demo.posts
    where tenant_id = %(tenant)s
        and (%(keyword)s::text is null or strpos(lower(title || ' ' || author), lower(%(keyword)s)) > 0)
        and (%(status)s::text is null or status = %(status)s)
        and (%(since)s::timestamptz is null or created_at >= %(since)s)
        and (%(before)s::timestamptz is null or created_at < %(before)s)
    order by created_at desc, post_no desc"""


class Content:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def find(
        self,
        tenant: str,
        *,
        days: Days,
        keyword: str | None = None,
        status: PostStatus | None = None,
        limit: int = 10,
    ) -> Page[Post]:
        """The newest first; `keyword`: a part of the title or of the author's name."""
        values = {"tenant": tenant, "keyword": keyword, "status": status, **days.bounds}
        return await fetch_page(self._pool, Post, _LIST, values, limit=limit)
