"""Users: found by name, place, number or telephone, within their tenant."""

import pytest

from checkpoints.database import Pool
from demo.days import Days
from demo.users import Users, digits
from tests.demo.conftest import NOW, SHANGHAI

ALWAYS = Days(zone=SHANGHAI)


@pytest.fixture
def users(business: Pool) -> Users:
    return Users(business)


async def test_all_users_are_of_the_tenant(users: Users) -> None:
    assert (await users.find("acme", days=ALWAYS)).total == 240
    assert (await users.find("globex", days=ALWAYS)).total == 60
    assert (await users.find("nobody", days=ALWAYS)).total == 0


async def test_a_whole_name_beats_a_part_of_one(users: Users) -> None:
    assert [user.name for user in (await users.find("acme", days=ALWAYS, keyword="李四")).rows] == ["李四"]
    several = await users.find("acme", days=ALWAYS, keyword="李", limit=50)
    assert several.total > 1
    assert all("李" in user.name for user in several.rows)


async def test_a_city_is_a_keyword(users: Users) -> None:
    page = await users.find("globex", days=ALWAYS, keyword="boston")
    assert page.total > 0
    assert {user.city for user in page.rows} == {"Boston"}


@pytest.mark.parametrize("phone", ["13800000001", "138 0000 0001", "+86 13800000001", "0000001"])
async def test_a_telephone_is_found_whole_or_by_its_end(users: Users, phone: str) -> None:
    assert "李四" in {user.name for user in (await users.find("acme", days=ALWAYS, phone=phone)).rows}


async def test_a_telephone_without_a_digit_is_nobodys(users: Users) -> None:
    assert (await users.find("acme", days=ALWAYS, phone="none")).total == 0
    assert digits(None) is None


async def test_who_registered_on_a_day_is_found_by_it(users: Users) -> None:
    today = NOW.date()
    page = await users.find("acme", days=Days(zone=SHANGHAI, start=today, end=today))
    assert page.total >= 1
    assert all(user.registered_at.astimezone(SHANGHAI).date() == today for user in page.rows)


async def test_a_user_carries_the_number_of_orders(users: Users) -> None:
    assert (await users.find("acme", days=ALWAYS, keyword="张三")).rows[0].orders == 30
