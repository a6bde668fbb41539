"""The days that have a name: fixed ones, those of the nth weekday, and those of the lunar calendar."""

from language.lunar import from_lunar
from language.stretch import Stretch, around, calendar_day, day, days, nth_weekday, plus_days

_FIXED = {
    (1, 1): "元旦节 元旦",
    (2, 14): "情人节",
    (3, 7): "女生节",
    (3, 8): "妇女节 三八节 女神节",
    (3, 12): "植树节",
    (3, 15): "消费者权益日",
    (4, 1): "愚人节",
    (5, 1): "劳动节 五一节 五一",
    (5, 4): "五四青年节 青年节",
    (6, 1): "儿童节 六一节 六一",
    (6, 18): "618 六一八",
    (7, 1): "建党节",
    (8, 1): "建军节 八一节",
    (9, 10): "教师节",
    (10, 1): "国庆节 国庆",
    (10, 31): "万圣节 halloween",
    (11, 11): "光棍节 双十一 双11",
    (12, 12): "双十二 双12",
    (12, 24): "平安夜",
    (12, 25): "圣诞节 圣诞 christmas xmas",
    (12, 31): "跨年夜",
}
FIXED = {name: month_day for month_day, names in _FIXED.items() for name in names.split()} | {
    "christmas day": (12, 25),
    "christmas eve": (12, 24),
    "new year's day": (1, 1),
    "new year's eve": (12, 31),
    "valentine's day": (2, 14),
    "april fools' day": (4, 1),
    "singles' day": (11, 11),
    "singles day": (11, 11),
    "national day": (10, 1),
    "women's day": (3, 8),
}
"""Month and day."""
_FLOATING = {
    (5, 2, 6): ("母亲节", "mother's day"),
    (6, 3, 6): ("父亲节", "father's day"),
    (11, 4, 3): ("感恩节", "thanksgiving"),
}
FLOATING = {name: rule for rule, names in _FLOATING.items() for name in names}
"""Month, which one, weekday (Monday is 0)."""
_LUNAR = {
    (1, 1): ("春节", "大年初一", "chinese new year", "spring festival", "lunar new year"),
    (1, 15): ("元宵节", "元宵"),
    (5, 5): ("端午节", "端午", "dragon boat festival"),
    (7, 7): ("七夕节", "七夕"),
    (7, 15): ("中元节",),
    (8, 15): ("中秋节", "中秋", "mid-autumn festival"),
    (9, 9): ("重阳节", "重阳"),
    (12, 8): ("腊八节", "腊八"),
}
LUNAR = {name: month_day for month_day, names in _LUNAR.items() for name in names}
"""Lunar month and day, of the lunar year that begins in the asked year."""
EVES = ("除夕", "大年三十", "年三十")
CLEAR_BRIGHT = ("清明节", "清明")
BLACK_FRIDAY = ("黑色星期五", "black friday")
_HOLIDAYS = ("假期", "长假", "黄金周", "期间")
LONG = {f"{name}{holiday}": (10, 1, 7) for name in ("国庆", "国庆节", "十一") for holiday in _HOLIDAYS}
LONG |= {f"{name}{holiday}": (5, 1, 5) for name in ("五一", "劳动节") for holiday in _HOLIDAYS} | {"暑假": (7, 1, 62)}
"""First month and day, and how many days."""
LONG_LUNAR = tuple(f"春节{holiday}" for holiday in _HOLIDAYS)

_THIS_CENTURY = 20
NAMES = (*FIXED, *FLOATING, *LUNAR, *EVES, *CLEAR_BRIGHT, *BLACK_FRIDAY, *LONG, *LONG_LUNAR)


def feast(name: str, year: int) -> Stretch:
    """The feast in that year; raises OutOfCalendar where the lunar table does not reach."""
    if name in FIXED:
        return calendar_day(year, *FIXED[name])
    if name in FLOATING or name in BLACK_FRIDAY:
        month, count, weekday = FLOATING.get(name, (11, 4, 3))
        found = nth_weekday(around(calendar_day(year, month, 1).start, "month"), count, weekday)
        return day(plus_days(found.start, 1)) if name in BLACK_FRIDAY else found
    if name in LONG:
        month, number, length = LONG[name]
        start = calendar_day(year, month, number).start
        return days(start, plus_days(start, length - 1))
    if name in CLEAR_BRIGHT:
        return _clear_bright(year)
    new_year = from_lunar(year, 1, 1)
    if name in EVES:
        return day(plus_days(new_year, -1))
    if name in LONG_LUNAR:
        return days(plus_days(new_year, -1), plus_days(new_year, 6))
    return day(from_lunar(year, *LUNAR[name]))


def _clear_bright(year: int) -> Stretch:
    """The 4th to 6th of April; the usual approximation of the sun's longitude of 15 degrees."""
    century, in_century = divmod(year, 100)
    offset = 5.59 if century < _THIS_CENTURY else 4.81
    return calendar_day(year, 4, int(in_century * 0.2422 + offset) - in_century // 4)
