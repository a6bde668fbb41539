"""Finds the numbers of a text: Chinese, full-width, Arabic and English."""

import re
import unicodedata

from language.counts import find_limits
from language.english_numerals import ENGLISH, english_numeral
from language.found import Found, without_overlaps
from language.numerals import amount

__all__ = ["find_limits", "find_numbers", "parse_int"]
_LONGEST_INT = 40
# Words that are written with numerals and count nothing.
_NOT_NUMBERS = re.compile(
    "一下|一些|一样|一起|一直|一般|一定|一共|一看|一旦|一切|一向|一律|一致|一同|一并|一边|一贯|一再|一会儿?|一点(?=[都也儿不])|统一|唯一|万一|"
    "单一|(?<!分)之一|逐一|零[下售食件钱花散碎]|千万(?=[别不要])|五金|四川|三亚|万科|万圣|万能|万岁|万事|百度|百货|百科|百姓|百合|十分(?![之钟])|十足|十全|两岸|三星|七夕|"
    "肆意|放肆|肆虐|拾起|收拾|拾取|捡拾|拾遗|陆地|大陆|海陆|陆空|登陆|着陆|陆续|内陆|陆军|陆路|入伍|退伍|队伍|伍仁|伍的|五角大楼|五官|五星|"
    "四处|四周|四面|三角|三思|三明治|不三不四|乱七八糟|七上八下|千古|千金|成千上万|亿万|[一二两三四五六七八九]{1,2}点?[一二三四五六七八九]?折|"
    "([一二两三四五六七八九])\\1(?![十百千万亿年〇零])"
)


class _Codes(dict[int, str]):
    """One letter for what a character is in a numeral."""

    def __missing__(self, key: int) -> str:
        code = "l" if chr(key).isascii() and chr(key).isalpha() else "x"
        self[key] = code
        return code


_CODES = _Codes(
    {
        ord(character): code
        for characters, code in {
            "0123456789": "A", "一二三四五六七八九壹贰叁肆伍柒捌玖陆": "D", "两俩": "T", "零〇": "Z",
            "十百千拾佰仟廿卅": "U", "万亿兆": "V",
            "余多几": "F", "-负": "N", "点": "P", "分": "f", "之": "z", "又": "y", "eE": "E", "kK": "K", "M": "M",
            "打": "d",
            " ": " ", ",": ",", ".": ".", "/": "/",
        }.items()
        for character in characters
    }
)  # fmt: skip
# Atomic groups, not possessive ones: `re` before Python 3.11.5 fails on a group that is repeated possessively.
_INTEGER = r"(?:A{1,3}(?>(?:,A{3})+)(?!A)|A++)"
_ARABIC = rf"(?:(?<!\.){_INTEGER}\.A++(?!\.A)|{_INTEGER})"
_PIECE = rf"(?:{_ARABIC}|[DTZ]++|[UV]++)"
_JOIN = r"(?: ?F? ?(?=[UV])|(?<=[UV]) ?(?=[DTZA])|(?<=Z)(?=A))"
_WHOLE = rf"(?>{_PIECE}(?:{_JOIN}{_PIECE})*)"
_NUMBER = re.compile(
    rf"(?P<minus>(?<![ADTUVN.])N ?)?(?:(?P<part>{_ARABIC}/A++(?![A/]))|"
    rf"(?:(?P<plus>{_WHOLE}) ?y ?)?(?P<below>{_WHOLE}) ?f ?z ?(?P<below_minus>N)?(?P<above>{_WHOLE}(?:P[DZ]++)?)|"
    rf"(?P<power>{_ARABIC}E[N]?A++(?![AlEKM]))|"
    rf"(?P<number>{_WHOLE}(?: ?P ?[DZ]++)?|(?<!A)\.A++)(?P<times>K(?![lEKM])| ?M(?![lEKM])|d)?)"
)
_TIMES = {"k": 1000, "m": 10**6, "打": 12}
_NO_DOZEN = re.compile("打[折算电开包印车听扫工卡发破造架]")
_COUNTED = re.compile("[个条笔位名份件项单家篇张次]$")


def find_numbers(text: str) -> list[Found[int | float]]:
    """In text order; fractions ("三分之一") as decimals; percentages only where in words ("百分之五")."""
    hidden = _NOT_NUMBERS.sub(lambda m: "囗" * len(m.group()), text)
    found = [one for match in _NUMBER.finditer(hidden.translate(_CODES)) if (one := _number(text, match))]
    found += [
        Found[int | float](start=m.start(), end=m.end(), text=m.group(), value=value)
        for m in ENGLISH.finditer(text)
        if (value := english_numeral(m.group())) is not None
    ]
    return without_overlaps(found)


def parse_int(text: str) -> int | None:
    """The whole number that `text` is: "三", "３", "十二", "1,000", "two", "5条", "2.0"; None for anything else."""
    plain = unicodedata.normalize("NFKC", text).strip()
    if not plain or len(plain) > _LONGEST_INT:
        return None
    if (english := english_numeral(plain)) is not None:
        return english
    plain = _COUNTED.sub("", plain).strip()
    sign = -1 if plain[:1] in ("-", "负") else 1
    value = amount(plain[1:] if sign < 0 else plain.removeprefix("+"))
    return sign * value if isinstance(value, int) else None


def _number(text: str, match: re.Match[str]) -> Found[int | float] | None:
    """None where the letters spell no number: a unit alone, a negated nothing."""
    start, end = match.span()
    value: int | float | None
    if match["above"] is not None:
        return _fraction(text, match)
    if match["part"] is not None:
        above, _, below = text[slice(*match.span("part"))].partition("/")
        value = _ratio(amount(above), amount(below))
    elif match["power"] is not None:
        value = float(text[slice(*match.span("power"))])
        value = int(value) if value.is_integer() and abs(value) < 10**15 else value
    else:
        value, end = _counted(text, match)
    if value is None or text.startswith("%", end):
        return None
    value = -value if match["minus"] else value
    return Found[int | float](start=start, end=end, text=text[start:end], value=value)


def _counted(text: str, match: re.Match[str]) -> tuple[int | float | None, int]:
    written = text[slice(*match.span("number"))]
    end = match.end("number")
    if written[0] in "万亿兆" or (written[0] in "百千佰仟拾" and len(written) == 1):
        return None, end
    value = float(f"0{written}") if written[0] == "." else amount(written)
    times = match["times"]
    if value is not None and times and not _NO_DOZEN.match(text, end):
        return value * _TIMES[text[match.end() - 1].lower()], match.end()
    return value, end


def _fraction(text: str, match: re.Match[str]) -> Found[int | float] | None:
    """三分之一 is a third; 百分之五 is five (of a hundred)."""
    above = amount(text[slice(*match.span("above"))])
    below_text = text[slice(*match.span("below"))]
    if above is None:
        return None
    if below_text[0] in "百千万佰仟":
        start, end = match.span("above")
        return Found[int | float](start=start, end=end, text=text[start:end], value=above)
    value = _ratio(above, amount(below_text))
    if value is None:
        return None
    if match["plus"] is not None:
        value += amount(text[slice(*match.span("plus"))]) or 0
    negative = bool(match["minus"]) != bool(match["below_minus"])
    start, end = match.span()
    return Found[int | float](start=start, end=end, text=text[start:end], value=-value if negative else value)


def _ratio(above: int | float | None, below: int | float | None) -> int | float | None:
    if above is None or not below:
        return None
    return above / below
