"""Finds bounds of money: "金额超过500", "100到200元之间", "under 300 yuan"."""

import re
from typing import TypedDict

from language.found import Found, overlaps
from language.numbers import find_numbers

_LEAST = (
    "超过", "大于", "高于", "多于", "不少于", "不低于", "不小于", "至少", "最少", "起码", "满", "over", "above",
    "more than", "at least", "greater than", "higher than", "exceeding", "no less than", "not less than", "larger than",
)  # fmt: skip
_MOST = (
    "不超过", "不多于", "不高于", "不大于", "低于", "小于", "少于", "不到", "不足", "最多", "至多", "under", "below",
    "less than", "at most", "up to", "no more than", "not more than", "cheaper than", "lower than", "smaller than",
)  # fmt: skip
_BEFORE = re.compile(
    rf"(?:(?P<most>{'|'.join(_MOST)})|(?P<least>{'|'.join(_LEAST)}))[了过]?\s?(?:rmb|cny|usd|[¥￥$])?\s?$",
    re.IGNORECASE,
)
_UNIT = r"\s?(?P<unit>元|块钱?|人民币|yuan\b|rmb\b|cny\b|dollars?\b|usd\b)?(?:钱)?\s?"
_AFTER = re.compile(
    rf"{_UNIT}(?:(?P<least>(?:及|或|和)?以上|起步?(?!来)|(?:or|and) (?:more|above|up|over)\b)"
    r"|(?P<most>(?:及|或|和)?以下|以内|之内|(?:or|and) (?:less|below|under)\b))?",
    re.IGNORECASE,
)
_JOIN = re.compile(rf"{_UNIT}(?:到|至|~|-|–|—|和|与|and|to)\s?(?:rmb|cny|usd|[¥￥$])?\s?$", re.IGNORECASE)
_MONEY = re.compile(
    r"金额|价格|单价|总价|价钱|售价|[¥￥$]|\b(?:amount|total|price|priced|cost|costing|value|worth)s?\b", re.IGNORECASE
)
_HINT = re.compile(rf"{_MONEY.pattern}|[元块币]|\b(?:yuan|rmb|cny|dollars?|usd)\b", re.IGNORECASE)
# Without one of these there is no bound, whatever is counted.
_COMPARES = re.compile(
    rf"{'|'.join((*_MOST, *_LEAST))}|[0-9零〇一二三四五六七八九十百千万亿两]\s?"
    r"(?:元|块钱?|人民币|yuan|rmb|cny|dollars?|usd)?钱?\s?"
    r"(?:[及或和]?以[上下内]|之内|起|到|至|[~\-–—]|[和与]|or (?:more|above|up|over|less|below|under)|and|to)",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\s?(?:之间|区间)")
_NEAR = 16


class Bounds(TypedDict, total=False):
    """Both included."""

    min: int | float
    max: int | float


def find_amounts(text: str) -> list[Found[Bounds]]:
    """Bounds, in text order. A number without a unit is money only where a word such as 金额 stands before it."""
    if not _COMPARES.search(text) or not _HINT.search(text):
        return []
    numbers = find_numbers(text)
    found: list[Found[Bounds]] = []
    for at, number in enumerate(numbers):
        if overlaps(number.start, number.end, [one.span for one in found]):
            continue
        one = _range(text, numbers, at) or _bound(text, number)
        if one is not None:
            found.append(one)
    return found


def _range(text: str, numbers: list[Found[int | float]], at: int) -> Found[Bounds] | None:
    if at + 1 == len(numbers):
        return None
    low, high = numbers[at], numbers[at + 1]
    join, after = _JOIN.match(text, low.end, high.start), _AFTER.match(text, high.end)
    if join is None or after is None or low.value > high.value:
        return None
    if not (after["unit"] or join["unit"] or _of_money(text, low.start)):
        return None
    end = after.end()
    between = _BETWEEN.match(text, end)
    return _found(text, low.start, between.end() if between else end, Bounds(min=low.value, max=high.value))


def _bound(text: str, number: Found[int | float]) -> Found[Bounds] | None:
    before, after = _BEFORE.search(text, 0, number.start), _AFTER.match(text, number.end)
    if after is None or not (after["unit"] or _of_money(text, number.start)):
        return None
    start = before.start() if before else number.start
    if (before and before["most"]) or after["most"]:
        return _found(text, start, after.end(), Bounds(max=number.value))
    if (before and before["least"]) or after["least"]:
        return _found(text, start, after.end(), Bounds(min=number.value))
    return None


def _of_money(text: str, at: int) -> bool:
    return _MONEY.search(text, max(0, at - _NEAR), at) is not None


def _found(text: str, start: int, end: int, value: Bounds) -> Found[Bounds]:
    return Found(start=start, end=end, text=text[start:end], value=value)
