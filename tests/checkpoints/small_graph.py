"""A graph of two nodes that does what the test hands it, and what is on disk after it."""

import operator
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Send, interrupt
from typing_extensions import TypedDict

from checkpoints.database import Pool

Graph = CompiledStateGraph[Any, Any, Any, Any]
Work = Callable[[str], Awaitable[None]]


class State(TypedDict, total=False):
    asked: str
    said: Annotated[list[str], operator.add]
    answers: Annotated[list[str], operator.add]


async def nothing(_: str) -> None:
    """The work of a node that has none."""


def build(saver: BaseCheckpointSaver[str], work: Work = nothing) -> Graph:
    """`hear` notes what was asked; `act` does the work, or asks as many questions at once as `asked` has of `?`."""

    async def hear(state: State) -> State:
        return {"said": [state["asked"]]}

    async def act(state: State) -> State:
        await work(state["asked"])
        return {"said": [f"did {state['asked']}"]}

    async def ask(state: State) -> State:
        answer = interrupt(state["asked"])
        await work(answer)
        return {"answers": [answer]}

    async def route(state: State) -> list[Send] | str:
        return [Send("ask", {"asked": f"?{n}"}) for n in range(state["asked"].count("?"))] or "act"

    graph: StateGraph[Any, Any, Any, Any] = StateGraph(State)
    graph.add_node("hear", hear)
    graph.add_node("act", act)
    graph.add_node("ask", ask)
    graph.add_edge(START, "hear")
    graph.add_conditional_edges("hear", route, ["act", "ask"])
    return graph.compile(checkpointer=saver)


def at(thread_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id}}


async def said(graph: Graph, thread_id: str) -> list[str]:
    values = (await graph.aget_state(at(thread_id))).values
    return [*values.get("said", []), *values.get("answers", [])]


async def rows_of(pool: Pool, thread_id: str) -> int:
    """How many checkpoints are on disk, as anybody else sees them."""
    async with pool.connection() as connection:
        found = await connection.execute("SELECT count(*) AS n FROM checkpoints WHERE thread_id = %s", (thread_id,))
        row = await found.fetchone()
    assert row is not None
    return int(row["n"])


async def is_one_line(pool: Pool, thread_id: str) -> bool:
    """No checkpoint has two successors, and one alone has no parent."""
    async with pool.connection() as connection:
        found = await connection.execute(
            "SELECT parent_checkpoint_id FROM checkpoints WHERE thread_id = %s AND checkpoint_ns = ''", (thread_id,)
        )
        parents = [row["parent_checkpoint_id"] async for row in found]
    return len(parents) == len(set(parents))
