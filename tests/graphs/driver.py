"""Talks to the graph as a runner would, one thread at a time."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.types import Command, Interrupt

from checkpoints.saver import TurnSaver
from graphs.assistant import Services, build_graph
from models.registry import Models
from nodes.context import Context
from nodes.conversation import results
from nodes.state import Input, State, intents_of

APPROVE, REJECT = {"type": "approve"}, {"type": "reject"}


class Desk:
    """One thread. `now`: the clock of its requests, which `later` moves."""

    def __init__(self, services: Services, saver: TurnSaver, now: datetime, *, models: Models | None = None) -> None:
        self.services = replace(services, models=models or services.models)
        self.graph = build_graph(self.services).compile(checkpointer=saver)
        self.saver = saver
        self.context = Context(clock=now)
        self.thread = str(uuid4())
        self.interrupts: tuple[Interrupt, ...] = ()

    @property
    def config(self) -> RunnableConfig:
        return {"configurable": {"thread_id": self.thread}, "recursion_limit": 60}

    def later(self, minutes: float) -> None:
        assert self.context.clock
        self.context = replace(self.context, clock=self.context.clock + timedelta(minutes=minutes))

    def asking(self, **changes: Any) -> None:
        self.context = replace(self.context, **changes)

    async def say(self, words: str) -> State:
        return await self._run({"messages": [HumanMessage(words, id=str(uuid4()))]})

    async def answer(self, *decisions: dict[str, Any]) -> State:
        return await self._run(Command(resume={self.interrupts[0].id: {"decisions": list(decisions)}}))

    async def stored(self) -> State:
        return (await self.graph.aget_state(self.config)).values  # type: ignore[return-value]  # LangGraph says dict

    async def _run(self, given: Input | Command[Any]) -> State:
        async with self.saver.turn():
            out = await self.graph.ainvoke(given, self.config, context=self.context, durability="sync", version="v2")
        self.interrupts = out.interrupts
        return out.value


def text(state: State) -> str:
    return str(state["messages"][-1].text)


def kinds(state: State) -> str:
    """The thread as letters: h(uman), c(all), t(ool), a(nswer)."""
    letters = {"human": "h", "tool": "t"}
    calls = ["c" if isinstance(m, AIMessage) and m.tool_calls else "a" for m in state["messages"]]
    return "".join(letters.get(m.type, call) for m, call in zip(state["messages"], calls, strict=True))


def called(state: State) -> list[tuple[str, dict[str, Any]]]:
    """The calls of the last turn with the arguments that are set, in order."""
    found = [(str(m.name), m.artifact["arguments"]) for m in results(state["messages"])]
    return [(name, {k: v for k, v in arguments.items() if v is not None}) for name, arguments in found]


def answers(state: State) -> list[ToolMessage]:
    return results(state["messages"])


def intents(state: State) -> list[str]:
    return intents_of(state["turn"])


def sources(state: State) -> list[tuple[str, str]]:
    return [(d["level"], d["source"]) for d in state["turn"]["decisions"]]
