"""What a message puts right in the last change ("不对，改到周四", "no, make it completed", "sorry, I meant 1021")."""

import re
from collections.abc import Mapping
from typing import Any

from config.catalogue import Intent
from language.normalise import Text
from nodes.decision import decide
from nodes.extract import bound_slots, entities_of
from nodes.questioning import asks
from nodes.reading import Reading, Rules
from nodes.routing import Routed, nothing_else
from nodes.state import Memory, Request

BACK = re.compile(
    r"(?:(?:等等|等一?下|算了|哦不|不|不对|不是(?:这个|这样|这单|那个)?|我?(?:搞|弄|说|打|记|写)?错了|"
    r"更正(?:一下)?|抱歉|不好意思)[，,。.!！ ]+"
    r"|(?:no|nope|sorry|wait|wrong|oops|hold on|hang on|correction|my mistake|pardon)[,.! ]+)*"
    r"(?P<said>(?:我(?:是说|说的是|要的是|指的是|想说的是)|(?:是|应该是|要)(?=[^不])|i (?:meant?|said|"
    r"want(?:ed)?)\b|it is|it's|it should be|"
    r"that should be|should be|actually|rather)[，,: ]*)?",
    re.IGNORECASE,
)
INSTEAD = re.compile(
    r"(?:(?:还是|那就?|就|请|麻烦|帮我|给我|把它|它)*(?:(?:改|换|调|挪|推|设|标)(?:一下)?[到成为至](?:了)?|(?<=还是))"
    r"|(?:(?:actually|please|rather|or|then|oh|hmm|just|and|could you|can you)[, ]+)*"
    r"(?:make (?:that|it|this|[0-9]{4,20})|(?:change|move|set|push|shift|put|mark) (?:that|it|this) (?:to|as|on)|"
    r"let's (?:say|do|make it)|better)\b)\s*",
    re.IGNORECASE,
)
AFTER_ALL = re.compile(r"[, ]+(?:instead|rather|after all|才对)[.!。！ ]*$", re.IGNORECASE)
NUMBER = re.compile(
    r"(?:(?:number|no\.?|#|id|编号|单号|号码)[:： ]*)?([0-9]{1,20})\s?(?:号)?(?:那[个条单笔])?(?:的|吧)?", re.IGNORECASE
)
MOVED = {"period": "new_period", "time": "new_time"}


def corrected(reading: Reading, memory: Memory, rules: Rules) -> Routed | None:
    """The last change again with what the message says otherwise; None where it says anything else.

    What was added is there already: it is moved instead, where that can be done.
    """
    requests = [r for r in memory.get("requests", []) if r["intent"] in rules.allowed]
    last = requests[-1] if requests else None
    intent = rules.catalogue.intents[last["intent"]] if last else None
    rest = _put_right(reading.text)
    if last is None or intent is None or not intent.changes or rest is None:
        return None
    said = _said(rest, last, rules)
    if intent.entry in ("calendar", "todo"):
        moving = _moving(intent, rules)
        last = _moved(last, moving) if moving else None
    said = entities_of(last, said, rules) if last else {}
    if last is None or not said.keys() & {*bound_slots(last, rules.catalogue), *MOVED.values()}:
        return None
    again = Request(agent=last["agent"], intent=last["intent"], entities=_merged(last["entities"], said), spans=[])
    route = decide("route", again["agent"], "inherited", "the last change, put right")
    return Routed(
        requests=(again,), decisions=(route, decide("intent", [again["intent"]], "inherited", ", ".join(said)))
    )


def _put_right(text: Text) -> Text | None:
    """What is left without the words that take something back."""
    back = BACK.match(text.text)
    start = back.end() if back else 0
    instead = INSTEAD.match(text.text, start)
    ending = AFTER_ALL.search(text.text)
    if start == 0 and instead is None and ending is None:
        return None
    return text.part(instead.end() if instead else start, ending.start() if ending else len(text.text))


def _said(rest: Text, last: Request, rules: Rules) -> dict[str, Any]:
    """The particulars, where there is nothing else."""
    if number := NUMBER.fullmatch(rest.text.strip(" 。.!！?？")):
        slot = next((s for s in rules.catalogue.lexicon.identifiers if last["entities"].get(s)), None)
        own = slot or next(
            (s for s in rules.catalogue.lexicon.identifiers if s in bound_slots(last, rules.catalogue)), ""
        )
        if own or "limit" in bound_slots(last, rules.catalogue):
            return {own: [number[1]]} if own else {"limit": int(number[1])}
    found, catalogue = rules.read(rest), rules.catalogue
    if asks(rest, rules):
        return {}
    words = [match for match in catalogue.actions.find(rest.text) if last["intent"] in match.value]
    spans = [*found.spans, *((m.start, m.end) for m in words)]
    return dict(found.slots) if nothing_else(rest.text, spans, catalogue) else {}


def _moving(added: Intent, rules: Rules) -> Intent | None:
    known = rules.catalogue.intents.values()
    return next((i for i in known if i.entry == "moved" and i.of == added.of and i.name in rules.allowed), None)


def _moved(added: Request, moving: Intent) -> Request | None:
    title = added["entities"].get("content") or added["entities"].get("keyword")
    if not title or not any(binding.source == "keyword" for binding in moving.arguments.values()):
        return None
    return Request(agent=moving.agent, intent=moving.name, entities={"keyword": title}, spans=[])


def _merged(before: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """A moment that the change moved something to is the one that a new moment replaces."""
    fresh = {MOVED[k] if MOVED.get(k) in before else k: v for k, v in said.items() if k not in ("content", "keyword")}
    return {**{k: v for k, v in before.items() if k != "impossible" and f"not_{k}" not in fresh}, **fresh}
