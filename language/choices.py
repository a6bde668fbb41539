"""Which of several numbered choices an answer names: "2", "第二个", "the last one", "选三"."""

import re

from language.numbers import parse_int

WORDS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "5th": 5}
CHINESE = re.compile(
    r"(?:我?(?:选|要|是|就|想)(?:择|的是|要)?)?(?:第|选项)?\s*([0-9]{1,2}|[一二三四五六七八九十两]{1,3})\s*(?:个|位|条|项|种|号)?(?:吧|呢|的)?"
)
ENGLISH = re.compile(
    r"(?:i (?:mean|want|choose|take) )?(?:the )?(?:(?:option|number|no\.?|choice|#) ?)?"
    r"([0-9]{1,2}|one|two|three|four|five|first|second|third|fourth|fifth|1st|2nd|3rd|4th|5th)"
    r"(?: (?:one|option|choice))?(?:,? please)?",
    re.IGNORECASE,
)
LAST = re.compile(r"(?:the )?last(?: (?:one|option|choice))?|最后(?:一个|一条|一项|一位|那个|那条)?", re.IGNORECASE)


def parse_choice(text: str, count: int) -> int | None:
    """From 0; None where the text is anything else than a choice, or names one that there is not."""
    said = text.strip(" \t。.!！,，)）(（")
    if LAST.fullmatch(said):
        return count - 1 if count else None
    match = CHINESE.fullmatch(said) or ENGLISH.fullmatch(said)
    if match is None:
        return None
    number = WORDS.get(match[1].lower()) or parse_int(match[1])
    return number - 1 if number and 1 <= number <= count else None
