"""Puts what was spoken of before in the place of the words that point back to it.

A pronoun `这个|订单` is replaced before the bar only, and the value goes after the rest ("这个订单" -> "订单1001").
Words under a slot that is never remembered (`none: [其他, 吉他]`) shield what only looks like a pronoun.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from language.matcher import Match, Matcher, is_latin
from language.names import Names, find_people
from language.normalise import Text

PERSON = "person"
"""The slot of the pronouns for people."""
_MOST = 50
_POSSESSIVE = frozenset({"his", "her", "hers", "its", "their", "theirs"})
Pronoun = tuple[str, str]


def resolve(
    text: Text, remembered: Mapping[str, Any], pronouns: Mapping[str, Sequence[str]], *, names: Names | None = None
) -> tuple[Text, dict[str, str]]:
    """The text with its pronouns replaced, and what was used: slot -> value. Of a list its last value is meant.
    No more than the first fifty pronouns are replaced, so that the text stays short.

    With `names`, somebody whom the sentence itself named before comes before who is remembered.
    """
    used: dict[str, str] = {}
    people = find_people(text.text, names, ()) if names else []
    if not remembered and not people:
        return text, used
    words = _matcher(tuple((slot, tuple(some)) for slot, some in pronouns.items()))
    changes: list[tuple[int, int, str]] = []
    for match in words.find(text.text)[:_MOST]:
        slot, kept = match.value
        named = [p.value for p in people if p.end <= match.start] if slot == PERSON else []
        if value := _last(named or remembered.get(slot)):
            changes.append((match.start, match.end, _spelled(match, value, kept, text.text)))
            used[slot] = value
    return (text.with_changes(changes) if changes else text), used


@lru_cache(maxsize=16)
def _matcher(pronouns: tuple[tuple[str, tuple[str, ...]], ...]) -> Matcher[Pronoun]:
    words: dict[str, Pronoun] = {}
    for slot, some in pronouns:
        for word in some:
            cut, _, kept = word.partition("|")
            words[cut + kept] = (slot, kept)
    return Matcher(words)


def _last(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        value = value[-1] if value else None
    return str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else ""


def _spelled(match: Match[Pronoun], value: str, kept: str, text: str) -> str:
    if kept:
        return f"{kept} {value}" if is_latin(kept[-1]) else f"{kept}{value}"
    if match.word in _POSSESSIVE:
        return f"{value}'s"
    touches = match.end < len(text) and is_latin(text[match.end]) and is_latin(value[-1])
    return f"{value} " if touches else value
