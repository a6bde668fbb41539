"""Opens the turn, settles memory, and settles by rules what rules can settle: no model, no I/O."""

import re
from collections.abc import Sequence

from langgraph.runtime import Runtime

from config.catalogue import Catalogue
from language.matcher import Match
from language.normalise import fold as fold_case
from language.particulars import Reader
from models.answer import Usage
from nodes.answers import answering
from nodes.clock import now_of
from nodes.context import Context
from nodes.conversation import fold, tidy
from nodes.correcting import corrected
from nodes.decision import KEYWORD_ROUTE, decide
from nodes.memory import bounds_for, chosen, continued, idle, inherited, narrowed, passed_over
from nodes.permitted import known_intents, usable_intents
from nodes.reading import Reading, Rules, locale_of, read
from nodes.routing import Routed, by_keywords, nothing_else
from nodes.state import Locale, Memory, Request, State, Turn
from tools.registry import Registry

CHAT = "chat"
SEPARATED = re.compile("[,，。.!！]+")
DECLINED = "chat.declined"


async def pre_route(
    state: State, runtime: Runtime[Context], *, catalogue: Catalogue, reader: Reader, registry: Registry
) -> State:
    context, memory = runtime.context, state.get("memory", Memory())
    if context.dropped and (waiting := state.get("turn")):
        memory = passed_over(memory, waiting)
    message = state["messages"][-1]
    now = now_of(context)
    reading = read(message.text, memory.get("entities", {}), catalogue)
    known = known_intents(context.principal, catalogue, only=context.agent)
    usable = usable_intents(context.principal, catalogue, registry, only=context.agent)
    rules = Rules(catalogue=catalogue, reader=reader, now=now, allowed=known, usable=usable, agent=context.agent)
    routed = settle(reading, memory, rules)
    bounds = bounds_for(memory, catalogue)
    change, dropped = tidy(state["messages"], 1 if idle(memory, bounds, now) else bounds.rounds)
    usual = catalogue.tenants[context.principal.tenant].locale
    spoken = context.locale or locale_of(reading.text.text, earlier=memory.get("questions", ()), otherwise=usual)
    turn = open_turn(str(message.id), message.text, reading, routed, context=context, spoken=spoken)
    opened: State = {"turn": turn, "messages": change}
    if dropped:
        opened["summary"] = fold(state.get("summary", ""), dropped)
    return opened


def open_turn(key: str, raw: str, reading: Reading, routed: Routed, *, context: Context, spoken: Locale) -> Turn:
    chosen = decide("route", context.agent, "inherited", "chosen by the caller") if context.agent else None
    return Turn(
        id=key,
        text=reading.text.text,
        raw=raw,
        locale=spoken,
        requests=list(routed.requests),
        decisions=[*([chosen] if chosen else []), *routed.decisions],
        carried={},
        by_model=[],
        question=None,
        suggestions=[],
        rounds=0,
        capped=False,
        planned={},
        confirmations={},
        usage=Usage(model_calls=0, input_tokens=0, output_tokens=0),
        degraded=[],
        requests_left_out=routed.left_out,
        entities={},
    )


def settle(reading: Reading, memory: Memory, rules: Rules) -> Routed:
    """What rules alone make of a sentence; nothing settled leaves the requests empty."""
    if small_talk := _chitchat(reading, memory, rules.catalogue):
        return small_talk
    keywords = narrowed(by_keywords(reading, rules), reading, memory, rules)
    if reading.refused and not reading.clauses:
        return _chat(DECLINED, "everything asked for was negated")
    if answer := answering(reading, memory, keywords, rules):
        return answer
    if again := corrected(reading, memory, rules):
        return again
    if keywords.kinds <= {"verb"}:  # a bare verb is weaker than what was spoken of last
        again = continued(reading, memory, rules) or inherited(reading, memory, rules)
        return again or (keywords if keywords.requests else chosen(reading, rules) or keywords)
    return keywords


def _chitchat(reading: Reading, memory: Memory, catalogue: Catalogue) -> Routed | None:
    """Small talk only when nothing else is in the sentence."""
    text = reading.text.text
    found = catalogue.chitchat_words.find(text)
    if (memory.get("pending") or not found) and _rejects(text, catalogue):
        return _chat(DECLINED, text)
    around = catalogue.fillers.find(text) if found else ()
    if not nothing_else(text, [(m.start, m.end) for m in (*found, *around)], catalogue):
        return None
    if not found:
        return _chat("chat.noise", "no words") if not _says_anything(text) else None
    return _chat(f"{CHAT}.{main_kind(found, catalogue)}", ", ".join(m.word for m in found))


def _rejects(text: str, catalogue: Catalogue) -> bool:
    """Whether a message is a plain no, or several ("never mind, forget it")."""
    known = {fold_case(word) for word in catalogue.lexicon.rejections}
    said = [part.strip(" 。.!！~") for part in SEPARATED.split(fold_case(text)) if part.strip(" 。.!！~")]
    return bool(said) and all({part, _bare(part)} & known for part in said)


def _bare(said: str) -> str:
    return said.removesuffix("吧").removesuffix("了").removesuffix(" please")


def main_kind(found: Sequence[Match[str]], catalogue: Catalogue) -> str:
    """The lexicon lists the kinds by weight: in "好的，谢谢你" it is the thanks that is answered."""
    kinds = {match.value for match in found}
    return next(kind for kind in catalogue.lexicon.chitchat if kind in kinds)


def _says_anything(text: str) -> bool:
    return any(char.isalnum() for char in text)


def _chat(intent: str, reason: str) -> Routed:
    request = Request(agent=CHAT, intent=intent, entities={}, spans=[])
    return Routed(
        requests=(request,),
        decisions=(
            decide("route", CHAT, "chitchat", reason, KEYWORD_ROUTE),
            decide("intent", [intent], "chitchat", reason),
        ),
    )
