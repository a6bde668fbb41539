"""Finds dates and times that no calendar and no clock has: 2月30日, 2026年13月, 25点."""

import re
from calendar import monthrange

from language.found import Found, without_overlaps
from language.numerals import CHINESE, numeral

_N = rf"(?:[0-9]{{1,2}}|[{CHINESE}]{{1,3}})"
_YEAR = rf"(?:[0-9]{{4}}|[{CHINESE}]{{4}})"
_CHINESE_DATE = re.compile(
    rf"(?<![0-9{CHINESE}个第])(?:(?P<year>{_YEAR})年\s?)?(?P<month>{_N})月(?!饼)份?(?:\s?(?P<day>{_N})[日号])?"
)
_DIGITS = re.compile(
    r"(?<![0-9A-Za-z./:\-])(?P<year>(?:19|20)[0-9]{2})(?P<mark>[-/.]?)(?P<month>[0-9]{1,2})(?P=mark)(?P<day>[0-9]{1,2})"
    r"(?![0-9A-Za-z/:\-]|\.[0-9])"
)
_EIGHT = 8
_MONTH_NAMES = (
    "january february march april may june july august september october november december "
    "jan feb mar apr may jun jul aug sep oct nov dec"
)
_MONTHS = _MONTH_NAMES.split()
_NAME = "|".join(_MONTHS)
_ENGLISH_DATE = re.compile(
    rf"\b(?:(?P<name>{_NAME})\.?\s(?:the\s)?(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?(?![0-9A-Za-z:])(?:,?\s(?P<year>[0-9]{{4}})\b)?"
    rf"|(?P<first>[0-9]{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?(?P<of>{_NAME})\b(?:,?\s(?P<then>[0-9]{{4}})\b)?)",
    re.IGNORECASE,
)
_PARTS = "(?:凌晨|早上|上午|中午|下午|傍晚|晚上|夜里|半夜)"
_CLOCK = re.compile(
    rf"(?<![0-9{CHINESE}.:])(?:{_PARTS}\s?(?P<said>[0-9]{{1,2}})|(?<![㐀-鿿](?<![天日号午晚早晨上到至在于后]))(?P<hour>2[5-9]|3[0-9]))(?:点钟?(?:半|[0-9]{{1,2}}分?)?|:[0-5][0-9])(?![0-9:])"
    r"|(?<![0-9A-Za-z.:])(?:at\s)?(?:1[3-9]|[2-9][0-9])\s?[ap]m\b",
    re.IGNORECASE,
)
_HOURS = 24
_YEAR_ROUND = 12
_LEAP = 2000


def find_impossible_dates(text: str) -> list[Found[str]]:
    """What is written like a date and is none, in text order; a leap day without a year is one."""
    found = [_found(m) for m in _CHINESE_DATE.finditer(text) if _wrong(m["year"], m["month"], m["day"])]
    found += [_found(m) for m in _DIGITS.finditer(text) if _complete(m) and _wrong(m["year"], m["month"], m["day"])]
    for match in _ENGLISH_DATE.finditer(text):
        month = _MONTHS.index((match["name"] or match["of"]).lower()) % _YEAR_ROUND + 1
        if _wrong(match["year"] or match["then"], str(month), match["day"] or match["first"]):
            found.append(_found(match))
    return without_overlaps(found)


def find_impossible_times(text: str) -> list[Found[str]]:
    """25点, 下午30点, 14pm."""
    return [_found(m) for m in _CLOCK.finditer(text) if not m["said"] or int(m["said"]) > _HOURS]


def _complete(match: re.Match[str]) -> bool:
    return bool(match["mark"]) or len(match.group()) == _EIGHT


def _wrong(year: str | None, month: str, day: str | None) -> bool:
    number = numeral(month)
    if number is None or not 1 <= number <= _YEAR_ROUND:
        # 30月 alone is no date at all: it needs a year or a day to look like one.
        return number is not None and (year is not None or day is not None) and not _swapped(number, day, year)
    last = numeral(day) if day else 1
    return last is not None and not 1 <= last <= monthrange(_year(year), number)[1]


def _swapped(month: int, day: str | None, year: str | None) -> bool:
    """2026-25-12 is read with the day first."""
    number = numeral(day) if day else None
    return bool(
        year
        and number
        and day
        and day.isascii()
        and 1 <= number <= _YEAR_ROUND
        and 1 <= month <= monthrange(_year(year), number)[1]
    )


def _year(written: str | None) -> int:
    value = numeral(written) if written else None
    return value if value and 1 <= value <= 9999 else _LEAP  # noqa: PLR2004


def _found(match: re.Match[str]) -> Found[str]:
    return Found(start=match.start(), end=match.end(), text=match.group(), value=match.group())
