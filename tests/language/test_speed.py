"""Reading stays linear: four times the text never costs as much as the square would."""

from collections.abc import Callable
from datetime import timedelta
from itertools import count
from time import thread_time

import pytest

from config.lexicon import Grammar
from language.clauses import splitter
from language.counts import find_limits
from language.entries import find_entry
from language.free_text import find_content, find_keyword
from language.identifiers import find_identifiers, find_phones
from language.matcher import Matcher
from language.names import Names, find_people
from language.normalise import normalise
from language.numbers import find_numbers, parse_int
from language.periods import find_periods
from language.pronouns import resolve
from language.times import find_times
from tests.language.conftest import NOW, RULES, ReadText

SIZE = 8_000
FACTOR = 4
SQUARE = FACTOR * FACTOR
TRIES = 4

WORST = {
    "digits": "1",
    "numerals": "一",
    "units": "十",
    "zeros": "零",
    "digit list": "1,",
    "spaced digits": "1 ",
    "dots": ".",
    "dotted digits": "1.",
    "fractions": "1/",
    "colons": "1:",
    "dashes": "1-",
    "long word": "a",
    "capitals": "Aa ",
    "hyphens": "Aa-",
    "apostrophes": "a's ",
    "english numbers": "one ",
    "english scales": "hundred and ",
    "english dates": "march 1 to ",
    "english steps": "last ",
    "first of": "first week of ",
    "steps": "上",
    "months": "1月",
    "days": "9号,",
    "ranges": "今天到",
    "before": "之前",
    "of": "的",
    "weekdays": "周一",
    "times": "下午三点",
    "half times": "三点",
    "negations": "不要查,",
    "bare negations": "不要",
    "connectors": "再查",
    "lead in": "我",
    "lead in then": "我再查",
    "looks": "查看",
    "open quotes": "“",
    "quotes": "“a”",
    "plain quotes": '"',
    "keyword marks": "关于",
    "english marks": "about ",
    "content marks": "内容是",
    "reminders": "提醒我",
    "surnames": "张",
    "names": "张三和",
    "titles": "用户",
    "order nouns": "订单",
    "order numbers": "订单1,",
    "counts": "前三",
    "counted": "3条",
    "wanted": "show 5 ",
    "pronouns": "他的",
    "marks": "e\u0301",
    "full width": "１，",
    "emoji": "👨\u200d👩",
    "traditional": "後",
    "spaces": " \t",
    "compatibility": "㎏",
}
"""Each is the unit of a text that one pattern or another would have to try again and again."""

Reading = Callable[[str], object]


@pytest.fixture(scope="module")
def readings(grammar: Grammar, names: Names, reader: ReadText) -> dict[str, Reading]:
    cut = splitter(grammar.connectors, grammar.negations, grammar.not_negations)
    words = Matcher(dict.fromkeys(grammar.particles, True))
    never_read = count()  # a reading that is kept would take no time
    return {
        "normalise": normalise,
        "match": words.find,
        "split": cut.split,
        "resolve": lambda t: resolve(normalise(t), {"person": "李四"}, grammar.pronouns),
        "periods": lambda t: find_periods(t, NOW),
        "numbers": find_numbers,
        "integer": parse_int,
        "limits": find_limits,
        "identifiers": lambda t: find_identifiers(t, RULES),
        "phones": find_phones,
        "names": lambda t: find_people(t, names, ()),
        "times": find_times,
        "content": lambda t: find_content(t, ()),
        "keyword": lambda t: find_keyword(t, ()),
        "entry": lambda t: find_entry(t, ()),
        "read": lambda t: reader.reader.read(normalise(t), NOW + timedelta(microseconds=next(never_read)), ()),
    }


@pytest.mark.parametrize("unit", WORST)
def test_no_text_makes_a_pattern_try_again_and_again(readings: dict[str, Reading], unit: str) -> None:
    for name, reading in readings.items():
        for ending in ("", "x"):
            assert grows_less_than_the_square(reading, WORST[unit], ending), (name, unit, ending)


def grows_less_than_the_square(reading: Reading, unit: str, ending: str) -> bool:
    """Whether the long text takes less than the square of its size; what takes no time at all cannot be told apart."""
    short, long = (unit * (size // len(unit)) + ending for size in (SIZE // FACTOR, SIZE))
    for _ in range(TRIES):
        quick, slow = seconds(reading, short), seconds(reading, long)
        if slow < max(quick, 0.002) * (SQUARE * 0.7):
            return True
    return False


def seconds(reading: Reading, text: str) -> float:
    start = thread_time()
    reading(text)
    return thread_time() - start


def test_ten_thousand_emoji_and_a_hundred_kilobytes_are_read(readings: dict[str, Reading]) -> None:
    for text in ("👍" * 10_000, "查张三的订单，" * 5_000, "show orders and " * 6_000):
        for reading in readings.values():
            reading(text)


LONG = {
    "english steps": "last week ",
    "short words": "to ",
    "steps": "上",
    "ligatures": "\ufdfa",
    "one word": "a",
    "digits": "1",
    "marks": "\u0323\u0301",
    "spaces": " \t",
    "invisible": "\u200b",
    "pronouns": "他",
    "reminders": "提醒我",
    "contents": "待办:买,",
    "contents after commas": ",内容是",
    "thanks": "a,谢谢,",
    "makings": "建个待办",
    "puttings": "put it ",
    "movings": "move to ",
    "names": "张",
    "small names": "li si ",
    "not": "没有已取消",
    "no": "no orders ",
    "instead": "不查订单查",
    "impossible": "2月30日",
    "joined": "今天和",
}
LARGE = 64_000
GROWTH = 2.5
"""How much longer four times as much may take: what is read is limited, only what is looked through grows."""


@pytest.mark.parametrize("unit", LONG)
def test_what_is_beyond_the_limit_is_not_read(readings: dict[str, Reading], unit: str) -> None:
    for name in ("split", "resolve", "read"):
        read = readings[name]

        def reading(text: str, read: Reading = read) -> object:
            return read(normalise(text).text)

        short, long = (LONG[unit] * (size // len(LONG[unit].encode())) for size in (LARGE // FACTOR, LARGE))
        tries = (seconds(reading, long) < max(seconds(reading, short), 0.02) * GROWTH for _ in range(TRIES))
        assert any(tries), (name, unit)
