"""What a sentence is like, where no word decides: a likely reading intent is routed, else the likeliest are offered."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from config.catalogue import Catalogue
from config.models import SimilarityRules
from models.similarity import Likely, Similarity
from nodes.decision import decide
from nodes.extract import with_entities
from nodes.reading import Reading, Rules, guarded
from nodes.routing import decisions
from nodes.state import INTENT, UNKNOWN, Locale, Question, Request, Turn
from nodes.texts import text

OFFERED = 3


@dataclass(frozen=True, kw_only=True)
class Alike:
    """The tier and how sure it has to be; `similarity`: None where it is not installed."""

    similarity: Similarity | None = None
    rules: SimilarityRules = field(default_factory=SimilarityRules)

    async def to(self, reading: Reading, rules: Rules) -> tuple[Likely, ...]:
        """The intents that this caller may use, and `unknown`, the likeliest first; none where the tier has no say."""
        if self.similarity is None or not may_be_compared(reading, rules.catalogue):
            return ()
        return await self.similarity.likely(asked_for(reading), choices(rules))

    def at_once(self, reading: Reading, rules: Rules) -> tuple[Likely, ...]:
        """As `to`, for a command line. Blocks for some milliseconds."""
        if self.similarity is None or not may_be_compared(reading, rules.catalogue):
            return ()
        among = choices(rules)
        return tuple(one for one in self.similarity.of(asked_for(reading)) if one.intent in among)


def choices(rules: Rules) -> set[str]:
    intents = rules.catalogue.intents
    return {UNKNOWN, *(name for name, intent in intents.items() if intent.tool and rules.may_use(name))}


def may_be_compared(reading: Reading, catalogue: Catalogue) -> bool:
    """Not where the sentence talks about words, and not where everything in it is negated: it would look alike."""
    return bool(reading.clauses) and not any(guarded(c.text, catalogue.lexicon.guards) for c in reading.clauses)


def asked_for(reading: Reading) -> str:
    """The sentence without what it negates."""
    return " ".join(clause.text for clause in reading.clauses) if reading.refused else reading.text.text


def by_likeness(
    likely: Sequence[Likely],
    turn: Turn,
    reading: Reading,
    *,
    at_least: SimilarityRules,
    rules: Rules,
    effects: Collection[str],
) -> Turn:
    """Where neither rules nor a model knew: what is likely enough, else a question with the likeliest, else empty.

    `effects`: the intents that change something.
    """
    return routed(likely, turn, at_least.route_alone, rules.catalogue, effects) or offered(
        likely, reading, at_least.offer, turn["locale"], rules
    )


def routed(
    likely: Sequence[Likely], turn: Turn, at_least: float, catalogue: Catalogue, effects: Collection[str]
) -> Turn:
    """The turn with its request, where the likeliest is sure enough and only reads; else empty."""
    first = likely[0] if likely else None
    if first is None or first.intent in (UNKNOWN, *effects) or first.probability < at_least:
        return Turn()
    intent = catalogue.intents[first.intent]
    request = Request(agent=intent.agent, intent=intent.name, entities={}, spans=[[0, len(turn["text"])]])
    return Turn(
        requests=[request], decisions=decisions([request], ["like its examples"], "similarity", first.probability)
    )


def offered(likely: Sequence[Likely], reading: Reading, at_least: float, locale: Locale, rules: Rules) -> Turn:
    """The turn with a question that names the likeliest; empty where the sentence is likelier none of them."""
    known = [one for one in likely if one.intent != UNKNOWN][:OFFERED]
    unknown = next((one.probability for one in likely if one.intent == UNKNOWN), 0.0)
    if not known or known[0].probability < max(at_least, unknown):
        return Turn()
    intents = [rules.catalogue.intents[one.intent] for one in known]
    whole = [[0, len(reading.text.text)]]
    candidates = [Request(agent=one.agent, intent=one.name, entities={}, spans=whole) for one in intents]
    waiting = [with_entities([request], reading.text, {}, rules)[0] for request in candidates]
    options = [intent.description.for_(locale) for intent in intents]
    listed = "\n".join(f"{number}. {option}" for number, option in enumerate(options, start=1))
    sure = ", ".join(f"{one.intent} {one.probability:.2f}" for one in known)
    return Turn(
        question=Question(slot=INTENT, text=text("did_you_mean", locale, options=listed), options=options, requests=[]),
        offered=waiting,
        suggestions=options,
        decisions=[decide("intent", [UNKNOWN], "similarity", f"not sure enough: {sure}", known[0].probability)],
    )
