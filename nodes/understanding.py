"""What the desk understands of one sentence by rules alone: no database, no model, no thread."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Literal

from config.catalogue import Catalogue
from language.particulars import Reader
from nodes.classify import fall_back
from nodes.context import Context
from nodes.extract import with_entities
from nodes.pre_route import open_turn, settle
from nodes.reading import Rules, read
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
) -> dict[str, Any]:
    """`now`: aware, in the zone that days are counted in. `allowed`: None means every intent.

    Returns text, normalised, agent (None where unknown), intents, requests, entities (of the first request,
    or of the sentence where it asks for nothing; period, limit and person always there) and decisions.
    """
    names = frozenset(catalogue.intents) if allowed is None else allowed
    rules = Rules(catalogue=catalogue, reader=reader, now=now, allowed=names)
    reading = read(raw, {}, catalogue)
    routed = settle(reading, Memory(), rules)
    turn = open_turn("understand", raw, reading, routed, Context(locale=locale))
    if not turn["requests"]:
        fallen = fall_back(turn, Memory(), rules, "no model")
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
    }


def shown_entities(entities: dict[str, Any]) -> dict[str, Any]:
    """The entities as a client reads them: period, limit and person are always there."""
    return {**dict.fromkeys(ALWAYS), **entities}
