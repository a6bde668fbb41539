"""Days that have a name."""

from datetime import date

import pytest

from language.feasts import NAMES, feast
from language.lunar import from_lunar
from language.stretch import OutOfCalendar


@pytest.mark.parametrize(
    ("year", "new_year", "mid_autumn"),
    [
        (2020, date(2020, 1, 25), date(2020, 10, 1)),
        (2023, date(2023, 1, 22), date(2023, 9, 29)),
        (2024, date(2024, 2, 10), date(2024, 9, 17)),
        (2025, date(2025, 1, 29), date(2025, 10, 6)),
        (2026, date(2026, 2, 17), date(2026, 9, 25)),
    ],
)
def test_the_lunar_calendar_agrees_with_the_almanac(year: int, new_year: date, mid_autumn: date) -> None:
    assert from_lunar(year, 1, 1) == new_year
    assert from_lunar(year, 8, 15) == mid_autumn


@pytest.mark.parametrize(
    ("year", "month", "number"), [(1900, 1, 1), (2100, 1, 1), (2026, 13, 1), (2026, 1, 31), (2026, 0, 1)]
)
def test_what_the_lunar_table_has_not_raises(year: int, month: int, number: int) -> None:
    with pytest.raises(OutOfCalendar):
        from_lunar(year, month, number)


@pytest.mark.parametrize("year", [1990, 2026, 2059])
@pytest.mark.parametrize("name", NAMES)
def test_every_feast_has_its_day(name: str, year: int) -> None:
    found = feast(name, year)
    assert found.start <= found.end
    assert found.start.year in (year, year + 1)


def test_the_day_after_thanksgiving_is_a_friday() -> None:
    assert feast("black friday", 2024).start == date(2024, 11, 29)
    assert feast("清明", 2024).start == date(2024, 4, 4)
