"""Finds the times of day that a text names, as HH:MM."""

import re

from language.found import Found, without_overlaps
from language.numerals import CHINESE, numeral

_PART_WORDS = (
    "凌晨 清晨 早晨 早上 今早 明早 上午 中午 正午 午间 下午 午后 傍晚 晚上 今晚 明晚 昨晚 夜里 夜间 半夜 深夜 "
    "晚间 早 晚"
)
_PARTS = tuple(_PART_WORDS.split())
_LATE = frozenset({"下午", "午后", "傍晚", "晚上", "今晚", "明晚", "昨晚", "晚间", "晚", "夜里", "夜间", "pm"})
_NIGHT = frozenset({"晚上", "今晚", "明晚", "昨晚", "晚间", "夜里", "夜间", "半夜", "深夜", "凌晨", "am"})
_MIDDAY = frozenset({"中午", "正午", "午间"})
_VAGUE = frozenset({None, "早", "晚"})
_CHINESE = re.compile(
    rf"(?<![0-9{CHINESE}.:])(?P<hour>[0-9{CHINESE}]{{1,3}})(?:点钟?|时(?![间候段长效刻]))"
    rf"(?:(?P<half>半)|整|(?P<quarter>[一三13两])刻钟?|(?P<minute>[0-9]{{1,2}}|[{CHINESE}]{{1,3}})(?P<unit>分(?!之))?)?"
)
_DIGITAL = re.compile(
    r"(?<![0-9:.])(?P<hour>[0-9]{1,2}):(?P<minute>[0-5][0-9])(?::[0-5][0-9])?(?![0-9:])(?:\s?(?P<half_day>[ap])\.?m\b\.?)?",
    re.IGNORECASE,
)
_ENGLISH = re.compile(
    r"(?<![0-9A-Za-z:.])(?:(?P<hour>1[0-2]|0?[1-9])\s?(?P<half_day>[ap])\.?m\b\.?|(?P<clock>1[0-2]|[1-9])\s?o['’]clock\b"
    r"|(?<=\bat )(?P<bare>1[0-2]|[1-9])"
    r"(?=$|[,.;!?](?!\d)|\s(?:today|tomorrow|tonight|on|in the|with|for|about|and|to|sharp|please|next|this)\b)"
    r"|(?P<named>noon|midday|midnight)\b)",
    re.IGNORECASE,
)
_OF_DAY = re.compile(r"\s(?:in the|at) (morning|afternoon|evening|night)\b", re.IGNORECASE)
_LETTER = re.compile("[A-Za-z]")
_NAMED = {"noon": "12:00", "midday": "12:00", "midnight": "00:00"}
_NOT_A_TIME = re.compile(r"[都也儿不]|[0-9]|[以之]?内")
_BEFORE_A_BIT = ("有", "快", "早", "晚", "慢", "差", "这", "那", "好", "多", "少", "大", "小")
_NOON = 12
_HOURS = 24
_MINUTES = 60
_WORKING_DAY = 7


def find_times(text: str) -> list[Found[str]]:
    """ "下午三点" -> "15:00". Without a part of the day, 一点 to 六点 are in the afternoon; "3:00" is as written."""
    found: list[Found[str] | None] = []
    if "点" in text or "时" in text:
        found += map(_chinese, _CHINESE.finditer(text))
    if ":" in text:
        found += map(_digital, _DIGITAL.finditer(text))
    if _LETTER.search(text):
        found += map(_english, _ENGLISH.finditer(text))
    return without_overlaps(one for one in found if one)


def _chinese(match: re.Match[str]) -> Found[str] | None:
    """None for decimals (零点五, 二十点六), and for a bit of something (早一点)."""
    text, start = match.string, match.start()
    hour, minute, part = numeral(match["hour"]), _minute(match), _part(text, start)
    if hour is None or _NOT_A_TIME.match(text, match.end()):
        return None
    if match["minute"] and not _says_minutes(match, part not in _VAGUE):
        return None
    if match.group() in ("一点", "两点", "几点") and part in _VAGUE:
        bit = match.group() == "一点" or text.endswith(_BEFORE_A_BIT, 0, start)
        if bit:
            return None
    if part is None and 0 < hour < _WORKING_DAY:
        hour += _NOON
    return _found(match, hour, minute, part)


def _part(text: str, end: int) -> str | None:
    """The part of the day that is named right before."""
    end -= text.endswith(" ", 0, end)
    return next((p for p in _PARTS if text.endswith(p, 0, end)), None)


def _minute(match: re.Match[str]) -> int | None:
    if match["half"]:
        return 30
    if match["quarter"]:
        return 15 * (numeral(match["quarter"]) or 0)
    return numeral(match["minute"]) if match["minute"] else 0


def _says_minutes(match: re.Match[str], said: bool) -> bool:
    written = match["minute"]
    return bool(match["unit"]) or len(written) > 1 or "时" in match.group() or (said and written == "十")


def _digital(match: re.Match[str]) -> Found[str] | None:
    half_day = (match["half_day"] or "").lower()
    part = f"{half_day}m" if half_day else _part(match.string, match.start())
    return _found(match, int(match["hour"]), int(match["minute"]), part)


def _english(match: re.Match[str]) -> Found[str] | None:
    if match["named"]:
        return Found(start=match.start(), end=match.end(), text=match.group(), value=_NAMED[match["named"].lower()])
    if written := match["clock"] or match["bare"]:
        hour = int(written)
        if of_day := _OF_DAY.match(match.string, match.end()):
            return _found(match, hour, 0, "am" if of_day[1].lower() == "morning" else "pm")
        return _found(match, hour + _NOON if hour < _WORKING_DAY else hour, 0, None)
    return _found(match, int(match["hour"]), 0, f"{match['half_day'].lower()}m")


def _found(match: re.Match[str], hour: int, minute: int | None, part: str | None) -> Found[str] | None:
    if (part in _LATE and hour < _NOON) or (part in _MIDDAY and 0 < hour < 3):  # noqa: PLR2004
        hour += _NOON
    elif (part in _NIGHT and hour == _NOON) or hour == _HOURS:
        hour = 0
    if minute is None or not (0 <= hour < _HOURS and 0 <= minute < _MINUTES):
        return None
    start, end, text = match.start(), match.end(), match.string
    if part and not part.isascii():
        start = text.rindex(part, 0, start)
    return Found(start=start, end=end, text=text[start:end], value=f"{hour:02d}:{minute:02d}")
