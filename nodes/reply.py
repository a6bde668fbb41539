"""Puts the answer into words and remembers what the next turn needs."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, SystemMessage, ToolMessage
from langgraph.runtime import Runtime

from config.catalogue import Catalogue
from models.answer import Answer
from models.registry import Models
from nodes.chitchat import small_talk
from nodes.claims import Claims
from nodes.clock import now_of
from nodes.context import Context
from nodes.conversation import results, spoken
from nodes.memory import remember, write_finished
from nodes.permitted import usable_intents
from nodes.plan_by_model import not_permitted, seen_by
from nodes.pre_route import CHAT
from nodes.quoting import quoted
from nodes.rounds import MAX_CALLS
from nodes.state import UNKNOWN, State, Turn, intents_of
from nodes.texts import text, with_dropped
from nodes.undoing import Plan
from tools.registry import Registry


async def reply(
    state: State, runtime: Runtime[Context], *, catalogue: Catalogue, registry: Registry, models: Models
) -> State:
    turn, context = state["turn"], runtime.context
    change = Turn()
    memory = remember(state, now_of(context))
    if write_finished(results(state["messages"]), catalogue, registry):
        memory["finished"] = True
    if (words := spoken(state["messages"])) is not None and not turn["question"]:
        return {"memory": memory, "turn": change, "messages": _beside(words, not_permitted(state["messages"]))}
    if intents_of(turn) == [UNKNOWN] and turn["question"] is None:
        allowed = usable_intents(context.principal, catalogue, registry, only=context.agent)
        change["suggestions"] = list(catalogue.examples(turn["locale"], allowed))
    answer = await _by_model(state, context, catalogue, registry, models)
    if answer is not None:
        change["usage"] = answer.usage
    if answer is not None and answer.message is None:
        change["degraded"] = [f"reply: {answer.abstained}"]
    said = answer.message if answer is not None else None
    plain = template(state, change.get("suggestions", []), catalogue, registry)
    plain = with_dropped(plain, context.dropped, turn["locale"])
    answered: AnyMessage = said or AIMessage(plain, id=f"reply-{turn['id']}")
    return {"messages": [answered], "memory": memory, "turn": change}


def _beside(words: AIMessage, refused: Sequence[ToolMessage]) -> list[AnyMessage]:
    """The planner's own words are the answer; what it was not told of is said before them, in the same message."""
    said = "\n".join([*(m.text for m in refused), words.text])
    return [words.model_copy(update={"content": said})] if refused else []


async def _by_model(
    state: State, context: Context, catalogue: Catalogue, registry: Registry, models: Models
) -> Answer | None:
    """The model's words where the intent wants them. A model that has abstained in this turn is not asked again."""
    messages = [] if state["turn"]["degraded"] else prompt(state, catalogue, registry, context)
    model = models.serving("reply", context.model) if messages else None
    return await model.say(messages) if model else None


def prompt(state: State, catalogue: Catalogue, registry: Registry, context: Context) -> list[BaseMessage]:
    """Empty where no model is wanted: a card or a template answers, a question is asked back, a person said no."""
    turn, answers = state["turn"], results(state["messages"])
    today = now_of(context).date().isoformat()
    if intents_of(turn) == [UNKNOWN] and not answers and turn["question"] is None:
        usable = usable_intents(context.principal, catalogue, registry, only=context.agent)
        names = [name for name, intent in catalogue.intents.items() if name in usable and intent.tool]
        abilities = catalogue.describe_intents(names, turn["locale"])
        system = catalogue.render("unknown", abilities=abilities, locale=turn["locale"], today=today)
        return [SystemMessage(system), state["messages"][-1]]
    wanted = any(catalogue.intents[name].reply == "model" for name in intents_of(turn) if name in catalogue.intents)
    plain = all(m.artifact["status"] == "done" for m in answers) and not all(m.artifact["direct"] for m in answers)
    by_model = bool(turn["by_model"]) or wanted
    if not (answers and plain and by_model) or turn["question"] or turn["capped"] or turn.get("left_out"):
        return []
    if not Claims(turn, answers, catalogue, registry).hold():
        return []
    rules = catalogue.render("reply", locale=turn["locale"], today=today)
    agents = [catalogue.agents[request["agent"]] for request in turn["requests"]]
    return [SystemMessage(rules), *quoted(seen_by(agents, state["messages"], registry, context.principal))]


def template(state: State, suggestions: list[str], catalogue: Catalogue, registry: Registry) -> str:
    """The answer without a model: the tools' own summaries in the order of their calls, and what is asked back."""
    turn, answers = state["turn"], results(state["messages"])
    locale = turn["locale"]
    said = "\n".join(str(m.content) for m in answers)
    asked = turn["question"]["text"] if turn["question"] else ""
    if turn["requests"] and turn["requests"][0]["agent"] == CHAT:
        return small_talk(turn["requests"][0]["intent"], locale, catalogue)
    if intents_of(turn) == [UNKNOWN] and not asked:
        examples = ("；" if locale == "zh" else "; ").join(suggestions)
        return text("unknown", locale, examples=examples) if examples else text("unknown_here", locale)
    if "undoing" in turn:
        stopped = text("capped", locale) if turn["capped"] else ""
        return "\n".join(filter(None, [stopped, Plan(state, catalogue, registry).told()]))
    if turn["capped"]:
        done = text("done_so_far", locale, what=said) if said else ""
        return "\n".join(filter(None, [text("capped", locale), done]))
    missed = turn.get("left_out", 0)
    left_out = text("left_out", locale, number=missed, most=MAX_CALLS) if missed else ""
    return "\n".join(filter(None, [said, left_out, asked])) or text("nothing_done", locale)
