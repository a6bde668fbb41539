"""Runs one tool call and answers it with exactly one ToolMessage."""

import asyncio

from langchain_core.messages import ToolMessage
from langgraph.runtime import Runtime

from config.catalogue import Agent, Catalogue
from nodes.clock import now_of
from nodes.context import Context
from nodes.state import Locale, State, Task
from tools.call import Call, Caller, Done, Outcome
from tools.executor import Executor
from tools.refusing import not_made


async def execute(
    state: Task, runtime: Runtime[Context], *, executor: Executor, catalogue: Catalogue, deadline_s: float
) -> State:
    call, context, recorded = state["call"], runtime.context, state["recorded"]
    key = str(call["id"])
    asked = Call(id=key, name=call["name"], arguments=call["args"])
    if recorded is not None:
        return {"messages": [recorded.model_copy(update={"tool_call_id": key, "id": f"tool-{key}"})]}
    if state["stopped"]:
        outcome = not_made(asked, executor.registry, state["locale"])
        return {"messages": [answer(key, call["name"], state["agent"], outcome)]}
    caller = caller_of(
        runtime,
        catalogue.agents[state["agent"]],
        turn_id=state["turn_id"],
        locale=state["locale"],
        source=state["source"],
    )
    left_s = deadline_s if context.ends_at is None else context.ends_at - asyncio.get_running_loop().time()
    limit_s = max(min(deadline_s, left_s), 0.0)
    outcome = await executor.run(asked, caller, confirmation=state["confirmation"], deadline_s=limit_s)
    return {"messages": [answer(key, call["name"], state["agent"], outcome)]}


def caller_of(
    runtime: Runtime[Context], agent: Agent, *, turn_id: str, locale: Locale, source: str, undoes: Done | None = None
) -> Caller:
    context, where = runtime.context, runtime.execution_info
    return Caller(
        principal=context.principal,
        agent=agent,
        locale=locale,
        now=now_of(context),
        extra=context.extra,
        thread_id=(where and where.thread_id) or "",
        turn_id=turn_id,
        run_id=context.run_id,
        source=source,
        mode=context.mode,
        recorded=context.recorded.get("outcomes", {}),
        undoes=undoes,
    )


def answer(key: str, name: str, agent: str, outcome: Outcome, *, undoes: str | None = None) -> ToolMessage:
    """`undoes`: the id of the call that this one undid, or was to undo."""
    return ToolMessage(
        outcome.content,
        name=name,
        tool_call_id=key,
        id=f"tool-{key}",
        status="success" if outcome.status in ("done", "accepted") else "error",
        artifact={**outcome.record(), "agent": agent, **({} if undoes is None else {"undoes": undoes})},
    )
