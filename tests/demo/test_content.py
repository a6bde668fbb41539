"""Activities, posts and reviews: found by words, status and days."""

from datetime import date, timedelta

import pytest

from checkpoints.database import Pool
from demo.activities import Activities, ActivityStatus
from demo.content import Content, PostStatus
from demo.days import Days
from demo.reviews import Reviews, ReviewStatus
from tests.demo.conftest import NOW, SHANGHAI

TODAY = NOW.date()
ALWAYS = Days(zone=SHANGHAI)


def is_status(status: ActivityStatus, starts_on: date, ends_on: date) -> bool:
    return {"upcoming": starts_on > TODAY, "ended": ends_on < TODAY, "ongoing": starts_on <= TODAY <= ends_on}[status]


@pytest.mark.parametrize("status", ["upcoming", "ongoing", "ended"])
async def test_the_status_of_an_activity_follows_from_its_days(business: Pool, status: ActivityStatus) -> None:
    page = await Activities(business).find("acme", today=TODAY, days=ALWAYS, status=status, limit=50)
    assert all(one.status == status and is_status(status, one.starts_on, one.ends_on) for one in page.rows)
    assert page.total > 0 or status == "ongoing"


async def test_activities_that_touch_the_days_are_found_the_nearest_first(business: Pool) -> None:
    days = Days(zone=SHANGHAI, start=TODAY - timedelta(days=7), end=TODAY + timedelta(days=7))
    page = await Activities(business).find("acme", today=TODAY, days=days, limit=50)
    assert page.total > 0
    assert all(one.ends_on >= days.start and one.starts_on <= days.end for one in page.rows if days.start and days.end)
    distances = [abs((one.starts_on - TODAY).days) for one in page.rows]
    assert distances == sorted(distances)


@pytest.mark.parametrize("status", ["draft", "reviewing", "published"])
async def test_posts_are_found_by_status(business: Pool, status: PostStatus) -> None:
    page = await Content(business).find("acme", days=ALWAYS, status=status)
    assert page.total > 0
    assert {one.status for one in page.rows} == {status}


async def test_a_word_of_the_title_finds_posts_of_the_tenant_only(business: Pool) -> None:
    page = await Content(business).find("acme", days=ALWAYS, keyword="python", limit=50)
    assert page.total > 0
    assert all("Python" in one.title for one in page.rows)
    assert (await Content(business).find("acme", days=ALWAYS, keyword="Personal Finance")).total == 0
    assert (await Content(business).find("acme", days=ALWAYS, keyword="%")).total == 0


async def test_reviews_of_one_person_are_only_those(business: Pool) -> None:
    page = await Reviews(business).find("acme", days=ALWAYS, customer="王小明")
    assert page.total >= 5
    assert {one.customer for one in page.rows} == {"王小明"}
    assert all(1 <= one.rating <= 5 for one in page.rows)


@pytest.mark.parametrize("status", ["pending", "published", "hidden"])
async def test_reviews_are_found_by_status(business: Pool, status: ReviewStatus) -> None:
    page = await Reviews(business).find("acme", days=ALWAYS, status=status)
    assert page.total > 0
    assert {one.status for one in page.rows} == {status}


async def test_reviews_are_found_by_a_word_and_by_days(business: Pool) -> None:
    assert (await Reviews(business).find("acme", days=ALWAYS, keyword="教材")).total > 0
    future = Days(zone=SHANGHAI, start=TODAY + timedelta(days=1))
    assert (await Reviews(business).find("acme", days=future)).total == 0
