"""Takes the particulars out of each request's part of the sentence; pure, never calls a model, never routes."""

from collections.abc import Mapping, Sequence
from typing import Any

from langgraph.runtime import Runtime

from config.catalogue import Catalogue
from language.normalise import Text
from language.particulars import Reader
from language.periods import PERIOD_NAMES, period_named
from nodes.clock import now_of
from nodes.context import Context
from nodes.reading import Rules, particulars, read
from nodes.state import Memory, Request, State


async def extract(state: State, runtime: Runtime[Context], *, catalogue: Catalogue, reader: Reader) -> State:
    turn, remembered = state["turn"], state.get("memory", Memory()).get("entities", {})
    text = read(turn["raw"], remembered, catalogue).text
    rules = Rules(catalogue=catalogue, reader=reader, now=now_of(runtime.context), allowed=catalogue.intents)
    return {"turn": {"requests": with_entities(turn["requests"], text, turn["carried"], rules)}}


def with_entities(requests: Sequence[Request], text: Text, carried: Mapping[str, Any], rules: Rules) -> list[Request]:
    """The requests with their entities: rules first, a model's slots only in the gaps; the same request only once."""
    found: list[Request] = []
    for request in requests:
        slots = particulars(text, request["spans"], rules)
        people = slots.pop("people", [])
        entities = {**carried_slots(carried, text, rules), **request["entities"], **_of(request, slots, rules)}
        for person in people if _takes_person(request, rules.catalogue) and people else people[:1] or [None]:
            whole = {**entities, "person": person} if person else entities
            candidate = Request(**{**request, "entities": whole})
            if not any(_same(candidate, other) for other in found):
                found.append(candidate)
    return found


def _of(request: Request, slots: Mapping[str, Any], rules: Rules) -> dict[str, Any]:
    """Values count only for the intent that takes them: 完成 is a status of orders and another one of to-dos."""
    bindings = rules.catalogue.intents[request["intent"]].arguments.values()
    bound = {source for b in bindings for source in (b.source, b.otherwise) if source}
    return {k: v for k, v in slots.items() if k not in rules.catalogue.lexicon.values or k in bound}


def _takes_person(request: Request, catalogue: Catalogue) -> bool:
    return any(b.source == "person" for b in catalogue.intents[request["intent"]].arguments.values())


def _same(a: Request, b: Request) -> bool:
    return (a["agent"], a["intent"], a["entities"]) == (b["agent"], b["intent"], b["entities"])


def carried_slots(carried: Mapping[str, Any], text: Text, rules: Rules) -> dict[str, Any]:
    """What a model said of the particulars, as far as it can be checked: words must stand in the text, names of periods
    and values in their lists. Concrete dates are never taken from a model."""
    lexicon, slots = rules.catalogue.lexicon, dict[str, Any]()
    for slot, value in carried.items():
        if slot == "period":
            if value in PERIOD_NAMES and (period := period_named(value, rules.now)):
                slots[slot] = {"name": value, "start": period.start.isoformat(), "end": period.end.isoformat()}
        elif slot in lexicon.values:
            if value in lexicon.values[slot]:
                slots[slot] = value
        elif isinstance(value, str) and value.strip() and (value in text.text or value in text.raw):
            slots[slot] = [value] if slot in lexicon.identifiers else value
    return slots
