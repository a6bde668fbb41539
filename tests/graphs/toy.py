"""A small graph of the desk's shape, for what the runner does around a graph: it goes wrong on request.

`fail`, `sleep`, `loop`: in a node. `wait ...`: until `gate` is open. `half`: two calls of which one is done and one
blows up. `change N`: N calls that need a yes; with `slowly` a no waits for `gate`. Anything else is answered at once.
"""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, cast

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langchain_core.messages.tool import ToolCall, tool_call
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send, interrupt

from models.answer import Usage
from nodes.context import Context
from nodes.decision import decide
from nodes.state import Answer, Answered, Input, Request, State, Task, Turn

MINUTES = 10
done: list[str] = []
planned_for: list[str] = []
gate = asyncio.Event()


def toy() -> StateGraph[State, Context, Input, State]:
    graph = StateGraph(State, context_schema=Context, input_schema=Input)
    graph.add_node(pre_route)
    graph.add_node(plan)
    graph.add_node(confirm)
    graph.add_node(execute, input_schema=Task)
    graph.add_node(reply)
    graph.add_edge(START, "pre_route")
    graph.add_edge("pre_route", "plan")
    graph.add_conditional_edges("plan", after_plan, ["plan", "confirm", "execute", "reply"])
    graph.add_conditional_edges("confirm", after_confirm, ["execute"])
    graph.add_edge("execute", "reply")
    graph.add_edge("reply", END)
    return graph


async def pre_route(state: State) -> State:
    message = state["messages"][-1]
    request = Request(agent="business", intent="order", entities={"limit": 3, "order_no": ["1"]}, spans=[])
    return {
        "turn": Turn(
            id=str(message.id),
            text=message.text,
            raw=message.text,
            locale="en",
            requests=[request],
            decisions=[decide("route", "business", "keyword", "toy")],
            question=None,
            suggestions=[],
            usage=Usage(model_calls=1, input_tokens=2, output_tokens=3),
        )
    }


async def plan(state: State) -> State:
    text = state["turn"]["text"]
    planned_for.append(text)
    if text.startswith("wait"):
        await gate.wait()
    if text == "fail":
        raise RuntimeError("a secret of the house")
    if text == "sleep":
        await asyncio.sleep(60)
    if text == "half":
        return {"messages": [planned("done", "blow")]}
    if text.startswith("change"):
        return {"messages": [planned(*["change"] * int(text.split()[1]))]}
    return {"turn": Turn(decisions=[decide("intent", ["order"], "keyword", "toy")])}


async def confirm(state: State) -> State:
    calls = cast("AIMessage", state["messages"][-1]).tool_calls
    question = {
        "action_requests": [{"name": c["name"], "args": c["args"], "description": f"Change {c['id']}?"} for c in calls],
        "review_configs": [
            {"action_name": c["name"], "allowed_decisions": ["approve", "edit", "reject"]} for c in calls
        ],
        "expires_at": (datetime.now(UTC) + timedelta(minutes=MINUTES)).isoformat(),
    }
    answer = interrupt(question, response_schema=Answer)
    given = {
        str(c["id"]): cast("Answered", {**d, "asked": c["args"]})
        for c, d in zip(calls, answer["decisions"], strict=True)
    }
    return {"turn": Turn(confirmations=given)}


async def execute(state: Task) -> State:
    call, given = state["call"], state["confirmation"]
    if call["name"] == "blow":
        await asyncio.sleep(0.05)
        raise RuntimeError("a secret of the house")
    rejected = given is not None and given["type"] == "reject"
    if rejected and "slowly" in state["source"]:
        planned_for.append("rejecting")
        await gate.wait()
    if not rejected:
        done.append(str(call["id"]))
    told = {
        "status": "rejected" if rejected else "done",
        "arguments": call["args"],
        "summary": "too late" if given is not None and given.get("expired") else "did it",
        "data": {},
        "card": {"type": "thing", "design": {"title": "Thing"}, "data": {"n": 1}},
        "elapsed_ms": 1.23,
        "direct": False,
        "agent": "business",
    }
    key = str(call["id"])
    return {"messages": [ToolMessage("did it", name=call["name"], tool_call_id=key, id=f"tool-{key}", artifact=told)]}


async def reply(state: State) -> State:
    results = [m for m in state["messages"] if isinstance(m, ToolMessage)]
    said = results[-1].artifact["summary"] if results else f"heard {state['turn']['text']}"
    return {"messages": [AIMessage(said, id=f"reply-{len(state['messages'])}")]}


async def after_plan(state: State) -> Literal["plan", "confirm", "reply"] | list[Send]:
    if state["turn"]["text"] == "loop":
        return "plan"
    last = state["messages"][-1]
    calls = last.tool_calls if isinstance(last, AIMessage) else []
    if not calls:
        return "reply"
    return "confirm" if calls[0]["name"] == "change" else sends(calls, state)


async def after_confirm(state: State) -> list[Send]:
    return sends(cast("AIMessage", state["messages"][-1]).tool_calls, state)


def sends(calls: list[ToolCall], state: State) -> list[Send]:
    given: Any = state["turn"].get("confirmations", {})
    text = state["turn"]["text"]
    return [Send("execute", {"call": c, "confirmation": given.get(c["id"]), "source": text}) for c in calls]


def planned(*names: str) -> AnyMessage:
    return AIMessage("", tool_calls=[tool_call(name=n, args={"n": i}, id=f"{n}-{i}") for i, n in enumerate(names)])
