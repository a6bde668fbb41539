"""Finds how many of something are wanted: "前三个", "最新的五条", "top three", "5 orders"."""

import re

from language.english_numerals import ENGLISH_NUMERAL, english_numeral
from language.found import Found, without_overlaps
from language.numerals import numeral

_MOST = 9999
_N = r"(?:[0-9]{1,4}(?![0-9])(?![.,][0-9])|[一二三四五六七八九十百两]{1,4})"
_COUNTED = r"(?:条|个|笔|单|位|名|份|篇|项|款|家|张|件|则|门|本|场|部|套|封|节|堂|期)"
_NOT_ITEMS = r"(?!\s?(?:半|月|季|星期|礼拜|工作日|小时|钟|世纪|人[^员]|百分|性|体|别))"
_NOT_COUNTED = (
    r"(?!\s?(?:[天日号周月年季分秒点时%万亿千百十元块角岁米倍级班届]|星期|礼拜|小时|世纪|"
    r"个(?:半|月|季|星期|礼拜|工作日|小时|世纪)))"
)
_BEST = (
    r"(?:最(?:新|近|后|早|大|小|高|低|贵|便宜|多|少|热门|热|火|好|差|受欢迎|活跃)|近期|近|后|随机|任意|只[看要查给取]?|仅|"
    r"给我|列出|显示|返回|取)(?:的|前)?"
)
_CHINESE = re.compile(
    rf"(?<![之以目提当此])[前头首]\s?{_N}\s?{_COUNTED}?{_NOT_COUNTED}"
    rf"|{_BEST}\s?{_N}\s?(?:{_COUNTED}(?<!个)(?![元块])|个{_NOT_ITEMS})"
    rf"|(?:一共|总共|合计|总计|共|发|送|派|券)(?:放|出)?\s?{_N}[张枚](?!\S{{0,2}}(?:票|图|照片))"
    # "一个" is an article, and what is compared, numbered or spelled on is no count.
    rf"|(?<![第每这那哪某上下数几到至过于少满较0-9一二三四五六七八九十百两.,\-])(?!一)"
    rf"{_N}\s?(?:[条笔位名篇封]|[单份项款件门部套则](?![元块位价])|家(?![里人])|张(?=\S{{0,8}}券)|个{_NOT_ITEMS})"
)
_DIGITS = re.compile(r"[0-9]+|[一二三四五六七八九十百两]+")

_UNIT = (
    r"(?:days?|weeks?|weekends?|months?|quarters?|years?|decades?|hours?|minutes?|mins?|seconds?|secs?|times?|percent|yuan|dollars?|rmb|"
    r"stars?|points?|kg|(?:business|working|calendar|work)(?= (?:days?|weeks?|months?|hours?))|o'clock|am|pm)\b"
)
_EN = rf"(?:[0-9]{{1,4}}(?![0-9A-Za-z])(?![.,:/-][0-9])|{ENGLISH_NUMERAL})(?!%|-(?:day|week|month|year))"
_ORDER = (
    r"(?:most (?:recent|expensive|popular)|latest|newest|oldest|recent|last|best|biggest|largest|highest|cheapest|top|"
    r"first|next|past)"
)
_WANTED = (
    r"(?:^|\b(?:me|list|show|get|see|find|the|display|only|just|fetch|want|need|return|view|pull|any|give|with|send|issue|"
    r"distribute|out)\s)"
)
_ENGLISH = re.compile(
    rf"\b{_ORDER}\s?{_EN}(?!\s?{_UNIT})"
    rf"|{_WANTED}{_EN}\s(?:{_ORDER}\s)?(?!{_UNIT})(?:[a-z]+\s)?(?!{_UNIT})[a-z]+s\b"
    rf"|(?<![\w.:/-]){_EN}(?=\s(?:pieces|pcs|coupons|vouchers|copies|items)\b|\s(?:[0-9]{{1,4}}|five|ten|twenty|fifty|hundred)-yuan\b)"
    rf"|\b(?:only|just|first|top)\s{_EN}(?=(?:\splease)?[.! ]*$)"
    rf"|\b(?:limit(?:ed)?(?: to| of)?|up to|at most|not? more than|maximum(?: of)?|max\.?)\s{_EN}(?!\s?{_UNIT})"
    rf"|(?<![\w.:/-]){_EN}(?= (?:at (?:the )?most|max(?:imum)?\b|or (?:fewer|less)|only\b|will do|(?:is|are) enough))",
    re.IGNORECASE,
)
_ENGLISH_COUNT = re.compile(rf"[0-9]+|{ENGLISH_NUMERAL}", re.IGNORECASE)
_TRIM = re.compile(
    r"^(?:me|list|show|get|see|find|the|display|only|just|fetch|want|need|return|view|pull|any|give|with|send|issue|"
    r"distribute|out)\s",
    re.I,
)


def find_limits(text: str) -> list[Found[int]]:
    """Counts of things wanted, never of time, money or anything measured."""
    return without_overlaps(
        [one for m in (() if text.isascii() else _CHINESE.finditer(text)) if (one := _chinese(m))]
        + [one for m in _ENGLISH.finditer(text) if (one := _english(m))]
    )


def _chinese(match: re.Match[str]) -> Found[int] | None:
    digits = _DIGITS.search(match.group())
    return _found(match, 0, match.end(), numeral(digits.group()) if digits else None)


def _english(match: re.Match[str]) -> Found[int] | None:
    """Ends with the number: the noun after it belongs to whoever knows the nouns."""
    number = _ENGLISH_COUNT.search(match.group())
    if number is None:
        return None
    written = number.group()
    value = int(written) if written.isdigit() else english_numeral(written)
    lead = _TRIM.match(match.group())
    return _found(match, lead.end() if lead else 0, match.start() + number.end(), value)


def _found(match: re.Match[str], skip: int, end: int, value: int | None) -> Found[int] | None:
    if not value or value > _MOST:
        return None
    start = match.start() + skip
    return Found(start=start, end=end, text=match.string[start:end], value=value)
