"""The value of what is written as a number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.english_numerals import english_numeral
from language.numerals import amount, numeral

DIGITS = "零一二三四五六七八九"
PLACES = ((10**8, "亿"), (10**4, "万"))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("三", 3), ("两", 2), ("十", 10), ("十二", 12), ("二十", 20), ("一百零五", 105), ("一百一十", 110),
        ("二百五", 250),
        ("一千零五十", 1050), ("一万三", 13000), ("三万零八", 30008), ("两千三百五", 2350),
        ("一亿零三百万", 103_000_000),
        ("二零二六", 2026), ("二〇〇八", 2008), ("一五", 15), ("零六", 6), ("廿九", 29), ("5万4千", 54000),
        ("3万4000", 34000),
        ("1千零1", 1001), ("1,200", 1200), ("贰佰叁拾", 230), ("十余万", 100_000), ("三十万亿", 30 * 10**12),
        ("12", 12),
    ],
)  # fmt: skip
def test_chinese_and_mixed_numerals(text: str, value: int) -> None:
    assert numeral(text) == value


@pytest.mark.parametrize(("text", "value"), [("二点五", 2.5), ("1.5万", 15000), ("十二点零", 12), ("零点零八", 0.08)])
def test_decimals(text: str, value: float) -> None:
    assert amount(text) == value


@pytest.mark.parametrize("text", ["", " ", "abc", "三个", "点五", "三点", "一点两", "9" * 41, "十" * 41])
def test_what_is_no_numeral_has_no_value(text: str) -> None:
    assert numeral(text) is None


@given(st.integers(0, 10**12 - 1))
def test_every_number_reads_back(value: int) -> None:
    assert numeral(written(value)) == value


def written(value: int) -> str:
    for size, name in PLACES:
        if value >= size:
            rest = value % size
            gap = "零" if rest and rest < size // 10 else ""
            return f"{written(value // size)}{name}{gap}{written(rest) if rest else ''}"
    return below_ten_thousand(value)


def below_ten_thousand(value: int) -> str:
    text, gap = "", False
    for size, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = value // size % 10
        if digit:
            text += ("零" if gap and text else "") + DIGITS[digit] + name
        gap = not digit
    return text or "零"


@pytest.mark.parametrize(
    ("text", "value"),
    [("two", 2), ("Twenty", 20), ("twenty-five", 25), ("two hundred and six", 206), ("three thousand", 3000),
     ("a dozen", None),
     ("hundred", None), ("order", None), ("", None)],
)  # fmt: skip
def test_english_words(text: str, value: int | None) -> None:
    assert english_numeral(text) == value
