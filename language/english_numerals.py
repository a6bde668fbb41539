"""The value of a number written in English words, up to the hundreds of thousands."""

import re

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
_TENS = "thirty forty fifty sixty seventy eighty ninety"
_VALUES = {word: value for value, word in enumerate(_ONES.split())}
_VALUES |= dict(zip(_TENS.split(), range(30, 100, 10), strict=True))
_SCALES = {"dozen": 12, "hundred": 100, "thousand": 1000}
_WORD = "|".join(sorted([*_VALUES, *_SCALES], key=len, reverse=True))

ENGLISH_NUMERAL = rf"(?:(?<![A-Za-z0-9])(?:{_WORD})(?>(?:(?:[ -]| and )(?:{_WORD})){{0,9}})(?![A-Za-z0-9]))"
"""A pattern to build others from; use it with IGNORECASE."""
ENGLISH = re.compile(ENGLISH_NUMERAL, re.IGNORECASE)
_TOKENS = re.compile(r"[a-z]+")


def english_numeral(text: str) -> int | None:
    """ "twenty-five" -> 25, "two hundred and six" -> 206; None if it is none. "hundred" alone counts nothing."""
    if not ENGLISH.fullmatch(text.strip()):
        return None
    words = [w for w in _TOKENS.findall(text.lower()) if w != "and"]
    if words[0] in _SCALES:
        return None
    total, part = 0, 0
    for word in words:
        if word == "thousand":
            total, part = total + part * _SCALES[word], 0
        elif word in _SCALES:
            part *= _SCALES[word]
        else:
            part += _VALUES[word]
    return total + part
