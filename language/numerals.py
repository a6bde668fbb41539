"""The value of a written numeral: Chinese, financial, Arabic and the mixtures of them."""

import re
from collections.abc import Iterator

DIGITS = {c: i for row in ("零一二三四五六七八九", "〇壹贰叁肆伍陆柒捌玖") for i, c in enumerate(row)}
DIGITS |= {"两": 2, "俩": 2}
UNITS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000, "万": 10**4, "亿": 10**8, "兆": 10**12}
_TENS = {"廿": 20, "卅": 30}
_BIG = 10**4
_LONGEST = 40
_TENTHS_FROM = 100
_SINGLE = range(1, 10)
_TOKEN = re.compile(r"(?P<arabic>[0-9][0-9,]*(?:\.[0-9]+)?)|(?P<rough>[余多几 ])|(?P<one>.)", re.DOTALL)

CHINESE = "零〇一二三四五六七八九十百千两俩廿卅"
"""The characters that a numeral of a date, a time of day or a count is written with."""


def numeral(text: str) -> int | None:
    """ "二零零四" -> 2004, "一百零五" -> 105, "一万三" -> 13000, "5万4千" -> 54000, "3" -> 3; None if it is none."""
    value = amount(text)
    return value if isinstance(value, int) else None


def amount(text: str) -> int | float | None:
    """`numeral`, with decimals: "二点五" -> 2.5, "1.5万" -> 15000."""
    text = text.strip()
    if not text or len(text) > _LONGEST:
        return None
    if text.isascii() and text.isdigit():
        return int(text)
    if len(text) == 1:
        return DIGITS.get(text, UNITS.get(text, _TENS.get(text)))
    head, point, tail = text.partition("点")
    whole = _add_up(head)
    if not point or whole is None:
        return whole
    digits = [DIGITS.get(c) for c in tail.strip() if c not in "两俩"]
    if len(digits) < max(1, len(tail.strip())) or None in digits or isinstance(whole, float):
        return None
    return _exact(float(f"{whole}.{''.join(map(str, digits))}"))


def _add_up(text: str) -> int | float | None:
    """Adds up digits and units; a last digit right after a unit counts in its tenths ("二百五" is 250)."""
    total = _Total()
    for kind, value in _tokens(text):
        if kind == "bad":
            return None
        total.take(kind, value)
    return total.value()


class _Total:
    """Digits as they come: `section` is below the next 万 or 亿, `done` is above it."""

    def __init__(self) -> None:
        self.done: int | float = 0
        self.section: int | float = 0
        self.number: int | float | None = None
        self.unit = 1
        self.seen = False
        self.tenths = False

    def take(self, kind: str, value: int | float) -> None:
        self.seen = True
        if kind == "unit":
            self._scale(int(value))
        elif kind == "tens":
            self.section += value
        elif self.number is None or kind == "arabic":
            self.tenths = self.unit >= _TENTHS_FROM and value in _SINGLE
            self.unit = self.unit if value else 1
            self.number = value
        else:
            self.number, self.tenths = self.number * 10 + value, False

    def _scale(self, unit: int) -> None:
        if unit < _BIG:
            self.section += (self.number or 1) * unit
        else:
            below = self.section + (self.number or 0)
            if not below:
                self.done = (self.done or 1) * unit
            elif self.done and self.done < unit:
                self.done = (self.done + below) * unit
            else:
                self.done += below * unit
            self.section = 0
        self.number, self.unit, self.tenths = None, unit, False

    def value(self) -> int | float | None:
        last = (self.number or 0) * (self.unit // 10 if self.tenths else 1)
        return _exact(self.done + self.section + last) if self.seen else None


def _tokens(text: str) -> Iterator[tuple[str, int | float]]:
    for match in _TOKEN.finditer(text):
        word = match.group()
        if match.lastgroup == "arabic":
            plain = word.replace(",", "")
            yield "arabic", float(plain) if "." in plain else int(plain)
        elif word in DIGITS:
            yield "digit", DIGITS[word]
        elif word in UNITS:
            yield "unit", UNITS[word]
        elif word in _TENS:
            yield "tens", _TENS[word]
        elif match.lastgroup != "rough":
            yield "bad", 0


def _exact(value: int | float) -> int | float:
    rounded = round(value, 6)
    return int(rounded) if float(rounded).is_integer() else value
