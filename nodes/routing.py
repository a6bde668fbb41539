"""Keyword rules: which intents the clauses of a sentence ask for, in spoken order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from config.catalogue import Catalogue, Intent
from language.found import Span
from language.free_text import find_content
from language.matcher import Matcher
from language.normalise import Text
from language.particulars import rest
from nodes.decision import KEYWORD_ROUTE, SEVERAL_INTENTS, decide
from nodes.portions import handed_on, portions
from nodes.questioning import questioned
from nodes.reading import Reading, Rules, guarded
from nodes.state import Decision, Request, Source

BLANK = "\x00"  # stands in no word
MAX_CLAUSES = 40
MAX_REQUESTS = 10
Kind = Literal["noun", "identifier", "verb", "action"]


@dataclass(frozen=True, kw_only=True)
class Hit:
    """An intent that a word means. `at`, `end`: where the word stands in its clause; `piece`: in which part of it."""

    intent: str
    word: str
    at: int
    end: int
    kind: Kind
    piece: int = 0


@dataclass(kw_only=True)
class Meant:
    """A hit with the parts of the sentence that say more of it, and the slots that it has from its neighbours."""

    hit: Hit
    spans: list[list[int]]
    given: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Routed:
    """`requests` without their particulars; none where rules leave it open. `agents`: meant, though no intent is.

    `kinds`: what sort of words the requests were read from. `left_out`: how many requests were too many.
    """

    requests: tuple[Request, ...] = ()
    decisions: tuple[Decision, ...] = ()
    agents: tuple[str, ...] = ()
    kinds: frozenset[Kind] = frozenset()
    left_out: int = 0


def by_keywords(reading: Reading, rules: Rules) -> Routed:
    """A clause about its own words (a guard) asks for nothing; particulars alone say more of their neighbour."""
    catalogue = rules.catalogue
    found: list[Meant] = []
    loose: list[list[int]] = []
    agents: list[str] = []
    for clause in reading.clauses[:MAX_CLAUSES]:
        part, span = reading.text.part(clause.start, clause.end), [clause.start, clause.end]
        if guarded(part.text, catalogue.lexicon.guards):
            continue
        if meant := list(wanted(part, clause.start, rules)):
            for one in {id(m.spans): m for m in meant}.values():
                one.spans[:0] = loose
            found, loose = [*found, *meant], []
            continue
        agents += _agents(part.text, catalogue)
        if rules.read(part).slots:
            (found[-1].spans if found else loose).append(span)  # "客户是张三": it says more of its neighbour
    kept = found[:MAX_REQUESTS]
    requests = tuple(_request(meant, catalogue) for meant in kept)
    left_out = len(found) - len(kept) + max(0, len(reading.clauses) - MAX_CLAUSES)
    return Routed(
        requests=requests,
        decisions=tuple(decisions(requests, [meant.hit.word for meant in kept], "keyword", left_out=left_out)),
        agents=tuple(dict.fromkeys(agents)),
        kinds=frozenset(meant.hit.kind for meant in kept),
        left_out=left_out,
    )


def _request(meant: Meant, catalogue: Catalogue) -> Request:
    intent = catalogue.intents[meant.hit.intent]
    return Request(agent=intent.agent, intent=intent.name, entities=dict(meant.given), spans=[*meant.spans])


def wanted(part: Text, offset: int, rules: Rules) -> Iterator[Meant]:
    """What one clause asks for: nouns, else an identifier, else bare verbs; action words refine them.

    Each part of the clause with particulars of its own names an intent once. Words inside what is to be written down
    ("新建待办：整理会议纪要") mean nothing, unless nothing else does.
    """
    text, literal = part.text, find_content(part.text, ())
    if literal is not None:
        start, end = literal
        text = f"{text[:start]}{BLANK * (end - start)}{text[end:]}"
    hits = _outside(_meant(text, part, rules), part, rules) or _meant(part.text, part, rules)
    pieces = portions(part, _places(hits), rules)
    given = handed_on(part, pieces, rules)
    spans = [[[offset + start, offset + end]] for start, end in pieces]  # one list for all hits of a piece
    once: dict[tuple[str, int], Hit] = {}
    for hit in hits:
        piece = next((n for n, (_, end) in enumerate(pieces) if hit.at < end), len(pieces) - 1)
        once.setdefault((hit.intent, piece), replace(hit, piece=piece))
    for hit in sorted(once.values(), key=lambda hit: hit.at):
        yield Meant(hit=hit, spans=spans[hit.piece], given=given[hit.piece])


def _outside(hits: list[Hit], part: Text, rules: Rules) -> list[Hit]:
    """The hits that are no part of what is to be written down ("建个待办 整理会议纪要"), unless all of them are."""
    content = rules.read(part).slots.get("content") if len(hits) > 1 else None
    start = part.text.find(content) if content else -1
    if not content or start < 0:
        return hits
    return [hit for hit in hits if not start <= hit.at < start + len(content)] or hits


def _places(hits: Sequence[Hit]) -> list[Span]:
    return [(hit.at, hit.end) for hit in hits if hit.kind != "verb"][: MAX_REQUESTS + 1]


def _meant(text: str, part: Text, rules: Rules) -> list[Hit]:
    hits = _nouns(text, rules) or _identifiers(part, rules)
    return _act(hits, text, part, rules) or _claimed(rules.catalogue.verbs, text, "verb", rules)


def _nouns(clause: str, rules: Rules) -> list[Hit]:
    overriding = _claimed(rules.catalogue.overriding, clause, "noun", rules)
    return overriding or _claimed(rules.catalogue.nouns, clause, "noun", rules)


def _claimed(words: Matcher[tuple[str, ...]], clause: str, kind: Kind, rules: Rules) -> list[Hit]:
    """A word that several intents claim settles nothing."""
    return [
        Hit(intent=names[0], word=match.word, at=match.start, end=match.end, kind=kind)
        for match in words.find(clause)
        if len(names := [name for name in match.value if name in rules.allowed]) == 1
    ]


def _identifiers(part: Text, rules: Rules) -> list[Hit]:
    intents = (i for i in rules.catalogue.intents.values() if i.name in rules.allowed)
    means = {slot: intent.name for intent in intents for slot in intent.identifiers}
    if not means or not any(char.isdigit() for char in part.text):
        return []
    slots = rules.read(part).slots
    return [
        Hit(intent=means[slot], word=str(slots[slot][0]), at=0, end=0, kind="identifier")
        for slot in means
        if slots.get(slot)
    ][:1]


def _act(hits: list[Hit], clause: str, part: Text, rules: Rules) -> list[Hit]:
    """An action word beside the thing that it acts on means the acting intent ("待办" with "新建" is todo.add).

    What a question asks about is not to be done: it means the thing itself.
    """
    if not hits:
        return hits
    acting = _acting(clause, {hit.intent for hit in hits}, part, rules)
    catalogue = rules.catalogue
    found: list[Hit] = []
    for hit in hits:
        intent = catalogue.intents[hit.intent]
        if named := acting.get(hit.intent):
            found.append(replace(hit, intent=named[0], word=named[1], kind="action"))
        elif intent.changes and questioned(clause, hit.at, catalogue) and intent.of in rules.allowed:
            found.append(replace(hit, intent=str(intent.of)))
        else:
            found.append(replace(hit, kind="action") if intent.changes else hit)
    return found


def _acting(clause: str, things: set[str], part: Text, rules: Rules) -> dict[str, tuple[str, str]]:
    """For each thing of the clause that is acted on: the acting intent and its longest word."""
    catalogue = rules.catalogue
    found: dict[str, tuple[str, str]] = {}
    for match in sorted(catalogue.actions.find(clause), key=lambda match: -len(match.word)):
        for intent in (catalogue.intents[name] for name in match.value if name in rules.allowed):
            asked = intent.changes and questioned(clause, match.start, catalogue)
            if intent.of in things and intent.of not in found and not asked:
                found[str(intent.of)] = intent.name, match.word
    for intent in (i for i in catalogue.intents.values() if i.of in things and i.name in rules.allowed):
        if intent.of not in found and (word := _implied(intent, clause, part, rules)):
            found[str(intent.of)] = intent.name, word
    return found


def _implied(intent: Intent, clause: str, part: Text, rules: Rules) -> str:
    """What means an acting intent without a word of its own: a sequence of words, or particulars side by side."""
    if (intent.sequences or intent.beside) and questioned(clause, len(clause), rules.catalogue):
        return ""
    for words in intent.sequences:
        if guarded(clause, [words]):
            return " ".join(words)
    slots = rules.read(part).slots if intent.beside else {}
    return ", ".join(intent.beside) if intent.beside and all(slot in slots for slot in intent.beside) else ""


def _agents(clause: str, catalogue: Catalogue) -> list[str]:
    return [name for match in catalogue.agent_words.find(clause) for name in match.value]


def decisions(
    requests: Sequence[Request],
    words: Sequence[str],
    source: Source,
    confidence: float | None = None,
    *,
    left_out: int = 0,
) -> list[Decision]:
    """A route decision for each agent in spoken order, then one for all intents."""
    if not requests:
        return []
    pairs = sorted({r["agent"]: i for i, r in reversed(list(enumerate(requests)))}.items(), key=lambda item: item[1])
    sure = KEYWORD_ROUTE if source == "keyword" else confidence
    routes = [decide("route", agent, source, _because(requests, words, agent), sure) for agent, _ in pairs]
    names = list(dict.fromkeys(r["intent"] for r in requests))
    several = SEVERAL_INTENTS if len(names) > 1 and source == "keyword" else confidence
    reason = ", ".join(dict.fromkeys(words)) + (f"; {left_out} more left out" if left_out else "")
    return [*routes, decide("intent", names, source, reason, several)]


def _because(requests: Sequence[Request], words: Sequence[str], agent: str) -> str:
    if len(words) != len(requests):
        return ", ".join(dict.fromkeys(words))
    return ", ".join(dict.fromkeys(w for r, w in zip(requests, words, strict=True) if r["agent"] == agent))


def nothing_else(text: str, spans: Sequence[tuple[int, int]], catalogue: Catalogue) -> bool:
    """Whether a text is settled by the named spans, particles and punctuation alone."""
    return not rest(text, spans, catalogue.particles)
