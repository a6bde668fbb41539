"""Keyword rules: which intents the clauses of a sentence ask for, in spoken order."""

from collections.abc import Sequence
from dataclasses import dataclass

from config.catalogue import Catalogue
from language.free_text import find_content
from language.matcher import Matcher
from language.normalise import Text
from language.particulars import rest
from nodes.decision import KEYWORD_ROUTE, SEVERAL_INTENTS, decide
from nodes.reading import Reading, Rules, guarded
from nodes.state import Decision, Request, Source

BLANK = "\x00"  # stands in no word


@dataclass(frozen=True, kw_only=True)
class Hit:
    """An intent that a word means. `at`: where the word stands in its clause."""

    intent: str
    word: str
    at: int


@dataclass(frozen=True, kw_only=True)
class Routed:
    """`requests` without their particulars; none where rules leave it open. `agents`: meant, though no intent is."""

    requests: tuple[Request, ...] = ()
    decisions: tuple[Decision, ...] = ()
    agents: tuple[str, ...] = ()


def by_keywords(reading: Reading, rules: Rules) -> Routed:
    """A clause about its own words (a guard) asks for nothing; particulars alone say more of their neighbour."""
    catalogue = rules.catalogue
    hits: list[tuple[Hit, list[list[int]]]] = []
    loose: list[list[int]] = []
    agents: list[str] = []
    for clause in reading.clauses:
        part, span = reading.text.part(clause.start, clause.end), [clause.start, clause.end]
        if guarded(part.text, catalogue.lexicon.guards):
            continue
        if meant := wanted(part, rules):
            spans = [*loose, span]  # one list for all hits of the clause: what follows it adds to each
            loose = []
            hits += [(hit, spans) for hit in meant]
            continue
        agents += _agents(part.text, catalogue)
        if rules.read(part).slots:
            (hits[-1][1] if hits else loose).append(span)  # "客户是张三": it says more of its neighbour
    requests = tuple(
        Request(agent=catalogue.intents[hit.intent].agent, intent=hit.intent, entities={}, spans=[*spans])
        for hit, spans in hits
    )
    return Routed(
        requests=requests,
        decisions=tuple(decisions(requests, [hit.word for hit, _ in hits], "keyword")),
        agents=tuple(dict.fromkeys(agents)),
    )


def wanted(part: Text, rules: Rules) -> list[Hit]:
    """The intents of one clause, once each: nouns, else an identifier, else bare verbs; action words refine them.

    Words inside what is to be written down ("新建待办：整理会议纪要") mean nothing, unless nothing else does.
    """
    text, literal = part.text, find_content(part.text, ())
    if literal is not None:
        start, end = literal
        text = f"{text[:start]}{BLANK * (end - start)}{text[end:]}"
    hits = _meant(text, part, rules) or _meant(part.text, part, rules)
    once = {hit.intent: hit for hit in reversed(hits)}
    return sorted(once.values(), key=lambda hit: hit.at)


def _meant(text: str, part: Text, rules: Rules) -> list[Hit]:
    hits = _nouns(text, rules) or _identifiers(part, rules)
    return _act(hits, text, rules) or _claimed(rules.catalogue.verbs, text, rules)


def _nouns(clause: str, rules: Rules) -> list[Hit]:
    hits = _claimed(rules.catalogue.nouns, clause, rules)
    return [hit for hit in hits if rules.catalogue.intents[hit.intent].overrides] or hits


def _claimed(words: Matcher[tuple[str, ...]], clause: str, rules: Rules) -> list[Hit]:
    """A word that several intents claim settles nothing."""
    return [
        Hit(intent=names[0], word=match.word, at=match.start)
        for match in words.find(clause)
        if len(names := [name for name in match.value if name in rules.allowed]) == 1
    ]


def _identifiers(part: Text, rules: Rules) -> list[Hit]:
    intents = (i for i in rules.catalogue.intents.values() if i.name in rules.allowed)
    means = {slot: intent.name for intent in intents for slot in intent.identifiers}
    if not means or not any(char.isdigit() for char in part.text):
        return []
    slots = rules.read(part).slots
    return [Hit(intent=means[slot], word=str(slots[slot][0]), at=0) for slot in means if slots.get(slot)][:1]


def _act(hits: list[Hit], clause: str, rules: Rules) -> list[Hit]:
    """An action word beside the thing that it acts on means the acting intent ("待办" with "新建" is todo.add)."""
    actions = sorted(rules.catalogue.actions.find(clause), key=lambda match: -len(match.word)) if hits else []
    return [
        next(
            (
                Hit(intent=name, word=match.word, at=hit.at)
                for match in actions
                for name in match.value
                if name in rules.allowed and rules.catalogue.intents[name].of == hit.intent
            ),
            hit,
        )
        for hit in hits
    ]


def _agents(clause: str, catalogue: Catalogue) -> list[str]:
    return [name for match in catalogue.agent_words.find(clause) for name in match.value]


def decisions(
    requests: Sequence[Request], words: Sequence[str], source: Source, confidence: float | None = None
) -> list[Decision]:
    """A route decision for each agent in spoken order, then one for all intents."""
    if not requests:
        return []
    pairs = sorted({r["agent"]: i for i, r in reversed(list(enumerate(requests)))}.items(), key=lambda item: item[1])
    sure = KEYWORD_ROUTE if source == "keyword" else confidence
    routes = [decide("route", agent, source, _because(requests, words, agent), sure) for agent, _ in pairs]
    several = SEVERAL_INTENTS if len(requests) > 1 and source == "keyword" else confidence
    names = list(dict.fromkeys(r["intent"] for r in requests))
    reason = ", ".join(dict.fromkeys(words))
    return [*routes, decide("intent", names, source, reason, several)]


def _because(requests: Sequence[Request], words: Sequence[str], agent: str) -> str:
    if len(words) != len(requests):
        return ", ".join(dict.fromkeys(words))
    return ", ".join(dict.fromkeys(w for r, w in zip(requests, words, strict=True) if r["agent"] == agent))


def nothing_else(text: str, spans: Sequence[tuple[int, int]], catalogue: Catalogue) -> bool:
    """Whether a text is settled by the named spans, particles and punctuation alone."""
    return not rest(text, spans, catalogue.particles)
