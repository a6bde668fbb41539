"""Asks the model for what rules left open, believes only names of the catalogue, and falls back to rules."""

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from langgraph.runtime import Runtime

from config.catalogue import Catalogue
from language.normalise import fold
from language.particulars import Reader
from language.periods import PERIOD_NAMES
from models.guard import ChatModel
from models.registry import Models
from nodes.clock import now_of
from nodes.context import Context
from nodes.decision import decide, reported, whitelisted, worded
from nodes.memory import QUESTIONS
from nodes.permitted import known_intents, usable_intents
from nodes.pre_route import CHAT, main_kind
from nodes.reading import Reading, Rules, find_word, guarded, read
from nodes.routing import by_keywords, decisions
from nodes.similarity import Alike, by_likeness, routed
from nodes.state import UNKNOWN, Decision, Memory, Request, State, Turn
from tools.registry import Registry

CHOOSE = "choose_intents"
CLOSINGS = ("thanks", "goodbye")


async def classify(
    state: State,
    runtime: Runtime[Context],
    *,
    catalogue: Catalogue,
    reader: Reader,
    registry: Registry,
    models: Models,
    alike: Alike,
) -> State:
    context, turn, memory = runtime.context, state["turn"], state.get("memory", Memory())
    known = known_intents(context.principal, catalogue, only=context.agent)
    usable = usable_intents(context.principal, catalogue, registry, only=context.agent)
    rules = Rules(catalogue=catalogue, reader=reader, now=now_of(context), allowed=known, usable=usable)
    reading = read(turn["raw"], memory.get("entities", {}), catalogue)
    likely = await alike.to(reading, rules)
    model = models.serving("classify", context.model)
    at_least = alike.rules.route if model else alike.rules.route_alone
    effects = changing(catalogue, registry)
    if sure := routed(likely, turn, at_least, catalogue, effects):
        return {"turn": sure}
    change, reason = await ask(model, turn, memory.get("questions", []), rules) if model else (Turn(), "no model")
    if not change.get("requests"):
        fallen = fall_back(turn, reading, rules, reason)
        if not fallen["requests"]:
            fallen = {
                **fallen,
                **by_likeness(likely, turn, reading, at_least=alike.rules, rules=rules, effects=effects),
            }
        change = {**change, **fallen}
    return {"turn": change}


def changing(catalogue: Catalogue, registry: Registry) -> frozenset[str]:
    """The intents whose tool has an effect."""
    tools = ((name, registry.get(intent.tool or "")) for name, intent in catalogue.intents.items())
    return frozenset(name for name, tool in tools if tool is not None and tool.effect)


async def ask(model: ChatModel, turn: Turn, questions: Sequence[str], rules: Rules) -> tuple[Turn, str]:
    """What the model made of the sentence, and why nothing where it is nothing."""
    catalogue = rules.catalogue
    names = [name for name, intent in catalogue.intents.items() if intent.tool and rules.may_use(name)]
    if not names:
        return Turn(), "nothing to choose from"
    answer = await model.choose(prompt(questions, turn, names, rules), schema(names, catalogue), known={CHOOSE})
    usage = Turn(usage=answer.usage)
    if answer.message is None:
        return {**usage, "degraded": [f"classify: {answer.abstained}"]}, f"model abstained: {answer.abstained}"
    arguments = answer.message.tool_calls[0]["args"]
    said = arguments.get("intents")
    known, strange = whitelisted(said if isinstance(said, list) else [said], names)
    if not known:
        return usage, f"model said {', '.join(strange) or 'nothing'}"
    requests = [
        Request(agent=catalogue.intents[name].agent, intent=name, entities={}, spans=[[0, len(turn["text"])]])
        for name in known
    ]
    because = f"chosen by {answer.model}" + (f"; ignored {', '.join(strange)}" if strange else "")
    slots = arguments.get("slots")
    chosen = decisions(requests, [because], "model", reported(arguments.get("confidence")))
    chosen = worded(chosen, catalogue.prompt_used("classify"))
    return {**usage, "requests": requests, "decisions": chosen, "carried": _plain(slots)}, because


def _plain(slots: object) -> dict[str, Any]:
    return {str(k): v for k, v in slots.items() if v not in (None, "", [])} if isinstance(slots, dict) else {}


def prompt(questions: Sequence[str], turn: Turn, names: Sequence[str], rules: Rules) -> list[BaseMessage]:
    """The user's own last questions and this one; never an answer, which could carry somebody's instructions."""
    system = rules.catalogue.render(
        "classify",
        intents=rules.catalogue.describe_intents(names, turn["locale"]),
        today=rules.now.date().isoformat(),
        locale=turn["locale"],
    )
    earlier = [HumanMessage(question) for question in questions[-(QUESTIONS - 1) :]]
    return [SystemMessage(system), *earlier, HumanMessage(turn["text"])]


def schema(names: Sequence[str], catalogue: Catalogue) -> dict[str, Any]:
    """The one tool that classifies: its argument is an enum of the intents that this caller may use."""
    text = {"type": "string"}
    slots: dict[str, Any] = {
        "person": {**text, "description": "a person's name, exactly as written"},
        "keyword": {**text, "description": "what to search for, exactly as written"},
        "period": {**text, "enum": list(PERIOD_NAMES), "description": "the time that is meant, if any"},
        "limit": {"type": "integer", "minimum": 1, "description": "how many are wanted, if it is said"},
    }
    for slot in catalogue.lexicon.identifiers:
        slots[slot] = {**text, "description": f"{slot}, exactly as written"}
    for slot, values in catalogue.lexicon.values.items():
        slots[slot] = {**text, "enum": list(values)}
    return {
        "name": CHOOSE,
        "description": "Name what the last message asks for, in the order in which it asks.",
        "parameters": {
            "type": "object",
            "properties": {
                "intents": {"type": "array", "items": {"type": "string", "enum": [*names, UNKNOWN]}},
                "confidence": {"type": "number", "description": "how sure, from 0 to 1"},
                "slots": {"type": "object", "properties": slots},
            },
            "required": ["intents"],
        },
    }


def fall_back(turn: Turn, reading: Reading, rules: Rules, reason: str) -> Turn:
    """Weaker rules: an agent's bare keyword means its default intent; else an honest unknown."""
    catalogue = rules.catalogue
    defaults = ((name, catalogue.default_intent(name)) for name in by_keywords(reading, rules).agents)
    requests = [
        Request(agent=name, intent=intent, entities={}, spans=[[0, len(turn["text"])]])
        for name, intent in defaults
        if intent in rules.allowed and intent is not None
    ]
    if requests:
        words = [m.word for m in catalogue.agent_words.find(turn["text"])]
        chosen: list[Decision] = decisions(requests, [f"{', '.join(words)} ({reason})"], "fallback")
        return Turn(requests=requests, decisions=chosen)
    if polite := _thanks(reading, catalogue):
        return Turn(requests=[polite], decisions=decisions([polite], [reason], "chitchat"))
    talks_about = any(guarded(clause.text, catalogue.lexicon.guards) for clause in reading.clauses)
    why = f"{reason}; the sentence talks about its words" if talks_about else f"{reason}; no keyword"
    found = dict(rules.read(reading.text).slots)
    people = found.pop("people", [])
    entities = {**found, **({"person": people[0]} if people else {})}
    return Turn(requests=[], entities=entities, decisions=[decide("intent", [UNKNOWN], "none", why)])


def _thanks(reading: Reading, catalogue: Catalogue) -> Request | None:
    """Thanks or a goodbye among words that ask for nothing ("谢谢你，我知道怎么弄了")."""
    text = reading.text.text
    found = [m for m in catalogue.chitchat_words.find(text) if m.value in CLOSINGS]
    if not found or "?" in text or any(find_word(fold(text), word) >= 0 for word in catalogue.lexicon.asking):
        return None
    return Request(agent=CHAT, intent=f"{CHAT}.{main_kind(found, catalogue)}", entities={}, spans=[])
