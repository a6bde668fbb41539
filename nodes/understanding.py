"""What the desk understands of one sentence by rules alone: no database, no model, no thread."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Literal

from config.catalogue import Catalogue
from language.particulars import Reader
from models.similarity import Likely
from nodes.classify import fall_back
from nodes.context import Context
from nodes.extract import with_entities
from nodes.pre_route import open_turn, settle
from nodes.reading import Rules, locale_of, read
from nodes.similarity import OFFERED, Alike, by_likeness
from nodes.state import Memory, intents_of

ALWAYS = ("period", "limit", "person")


def understand(
    raw: str,
    catalogue: Catalogue,
    reader: Reader,
    *,
    now: datetime,
    locale: Literal["zh", "en"] | None = None,
    allowed: Collection[str] | None = None,
    alike: Alike | None = None,
) -> dict[str, Any]:
    """`now`: aware, in the zone that days are counted in. `allowed`: None means every intent. `alike`: the similarity
    tier, which speaks where rules leave something open.

    Returns text, normalised, agent (None where unknown), intents, requests, entities (of the first request,
    or of the sentence where it asks for nothing; period, limit and person always there), decisions, and suggestions:
    what the sentence is most like, with its probability.
    """
    names = frozenset(catalogue.intents) if allowed is None else allowed
    rules = Rules(catalogue=catalogue, reader=reader, now=now, allowed=names)
    reading = read(raw, {}, catalogue)
    routed = settle(reading, Memory(), rules)
    spoken = locale or locale_of(reading.text.text)
    turn = open_turn("understand", raw, reading, routed, context=Context(), spoken=spoken)
    likely: tuple[Likely, ...] = ()
    if not turn["requests"]:
        likely = alike.at_once(reading, rules) if alike else ()
        fallen = fall_back(turn, reading, rules, "no model")
        if alike and not fallen["requests"]:
            effects = [name for name, intent in catalogue.intents.items() if intent.changes]
            fallen = {
                **fallen,
                **by_likeness(likely, turn, reading, at_least=alike.rules, rules=rules, effects=effects),
            }
        turn = {**turn, **fallen, "decisions": [*turn["decisions"], *fallen["decisions"]]}
    requests = with_entities(turn["requests"], reading.text, {}, rules)
    shown = [{"agent": r["agent"], "intent": r["intent"], "entities": shown_entities(r["entities"])} for r in requests]
    return {
        "text": raw,
        "normalised": reading.text.text,
        "agent": requests[0]["agent"] if requests else None,
        "intents": intents_of({**turn, "requests": requests}),
        "requests": shown,
        "entities": shown[0]["entities"] if shown else shown_entities(turn["entities"]),
        "decisions": turn["decisions"],
        "suggestions": [{"intent": one.intent, "probability": one.probability} for one in likely[:OFFERED]],
    }


def shown_entities(entities: dict[str, Any]) -> dict[str, Any]:
    """The entities as a client reads them: period, limit and person are always there."""
    return {**dict.fromkeys(ALWAYS), **entities}
