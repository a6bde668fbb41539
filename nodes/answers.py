"""What a message says in answer to a question of ours, if it does not ask for something else."""

import re
from collections.abc import Sequence
from typing import Any

from language.choices import parse_choice
from language.free_text import find_content
from language.normalise import Text
from nodes.extract import bound_slots, entities_of
from nodes.picking import picked
from nodes.questioning import asks, questioned
from nodes.reading import Reading, Rules, latin_name, particulars
from nodes.routing import Routed, decisions, nothing_else
from nodes.state import INTENT, Memory, Pending, Request

NUMBER = re.compile(
    r"(?:(?:it(?:'s| is) |是)?(?:编号|号码|单号|number|no\.?|#|id)?[:： ]*)?"
    r"([0-9]{1,20})\s?号?(?:那[个条单])?(?:吧|的)?",
    re.I,
)
CONTENT = "content"
LABEL = "内容:"
STOPS = str.maketrans(dict.fromkeys("。；！？;!?\n", "、"))


def answering(reading: Reading, memory: Memory, keywords: Routed, rules: Rules) -> Routed | None:
    """The pending requests with what the message says of them, if it answers our question.

    Where it says something of them, but not what we asked for, they wait for another question.
    """
    pending = memory.get("pending")
    if pending and pending["slot"] == INTENT:
        return picked(reading, pending, keywords, rules)
    if pending and pending["slot"] == CONTENT and _is_question(reading, rules):
        return None
    if not pending or _asks_otherwise(reading, pending, keywords, rules):
        return None
    slot = pending["slot"].partition(".")[0]
    value = _answer(reading, slot, pending["options"], rules)
    if value is None and not _goes_on(reading, pending, slot, keywords, rules):
        return None
    whole = [[0, len(reading.text.text)]]
    said = _said_beside(reading.text, rules) if slot == CONTENT else {}
    requests = tuple(
        Request(
            agent=request["agent"],
            intent=request["intent"],
            entities={
                **_without_faults(request, slot),
                **entities_of(request, said, rules),
                **({} if value is None else {slot: value}),
            },
            spans=whole if slot != CONTENT else [],
        )
        for request in pending["requests"]
        if request["intent"] in rules.allowed
    )
    return Routed(requests=requests, decisions=tuple(decisions(requests, [slot], "pending")))


def _asks_otherwise(reading: Reading, pending: Pending, keywords: Routed, rules: Rules) -> bool:
    """Whether the message drops the question, because it asks for something else."""
    intents = rules.catalogue.intents
    waiting = {r["intent"] for r in pending["requests"]}
    near = waiting | {intents[name].of for name in waiting if name in intents}
    same = all(request["intent"] in near for request in keywords.requests)
    slot = pending["slot"]
    if slot == CONTENT:
        fresh = not same or find_content(reading.text.text, ()) is None
        return fresh and explicit(reading, keywords, rules)
    if slot in rules.catalogue.lexicon.values:
        return not same and ("noun" in keywords.kinds or explicit(reading, keywords, rules))
    return not same


def _is_question(reading: Reading, rules: Rules) -> bool:
    """Whether the message asks us something instead of answering ("为什么要问这个？")."""
    text = reading.text.text
    return text.endswith("?") and questioned(text, len(text), rules.catalogue)


def explicit(reading: Reading, keywords: Routed, rules: Rules) -> bool:
    """Whether the message asks for something in so many words, and does not merely mention what could be asked for."""
    if not keywords.requests:
        return False
    ruled = any(rules.catalogue.intents[r["intent"]].overrides for r in keywords.requests)
    if "action" in keywords.kinds or (ruled and "noun" in keywords.kinds):
        return True
    return any(asks(reading.text.part(c.start, c.end), rules) for c in reading.clauses)


def _goes_on(reading: Reading, pending: Pending, slot: str, keywords: Routed, rules: Rules) -> bool:
    """Whether the message is about what waits, though it does not say what we asked for."""
    found = rules.read(reading.text)
    bound = {s for r in pending["requests"] for s in bound_slots(r, rules.catalogue)}
    if slot in rules.catalogue.lexicon.values and not {"noun", "identifier"} & keywords.kinds:
        return True
    return bool(bound & set(found.slots)) and nothing_else(reading.text.text, found.spans, rules.catalogue)


def _without_faults(request: Request, slot: str) -> dict[str, Any]:
    """The request's entities without what an answer makes good."""
    faults = (f"not_{slot}", *(["impossible"] if slot in ("period", "time") else []))
    return {k: v for k, v in request["entities"].items() if k not in faults}


def _answer(reading: Reading, slot: str, options: Sequence[str], rules: Rules) -> Any:
    text = reading.text.text.strip(" 。.!！")
    if options:
        if (index := parse_choice(text, len(options))) is not None:
            return options[index]
        named = [option for option in options if option in text]
        return max(named, key=len) if named else None
    if slot == CONTENT:
        return _content(reading.text, rules)
    slots = particulars(reading.text, [[0, len(reading.text.text)]], rules)
    if slot == "person":
        return next(iter(slots.get("people", [])), None) or latin_name(text, rules.catalogue)
    found = slots.get(slot)
    if found is None and slot.endswith("_no") and (number := NUMBER.fullmatch(text)):
        return [number[1]]
    return found


def _content(text: Text, rules: Rules) -> str | None:
    """The message as it was written, without a day and a time around it; None where that is all."""
    found = rules.read(text)
    if nothing_else(text.text, found.spans, rules.catalogue) and _only_when(found.slots):
        return None
    if said := found.slots.get(CONTENT):
        return str(said)
    said = rules.read(_labelled(text)).slots.get(CONTENT)
    whole = text.original(0, len(text.text)).strip()
    return (str(said) if said and not str(said).startswith("的") else whole) or None


def _said_beside(text: Text, rules: Rules) -> dict[str, Any]:
    slots = rules.read(_labelled(text)).slots
    return {slot: value for slot, value in slots.items() if slot not in (CONTENT, "keyword")}


def _only_when(slots: dict[str, Any]) -> bool:
    return bool(slots) and set(slots) <= {"period", "periods", "time", "due", "impossible", "new_period", "new_time"}


def _labelled(text: Text) -> Text:
    """The text as what follows "content:", in one sentence."""
    flat = Text(text.raw, text.text.translate(STOPS), text.spans)
    return flat.replace(0, 0, LABEL)
