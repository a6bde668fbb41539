"""Cuts a text into tokens of one-letter kinds: the words of Chinese dates and periods, and what is none."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from language.numerals import CHINESE, numeral
from language.time_words import ABOUT, CHINESE_FEASTS, LITERALS, PAIRS, UNITS, WEEKDAYS


@dataclass(frozen=True, slots=True)
class Token:
    """`kind` is the letter that rules are written with; `width`: digits of a number as written, negative if spelled."""

    kind: str
    start: int
    end: int
    value: Any = None
    width: int = 0


_N = rf"(?:[0-9]+|[{CHINESE}]+)"
_WEEK = "(?:周|星期|礼拜)"
_WEEKDAY = "(?:[一二三四五六日天](?![次回共起]|个(?!工作)|[条笔])|[1-7](?![0-9次个条]))"
# Words that hold a word of time and mean none.
_OTHER_WORDS = (
    "一下 一共 一起 一直 一律 一般 一些 "
    "一年四季 一天到晚 一日之计 一日三餐 一年一度 三天两头 五月天 十月怀胎 今日头条 明日之后 昨日重现 "
    "周杰伦 周星驰 星期几 周几 礼拜几 几月 几号 半天 白天 整天 全天 成天 春天 夏天 秋天 冬天 聊天 谈天 天天 "
    "日日 生日 节日 假日 平日 往日 改天 改日 明天会更好 新年快乐 超过 不过 经过 通过 过期 前期 初期 中期 后期 末期"
)
_OTHER = (
    *_OTHER_WORDS.split(),
    "周[年边到期转围长报岁游刊]",
    "月[饼球亮季薪经租卡报刊销票老光]",
    "年[货龄级轻糕薪报卡费会终检审假]",
    "日[记报常程期志用语本式照光子系出落月]",
    "日(?=[元货股])",
    "天[气猫津下空使然赋线才鹅堂]",
    "号[码线楼店门厅机仓库柜窗房院召称牌脉角外]",
    "季[军节]",
    "哪[天年月周]",
    rf"每(?:个|一|隔|逢)?(?:工作日|周末|{_WEEK}{_WEEKDAY}?|[天日月年]|季度?)(?!第)",
)
_OTHER_COUNTED = rf"{_N}(?:年级|年制|周岁|[天日]{_N}夜|[日天]游|[多几余]?年(?:经验|质保|陈|资深|老店))"
# A step over units: 上周, 下下个月, 这一季度, 本周末; a weekday may follow a week.
_STEP = (
    rf"(?P<way>大?上{{1,4}}|大下|下{{1,4}}|这|本|今|当|次|同)(?:一?个|一|1个|1)?(?:(?P<week>{_WEEK})(?P<weekday>{_WEEKDAY})"
    rf"|(?P<unit>周末|{_WEEK}|月份?|季度?|半年|年度?|世纪))"
)
DATE = (
    r"(?<![0-9A-Za-z./:])(?:(?P<y1>[12][0-9]{3})(?P<sep>[-/.])(?P<m1>[0-9]{1,2})(?P=sep)(?P<d1>[0-9]{1,2})"
    r"|(?P<d2>[0-9]{1,2})(?P<sep2>[-/.])(?P<m2>[0-9]{1,2})(?P=sep2)(?P<y2>[0-9]{4})"
    r"|(?P<d3>[0-9]{1,2})(?P<sep3>[-/])(?P<m3>[0-9]{1,2})(?P=sep3)(?P<y3>[0-9]{2})"
    r"|(?P<y4>(?:19|20)[0-9]{2})(?P<m4>0[1-9]|1[0-2])(?P<d4>0[1-9]|[12][0-9]|3[01])"
    r"|(?P<y5>(?:19|20)[0-9]{2})(?:(?P<m5>0[1-9]|1[0-2])|[-/.](?P<m8>1[0-2]|0?[1-9]))"
    r"|(?P<m7>0[1-9]|1[0-2])-(?P<d7>0[1-9]|[12][0-9]|3[01])(?=$|[的到至])"
    r"|(?P<m6>1[0-2]|0?[1-9])/(?P<d6>3[01]|[12][0-9]|0?[1-9]))(?![0-9A-Za-z/]|[.\-][0-9]*[A-Za-z])(?!-[0-9](?![0-9]{7}(?![0-9])|[0-9]*[-/.]))(?!\.[0-9])"
)
_DAY_PART_WORDS = "凌晨 清晨 早晨 早上 上午 中午 正午 下午 午后 傍晚 晚上 夜里 半夜 深夜 晚间"
_DAY_PARTS = tuple(_DAY_PART_WORDS.split())
_CLOCK = (
    rf"(?:(?:{'|'.join(_DAY_PARTS)}|晚)\s?)?(?:[0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}})?|{_N}(?:点钟?|时)(?:半|整|{_N}(?:分钟?|刻)?)?)"
    rf"|{'|'.join(_DAY_PARTS)}"
)
_DATE_PART = re.compile("[ymd][1-9]")
_MONTHS = 12
_LONGEST_YEAR = 4
# 中秋月饼 is a thing, not a day.
_NO_PRODUCT = "(?!月饼|礼|套[餐装]|树|帽|老人|快乐|[大特]?促|活动|特惠|优惠|专[场题]|红包|贺卡|福利|粽|上河)"
# 2.12 may be a day, unless it measures something.
_DOTTED = (
    r"(?<![0-9.])(?:1[0-2]|[1-9])\.(?:3[01]|[12][0-9]|[1-9])"
    r"(?![0-9.]|\s?[元块分%折米万千百公斤倍度级寸])"
)
_LUNAR_DAY = r"(?:初[一二三四五六七八九十]|廿[一二三四五六七八九]?)(?![共起定样次点些般])"
_DIGITS = "0123456789"
_COUNTED_UNIT = "个?(?:[天日周年月]|星期|礼拜|季度|工作日|小时)(?!份)"
_PATTERNS: tuple[tuple[str, str, str], ...] = (
    *(("other", word[0], word) for word in _OTHER),
    ("other", f"{_DIGITS}{CHINESE}", _OTHER_COUNTED),
    *(("feast", name[0], f"{name}{_NO_PRODUCT}") for name in CHINESE_FEASTS),
    ("feast", "6", "618(?=期间|大促|活动|当天|购物节|那天|[前后的])"),
    ("step", "大上下这本今当次同", _STEP),
    ("date", _DIGITS, DATE),
    ("clock", f"{_DIGITS}{CHINESE}晚{''.join(w[0] for w in _DAY_PARTS)}", _CLOCK),
    *(("pair", word[0], rf"{word}(?:(?:两|二|2)?天|两日)") for word in PAIRS),
    ("on", "个周星礼", rf"个?{_WEEK}{_WEEKDAY}"),
    ("lunar", "月", f"月{_LUNAR_DAY}"),
    ("lunar_day", "初", _LUNAR_DAY),
    ("dotted", _DIGITS, _DOTTED),
    ("quarter", "Qq", r"[Qq][1-4](?![0-9A-Za-z])"),
    ("about", f"几数{CHINESE}", rf"(?:{'|'.join(ABOUT)})(?={_COUNTED_UNIT})"),
    ("over", f"{_DIGITS}{CHINESE}", rf"{_N}[多余几](?={_COUNTED_UNIT})"),
    ("inside", "年月季", rf"(?<![0-9{CHINESE}几多余个])(?:年|季度|月)内"),
    ("decimal", _DIGITS, r"[0-9]+(?:\.[0-9]+)+"),
    ("number", f"{_DIGITS}{CHINESE}", _N),
)
"""Group, characters that it may begin with, pattern; a character has one regular expression, of what it may begin."""
_STARTS = frozenset("".join(firsts for _, firsts, _ in _PATTERNS)) | {word[0] for word in LITERALS}
_LENGTHS = {first: sorted({len(w) for w in LITERALS if w[0] == first}, reverse=True) for first in _STARTS}


@lru_cache(maxsize=len(_STARTS))
def _pattern(first: str) -> re.Pattern[str]:
    groups: dict[str, list[str]] = {}
    for name, firsts, pattern in _PATTERNS:
        if first in firsts:
            groups.setdefault(name, []).append(pattern)
    return re.compile("|".join(f"(?P<{name}>{'|'.join(some)})" for name, some in groups.items()) or "(?!)")


def tokens(text: str) -> list[Token]:
    """Tokens in text order. What is no word of time becomes `x`; single spaces are left out."""
    found: list[Token] = []
    at = 0
    while at < len(text):
        token = _token(text, at) if text[at] in _STARTS else None
        if token:
            found.append(token)
            at = token.end
        else:
            if text[at] != " " and (not found or found[-1].kind != "x"):
                found.append(Token("x", at, at + 1))
            at += 1
    return found


def _token(text: str, at: int) -> Token | None:
    """The longest word here; a listed word rather than a pattern of the same length."""
    match = _pattern(text[at]).match(text, at)
    literal = next((n for n in _LENGTHS[text[at]] if at + n <= len(text) and text[at : at + n] in LITERALS), 0)
    if literal and (match is None or match.end() - at <= literal or (match.lastgroup == "number" and literal > 1)):
        kind, value = LITERALS[text[at : at + literal]]
        return Token(kind, at, at + literal, value)
    return _matched(match) if match else None


def _matched(match: re.Match[str]) -> Token:
    kind, start, end, word = str(match.lastgroup), match.start(), match.end(), match.group()
    read = _READERS.get(kind)
    if read is None:
        return Token("x", start, end)
    letter, value, width = read(match, word)
    return Token(letter, start, end, value, width)


def _number(_: re.Match[str], word: str) -> tuple[str, Any, int]:
    value = numeral(word)
    plain = word.isascii() or not any(c in "十百千廿卅" for c in word)
    if value is None or (plain and len(word) > _LONGEST_YEAR):
        return "x", None, 0
    return "n", value, len(word) if plain else -len(word)


def _step(match: re.Match[str], _: str) -> tuple[str, Any, int]:
    way, unit = match["way"], match["unit"] or "周"
    count = {"上": -1, "下": 1}.get(way[-1], 0) * len(way) + (way == "次")
    name = {"周末": "weekend", "月份": "month", "季": "quarter", "世纪": "century", "年度": "year", "年": "year"}.get(
        unit
    )
    weekday = match["weekday"]
    return "s", (count, name or UNITS[unit], WEEKDAYS[weekday] if weekday else None), 0


def read_date(match: re.Match[str], _: str) -> tuple[str, Any, int]:
    """Year (None if not written), month, day (None: the whole month); day before month unless that cannot be."""
    written = {key: value for key, value in match.groupdict().items() if value and _DATE_PART.fullmatch(key)}
    parts = {key[0]: int(value) for key, value in written.items()}
    month, number = parts["m"], parts.get("d")
    if number is not None and month > _MONTHS and "y" in parts:
        month, number = number, month
    return "X", (parts.get("y"), month, number), 2 if "y3" in written else 4


def _about(_: re.Match[str], word: str) -> tuple[str, Any, int]:
    """A rough number is taken at its upper end, 几 for three."""
    return "n", ABOUT[word], -len(word)


_READERS: dict[str, Callable[[re.Match[str], str], tuple[str, Any, int]]] = {
    "feast": lambda _, word: ("J", word, 0),
    "step": _step,
    "date": read_date,
    "clock": lambda _, __: ("t", None, 0),
    "pair": lambda _, word: ("P", PAIRS[word[:2]], 0),
    "on": lambda _, word: ("K", WEEKDAYS[word[-1]], 0),
    "lunar": lambda _, word: ("l", _lunar_day(word[1:]), 0),
    "lunar_day": lambda _, word: ("i", _lunar_day(word), 0),
    "quarter": lambda _, word: ("z", int(word[1]), 0),
    "dotted": lambda _, word: ("7", tuple(map(int, word.split("."))), 0),
    "about": _about,
    "over": lambda _, word: ("n", numeral(word[:-1]) or 0, -len(word)),
    "inside": lambda _, word: ("s", (0, UNITS[word[:-1]], None), 0),
    "number": _number,
}


def _lunar_day(word: str) -> int | None:
    return numeral(word.removeprefix("初"))
