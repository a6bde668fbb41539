"""What a thread remembers between turns: the open question, the last request and its particulars."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from config.catalogue import Catalogue, MemoryRules
from language.numbers import parse_int
from nodes.decision import decide
from nodes.reading import Reading, Rules, particulars
from nodes.routing import Routed, decisions, nothing_else
from nodes.state import Memory, Request, State

QUESTIONS = 5
ORDINAL = re.compile(r"^(?:第)?\s*([0-9]{1,2}|[一二三四五六七八九十]{1,2})\s*(?:个|位|条|项)?$")


def bounds_for(memory: Memory, catalogue: Catalogue) -> MemoryRules:
    """How much the agent of the last turn remembers."""
    agents = [catalogue.agents[r["agent"]] for r in memory.get("requests", []) if r["agent"] in catalogue.agents]
    return agents[-1].memory if agents else MemoryRules()


def idle(memory: Memory, bounds: MemoryRules, now: datetime) -> bool:
    """Whether the thread has rested for so long that only summary and memory go on."""
    last = memory.get("last_at")
    return last is not None and now - datetime.fromisoformat(last) > timedelta(minutes=bounds.idle_minutes)


def answering(reading: Reading, memory: Memory, rules: Rules) -> Routed | None:
    """The pending requests with the slot filled that we asked for, if the message answers our question."""
    pending = memory.get("pending")
    if not pending:
        return None
    value = _answer(reading, pending["slot"], pending["options"], rules)
    if value is None:
        return None
    spans = [[0, len(reading.text.text)]]
    requests = tuple(
        Request(
            agent=request["agent"],
            intent=request["intent"],
            entities={**request["entities"], pending["slot"]: value},
            spans=spans if pending["slot"] != "content" else [],
        )
        for request in pending["requests"]
        if request["intent"] in rules.allowed
    )
    return Routed(requests=requests, decisions=tuple(decisions(requests, [pending["slot"]], "pending")))


def _answer(reading: Reading, slot: str, options: Sequence[str], rules: Rules) -> Any:
    text = reading.text.text.strip(" 。.!！")
    if options:
        if (match := ORDINAL.match(text)) and (number := parse_int(match[1])) and 1 <= number <= len(options):
            return options[number - 1]
        named = [option for option in options if option in text]
        return max(named, key=len) if named else None
    slots = particulars(reading.text, [[0, len(reading.text.text)]], rules)
    found = slots.get(slot.partition(".")[0])
    if found is None and slot == "content" and text:
        return reading.text.original(0, len(reading.text.text)).strip()
    if found is None and slot.endswith("_no") and re.fullmatch(r"[0-9]{1,20}", text):
        return [text]
    return found


def inherited(reading: Reading, memory: Memory, rules: Rules) -> Routed | None:
    """The last request again with new particulars, where the message holds particulars alone ("昨天的呢", "前五个").

    Identifiers, counts and free text belonged to the old question and are dropped.
    """
    requests = [r for r in memory.get("requests", []) if r["intent"] in rules.allowed]
    text = reading.text.text
    found = rules.read(reading.text)
    if not requests or not found.slots or not nothing_else(text, found.spans, rules.catalogue):
        return None
    last = requests[-1]
    kept = {k: v for k, v in last["entities"].items() if not isinstance(v, list) and k not in ("limit", "content")}
    again = (Request(agent=last["agent"], intent=last["intent"], entities=kept, spans=[[0, len(text)]]),)
    return Routed(
        requests=again,
        decisions=(
            decide("route", last["agent"], "inherited", "only particulars"),
            decide("intent", [last["intent"]], "inherited", ", ".join(found.slots)),
        ),
    )


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
        requests=[Request(**{**r, "spans": []}) for r in asked] or before.get("requests", []),
        pending=None,
        last_at=now.isoformat(),
    )
    if question is not None:
        memory["pending"] = {
            "requests": [Request(**{**asked[i], "spans": []}) for i in question["requests"]],
            "slot": question["slot"],
            "options": question["options"],
        }
    return memory
