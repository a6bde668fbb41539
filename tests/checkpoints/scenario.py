"""A long conversation that meets everything a saver has to keep, and a form in which two savers can be compared."""

import asyncio
import json
import operator
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from typing import Annotated, Any, Literal

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.channels import DeltaChannel, UntrackedValue
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.errors import GraphRecursionError
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, Interrupt, Send, StateSnapshot, StateUpdate, interrupt
from typing_extensions import TypedDict

Graph = CompiledStateGraph[Any, Any, Any, Any]
Turn = Callable[[], AbstractAsyncContextManager[Any]]


def _gather(kept: list[str], new: Sequence[list[str]]) -> list[str]:
    return kept + [word for words in new for word in words]


class State(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    turn: dict[str, Any]
    log: Annotated[list[str], operator.add]
    words: Annotated[list[str], DeltaChannel(_gather)]
    note: str
    count: int
    scratch: Annotated[str, UntrackedValue(str)]


class Call(TypedDict):
    name: str


class World:
    """What is outside of the graph: it changes between turns, so that a second try can go better."""

    def __init__(self) -> None:
        self.fails: set[str] = set()
        self.hangs: set[str] = set()
        self.started = asyncio.Event()


def build_desk(world: World, saver: BaseCheckpointSaver[str]) -> Graph:
    """plan -> confirm -> one Send per call -> plan, as the product does it; the last message says what to do."""

    async def plan(state: State) -> State:
        if state["messages"][-1].type == "tool":
            return {"messages": [AIMessage("done", id=f"a{len(state['messages'])}")], "turn": {"calls": []}}
        calls = str(state["messages"][-1].content).split()
        return {"turn": {"calls": calls}, "log": [f"plan {calls}"], "words": calls, "scratch": "x", "note": "计划"}

    async def confirm(state: State) -> State:
        calls = state.get("turn", {}).get("calls", [])
        answer = interrupt({"calls": calls}) if "ask" in calls else "yes"
        return {"turn": {"calls": calls, "answer": answer}, "count": state.get("count", 0) + 1}

    async def execute(state: Call) -> State:
        name = state["name"]
        if name in world.hangs:
            world.started.set()
            await asyncio.sleep(30)
        if name in world.fails:
            raise ValueError(f"{name} failed")
        return {"messages": [ToolMessage(f"{name} did", id=f"t-{name}", tool_call_id=name)], "log": [name]}

    async def send(state: State) -> list[Send] | Literal["__end__"]:
        return [Send("execute", {"name": name}) for name in state["turn"]["calls"]] or "__end__"

    graph: StateGraph[Any, Any, Any, Any] = StateGraph(State)
    graph.add_node("plan", plan)
    graph.add_node("confirm", confirm)
    graph.add_node("execute", execute, input_schema=Call)
    graph.add_edge(START, "plan")
    graph.add_edge("plan", "confirm")
    graph.add_conditional_edges("confirm", send, ["execute", END])
    graph.add_edge("execute", "plan")
    return graph.compile(checkpointer=saver)


def build_nested(world: World, saver: BaseCheckpointSaver[str]) -> Graph:
    """Two questions at once, a subgraph that asks, one that remembers, a node that reads the state it is part of."""
    inner: StateGraph[Any, Any, Any, Any] = StateGraph(State)

    async def ask(state: State) -> State:
        return {"note": f"inner {interrupt('inner?')}"}

    async def remember(state: State) -> State:
        return {"count": state.get("count", 0) + 1, "log": ["remembered"]}

    inner.add_node("ask", ask)
    inner.add_edge(START, "ask")
    keeps: StateGraph[Any, Any, Any, Any] = StateGraph(State)
    keeps.add_node("remember", remember)
    keeps.add_edge(START, "remember")
    remembering = keeps.compile(checkpointer=True)

    async def left(state: State) -> State:
        return {"log": [f"left {interrupt('left?')}"]}

    async def right(state: State) -> State:
        return {"log": [f"right {interrupt('right?')}"]}

    async def twice(state: State, config: RunnableConfig) -> State:
        first = await remembering.ainvoke({"count": 10})
        seen = await compiled.aget_state(_at(config["configurable"]["thread_id"]))
        return {"log": [f"{first['count']} {sorted(seen.values)}"]}

    async def loop(state: State) -> State:
        return {"count": state.get("count", 0) + 1}

    async def again(state: State) -> Literal["loop", "__end__"]:
        return "loop" if state["count"] < 20 else "__end__"

    async def where(state: State) -> list[str]:
        return {"both": ["left", "right"], "inner": ["inner"], "twice": ["twice"]}.get(state["note"], ["loop"])

    graph: StateGraph[Any, Any, Any, Any] = StateGraph(State)
    graph.add_node("left", left)
    graph.add_node("right", right)
    graph.add_node("twice", twice)
    graph.add_node("loop", loop)
    graph.add_node("inner", inner.compile())
    graph.add_conditional_edges(START, where, ["left", "right", "inner", "twice", "loop"])
    graph.add_conditional_edges("loop", again)
    compiled = graph.compile(checkpointer=saver)
    return compiled


class Scenario:
    """Plays the conversation over one saver. `turn`: what each run is wrapped in."""

    def __init__(self, saver: BaseCheckpointSaver[str], turn: Turn) -> None:
        self.world = World()
        self.desk, self.nested = build_desk(self.world, saver), build_nested(self.world, saver)
        self.saver, self.turn = saver, turn
        self.outcomes: list[Any] = []
        self.asked = 0

    async def run(self, graph: Graph, given: Any, config: RunnableConfig, *, limit: int = 40) -> None:
        try:
            async with self.turn():
                result = await graph.ainvoke(given, {**config, "recursion_limit": limit}, durability="sync")
        except (ValueError, GraphRecursionError) as error:
            result = repr(error)[:60]
        self.outcomes.append(result)

    def say(self, text: str) -> State:
        self.asked += 1
        return {"messages": [HumanMessage(text, id=f"h{self.asked}")]}

    async def questions(self, graph: Graph, config: RunnableConfig) -> tuple[Interrupt, ...]:
        return (await graph.aget_state(config)).interrupts

    async def play(self, prefix: str) -> list[str]:
        """Everything; the ids of the threads."""
        threads = [f"{prefix}-{name}" for name in ("plain", "broken", "forked", "nested", "updated")]
        plain, broken, forked, nested, updated = map(_at, threads)
        await self._plain(plain)
        await self._broken(broken)
        await self._forked(forked)
        await self._nested(nested)
        await self._updated(updated)
        return threads

    async def _plain(self, at: RunnableConfig) -> None:
        await self.run(self.desk, self.say(""), at)
        await self.run(self.desk, self.say("one two three"), at)
        await self.run(self.desk, self.say("ask pay"), at)
        (question,) = await self.questions(self.desk, at)
        await self.run(self.desk, Command(resume={question.id: "approve"}), at)
        await self.run(self.desk, self.say("ask again"), at)
        await self.run(self.desk, self.say("something else"), at)
        await self.run(self.desk, self.say("ask"), at)
        await self.run(self.desk, Command(resume="no", update={"note": "changed"}), at)
        async with self.turn():
            stream = self.desk.astream(self.say("four"), at, stream_mode="updates", durability="sync")
            self.outcomes.append([each async for each in stream])

    async def _broken(self, at: RunnableConfig) -> None:
        self.world.fails = {"bad"}
        await self.run(self.desk, self.say("good bad fine"), at)
        self.world.fails = set()
        await self.run(self.desk, None, at)
        self.world.hangs, self.world.started = {"slow"}, asyncio.Event()
        running = asyncio.create_task(self.run(self.desk, self.say("quick slow"), at))
        await self.world.started.wait()
        await asyncio.sleep(0.05)
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        self.world.hangs = set()
        await self.run(self.desk, None, at)

    async def _forked(self, at: RunnableConfig) -> None:
        await self.run(self.desk, self.say("one ask"), at)
        await self.run(self.desk, Command(resume="yes"), at)
        await self.run(self.desk, self.say("two"), at)
        old = await self._past(self.desk, at)
        await self.run(self.desk, None, next(s for s in old if s.next == ("execute",)).config)
        await self.run(self.desk, Command(resume="other"), next(s for s in old if s.interrupts).config)
        async with self.turn():
            there = await self.desk.aupdate_state(old[-2].config, {"note": "edited", "words": ["w"]}, as_node="plan")
        await self.run(self.desk, None, there)

    async def _nested(self, at: RunnableConfig) -> None:
        await self.run(self.nested, {"note": "both"}, at)
        both = sorted(await self.questions(self.nested, at), key=lambda question: str(question.value))
        await self.run(self.nested, Command(resume={both[0].id: "l"}), at)
        await self.run(self.nested, Command(resume={both[1].id: "r"}), at)
        await self.run(self.nested, {"note": "inner"}, at)
        deep = await self.nested.aget_state(at, subgraphs=True)
        self.outcomes.append([task.state.values for task in deep.tasks if isinstance(task.state, StateSnapshot)])
        await self.run(self.nested, Command(resume="deep"), at)
        await self.run(self.nested, {"note": "twice"}, at)
        await self.run(self.nested, {"note": "twice"}, at)
        await self.run(self.nested, {"note": "loop", "count": 0}, at, limit=6)
        await self.run(self.nested, None, at, limit=6)

    async def _updated(self, at: RunnableConfig) -> None:
        async with self.turn():
            await self.desk.aupdate_state(at, self.say("seeded"), as_node="__start__")
        await self.run(self.desk, None, at)
        bulk = [[StateUpdate({"note": "a"}, "plan")], [StateUpdate({"note": "b", "log": ["b"]}, "confirm")]]
        async with self.turn():
            await self.desk.abulk_update_state(at, bulk)
        await self.run(self.desk, self.say("last"), at)

    async def _past(self, graph: Graph, at: RunnableConfig) -> list[StateSnapshot]:
        return [state async for state in graph.aget_state_history(at)]

    async def record(self, threads: Sequence[str]) -> list[str]:
        """Outcomes, raw checkpoints of all namespaces and history, one text each, with ids renamed in their order."""
        parts: list[Any] = [*self.outcomes]
        for name in threads:
            at = _at(name)
            parts += reversed([tuple(each) async for each in self.saver.alist(at)])
            graph = self.nested if name.endswith("nested") else self.desk
            parts += [tuple(state) for state in await self._past(graph, at)]
        return Renamed(threads[0].rpartition("-")[0]).texts(parts)


def _at(thread_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id}}


class Renamed:
    """Gives what is random a name by the order in which it appears."""

    RANDOM = re.compile(
        r"\d{32}\.\d+\.\d+(?:e-\d+)?|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{32}\b"
        r"|\d{4}-\d\d-\d\dT[\d:.]+\+00:00"
    )

    def __init__(self, prefix: str) -> None:
        self.prefix, self.names = prefix, dict[str, str]()

    def texts(self, parts: Sequence[Any]) -> list[str]:
        plain = [json.dumps(part, default=repr, ensure_ascii=False).replace(self.prefix, "") for part in parts]
        return [self.RANDOM.sub(self._name, text) for text in plain]

    def _name(self, match: re.Match[str]) -> str:
        found = match.group()
        if "T" in found:
            return "time"
        kind = f"version {int(found.split('.')[0])}" if "." in found else "id"
        return self.names.setdefault(found, f"{kind}#{len(self.names)}")
