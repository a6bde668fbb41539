"""Answers small talk without any model."""

from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime

from config.catalogue import Catalogue
from nodes.clock import now_of
from nodes.context import Context
from nodes.memory import remember
from nodes.permitted import usable_intents
from nodes.state import Locale, State, Turn
from nodes.texts import with_dropped
from tools.registry import Registry

SHOWING = ("chat.ability", "chat.identity")


async def chitchat(state: State, runtime: Runtime[Context], *, catalogue: Catalogue, registry: Registry) -> State:
    turn, context = state["turn"], runtime.context
    intent = turn["requests"][0]["intent"]
    said = with_dropped(small_talk(intent, turn["locale"], catalogue), context.dropped, turn["locale"])
    usable = usable_intents(context.principal, catalogue, registry) if intent in SHOWING else ()
    return {
        "messages": [AIMessage(said, id=f"reply-{turn['id']}")],
        "memory": remember(state, now_of(context)),
        "turn": Turn(suggestions=list(catalogue.examples(turn["locale"], usable))),
    }


def small_talk(intent: str, locale: Locale, catalogue: Catalogue) -> str:
    """The reply to a kind of small talk; its intent is `chat.<kind>`."""
    return catalogue.lexicon.chitchat[intent.partition(".")[2]].reply.for_(locale)
