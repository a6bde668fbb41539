"""The days that have a name: fixed ones, those of the nth weekday, and those of the lunar calendar."""

from language.lunar import from_lunar
from language.stretch import Stretch, around, calendar_day, day, days, nth_weekday, plus_days

FIXED = {
    "元旦节": (1, 1), "元旦": (1, 1), "情人节": (2, 14), "女生节": (3, 7), "妇女节": (3, 8), "三八节": (3, 8), "女神节": (3, 8),
    "植树节": (3, 12), "消费者权益日": (3, 15), "愚人节": (4, 1), "劳动节": (5, 1), "五一节": (5, 1), "五一": (5, 1), "青年节": (5, 4),
    "五四青年节": (5, 4), "儿童节": (6, 1), "六一节": (6, 1), "六一": (6, 1), "618": (6, 18), "六一八": (6, 18), "建党节": (7, 1),
    "建军节": (8, 1), "八一节": (8, 1), "教师节": (9, 10), "国庆节": (10, 1), "国庆": (10, 1), "万圣节": (10, 31), "光棍节": (11, 11),
    "双十一": (11, 11), "双11": (11, 11), "双十二": (12, 12), "双12": (12, 12), "平安夜": (12, 24), "圣诞节": (12, 25),
    "圣诞": (12, 25), "跨年夜": (12, 31),
    "christmas day": (12, 25), "christmas eve": (12, 24), "christmas": (12, 25), "xmas": (12, 25), "new year's day": (1, 1),
    "new year's eve": (12, 31), "valentine's day": (2, 14), "april fools' day": (4, 1), "halloween": (10, 31), "singles' day": (11, 11),
    "singles day": (11, 11), "national day": (10, 1), "women's day": (3, 8),
}  # fmt: skip
"""Month and day."""
FLOATING = {
    "母亲节": (5, 2, 6), "父亲节": (6, 3, 6), "感恩节": (11, 4, 3), "mother's day": (5, 2, 6), "father's day": (6, 3, 6), "thanksgiving": (11, 4, 3),
}  # fmt: skip
"""Month, which one, weekday (Monday is 0)."""
LUNAR = {
    "春节": (1, 1), "大年初一": (1, 1), "元宵节": (1, 15), "元宵": (1, 15), "端午节": (5, 5), "端午": (5, 5), "七夕节": (7, 7), "七夕": (7, 7),
    "中元节": (7, 15), "中秋节": (8, 15), "中秋": (8, 15), "重阳节": (9, 9), "重阳": (9, 9), "腊八节": (12, 8), "腊八": (12, 8),
    "chinese new year": (1, 1), "spring festival": (1, 1), "lunar new year": (1, 1), "mid-autumn festival": (8, 15),
    "dragon boat festival": (5, 5),
}  # fmt: skip
"""Lunar month and day, of the lunar year that begins in the asked year."""
EVES = ("除夕", "大年三十", "年三十")
CLEAR_BRIGHT = ("清明节", "清明")
BLACK_FRIDAY = ("黑色星期五", "black friday")
LONG = {
    "国庆假期": (10, 1, 7), "国庆长假": (10, 1, 7), "国庆黄金周": (10, 1, 7), "国庆期间": (10, 1, 7), "十一假期": (10, 1, 7),
    "十一长假": (10, 1, 7), "十一黄金周": (10, 1, 7), "十一期间": (10, 1, 7), "五一假期": (5, 1, 5), "五一长假": (5, 1, 5),
    "五一期间": (5, 1, 5), "五一黄金周": (5, 1, 5), "暑假": (7, 1, 62),
}  # fmt: skip
"""First month and day, and how many days."""
LONG_LUNAR = ("春节假期", "春节长假", "春节期间", "春节黄金周")

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
    in_century = year % 100
    offset = 4.81 if year >= 2000 else 5.59
    return calendar_day(year, 4, int(in_century * 0.2422 + offset) - in_century // 4)
