"""Finds the numbers that name a thing: an order, a to-do, a phone."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from language.found import Found, without_overlaps
from language.matcher import is_latin
from language.normalise import fold

Identifier = tuple[str, str]
"""Slot and number."""

_NUMBER = r"(?<![0-9.])[0-9]{1,24}(?![0-9])"
# What makes a number after a noun a count, an amount, a day or a time instead.
_NOT_MEASURED = (
    r"(?!\s?(?:[条个笔单位名份张件元块角天日月年周点时分万千百亿季岁折倍次人家%]|星期|礼拜|小时|days?\b|weeks?\b|months?\b|years?\b|yuan\b|"
    r"am\b|pm\b|[:/][0-9]|-[0-9]{1,2}(?![0-9])|-[0-9]{1,2}-|\.[0-9]))"
)
_LABEL = r"(?:\s?(?:编号|号码|号|序号|id|numbers?|nos?\.?|#|№)(?![a-z]))?\s?(?:是|为|:|=|#|№)?\s?#?"
_JOIN = r"\s?(?:[,，、/;；]|和|与|及|跟|以及|\band\b|\bor\b|&)\s?"
_LINK = r"\s?(?:号|的|这[个张笔条单]|那[个张笔条单]|号的)\s?"
_DATED = 8
_BARE = 4
_MOST = 50
_PLAUSIBLE_YEARS = range(1990, 2100)
_PHONE = re.compile(r"(?<![0-9A-Za-z])(?:\+?86[- ]?)?(1[3-9][0-9])[- ]?([0-9]{4})[- ]?([0-9]{4})(?![0-9A-Za-z])")
_PHONE_END = re.compile(r"(?:尾号(?:是|为)?\s?|\b(?:ending|ends) (?:in|with) )([0-9]{3,8})(?![0-9])", re.IGNORECASE)
_STANDALONE = re.compile(r"(?<![0-9A-Za-z./-])(?<![0-9A-Za-z]:)[0-9]{4,24}(?![0-9A-Za-z:/]|\.[0-9])")
_DIGITS = re.compile(r"[0-9]+")
_LONG = re.compile(r"[0-9]{3}")
_COUNTING = ("前", "近", "头", "过", "于", "到", "第", "top", "last", "first", "latest", "recent")


@dataclass(frozen=True, kw_only=True)
class Rule:
    """`nouns`: a number right beside one of them is its identifier. `digits`: lengths that say so by themselves;
    `dated`: such a number must begin with a day, YYYYMMDD."""

    slot: str
    nouns: tuple[str, ...]
    digits: tuple[int, ...] = ()
    dated: bool = False


def find_identifiers(text: str, rules: Sequence[Rule]) -> list[Found[Identifier]]:
    """Identifiers in text order, several of one slot in a list ("订单1001，1002")."""
    folded = fold(text)
    if not _DIGITS.search(folded):
        return []
    found: list[Found[Identifier]] = []
    for rule in rules:
        after, before = _patterns(rule)
        for match in after.finditer(folded):
            found.extend(_numbers(folded, match.span("list"), rule))
        for match in before.finditer(folded):
            if not _counts(folded, match.start()) and not _is_day(match, rule):
                found.extend(_numbers(folded, match.span("number"), rule))
    beside = without_overlaps(found)
    alone = [one for m in _STANDALONE.finditer(folded) if (one := _alone(m, rules))]
    taken = {f.start for f in beside}
    return without_overlaps([*beside, *(f for f in alone if f.start not in taken)])


def find_phones(text: str) -> list[Found[str]]:
    """Mainland mobile numbers, as eleven digits; or how one ends (尾号7788)."""
    found = [*_PHONE.finditer(text), *_PHONE_END.finditer(text)]
    return [Found(start=m.start(), end=m.end(), text=m.group(), value="".join(filter(None, m.groups()))) for m in found]


def begins_with_day(number: str) -> bool:
    try:
        return date.fromisoformat(f"{number[:4]}-{number[4:6]}-{number[6:8]}").year in _PLAUSIBLE_YEARS
    except ValueError:
        return False


@lru_cache(maxsize=64)
def _patterns(rule: Rule) -> tuple[re.Pattern[str], re.Pattern[str]]:
    nouns = sorted({fold(n) for n in rule.nouns}, key=len, reverse=True)
    noun = "|".join(map(_noun, nouns)) or r"(?!)"
    cjk = "|".join(re.escape(n) for n in nouns if not is_latin(n[-1])) or r"(?!)"
    one = rf"{_NUMBER}{_NOT_MEASURED}"
    after = rf"(?:{noun}){_LABEL}\s?(?P<list>{one}(?>(?:{_JOIN}(?:(?:{noun}){_LABEL}\s?)?#?{one}){{0,{_MOST}}}))"
    before = (
        rf"(?P<number>(?<![0-9.:/\-])[0-9]{{1,24}}(?>(?:{_JOIN}{_NUMBER}){{0,{_MOST}}}))"
        rf"(?P<link>{_LINK}|(?<=[0-9]{{{_BARE}}})\s?)(?:{cjk})"
    )
    return re.compile(after), re.compile(before)


def _noun(noun: str) -> str:
    start = r"(?<![a-z0-9])" if is_latin(noun[0]) else ""
    return f"{start}{re.escape(noun)}{'s?(?![a-z])' if is_latin(noun[-1]) else ''}"


def _counts(text: str, at: int) -> bool:
    return text[max(0, at - 8) : at].rstrip().endswith(_COUNTING)


def _is_day(match: re.Match[str], rule: Rule) -> bool:
    """5号的待办 and 20号订单 are of a day; 3号待办 is the third one only where numbers are not known to be long."""
    link = match["link"].strip()
    numbered = link.startswith("号") and not _LONG.search(match["number"])
    return numbered and (link != "号" or bool(rule.digits) or match.string.endswith(("月", "年"), 0, match.start()))


def _numbers(text: str, span: tuple[int, int], rule: Rule) -> Iterable[Found[Identifier]]:
    for match in _DIGITS.finditer(text, *span):
        number = match.group()
        if len(number) == _DATED and _DATED not in rule.digits and begins_with_day(number):
            continue
        if rule.dated and len(number) in rule.digits and _PHONE.fullmatch(number):
            continue
        yield Found(start=match.start(), end=match.end(), text=number, value=(rule.slot, number))


def _alone(match: re.Match[str], rules: Sequence[Rule]) -> Found[Identifier] | None:
    number = match.group()
    for rule in rules:
        if len(number) in rule.digits and (not rule.dated or begins_with_day(number)):
            return Found(start=match.start(), end=match.end(), text=number, value=(rule.slot, number))
    return None
