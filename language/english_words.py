"""The words of English dates and periods, cut from a text as tokens of one-letter kinds."""

import re

from language.english_numerals import ENGLISH_NUMERAL, english_numeral
from language.feasts import NAMES
from language.time_tokens import DATE, Token, read_date
from language.time_words import Kind

_MONTH_NAMES = "january february march april may june july august september october november december"
_MONTHS = tuple(_MONTH_NAMES.split())
_WEEKDAY_NAMES = "monday tuesday wednesday thursday friday saturday sunday"
_WEEKDAYS = tuple(_WEEKDAY_NAMES.split())
_SHORT_WEEKDAYS = {"mon": 0, "tue": 1, "tues": 1, "wed": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4}
_ORDINAL_NAMES = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth"
)
_UNITS = {
    "day": ("day", "calendar day"),
    "week": ("week",),
    "month": ("month",),
    "quarter": ("quarter",),
    "year": ("year",),
    "decade": ("decade",),
    "workday": ("workday", "working day", "business day"),
}
_PHRASES: dict[Kind, tuple[str, ...]] = {
    ("T", -2): ("day before yesterday",),
    ("T", -1): ("yesterday", "last night"),
    ("T", 0): ("today", "tonight", "this morning", "this afternoon", "this evening"),
    ("T", 1): ("tomorrow", "tmr"),
    ("T", 2): ("day after tomorrow",),
    ("N", None): ("now", "right now", "the present"),
    ("s", -1): ("last", "previous", "prior"),
    ("s", 0): ("this", "current"),
    ("s", 1): ("next", "following", "coming", "upcoming"),
    ("p", -1): ("past", "trailing", "recent", "latest", "most recent"),
    ("A", None): ("ago", "back", "earlier"),
    ("L", None): ("from now", "later"),
    ("I", None): ("in", "in the", "during", "for", "on", "over", "at", "throughout"),
    ("W", None): ("within", "inside"),
    ("B", None): ("before", "prior to", "earlier than"),
    ("b", None): ("by",),
    ("u", None): ("until", "till", "up to", "through", "thru"),
    ("l", None): ("to", "-", "–", "—", "~"),
    ("S", None): ("since", "starting", "starting from", "starting on"),
    ("f", None): ("from",),
    ("F", None): ("after", "later than"),
    ("w", None): ("between",),
    ("&", None): ("and",),
    ("e", None): ("of",),
    (",", None): (",",),
    ("P", "beginning"): ("beginning", "start", "early"),
    ("P", "middle"): ("middle", "mid"),
    ("P", "end"): ("end", "late"),
    ("V", "year"): ("year to date", "ytd"),
    ("V", "quarter"): ("quarter to date", "qtd"),
    ("V", "month"): ("month to date", "mtd"),
    ("V", "week"): ("week to date", "wtd"),
    ("n", 1): ("one",),
    ("n", 2): ("couple of", "a couple of"),
    ("n", 3): ("few", "a few", "several"),
    ("a", 1): ("a", "an"),
    ("h", None): ("half a",),
    ("H", None): ("half", "half year", "half of"),
    ("G", 2): ("fortnight",),
    ("E", None): ("weekend", "weekends"),
    ("m", 5): ("may",),
    ("M", 9): ("sept", "sept."),
}
_FEASTS = tuple(name for name in NAMES if name[0].isalpha() and name.isascii())
_WORDS: dict[str, Kind] = {phrase: kind for kind, phrases in _PHRASES.items() for phrase in phrases}
_WORDS |= {name: ("M", number) for number, name in enumerate(_MONTHS, 1) if name not in _WORDS}
_WORDS |= {name[:3]: ("M", number) for number, name in enumerate(_MONTHS, 1) if name[:3] not in _WORDS}
_WORDS |= {name: ("K", number) for number, name in enumerate(_WEEKDAYS)}
_WORDS |= {name: ("K", number) for name, number in _SHORT_WEEKDAYS.items()}
_WORDS |= {word: ("o", number) for number, word in enumerate(_ORDINAL_NAMES.split(), 1)}
_WORDS |= {f"{word}{plural}": ("U", unit) for unit, words in _UNITS.items() for word in words for plural in ("", "s")}
_WORDS |= {name: ("J", name) for name in _FEASTS}
SPELLINGS = frozenset(part for phrase in _WORDS for part in phrase.split() if part.isalpha())
_IGNORED = frozenset({"the", "full"})
# How many words the longest phrase has that begins with a word.
_LEADS: dict[str, int] = {}
for _words_of in (phrase.split(" ") for phrase in _WORDS):
    _LEADS[_words_of[0]] = max(len(_words_of), _LEADS.get(_words_of[0], 0))
_TOKEN = re.compile(
    rf"(?P<date>{DATE})|(?P<nth>[0-9]{{1,2}}(?:st|nd|rd|th)(?![0-9A-Za-z]))|(?P<quarter>q[1-4](?![0-9a-z]))|(?P<half>h[12](?![0-9a-z]))"
    rf"|(?P<clock>[0-9]{{1,2}}(?::[0-9]{{2}})?\s?[ap]\.?m\b\.?|[0-9]{{1,2}}:[0-9]{{2}})"
    rf"|(?P<number>(?<![0-9.,:/])[0-9]{{1,4}}(?![0-9A-Za-z:/]|[.,][0-9]|\s?[㐀-鿿]))"
    rf"|(?P<word>[a-z]+(?:'[a-rt-z]+)?)|(?P<mark>[,–—~\-])|(?P<space>[ ]|'s(?![a-z]))"
)
_SPELLED = re.compile(ENGLISH_NUMERAL)
_HINTS = (*_MONTHS, *(m[:3] for m in _MONTHS), "sept", *_WEEKDAYS, *_SHORT_WEEKDAYS, *_FEASTS)
HINT = re.compile(
    r"(?<![a-z])(?:to(?:day|night|morrow)|yesterday|tmr|[ymqw]td|now|days?|weeks?|weekends?|months?|quarters?|years?|decades?|fortnight|"
    r"morning|afternoon|evening|night|q[1-4]|h[12]|(?:19|20)[0-9][0-9]|(?<![0-9])[0-9]{1,4}(?:st|nd|rd|th)|"
    rf"{'|'.join(_HINTS)})(?![a-z0-9])"
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
    for count in range(min(_LEADS.get(word, 0), len(words) - index), 0, -1):
        some = words[index : index + count]
        phrase = " ".join(w for w, *_ in some)
        if entry := _WORDS.get(phrase):
            return Token(entry[0], start, some[-1][2], entry[1]), count
    if _SPELLED.fullmatch(word) and (value := english_numeral(word)) is not None:
        return Token("n", start, end, value, 1), 1
    return Token("x", start, end), 1
