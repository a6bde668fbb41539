"""Takes the particulars out of each request's part of the sentence; pure, never calls a model, never routes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from langgraph.runtime import Runtime

from config.catalogue import Catalogue
from language.normalise import Text
from language.numbers import parse_int
from language.particulars import Reader
from language.periods import PERIOD_NAMES, period_named
from nodes.clock import now_of
from nodes.context import Context
from nodes.decision import decide
from nodes.hits import MAX_REQUESTS
from nodes.reading import Rules, particulars, read
from nodes.state import Memory, Request, State, Turn, intents_of

BY_ITSELF = ("it",)  # stands for nothing that was spoken of in "how many orders is it"
SEVERAL = ("他们", "她们", "they", "them", "their", "theirs")


async def extract(state: State, runtime: Runtime[Context], *, catalogue: Catalogue, reader: Reader) -> State:
    turn, remembered = state["turn"], state.get("memory", Memory()).get("entities", {})
    text = read(turn["raw"], remembered, catalogue).text
    rules = Rules(catalogue=catalogue, reader=reader, now=now_of(runtime.context), allowed=catalogue.intents)
    requests = with_entities(turn["requests"], text, turn["carried"], rules)
    change = Turn(requests=requests[:MAX_REQUESTS])
    if more := len(requests) - MAX_REQUESTS if len(requests) > MAX_REQUESTS else 0:
        change["requests_left_out"] = turn.get("requests_left_out", 0) + more
        reason = f"{more} more left out"
        change["decisions"] = [decide("intent", intents_of(change), turn["decisions"][-1]["source"], reason)]
    return {"turn": change}


def with_entities(requests: Sequence[Request], text: Text, carried: Mapping[str, Any], rules: Rules) -> list[Request]:
    """The requests with their entities: rules first, a model's slots only in the gaps; the same request only once.

    Several people or several times make several requests, where the intent takes them.
    """
    found: list[Request] = []
    for request in requests:
        slots = particulars(text, request["spans"], rules)
        own = {**request["entities"], **entities_of(request, slots, rules)}
        entities = {**carried_slots(carried, text, rules), **own}
        fed = _fed(request, requests, rules.catalogue)
        for whole in _each(request, entities, rules.catalogue):
            candidate = Request(**{**request, "entities": whole})
            if waiting := _unresolved(candidate, text, rules, passing=(*BY_ITSELF, *(SEVERAL if fed else ()))):
                candidate["unresolved"] = waiting
            if not any(_same(candidate, other) for other in found):
                found.append(candidate)
    return found


def _each(request: Request, entities: dict[str, Any], catalogue: Catalogue) -> Iterator[dict[str, Any]]:
    """One set of entities for each person and each time that the intent can take."""
    bound = bound_slots(request, catalogue)
    people, periods = entities.pop("people", []), entities.pop("periods", [])
    if not periods or "period" not in bound:
        periods = periods[:1] if "period" not in entities else []
    for person in (people if "person" in bound else people[:1]) or [None]:
        for period in periods or [None]:
            more = {**({"person": person} if person else {}), **({"period": period} if period else {})}
            yield {**entities, **more}


def entities_of(request: Request, slots: Mapping[str, Any], rules: Rules) -> dict[str, Any]:
    """Values count only for the intent that takes them: 完成 is a status of orders and another one of to-dos."""
    bound, values = bound_slots(request, rules.catalogue), rules.catalogue.lexicon.values
    slots = _renamed(slots, bound, rules.catalogue)
    return {k: v for k, v in slots.items() if k.removeprefix("not_") not in values or k.removeprefix("not_") in bound}


def _renamed(slots: Mapping[str, Any], bound: set[str], catalogue: Catalogue) -> dict[str, Any]:
    """A number beside a word that two kinds of thing share ("任务1001") is of the kind that the request takes."""
    kinds = catalogue.lexicon.identifiers
    own = [slot for slot in kinds if slot in bound]
    other = [slot for slot in kinds if slots.get(slot) and slot not in bound]
    if len(own) != 1 or len(other) != 1 or slots.get(own[0]):
        return dict(slots)
    shared = any(noun in longer for noun in kinds[other[0]].nouns for longer in kinds[own[0]].nouns)
    return {own[0] if shared and slot == other[0] else slot: value for slot, value in slots.items()}


def bound_slots(request: Request, catalogue: Catalogue) -> set[str]:
    """The slots that an argument of the request's intent is filled from."""
    bindings = catalogue.intents[request["intent"]].arguments.values()
    sources = (source for b in bindings for source in (b.source, b.otherwise) if source)
    return {source.partition(".")[0] for source in sources}


def _fed(request: Request, requests: Sequence[Request], catalogue: Catalogue) -> bool:
    """Whether the people whom this request is about are those of another one ("users and their orders")."""
    named = {other["intent"] for other in requests}
    chains = catalogue.agents[request["agent"]].chains
    return any({c.source, c.to} <= named and request["intent"] in (c.source, c.to) for c in chains)


def _unresolved(request: Request, text: Text, rules: Rules, *, passing: Sequence[str]) -> list[str]:
    """The slots that the request points to without saying which: for these the user has to be asked.

    `passing`: pronouns that may stand for something else.
    """
    catalogue, entities = rules.catalogue, request["entities"]
    bound = bound_slots(request, catalogue)
    pointing = {*(s for s in bound if s == "person" or s in catalogue.lexicon.identifiers)}
    pointing |= set(catalogue.intents[request["intent"]].identifiers)
    meant = [
        match.value
        for start, end in request["spans"]
        for match in catalogue.pronouns.find(text.text[start:end])
        if match.word not in passing
    ]
    open_slots = [slot for slot in meant if slot in pointing and not entities.get(slot)]
    if "impossible" in entities:
        open_slots += [slot for slot in ("period", "time") if slot in bound and slot not in entities][:1]
    excluded = (slot for slot in catalogue.lexicon.values if f"not_{slot}" in entities)
    open_slots += [slot for slot in excluded if slot in bound and slot not in entities]
    return list(dict.fromkeys(open_slots))


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
        elif slot == "limit":
            if limit := _count(value):
                slots[slot] = limit
        elif slot in lexicon.values:
            if value in lexicon.values[slot]:
                slots[slot] = value
        elif isinstance(value, str) and value.strip() and (value in text.text or value in text.raw):
            slots[slot] = [value] if slot in lexicon.identifiers else value
    return slots


def _count(value: object) -> int | None:
    """A model's count: a whole number from 1, as a number or in words."""
    number = parse_int(value) if isinstance(value, str) else value
    return number if isinstance(number, int) and not isinstance(number, bool) and number > 0 else None
