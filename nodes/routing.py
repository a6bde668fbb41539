"""Keyword rules: which intents the clauses of a sentence ask for, in spoken order."""

from collections.abc import Sequence
from dataclasses import dataclass

from config.catalogue import Catalogue
from language.particulars import rest
from nodes.decision import KEYWORD_ROUTE, SEVERAL_INTENTS, decide
from nodes.gathering import Gathered
from nodes.hits import MAX_REQUESTS, Kind, Meant
from nodes.reading import Reading, Rules
from nodes.state import Decision, Request, Source

MAX_CLAUSES = 40


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
    gathered = Gathered(reading=reading, rules=rules)
    at = 0
    while at < min(len(reading.clauses), MAX_CLAUSES):
        at = gathered.clause(at) + 1
    found = gathered.found
    kept = found[:MAX_REQUESTS]
    requests = tuple(_request(meant, catalogue) for meant in kept)
    left_out = len(found) - len(kept) + max(0, len(reading.clauses) - MAX_CLAUSES)
    return Routed(
        requests=requests,
        decisions=tuple(decisions(requests, [meant.hit.word for meant in kept], "keyword", left_out=left_out)),
        agents=tuple(dict.fromkeys(gathered.agents)),
        kinds=frozenset(meant.hit.kind for meant in kept),
        left_out=left_out,
    )


def _request(meant: Meant, catalogue: Catalogue) -> Request:
    intent = catalogue.intents[meant.hit.intent]
    return Request(agent=intent.agent, intent=intent.name, entities=dict(meant.given), spans=[*meant.spans])


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
