"""A sentence as the rules see it: normalised, pronouns resolved, cut into clauses, the negated ones set aside."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from config.catalogue import Catalogue
from language.clauses import Clause, split
from language.identifiers import Rule
from language.misspelt import mend
from language.normalise import Text, fold, normalise
from language.particulars import Particulars, Reader
from language.pronouns import resolve
from nodes.state import Locale

Span = tuple[int, int]
LATIN_NAME = re.compile(r"[A-Za-z][A-Za-z'-]{1,20}(?: [A-Za-z][A-Za-z'-]{0,20}){0,2}")


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What the rules go by in one request. `now`: aware, in the tenant's zone. `allowed`: the intents that there are
    for this caller; words of other intents mean nothing. `usable`: those of them that it may use, None: all; a request
    for another one is understood, to be refused in so many words. `agent`: the one that the caller chose."""

    catalogue: Catalogue
    reader: Reader
    now: datetime
    allowed: Collection[str]
    usable: Collection[str] | None = None
    agent: str | None = None

    def may_use(self, intent: str) -> bool:
        return intent in (self.allowed if self.usable is None else self.usable)

    def read(self, part: Text) -> Particulars:
        """The particulars of a text, without the characters that words of the catalogue use up."""
        return self.reader.read(part, self.now, taken(part.text, self.catalogue))


@dataclass(frozen=True, kw_only=True)
class Reading:
    """`clauses`: those that ask for something; `refused`: those that say what is not wanted."""

    text: Text
    clauses: tuple[Clause, ...]
    refused: tuple[Clause, ...]


def read(raw: str, remembered: Mapping[str, Any], catalogue: Catalogue) -> Reading:
    """`remembered`: the latest value of each slot, for what pronouns stand for."""
    grammar = catalogue.grammar
    mended = mend(normalise(raw), catalogue.vocabulary)
    text, _ = resolve(mended, remembered, grammar.pronouns, names=catalogue.names)
    clauses = split(
        text.text,
        connectors=grammar.connectors,
        negations=grammar.negations,
        not_negations=grammar.not_negations,
    )
    return Reading(
        text=text,
        clauses=tuple(c for c in clauses if not c.negated),
        refused=tuple(c for c in clauses if c.negated),
    )


def reader_of(catalogue: Catalogue) -> Reader:
    """The reader of particulars over the catalogue's words."""
    lexicon = catalogue.lexicon
    return Reader(
        names=catalogue.names,
        identifiers=tuple(
            Rule(slot=slot, nouns=words.nouns, digits=words.digits, dated=words.dated)
            for slot, words in lexicon.identifiers.items()
        ),
        values=lexicon.values,
        titles=lexicon.titles,
    )


def particulars(text: Text, spans: Sequence[Sequence[int]], rules: Rules) -> dict[str, Any]:
    """The slots that the named parts of a text hold; an earlier part wins."""
    found: dict[str, Any] = {}
    for start, end in spans:
        for slot, value in rules.read(text.part(start, end)).slots.items():
            both = slot in found and isinstance(value, list)
            found[slot] = (
                [*found[slot], *(v for v in value if v not in found[slot])] if both else found.get(slot, value)
            )
    return found


def taken(text: str, catalogue: Catalogue) -> list[Span]:
    """Characters that words of the catalogue use up, and that are therefore no part of a name."""
    matchers = (catalogue.nouns, catalogue.actions, catalogue.verbs, catalogue.agent_words, catalogue.chitchat_words)
    found = [(match.start, match.end) for matcher in matchers for match in matcher.find(text)]
    # 行 and 好 are small talk where they stand alone, and end many a name.
    return [(start, end) for start, end in found if end - start > 1 or text[start].isascii() or len(text) == 1]


def guarded(clause: str, guards: Sequence[Sequence[str]]) -> bool:
    """Whether the clause talks *about* its words: one of the word sequences stands in it, in order."""
    return any(in_order(clause, guard) >= 0 for guard in guards)


def in_order(clause: str, words: Sequence[str]) -> int:
    """Where the first of the words stands, if all of them do and in this order; else -1."""
    text, at, first = _folded_text(clause), 0, -1
    if not words or folded_word(words[-1]) not in text:  # most sequences are none of a clause's
        return -1
    for word in words:
        found = find_word(text, folded_word(word), at)
        if found < 0:
            return -1
        at, first = found + len(word), found if first < 0 else first
    return first


@lru_cache(maxsize=16_384)
def folded_word(word: str) -> str:
    """Words of the configuration, which do not change."""
    return fold(word)


@lru_cache(maxsize=64)
def _folded_text(text: str) -> str:
    """One clause is looked through for hundreds of sequences."""
    return fold(text)


def find_word(text: str, word: str, at: int = 0) -> int:
    """Where a folded `word` stands at or after `at`, else -1; a Latin word only between Latin word boundaries."""
    while (found := text.find(word, at)) >= 0:
        before, after = text[found - 1 : found], text[found + len(word) : found + len(word) + 1]
        latin = word[0].isascii() and word[0].isalnum()
        if not latin or not (_latin(before) or _latin(after)):
            return found
        at = found + 1
    return -1


def _latin(char: str) -> bool:
    return char.isascii() and char.isalnum()


def latin_name(text: str, catalogue: Catalogue) -> str | None:
    """The one, two or three Latin words that a text consists of, where nothing says that they are no name."""
    if not LATIN_NAME.fullmatch(text) or any(w.casefold() in catalogue.no_names for w in text.split()):
        return None
    return None if taken(text, catalogue) or catalogue.particles.find(text) else text


def locale_of(text: str, *, earlier: Sequence[str] = (), otherwise: Locale = "zh") -> Locale:
    """The language of a message; of the latest one of `earlier` that shows any, where it shows none ("7", "👍")."""
    shown = (language for said in (text, *reversed(earlier)) if (language := _language(said)))
    return next(shown, otherwise)


def _language(text: str) -> Locale | None:
    if any("一" <= char <= "鿿" for char in text):
        return "zh"
    return "en" if any(char.isascii() and char.isalpha() for char in text) else None
