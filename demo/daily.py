"""What one day brings to one company: the same rows whenever it is asked, as long as the day is over."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import lru_cache
from random import Random
from typing import Any

from demo.days import every_day, midnight
from demo.people import REGULARS, Person, person
from demo.tenants import TENANTS, Tenant
from demo.wording import WORDING

Row = tuple[Any, ...]
Rows = dict[str, list[Row]]

# How many rows of a kind a day brings: rounds that go on for ever, so that the sum over 120 days (180 for new users)
# is the same wherever one starts. Together: 2,000 orders, and with the founding users 300 users.
NEW_USERS = {"acme": (1, 1, 2, 1, 1), "globex": (1, 0, 0, 0)}
FOUNDING_USERS = {"acme": 24, "globex": 15}
ORDERS = {
    "acme": (11, 15, 13, 9, 16, 14, 12, 17, 13, 10, 16, 14),
    "globex": (3, 4, 3, 3, 4, 3, 3, 4, 3, 3, 4, 3),
}
REVIEWS = {"acme": (4, 2, 3, 5), "globex": (1, 0, 1, 1)}
POSTS = {"acme": (2, 1, 3), "globex": (1, 0, 0)}
ALERTS = {"acme": (1, 2, 1, 0, 1), "globex": (0, 1, 0, 0, 0)}
TODOS = {"acme": (2, 1), "globex": (1, 0, 0)}
CALENDAR = {"acme": (2, 1, 2), "globex": (1, 0, 0)}
ACTIVITIES = {"acme": (1, 0, 0), "globex": (1, *[0] * 11)}
MEMORY_OF_USERS = timedelta(days=60)
PLANNED_AHEAD = timedelta(days=14)
STATUSES = ("pending_payment", "to_ship", "shipped", "completed", "cancelled")
# More than register in 180 days, and fewer than there are names.
_NUMBERS_OF_USERS = 500
_OPENS, _OPEN_FOR = timedelta(hours=7), timedelta(hours=16)


@dataclass(frozen=True, kw_only=True)
class Day:
    """One day of one tenant. `now` bounds what has happened by then, if the day is not over."""

    tenant: Tenant
    day: date
    now: datetime

    def random(self, part: str) -> Random:
        return Random(f"{self.tenant.tenant_id}:{self.day.isoformat()}:{part}")  # noqa: S311  made-up data, no secrets

    def count(self, of: Mapping[str, Sequence[int]]) -> int:
        numbers = of[self.tenant.tenant_id]
        return numbers[self.day.toordinal() % len(numbers)]

    def moments(self, number: int, random: Random) -> list[datetime]:
        """So many instants of the day in order, in its busy hours, and none after `now`."""
        parts = sorted(random.random() for _ in range(number))
        start = midnight(self.day, self.tenant.zone).astimezone(UTC)
        if self.day < self.now.astimezone(self.tenant.zone).date():
            first, last = _OPENS, _OPENS + _OPEN_FOR
        else:
            last = self.now - start
            first = _OPENS if last > _OPENS * 1.5 else timedelta(0)
        return [(start + first + (last - first) * part).replace(microsecond=0) for part in parts]


def new_users(today: Day) -> Rows:
    random, tenant_id = today.random("people"), today.tenant.tenant_id
    first = today.day.toordinal() * max(NEW_USERS[tenant_id])
    users = []
    for serial, at in enumerate(today.moments(today.count(NEW_USERS), random)):
        number = FOUNDING_USERS[tenant_id] + (first + serial) % _NUMBERS_OF_USERS
        someone = person(tenant_id, number, random)
        users.append(_user(tenant_id, user_id(today.day, serial), someone, at))
    return {"users": users}


def founding_users(tenant: Tenant, before: datetime) -> Rows:
    """The people who were there before the days that are kept; the regulars come first."""
    random = Random(f"{tenant.tenant_id}:founding")  # noqa: S311  made-up data, no secrets
    users = []
    for number in range(FOUNDING_USERS[tenant.tenant_id]):
        at = before - timedelta(days=random.randrange(30, 600), minutes=random.randrange(1440))
        users.append(_user(tenant.tenant_id, founding_id(number), person(tenant.tenant_id, number, random), at))
    return {"users": users}


def trade(today: Day) -> Rows:
    """All but the people: what was sold, said, published and planned on that day."""
    return {
        "orders": _orders(today),
        "reviews": _reviews(today),
        "posts": _posts(today),
        "community_days": [_community(today)],
        "alerts": _alerts(today),
        "activities": _activities(today),
        "todos": _todos(today),
        "calendar_events": _calendar(today),
    }


def founding_id(number: int) -> str:
    return f"u{number + 1:04d}"


def user_id(day: date, serial: int) -> str:
    return f"u{day:%y%m%d}{serial + 1}"


def courses(tenant: Tenant) -> Rows:
    listed = enumerate(WORDING[tenant.tenant_id].courses)
    return {"courses": [(tenant.tenant_id, f"c{n + 1:02d}", *course) for n, course in listed]}


def _user(tenant_id: str, identity: str, someone: Person, at: datetime) -> Row:
    return tenant_id, identity, someone.name, someone.latin_name, someone.phone, someone.city, someone.level, at


def _orders(today: Day) -> list[Row]:
    random, tenant_id = today.random("orders"), today.tenant.tenant_id
    number = today.count(ORDERS)
    serials = list(TENANTS).index(tenant_id) * 500
    statuses = [*STATUSES, *random.choices(STATUSES, (5, 25, 30, 37, 3), k=number)][:number]
    random.shuffle(statuses)
    users = [_customer(today, random) for _ in range(number)]
    if tenant_id == "acme" and (regular := today.day.toordinal() % 4) < len(REGULARS):
        users[random.randrange(number)] = founding_id(regular)
    rows = []
    for serial, at in enumerate(today.moments(number, random)):
        course, price = _course(today, random)
        copies = random.choices((1, 2, 3), (88, 9, 3))[0]
        amount = Decimal(price * copies) * random.choice((Decimal("1.00"), Decimal("1.00"), Decimal("0.90")))
        note = random.choice(WORDING[tenant_id].order_notes) if _happens(random, 0.12) else None
        order_no = f"{today.day:%Y%m%d}{serials + serial + 1:03d}"
        rows.append((tenant_id, order_no, users[serial], course, statuses[serial], amount, note, at, at))
    return rows


def _reviews(today: Day) -> list[Row]:
    random, tenant_id = today.random("reviews"), today.tenant.tenant_id
    number = today.count(REVIEWS)
    rows = []
    for serial, at in enumerate(today.moments(number, random)):
        rating = random.choices((5, 4, 3, 2, 1), (45, 28, 13, 8, 6))[0]
        who = _customer(today, random)
        if serial == 0 and tenant_id == "acme" and (regular := today.day.toordinal() % 6) < len(REGULARS):
            who = founding_id(regular)
        body = random.choice(WORDING[tenant_id].reviews[rating])
        status = random.choices(("published", "pending", "hidden"), (80, 15, 5))[0]
        rows.append((tenant_id, who, _course(today, random)[0], rating, body, status, at))
    return rows


def _posts(today: Day) -> list[Row]:
    random, words = today.random("posts"), WORDING[today.tenant.tenant_id]
    rows = []
    for at in today.moments(today.count(POSTS), random):
        kind, title = random.choice(words.posts)
        status = random.choices(("published", "reviewing", "draft"), (75, 15, 10))[0]
        views = random.randrange(40, 4000) if status == "published" else 0
        written = title.format(course=random.choice(words.courses)[0])
        likes = views // random.randrange(9, 40)
        rows.append((today.tenant.tenant_id, written, kind, status, random.choice(words.authors), views, likes, at))
    return rows


def _community(today: Day) -> Row:
    random, scale = today.random("community"), 4 if today.tenant.tenant_id == "acme" else 1
    active = random.randrange(30, 60) * scale
    posts = random.randrange(4, 10) * scale
    return (
        today.tenant.tenant_id,
        today.day,
        active,
        posts,
        posts * random.randrange(3, 7),
        active * random.randrange(1, 4),
    )


def _alerts(today: Day) -> list[Row]:
    random, words = today.random("alerts"), WORDING[today.tenant.tenant_id]
    rows = []
    for at in today.moments(today.count(ALERTS), random):
        level, title = random.choice(words.alerts)
        rows.append((today.tenant.tenant_id, level, title, at, at + timedelta(hours=random.randrange(1, 60))))
    return rows


def _activities(today: Day) -> list[Row]:
    """Announced two weeks ahead."""
    if not today.count(ACTIVITIES):
        return []
    random, words = today.random("activities"), WORDING[today.tenant.tenant_id]
    starts_on = today.day + PLANNED_AHEAD
    title = random.choice(words.activities).format(course=random.choice(words.courses)[0])
    places = random.choice((30, 50, 80, 120))
    ends_on = starts_on + timedelta(days=random.choice((0, 0, 2, 6)))
    signed_up = random.randrange(places // 3, places + 1)
    return [(today.tenant.tenant_id, title, random.choice(words.places), starts_on, ends_on, places, signed_up)]


def _todos(today: Day) -> list[Row]:
    """The first one of a day is due at once, for the first of the staff."""
    random, words = today.random("todos"), WORDING[today.tenant.tenant_id]
    rows = []
    for serial, at in enumerate(today.moments(today.count(TODOS), random)):
        category, content = random.choice(words.todos)
        due_on: date = today.day
        owner: str | None = today.tenant.staff[0]
        if serial:
            due_on, owner = due_on + timedelta(days=random.randrange(7)), _owner(today.tenant, random)
        rows.append((today.tenant.tenant_id, owner, category, random.choice(words.initiators), content, due_on, at))
    return rows


def _calendar(today: Day) -> list[Row]:
    """Entered two weeks ahead: the first one of a day is for the first of the staff."""
    random, words = today.random("calendar"), WORDING[today.tenant.tenant_id]
    owners = [today.tenant.staff[0], _owner(today.tenant, random)][: today.count(CALENDAR)]
    titles = random.sample(words.events, len(owners))
    hours = sorted(random.sample(range(9, 18), len(owners)))
    day = today.day + PLANNED_AHEAD
    return [
        (today.tenant.tenant_id, owner, title, place, day, time(hour, random.choice((0, 30))))
        for owner, (title, place), hour in zip(owners, titles, hours, strict=True)
    ]


def _customer(today: Day, random: Random) -> str:
    if _happens(random, 0.25):
        return founding_id(random.randrange(len(REGULARS), FOUNDING_USERS[today.tenant.tenant_id]))
    return random.choice(_recent_users(today.tenant, today.day))


@lru_cache(maxsize=256)
def _recent_users(tenant: Tenant, day: date) -> tuple[str, ...]:
    """Who registered in the weeks before a day."""
    numbers = NEW_USERS[tenant.tenant_id]
    days = every_day(day - MEMORY_OF_USERS, day - timedelta(days=1))
    return tuple(user_id(d, serial) for d in days for serial in range(numbers[d.toordinal() % len(numbers)]))


def _course(today: Day, random: Random) -> tuple[str, int]:
    listed = WORDING[today.tenant.tenant_id].courses
    number = min(int(random.expovariate(0.18)), len(listed) - 1)
    return f"c{number + 1:02d}", listed[number][2]


def _owner(tenant: Tenant, random: Random) -> str | None:
    return random.choice((None, None, *tenant.staff))


def _happens(random: Random, share: float) -> bool:
    return random.random() < share
