"""Undoes what is done of a plan that has failed: one call after the other, the newest first."""

import asyncio

from langchain_core.messages import ToolMessage
from langgraph.runtime import Runtime

from config.catalogue import Catalogue
from nodes.context import Context
from nodes.conversation import planned_calls, results
from nodes.execute import answer, caller_of
from nodes.state import State
from nodes.undoing import MADE, done, same, undone
from tools.call import Call
from tools.effect import to_the_end
from tools.executor import Executor

SOURCE = "undo"


async def undo(
    state: State, runtime: Runtime[Context], *, executor: Executor, catalogue: Catalogue, deadline_s: float
) -> State:
    """It goes to its end though the run is stopped meanwhile. Begun again, the ledger gives what is undone already."""
    return await to_the_end(lambda _: _all(state, runtime, executor, catalogue, deadline_s))


async def _all(
    state: State, runtime: Runtime[Context], executor: Executor, catalogue: Catalogue, deadline_s: float
) -> State:
    turn, messages = state["turn"], state["messages"]
    made = {m.tool_call_id: m for m in results(messages)}
    ends = asyncio.get_running_loop().time() + deadline_s
    said: list[ToolMessage] = []
    for call in planned_calls(messages):
        key = str(call["id"])
        before, agent = made[turn["undoing"][key]], turn["planned"][key]["agent"]
        caller = caller_of(
            runtime, catalogue.agents[agent], turn_id=turn["id"], locale=turn["locale"], source=SOURCE,
            undoes=done(before),
        )  # fmt: skip
        asked = Call(id=key, name=call["name"], arguments=call["args"])
        left_s = max(ends - asyncio.get_running_loop().time(), 0.0)
        outcome = await executor.run(asked, caller, confirmation=None, deadline_s=left_s)
        said.append(answer(key, call["name"], agent, outcome, undoes=before.tool_call_id))
        if outcome.status in MADE:
            said += [undone(m, turn) for m in same(messages, before)]
    return {"messages": [*said]}
