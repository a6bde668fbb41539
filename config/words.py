"""From the words of the configuration to matchers over the written form in which sentences are read."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from language.matcher import Match, Matcher
from language.normalise import fold, normalise

LATIN = re.compile(r"[a-z]+")


class Meanings(Matcher[tuple[str, ...]]):
    """Finds words with the names that they mean; a longer word that means nothing keeps a shorter one in it quiet."""

    def find(self, text: str) -> list[Match[tuple[str, ...]]]:
        return [match for match in super().find(text) if match.value]


def written(word: str) -> str:
    """A word as the normalised sentence has it: half-width, simplified."""
    return normalise(word).text


def claims(owners: Mapping[str, Any], kind: str) -> dict[str, tuple[str, ...]]:
    """Each word of one kind (`synonyms`, `verbs` ...), folded -> the names of all owners that list it, in order."""
    found: dict[str, dict[str, None]] = {}
    for name, owner in owners.items():
        for word in getattr(owner, kind):
            found.setdefault(fold(written(word)), {})[name] = None
    return {word: tuple(names) for word, names in found.items()}


def vocabulary(said: Iterable[str]) -> frozenset[str]:
    """The Latin words of words and phrases, folded, each with its simple plural."""
    single = {part for word in said for part in LATIN.findall(fold(word))}
    return frozenset(single | {f"{word}s" for word in single})


def matcher(meanings: Mapping[str, tuple[str, ...]], longer: Iterable[str]) -> Meanings:
    """`longer`: words that contain one of ours and do not mean it; a word that is both means what the owner says."""
    blocked = {
        word: ()
        for word in map(fold, map(written, longer))
        if word not in meanings and any(own in word for own in meanings)
    }
    return Meanings({**blocked, **meanings})
