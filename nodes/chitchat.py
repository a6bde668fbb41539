"""Answers small talk without any model."""

from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime

from config.catalogue import Catalogue
from nodes.clock import now_of
from nodes.context import Context
from nodes.memory import remember
from nodes.state import Locale, State, Turn
from nodes.texts import with_dropped


async def chitchat(state: State, runtime: Runtime[Context], *, catalogue: Catalogue) -> State:
    turn = state["turn"]
    intent = turn["requests"][0]["intent"]
    said = with_dropped(small_talk(intent, turn["locale"], catalogue), runtime.context.dropped, turn["locale"])
    shows = intent in ("chat.ability", "chat.identity")
    return {
        "messages": [AIMessage(said, id=f"reply-{turn['id']}")],
        "memory": remember(state, now_of(runtime.context)),
        "turn": Turn(suggestions=list(catalogue.examples(turn["locale"])) if shows else []),
    }


def small_talk(intent: str, locale: Locale, catalogue: Catalogue) -> str:
    """The reply to a kind of small talk; its intent is `chat.<kind>`."""
    return catalogue.lexicon.chitchat[intent.partition(".")[2]].reply.for_(locale)
