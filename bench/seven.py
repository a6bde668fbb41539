"""A graph that does nothing but take seven steps over twenty messages, so that what is measured is how it is kept."""

from typing import Annotated, Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.graph.state import CompiledStateGraph
from typing_extensions import TypedDict

Graph = CompiledStateGraph[Any, Any, Any, Any]
NODES, HISTORY = 7, 20


class State(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    turn: dict[str, Any]
    note: str


def build(saver: BaseCheckpointSaver[str] | None) -> Graph:
    async def step(state: State) -> State:
        return {"turn": {"step": state.get("turn", {}).get("step", 0) + 1, "text": "查一下今天的订单"}, "note": "ok"}

    async def answer(_: State) -> State:
        return {"messages": [AIMessage("今天共有 12 个订单。")]}

    names = [f"step_{number}" for number in range(1, NODES)]
    graph: Any = StateGraph(State)
    for before, name in zip([START, *names], names, strict=False):
        graph.add_node(name, step)
        graph.add_edge(before, name)
    graph.add_node("answer", answer)
    graph.add_edge(names[-1], "answer")
    compiled: Graph = graph.compile(checkpointer=saver)
    return compiled


def given() -> State:
    """A conversation of some length."""
    said = [
        kind(f"{number}: 请查一下张三最近七天的订单，并按金额排序。")
        for number, kind in enumerate([HumanMessage, AIMessage] * (HISTORY // 2))
    ]
    return {"messages": said}
