"""Activities, content and reviews: what is on, what was published, and what buyers say."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any, Literal

from demo.activities import ACTIVITY_STATUS_NAMES, Activities, Activity, ActivityStatus
from demo.content import KIND_NAMES, POST_STATUS_NAMES, Content, Post, PostStatus
from demo.reviews import REVIEW_STATUS_NAMES, Review, Reviews, ReviewStatus
from demo.rows import Pool
from tools.adapters._arguments import Customer, EndDate, Keyword, Limit, StartDate
from tools.adapters._phrases import (
    Asked,
    Noun,
    Result,
    answered,
    beside,
    days,
    listing,
    local,
    moment,
    over,
    period,
    pick,
    today,
    words,
    wrong_order,
)
from tools.tool import Arg, ToolContext, ToolResult, tool

ACTIVITY_WORDS = words(
    ACTIVITY_STATUS_NAMES,
    {"即将开始": "upcoming", "正在进行": "ongoing", "结束": "ended", "running": "ongoing", "finished": "ended"},
)
POST_WORDS = words(
    POST_STATUS_NAMES, {"待审核": "reviewing", "发布": "published", "pending": "reviewing", "in review": "reviewing"}
)
REVIEW_WORDS = words(
    REVIEW_STATUS_NAMES, {"审核中": "pending", "已发布": "published", "隐藏": "hidden", "reviewing": "pending"}
)
Stars = Literal["bad", "good", "1", "2", "3", "4", "5"]
RATINGS: dict[Stars, tuple[int, ...]] = {
    "bad": (1, 2), "good": (4, 5), "1": (1,), "2": (2,), "3": (3,), "4": (4,), "5": (5,),
}  # fmt: skip
STAR_WORDS: dict[str, Stars] = {
    "差评": "bad", "好评": "good", "一星": "1", "二星": "2", "两星": "2", "三星": "3", "四星": "4", "五星": "5",
    "1星": "1", "2星": "2", "3星": "3", "4星": "4", "5星": "5",
    "1 star": "1", "2 stars": "2", "3 stars": "3", "4 stars": "4", "5 stars": "5",
}  # fmt: skip
ACTIVITIES = Noun(measure="个", zh="活动", one="activity", many="activities")
POSTS = Noun(measure="篇", zh="内容", one="post", many="posts")
REVIEWS = Noun(measure="条", zh="评价", one="review", many="reviews")


@dataclass(frozen=True, kw_only=True)
class Services:
    activities: Activities
    content: Content
    reviews: Reviews


class ActivityRow(Result):
    activity_no: int
    title: str
    place: str
    status: ActivityStatus
    status_name: str
    starts_on: date
    ends_on: date
    places: int
    signed_up: int


class ActivityList(Result):
    """`total` and `found`: how many there are; `activities`: the nearest to today."""

    total: int
    found: int
    activities: list[ActivityRow]


class PostRow(Result):
    post_no: int
    title: str
    kind: str
    kind_name: str
    status: PostStatus
    status_name: str
    author: str
    views: int
    likes: int
    created_at: datetime


class PostList(Result):
    """`total` and `found`: how many there are; `posts`: the newest of them."""

    total: int
    found: int
    posts: list[PostRow]


class ReviewRow(Result):
    review_no: int
    customer: str
    course: str
    rating: int
    body: str
    status: ReviewStatus
    status_name: str
    created_at: datetime


class ReviewList(Result):
    """`total` and `found`: how many there are; `reviews`: the newest of them."""

    total: int
    found: int
    reviews: list[ReviewRow]


@asynccontextmanager
async def lifespan(pool: Pool, resources: Mapping[str, Any]) -> AsyncIterator[Services]:  # noqa: ARG001  needs no settings
    yield Services(activities=Activities(pool), content=Content(pool), reviews=Reviews(pool))


@tool(group="business", permission="activity:read", cards=("activity_list",), result=ActivityList)
async def list_activities(
    ctx: ToolContext,
    *,
    keyword: Keyword = None,
    status: Annotated[
        ActivityStatus | None,
        Arg(description="Only activities in this state", zh="活动状态", example="upcoming", words=ACTIVITY_WORDS),
    ] = None,
    start_date: StartDate = None,
    end_date: EndDate = None,
    limit: Limit = 10,
) -> ToolResult:
    """List activities (events, offers, live sessions) that take place in a period, the nearest to today first."""
    if refusal := wrong_order(ctx, start_date, end_date):
        return refusal
    services: Services = ctx.resources
    page = await services.activities.find(
        ctx.principal.tenant,
        today=today(ctx),
        days=days(ctx, start_date, end_date),
        keyword=keyword,
        status=status,
        limit=limit,
    )
    rows = [
        ActivityRow(**one.model_dump(), status_name=ACTIVITY_STATUS_NAMES[one.status][ctx.locale]) for one in page.rows
    ]
    result = ActivityList(total=page.total, found=page.total, activities=rows)
    which, after = _which(ctx, keyword, ACTIVITY_STATUS_NAMES[status][ctx.locale] if status else "")
    asked = Asked(which=which, after=after, when=period(ctx, start_date, end_date), past=over(ctx, end_date))
    content = listing(ctx, page, ACTIVITIES, lambda one: _activity(ctx, one), asked)
    return answered(content, result, "activity_list" if rows else None)


@tool(group="business", permission="content:read", cards=("content_list",), result=PostList)
async def list_content(
    ctx: ToolContext,
    *,
    keyword: Keyword = None,
    status: Annotated[
        PostStatus | None,
        Arg(description="Only content in this state", zh="内容状态", example="published", words=POST_WORDS),
    ] = None,
    start_date: StartDate = None,
    end_date: EndDate = None,
    limit: Limit = 10,
) -> ToolResult:
    """List articles, videos and notices with their state and figures, the newest first."""
    if refusal := wrong_order(ctx, start_date, end_date):
        return refusal
    services: Services = ctx.resources
    page = await services.content.find(
        ctx.principal.tenant,
        days=days(ctx, start_date, end_date),
        keyword=keyword,
        status=status,
        limit=limit,
    )
    result = PostList(total=page.total, found=page.total, posts=[_post_row(ctx, one) for one in page.rows])
    which, after = _which(ctx, keyword, POST_STATUS_NAMES[status][ctx.locale] if status else "")
    asked = Asked(which=which, after=after, when=period(ctx, start_date, end_date), past=over(ctx, end_date))
    content = listing(ctx, page, POSTS, lambda one: _post(ctx, one), asked)
    return answered(content, result, "content_list" if page.rows else None)


@tool(group="business", permission="review:read", cards=("review_list",), result=ReviewList)
async def list_reviews(
    ctx: ToolContext,
    *,
    keyword: Keyword = None,
    customer: Customer = None,
    status: Annotated[
        ReviewStatus | None,
        Arg(description="Only reviews in this state", zh="评价状态", example="pending", words=REVIEW_WORDS),
    ] = None,
    stars: Annotated[
        Stars | None,
        Arg(
            description="Only reviews with so many stars; bad: 1 or 2, good: 4 or 5",
            zh="星级",
            example="bad",
            words=STAR_WORDS,
            aliases=("rating", "score"),
        ),
    ] = None,
    start_date: StartDate = None,
    end_date: EndDate = None,
    limit: Limit = 10,
) -> ToolResult:
    """List what buyers wrote about the courses, the newest first."""
    if refusal := wrong_order(ctx, start_date, end_date):
        return refusal
    services: Services = ctx.resources
    page = await services.reviews.find(
        ctx.principal.tenant,
        days=days(ctx, start_date, end_date),
        keyword=keyword,
        customer=customer,
        status=status,
        ratings=RATINGS[stars] if stars else None,
        limit=limit,
    )
    rows = [_review_row(ctx, one) for one in page.rows]
    result = ReviewList(total=page.total, found=page.total, reviews=rows)
    which, state = _which(ctx, keyword, REVIEW_STATUS_NAMES[status][ctx.locale] if status else "")
    rated = _stars(ctx, stars)
    asked = Asked(
        whose=customer or "",
        which=pick(ctx.locale, f"{which}{rated}", which),
        after=pick(ctx.locale, "", f"{state} {rated}".strip()),
        when=period(ctx, start_date, end_date),
        past=over(ctx, end_date),
    )
    content = listing(ctx, page, REVIEWS, lambda one: _review(ctx, one), asked)
    return answered(content, result, "review_list" if rows else None)


def _which(ctx: ToolContext, keyword: str | None, status: str) -> tuple[str, str]:
    """What stands before and after the noun."""
    about = pick(ctx.locale, f"关于“{keyword}”的", f"“{keyword}”") if keyword else ""
    return beside(ctx.locale, status, about)


def _stars(ctx: ToolContext, stars: Stars | None) -> str:
    if stars is None:
        return ""
    low, high = min(RATINGS[stars]), max(RATINGS[stars])
    if low == high:
        return pick(ctx.locale, f"{low} 星", "with 1 star" if low == 1 else f"with {low} stars")
    return pick(ctx.locale, f"{low}–{high} 星", f"with {low} or {high} stars")


def _activity(ctx: ToolContext, one: Activity) -> str:
    status = ACTIVITY_STATUS_NAMES[one.status][ctx.locale]
    when = f"{one.starts_on}" if one.starts_on == one.ends_on else f"{one.starts_on} – {one.ends_on}"
    zh = f"{one.title}，{when}，{one.place}，{status}，报名 {one.signed_up}/{one.places}"
    return pick(
        ctx.locale, zh, f"{one.title}, {when}, {one.place}, {status}, {one.signed_up} of {one.places} places taken"
    )


def _post_row(ctx: ToolContext, one: Post) -> PostRow:
    names = {"kind_name": KIND_NAMES[one.kind][ctx.locale], "status_name": POST_STATUS_NAMES[one.status][ctx.locale]}
    return PostRow(**one.model_dump() | names | {"created_at": local(ctx, one.created_at)})


def _post(ctx: ToolContext, one: Post) -> str:
    kind, status = KIND_NAMES[one.kind][ctx.locale], POST_STATUS_NAMES[one.status][ctx.locale]
    at = moment(ctx, one.created_at)
    zh = f"《{one.title}》，{kind}，{one.author}，{status}，{at}，浏览 {one.views}，点赞 {one.likes}"
    return pick(
        ctx.locale, zh, f"“{one.title}”, {kind}, {one.author}, {status}, {at}, views: {one.views}, likes: {one.likes}"
    )


def _review_row(ctx: ToolContext, one: Review) -> ReviewRow:
    name = REVIEW_STATUS_NAMES[one.status][ctx.locale]
    return ReviewRow(**one.model_dump() | {"status_name": name, "created_at": local(ctx, one.created_at)})


def _review(ctx: ToolContext, one: Review) -> str:
    status, at = REVIEW_STATUS_NAMES[one.status][ctx.locale], moment(ctx, one.created_at)
    zh = f"{one.customer}，{one.course}，{one.rating} 星，“{one.body}”，{status}，{at}"
    stars = "1 star" if one.rating == 1 else f"{one.rating} stars"
    return pick(ctx.locale, zh, f"{one.customer}, {one.course}, {stars}, “{one.body}”, {status}, {at}")
