"""What a thread remembers between turns: the open question, the last request and its particulars."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from langchain_core.messages import ToolMessage

from config.catalogue import Catalogue, MemoryRules
from language.normalise import Text
from nodes.decision import decide
from nodes.extract import bound_slots
from nodes.questioning import questioned
from nodes.reading import Reading, Rules, latin_name
from nodes.routing import Routed, nothing_else
from nodes.state import Memory, Request, State
from tools.registry import Registry

QUESTIONS = 5
DROPPED = ("limit", "content", "impossible")
PLAIN = {"people": "person", "periods": "period"}
NAMED = re.compile(
    r"(?:(?:(?:and|how|what) about|and) |(?:那|那么)?(?:换成|换|改成|要|看)(?:一下)?)"
    r"(?P<name>[^?？.!]+?)(?:的?(?:呢|吧)?)[ ?？.!]*",
    re.IGNORECASE,
)


def bounds_for(memory: Memory, catalogue: Catalogue) -> MemoryRules:
    """How much the agent of the last turn remembers; after a finished write that clears, the new turn alone."""
    agents = [catalogue.agents[r["agent"]] for r in memory.get("requests", []) if r["agent"] in catalogue.agents]
    rules = agents[-1].memory if agents else MemoryRules()
    return rules.model_copy(update={"rounds": 1}) if memory.get("finished") else rules


def write_finished(answers: Sequence[ToolMessage], catalogue: Catalogue, registry: Registry) -> bool:
    """Whether a call with an effect is done whose agent wants to start afresh then (`clear_when_done`)."""
    done = [(m.artifact["agent"], registry.get(m.name or "")) for m in answers if m.artifact["status"] == "done"]
    return any(catalogue.agents[agent].memory.clear_when_done for agent, tool in done if tool and tool.effect)


def idle(memory: Memory, bounds: MemoryRules, now: datetime) -> bool:
    """Whether the thread has rested for so long that only summary and memory go on."""
    last = memory.get("last_at")
    return last is not None and now - datetime.fromisoformat(last) > timedelta(minutes=bounds.idle_minutes)


def inherited(reading: Reading, memory: Memory, rules: Rules) -> Routed | None:
    """The last request again with new particulars, where the message holds particulars alone ("昨天的呢", "前五个").

    Identifiers, counts and free text belonged to the old question and are dropped; of a change the thing itself is
    meant. None where the request could not take any of them.
    """
    last = _last(memory, rules)
    if last is None:
        return None
    parts = [reading.text.part(c.start, c.end) for c in reading.clauses]
    found = [rules.read(part) for part in parts]
    person = _newly_named(parts[0], rules) if len(parts) == 1 and "people" not in found[0].slots else None
    slots = {"people": [person]} if person else {slot: value for one in found for slot, value in one.slots.items()}
    if not person and not all(
        nothing_else(p.text, f.spans, rules.catalogue) for p, f in zip(parts, found, strict=True)
    ):
        return None
    takes = bound_slots(last, rules.catalogue)
    if not takes & {PLAIN.get(slot, slot) for slot in slots}:
        return None
    kept = {k: v for k, v in last["entities"].items() if not isinstance(v, list) and k not in DROPPED}
    if person:
        kept["person"] = person
    spans = [[c.start, c.end] for c in reading.clauses]
    again = (Request(agent=last["agent"], intent=last["intent"], entities=kept, spans=spans),)
    return _routed(again, "only particulars", ", ".join(slots))


def continued(reading: Reading, memory: Memory, rules: Rules) -> Routed | None:
    """A change of what was spoken of last, where the message names the change alone ("改成已发货")."""
    last, catalogue, text = _last(memory, rules), rules.catalogue, reading.text
    if last is None or len(reading.clauses) != 1:
        return None
    words = catalogue.actions.find(text.text)
    acting = (
        catalogue.intents[name]
        for match in sorted(words, key=lambda match: -len(match.word))
        for name in match.value
        if name in rules.allowed and not questioned(text.text, match.start, catalogue)
    )
    intent = next((one for one in acting if one.changes and one.of == last["intent"]), None)
    kept = {k: v for k, v in last["entities"].items() if k in catalogue.lexicon.identifiers and v}
    used = [*words, *catalogue.verbs.find(text.text)]
    spans = [*((match.start, match.end) for match in used), *rules.read(text).spans]
    if intent is None or not kept or not nothing_else(text.text, spans, catalogue):
        return None
    again = (Request(agent=intent.agent, intent=intent.name, entities=kept, spans=[[0, len(text.text)]]),)
    return _routed(again, "about what was spoken of last", ", ".join(match.word for match in words))


def chosen(reading: Reading, rules: Rules) -> Routed | None:
    """The default intent of the agent that the caller chose, where the message holds particulars alone."""
    intent = rules.catalogue.default_intent(rules.agent) if rules.agent else None
    found = rules.read(reading.text)
    if intent not in rules.allowed or not found.slots or not reading.clauses:
        return None
    if not nothing_else(reading.text.text, found.spans, rules.catalogue):
        return None
    spans = [[0, len(reading.text.text)]]
    request = Request(agent=str(rules.agent), intent=str(intent), entities={}, spans=spans)
    return _routed((request,), "only particulars", ", ".join(found.slots))


def _routed(requests: tuple[Request], because: str, words: str) -> Routed:
    route = decide("route", requests[0]["agent"], "inherited", because)
    return Routed(requests=requests, decisions=(route, decide("intent", [requests[0]["intent"]], "inherited", words)))


def _last(memory: Memory, rules: Rules) -> Request | None:
    """The last request; where that was a change, the thing that was changed."""
    requests = [r for r in memory.get("requests", []) if r["intent"] in rules.allowed]
    if not requests:
        return None
    last, intents = requests[-1], rules.catalogue.intents
    changed = intents[last["intent"]].of if intents[last["intent"]].changes else None
    if changed is None or changed not in rules.allowed:
        return last
    return Request(**{**last, "agent": intents[changed].agent, "intent": changed})


def _newly_named(part: Text, rules: Rules) -> str | None:
    """Whom a message puts in the place of somebody else ("换李四", "what about Li Si")."""
    match = NAMED.fullmatch(part.text)
    if match is None:
        return None
    named = part.part(*match.span("name"))
    people = rules.read(named).slots.get("people", [])
    return people[0] if people == [named.text] else latin_name(named.text, rules.catalogue)


def remember(state: State, now: datetime) -> Memory:
    """The memory after this turn; an open question waits with the requests that it holds up."""
    turn, before = state["turn"], state.get("memory", Memory())
    asked = [r for r in turn["requests"] if r["agent"] != "chat"]
    entities = dict(before.get("entities", {}))
    for request in asked:
        entities |= request["entities"]
    question = turn["question"]
    memory = Memory(
        questions=[*before.get("questions", []), turn["raw"]][-QUESTIONS:],
        entities=entities,
        requests=[_bare(r) for r in asked] or before.get("requests", []),
        pending=None,
        last_at=now.isoformat(),
    )
    if question is not None:
        memory["pending"] = {
            "requests": [_bare(asked[i]) for i in question["requests"]],
            "slot": question["slot"],
            "options": question["options"],
        }
    return memory


def _bare(request: Request) -> Request:
    return Request(agent=request["agent"], intent=request["intent"], entities=request["entities"], spans=[])
