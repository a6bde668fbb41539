"""What a sentence writes down or moves: which clauses say it together, and which intent that is."""

from collections.abc import Sequence
from dataclasses import dataclass

from config.catalogue import Catalogue, Intent
from language.clauses import Clause
from language.entries import Entry
from language.found import Span
from language.normalise import Text
from language.particulars import rest
from nodes.hits import Hit, hits_of
from nodes.questioning import asks, questioned, wonders
from nodes.reading import Reading, Rules

_AHEAD = 2


@dataclass(frozen=True, kw_only=True)
class Entered:
    """`titled`: whether it is said what. `span`: the characters that say it. `first`, `last`: the clauses that these
    are, `last` included."""

    hit: Hit
    titled: bool
    span: Span
    first: int
    last: int


def entered(reading: Reading, at: int, told_from: int, rules: Rules) -> Entered | None:
    """What the clause `at` writes down or moves. Where it does not say what ("加到日程里"), the clauses before it from
    `told_from` on do, which only tell of it, or else those behind it."""
    clause = reading.clauses[at]
    part = reading.text.part(clause.start, clause.end)
    entry = rules.read(part).entry
    if entry is None or questioned(part.text, entry.frame[0], rules.catalogue):
        return None
    first, last = at, at
    if entry.title is None:
        first, last, entry = _completed(reading, at, told_from, entry, rules)
    start, end = reading.clauses[first].start, reading.clauses[last].end
    whole = reading.text.part(start, end)
    intent = _intent(entry, whole, rules)
    if intent is None:
        return None
    word = whole.text[slice(*entry.frame)].strip()
    hit = Hit(intent=intent.name, word=word, at=entry.frame[0], end=entry.frame[1], kind="action")
    return Entered(hit=hit, titled=entry.title is not None, span=(start, end), first=first, last=last)


def _completed(reading: Reading, at: int, told_from: int, entry: Entry, rules: Rules) -> tuple[int, int, Entry]:
    clauses = reading.clauses
    for first in dict.fromkeys((at - 1, told_from)):
        if told_from <= first < at and (more := _titled(reading, first, at, entry, rules)):
            return first, at, more
    for last in range(at + 1, min(at + 1 + _AHEAD, len(clauses))):
        part = reading.text.part(clauses[last].start, clauses[last].end)
        named = any(hit.kind != "verb" for hit in hits_of(part.text, part, rules))
        if rules.read(part).entry or (named and (asks(part, rules) or entry.kind != "todo")):
            break
        if more := _titled(reading, at, last, entry, rules):
            return at, last, more
    return at, at, entry


def _titled(reading: Reading, first: int, last: int, entry: Entry, rules: Rules) -> Entry | None:
    """The entry as the clauses say it together, where they name the thing."""
    said = rules.read(reading.text.part(reading.clauses[first].start, reading.clauses[last].end))
    more = said.entry
    if more is None or more.kind != entry.kind:
        return None
    known = more.title or (entry.kind == "moved" and _names_one(said.slots, rules.catalogue))
    return more if known else None


def _names_one(slots: dict[str, object], catalogue: Catalogue) -> bool:
    """Whether a thing that can be moved is pointed to by its number, or by its old time."""
    named = {
        source
        for intent in _moving(catalogue)
        for source in _sources(intent)
        if source in catalogue.lexicon.identifiers
    }
    return bool({*named, "new_period", "new_time"} & slots.keys())


def tells(clause: Clause, reading: Reading, rules: Rules) -> bool:
    """Whether a clause only tells something: it asks for nothing, and is more than a greeting."""
    part = reading.text.part(clause.start, clause.end)
    if reading.text.text.startswith(("?", "？"), clause.end) or wonders(part.text, rules.catalogue):
        return False
    small = [(m.start, m.end) for m in rules.catalogue.chitchat_words.find(part.text)]
    return not asks(part, rules) and bool(rest(part.text, small, rules.catalogue.particles) or rules.read(part).slots)


def _intent(entry: Entry, part: Text, rules: Rules) -> Intent | None:
    known = [i for i in rules.catalogue.intents.values() if i.entry == entry.kind and i.name in rules.allowed]
    if entry.kind == "moved":
        return _moved(entry, part, known, rules)
    text = part.text
    if entry.title:
        start, end = entry.title
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    if any(match.value for match in rules.catalogue.overriding.find(text)):
        return None
    intent = next(iter(known), None)
    return None if intent and _anothers(entry, part, intent, rules) else intent


def _anothers(entry: Entry, part: Text, intent: Intent, rules: Rules) -> bool:
    """Whether another agent does it with the thing that is named, where the words around it name no list or calendar
    ("预订一个车位" where there is a car park)."""
    if any(intent.of in match.value for match in rules.catalogue.nouns.find(part.text[slice(*entry.frame)])):
        return False
    hits = hits_of(part.text, part, rules)
    return any(hit.kind == "action" and rules.catalogue.intents[hit.intent].agent != intent.agent for hit in hits)


def _moved(entry: Entry, part: Text, known: Sequence[Intent], rules: Rules) -> Intent | None:
    """What is moved is what its number names, else what the words around it name, else an entry by its title."""
    slots, intents = rules.read(part).slots, rules.catalogue.intents
    numbered = [slot for slot in rules.catalogue.lexicon.identifiers if slots.get(slot)]
    if numbered:
        return next((i for i in known if numbered[0] in _sources(i)), None)
    hits = [hit for hit in hits_of(part.text, part, rules) if hit.kind != "verb"]
    things = {hit.intent if not intents[hit.intent].changes else str(intents[hit.intent].of) for hit in hits}
    changing = {str(intent.of) for intent in intents.values() if intent.changes and intent.of}
    for intent in known:
        if intent.of in things and not things & (changing - {str(i.of) for i in known}):
            return intent
    if things & changing or (entry.title is None and not {"new_period", "new_time"} & slots.keys()):
        return None
    covered = bool(entry.title) and any(_covers(hit, entry.title) for hit in hits)
    return None if covered else next((i for i in known if "keyword" in _sources(i)), None)


def _covers(hit: Hit, title: Span | None) -> bool:
    return title is not None and hit.at <= title[0] and title[1] <= hit.end


def _moving(catalogue: Catalogue) -> list[Intent]:
    return [intent for intent in catalogue.intents.values() if intent.entry == "moved"]


def _sources(intent: Intent) -> set[str]:
    return {(binding.source or "").partition(".")[0] for binding in intent.arguments.values()}
