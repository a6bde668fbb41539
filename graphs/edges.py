"""Where the graph goes next: pure functions of the state.

Async, or LangGraph would run each in a thread. The hint `state: State` counts at run time: an edge sees the channels of
the schema that it names.
"""

from typing import Literal

from langgraph.types import Send

from nodes.conversation import planned_calls
from nodes.pre_route import CHAT
from nodes.rounds import answered, key_of
from nodes.state import UNKNOWN, State, Task, intents_of


async def after_pre_route(state: State) -> Literal["chitchat", "extract", "classify"]:
    requests = state["turn"]["requests"]
    if not requests:
        return "classify"
    return "chitchat" if requests[0]["agent"] == CHAT else "extract"


async def after_classify(state: State) -> Literal["extract", "reply"]:
    turn = state["turn"]
    talk = any(request["agent"] == CHAT for request in turn["requests"])
    return "reply" if talk or intents_of(turn) == [UNKNOWN] else "extract"


async def after_plan(state: State) -> Literal["confirm", "undo", "reply"] | list[Send]:
    asked = planned_calls(state["messages"])
    if not asked:
        return "reply"
    if "undoing" in state["turn"]:
        return "undo"
    needs_yes = any(state["turn"]["planned"][str(call["id"])]["confirm"] for call in asked)
    return "confirm" if needs_yes else sends(state)


async def after_confirm(state: State) -> list[Send]:
    return sends(state)


def sends(state: State) -> list[Send]:
    """One task for each call, refused ones too, so that each gets its answer; all of them come back to `plan`, once."""
    turn, messages = state["turn"], state["messages"]
    known = answered(messages)
    return [
        Send(
            "execute",
            Task(
                call=call,
                agent=(planned := turn["planned"][str(call["id"])])["agent"],
                confirmation=turn["confirmations"].get(str(call["id"])),
                recorded=known.get(key_of(call)),
                stopped=planned.get("stopped", False),
                locale=turn["locale"],
                turn_id=turn["id"],
                source=planned["source"],
            ),
        )
        for call in planned_calls(messages)
    ]
