"""What a thread remembers between turns: the open question, the last request and its particulars."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from langchain_core.messages import ToolMessage

from config.catalogue import Catalogue, MemoryRules
from language.normalise import Text
from nodes.decision import decide
from nodes.extract import bound_slots
from nodes.questioning import questioned
from nodes.reading import Reading, Rules, latin_name
from nodes.routing import Routed, nothing_else
from nodes.state import Memory, Request, State, Turn
from tools.registry import Registry

QUESTIONS = 5
DROPPED = ("limit", "content", "impossible")
PLAIN = {"people": "person", "periods": "period"}
CORRECTING = re.compile(
    r"(?:(?:不对|不是(?:这个|这样|的)?|(?:搞|弄|说)?错了)[，,。.!！ ]+|(?:no|nope|sorry|wait|wrong)[,.! ]+)"
    r"(?:(?:我(?:是说|说的是|要的是|指的是|问的是|想看|想要|要)|(?:是|应该是|要)(?=[^不])"
    r"|i (?:meant?|said|want(?:ed)?)\b|it is|it's|actually)[，,: ]*)?",
    re.IGNORECASE,
)
ELLIPTIC = re.compile(
    r"^(?:那么?|只(?:看|要|查)|就(?:看|要)|(?:and|what about|how about|only|just|now)"
    r"\b)|(?:呢|就行|就好|即可|\bonly|\balone)[?？。.! ]*$",
    re.IGNORECASE,
)
NAMED_TOO = re.compile(
    r"(?:那么?)?(?P<name>[^?？.!,，]+?)(?: too| as well| also|的?呢|的?也(?:要|看看|给我)?)[ ?？.!。]*", re.IGNORECASE
)
ANOTHER = re.compile(
    r"(?:(?:no|sorry|and|just|only|what about|how about|that's|it's|i mean(?:t)"
    r"?|number|task|no\.|#|那|只看|就看|看|查|编号|是|不对|不是|任务)[,，:： ]*)*"
    r"([0-9]{3,20})\s?号?(?:那?[个条单笔])?(?:任务|待办)?的?(?:呢|吧)?(?: please| only| instead)?[?？。.! ]*",
    re.IGNORECASE,
)
NAMED = re.compile(
    r"(?:(?:(?:and|how|what) about|and|only|just)(?: for| by| of| from| those of)? "
    r"|(?:那|那么)?(?:换成|换|改成|要|看)(?:一下)?)"
    r"(?P<name>[^?？.!]+?)(?:的?(?:呢|吧)?| alone| only| please)[ ?？.!]*",
    re.IGNORECASE,
)


def bounds_for(memory: Memory, catalogue: Catalogue) -> MemoryRules:
    """How much the agent of the last turn remembers; after a finished write that clears, the new turn alone."""
    agents = [catalogue.agents[r["agent"]] for r in memory.get("requests", []) if r["agent"] in catalogue.agents]
    rules = agents[-1].memory if agents else MemoryRules()
    return rules.model_copy(update={"rounds": 1}) if memory.get("finished") else rules


def write_finished(answers: Sequence[ToolMessage], catalogue: Catalogue, registry: Registry) -> bool:
    """Whether a call with an effect is done whose agent wants to start afresh then (`clear_when_done`)."""
    finished = [m for m in answers if m.artifact["status"] == "done" and "undoes" not in m.artifact]
    done = [(m.artifact["agent"], registry.get(m.name or "")) for m in finished]
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
    if numbered := _numbered(reading, last, rules):
        return numbered
    parts = _said(reading)
    found = [rules.read(part) for part in parts]
    if worded := _reworded(parts, last, rules):
        return worded
    alone = len(parts) == 1 and "people" not in found[0].slots
    corrects = CORRECTING.match(reading.text.text) is not None
    person = _newly_named(parts[0], rules) or (_whom(parts[0], rules) if corrects else None) if alone else None
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


def _reworded(parts: Sequence[Text], last: Request, rules: Rules) -> Routed | None:
    """The same about another word ("那Python的呢", "what about Python?"), where one was looked for."""
    if len(parts) != 1 or not last["entities"].get("keyword"):
        return None
    match = NAMED.fullmatch(parts[0].text) or NAMED_TOO.fullmatch(parts[0].text)
    if match is None or "keyword" not in bound_slots(last, rules.catalogue):
        return None
    named = parts[0].part(*match.span("name"))
    slots = rules.read(named).slots
    if slots.keys() - {"people", "keyword"} or not named.text.strip():
        return None
    keyword = str(
        slots.get("keyword") or named.text.strip().removeprefix("关于").removeprefix("about ").removesuffix("的")
    )
    kept = {k: v for k, v in last["entities"].items() if not isinstance(v, list) and k not in DROPPED}
    again = Request(agent=last["agent"], intent=last["intent"], entities={**kept, "keyword": keyword}, spans=[])
    return _routed((again,), "another word", keyword)


def _numbered(reading: Reading, last: Request, rules: Rules) -> Routed | None:
    """The same of another thing, where the message is no more than its number ("1003的呢", "just 1009 please")."""
    number = ANOTHER.fullmatch(reading.text.text.strip())
    kinds = rules.catalogue.lexicon.identifiers
    slot = next((s for s in kinds if s in bound_slots(last, rules.catalogue)), None)
    if number is None or slot is None or (kinds[slot].digits and len(number[1]) not in kinds[slot].digits):
        return None
    again = Request(agent=last["agent"], intent=last["intent"], entities={slot: [number[1]]}, spans=[])
    return _routed((again,), "only a number", number[1])


def _said(reading: Reading) -> list[Text]:
    """The clauses; of a correction ("不对，我要上周的", "no, I meant Alice") what it puts right."""
    if match := CORRECTING.match(reading.text.text):
        rest = reading.text.part(match.end(), len(reading.text.text))
        return [rest] if rest.text.strip() else []
    return [reading.text.part(c.start, c.end) for c in reading.clauses]


def narrowed(keywords: Routed, reading: Reading, memory: Memory, rules: Rules) -> Routed:
    """The same intent again in few words ("好评呢", "only those of last month"): what was said of it still holds."""
    last = _last(memory, rules)
    if last is None or len(keywords.requests) != 1 or not ELLIPTIC.search(reading.text.text):
        return keywords
    request = keywords.requests[0]
    if request["intent"] != last["intent"]:
        return keywords
    kept = {k: v for k, v in last["entities"].items() if not isinstance(v, list) and k not in DROPPED}
    return replace(keywords, requests=(Request(**{**request, "entities": {**kept, **request["entities"]}}),))


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
    match = NAMED.fullmatch(part.text) or NAMED_TOO.fullmatch(part.text)
    if match is None:
        return None
    return _whom(part.part(*match.span("name")), rules)


def _whom(named: Text, rules: Rules) -> str | None:
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
            "requests": [_bare(r) for r in turn.get("offered", [])] or [_bare(asked[i]) for i in question["requests"]],
            "slot": question["slot"],
            "options": question["options"],
        }
    return memory


def passed_over(memory: Memory, before: Turn) -> Memory:
    """The memory with the turn that waited for a yes, which nobody gave: it has ended without being remembered."""
    asked = [_bare(r) for r in before.get("requests", []) if r["agent"] != "chat"]
    if not asked:
        return memory
    entities = {k: v for request in asked for k, v in request["entities"].items()}
    return Memory(
        **{**memory, "requests": asked, "entities": {**memory.get("entities", {}), **entities}, "pending": None}
    )


def _bare(request: Request) -> Request:
    return Request(agent=request["agent"], intent=request["intent"], entities=request["entities"], spans=[])
