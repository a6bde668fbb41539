"""The words of English dates and periods, cut from a text as tokens of one-letter kinds."""

import re

from language.english_numerals import ENGLISH_NUMERAL, english_numeral
from language.feasts import NAMES
from language.time_tokens import DATE, Token, read_date

_MONTHS = "january february march april may june july august september october november december".split()  # noqa: SIM905
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()  # noqa: SIM905
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth "
    "eighteenth nineteenth twentieth"
).split()  # noqa: SIM905
_UNITS = {
    "day": "day", "week": "week", "month": "month", "quarter": "quarter", "year": "year", "calendar day": "day", "business day": "workday",
    "working day": "workday", "workday": "workday", "decade": "decade",
}  # fmt: skip
_WORDS: dict[str, tuple[str, object]] = {
    "today": ("T", 0), "tonight": ("T", 0), "this morning": ("T", 0), "this afternoon": ("T", 0), "this evening": ("T", 0), "yesterday": ("T", -1),
    "last night": ("T", -1), "tomorrow": ("T", 1), "tmr": ("T", 1), "the day before yesterday": ("T", -2), "day before yesterday": ("T", -2),
    "the day after tomorrow": ("T", 2), "day after tomorrow": ("T", 2), "now": ("N", 0), "right now": ("N", 0), "the present": ("N", 0),
    **{name: ("M", number) for number, name in enumerate(_MONTHS, 1) if name != "may"}, "may": ("m", 5),
    **{f"{name[:3]}{dot}": ("M", number) for number, name in enumerate(_MONTHS, 1) for dot in ("", ".") if name != "may"}, "sept": ("M", 9),
    **{name: ("K", number) for number, name in enumerate(_WEEKDAYS)},
    **{name: ("K", number) for name, number in {"mon": 0, "tue": 1, "tues": 1, "wed": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4}.items()},
    **{word: ("o", number) for number, word in enumerate(_ORDINALS, 1)},
    **{word: ("U", unit) for word, unit in _UNITS.items()}, **{f"{word}s": ("U", unit) for word, unit in _UNITS.items()}, "fortnight": ("G", 2),
    "weekend": ("E", None), "weekends": ("E", None), "half": ("H", None), "half year": ("H", None), "half of": ("H", None),
    "this": ("s", 0), "current": ("s", 0), "last": ("s", -1), "previous": ("s", -1), "prior": ("s", -1), "next": ("s", 1), "following": ("s", 1),
    "coming": ("s", 1), "upcoming": ("s", 1), "past": ("p", -1), "trailing": ("p", -1), "recent": ("p", -1), "latest": ("p", -1), "most recent": ("p", -1),
    "ago": ("A", None), "back": ("A", None), "earlier": ("A", None), "from now": ("L", None), "later": ("L", None), "from today": ("L", None),
    "in": ("I", None), "within": ("W", None), "inside": ("W", None), "before": ("B", None), "prior to": ("B", None), "earlier than": ("B", None),
    "by": ("b", None), "until": ("u", None), "till": ("u", None), "up to": ("u", None), "through": ("u", None), "to": ("l", None), "thru": ("u", None),
    "since": ("S", None), "starting": ("S", None), "starting from": ("S", None), "starting on": ("S", None), "from": ("f", None), "after": ("F", None),
    "later than": ("F", None), "between": ("w", None), "and": ("&", None), "-": ("l", None), "–": ("l", None), "—": ("l", None), "~": ("l", None),
    "of": ("e", None), "in the": ("I", None), "during": ("I", None), "for": ("I", None), "on": ("I", None), "over": ("I", None), "at": ("I", None),
    "throughout": ("I", None), "year": ("U", "year"), ",": (",", None), "end": ("P", "end"), "beginning": ("P", "beginning"), "start": ("P", "beginning"),
    "middle": ("P", "middle"), "mid": ("P", "middle"), "early": ("P", "beginning"), "late": ("P", "end"), "year to date": ("V", "year"), "ytd": ("V", "year"),
    "month to date": ("V", "month"), "mtd": ("V", "month"), "quarter to date": ("V", "quarter"), "qtd": ("V", "quarter"), "week to date": ("V", "week"),
    "wtd": ("V", "week"), "couple of": ("n", 2), "a couple of": ("n", 2), "few": ("n", 3), "a few": ("n", 3), "several": ("n", 3), "a": ("a", 1),
    "an": ("a", 1), "one": ("n", 1), "half a": ("h", None),
    **{name: ("J", name) for name in NAMES if name[0].isalpha() and name.isascii()},
}  # fmt: skip
_IGNORED = frozenset({"the", "year's", "full"})
_LONGEST_PHRASE = 4
_TOKEN = re.compile(
    rf"(?P<date>{DATE})|(?P<nth>[0-9]{{1,2}}(?:st|nd|rd|th)(?![0-9A-Za-z]))|(?P<quarter>q[1-4](?![0-9a-z]))|(?P<half>h[12](?![0-9a-z]))"
    rf"|(?P<clock>[0-9]{{1,2}}(?::[0-9]{{2}})?\s?[ap]\.?m\b\.?|[0-9]{{1,2}}:[0-9]{{2}})|(?P<number>(?<![0-9.,:/])[0-9]{{1,4}}(?![0-9A-Za-z:/]|[.,][0-9]|\s?[㐀-鿿]))"
    rf"|(?P<word>[a-z]+(?:'[a-rt-z]+)?)|(?P<mark>[,–—~\-])|(?P<space>[ ]|'s(?![a-z]))"
)
_SPELLED = re.compile(ENGLISH_NUMERAL)
HINT = re.compile(
    r"(?<![a-z])(?:to(?:day|night|morrow)|yesterday|tmr|[ymqw]td|now|days?|weeks?|weekends?|months?|quarters?|years?|decades?|fortnight|"
    rf"{'|'.join(_MONTHS)}|{'|'.join(m[:3] for m in _MONTHS)}|sept|{'|'.join(_WEEKDAYS)}|mon|tues?|wed|thu(?:rs?)?|fri|q[1-4]|h[12]|(?:19|20)[0-9][0-9]|[0-9]+(?:st|nd|rd|th)|"
    rf"{'|'.join(n for n in NAMES if n[0].isalpha() and n.isascii())}|morning|afternoon|evening|night)(?![a-z0-9])"
)
"""Without one of these in a folded text there is no English date in it."""


def tokens(text: str) -> list[Token]:
    """Tokens of a folded text, in order. What is no word of time becomes `x`; articles and spaces are left out."""
    words = list(_words(text))
    found: list[Token] = []
    index = 0
    while index < len(words):
        token, used = _phrase(words, index)
        if token.kind != " ":
            found.append(token)
        index += used
    return found


Word = tuple[str, int, int, Token | None]


def _words(text: str) -> list[Word]:
    out: list[Word] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            out.append(("", at, at + 1, Token("x", at, at + 1)))
            at += 1
            continue
        if match.lastgroup != "space":
            out.append((match.group(), *match.span(), _matched(match)))
        at = match.end()
    return out


def _matched(match: re.Match[str]) -> Token | None:
    """None for words, which are looked up by phrase."""
    kind, word = str(match.lastgroup), match.group()
    start, end = match.span()
    if kind == "date":
        letter, value, width = read_date(match, word)
        return Token(letter, start, end, value, width)
    if kind == "nth":
        return Token("o", start, end, int(word[:-2]), 2)
    if kind in ("quarter", "half"):
        return Token("z", start, end, (kind, int(word[1])))
    if kind == "clock":
        return Token("t", start, end)
    if kind == "number":
        return Token("n", start, end, int(word), len(word))
    return None


def _phrase(words: list[Word], index: int) -> tuple[Token, int]:
    """The longest phrase that begins here."""
    word, start, end, token = words[index]
    if token:
        return token, 1
    if word in _IGNORED:
        return Token(" ", start, end), 1
    for count in range(min(_LONGEST_PHRASE, len(words) - index), 0, -1):
        some = words[index : index + count]
        phrase = " ".join(w for w, *_ in some)
        if entry := _WORDS.get(phrase):
            return Token(entry[0], start, some[-1][2], entry[1]), count
    if _SPELLED.fullmatch(word) and (value := english_numeral(word)) is not None:
        return Token("n", start, end, value, 1), 1
    return Token("x", start, end), 1
