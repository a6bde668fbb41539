"""Runs one tool call and answers it with exactly one ToolMessage."""

from langchain_core.messages import ToolMessage
from langgraph.runtime import Runtime

from config.catalogue import Catalogue
from nodes.clock import now_of
from nodes.context import Context
from nodes.state import State, Task
from tools.call import Call, Caller, Outcome
from tools.executor import Executor


async def execute(
    state: Task, runtime: Runtime[Context], *, executor: Executor, catalogue: Catalogue, deadline_s: float
) -> State:
    call, context, recorded = state["call"], runtime.context, state["recorded"]
    key = str(call["id"])
    if recorded is not None:
        return {"messages": [recorded.model_copy(update={"tool_call_id": key, "id": f"tool-{key}"})]}
    where = runtime.execution_info
    caller = Caller(
        principal=context.principal,
        agent=catalogue.agents[state["agent"]],
        locale=state["locale"],
        now=now_of(context),
        extra=context.extra,
        thread_id=(where and where.thread_id) or "",
        turn_id=state["turn_id"],
        run_id=context.run_id,
        source=state["source"],
        mode=context.mode,
        recorded=context.recorded.get("outcomes", {}),
    )
    asked = Call(id=key, name=call["name"], arguments=call["args"])
    outcome = await executor.run(asked, caller, confirmation=state["confirmation"], deadline_s=deadline_s)
    return {"messages": [answer(key, call["name"], state["agent"], outcome)]}


def answer(key: str, name: str, agent: str, outcome: Outcome) -> ToolMessage:
    return ToolMessage(
        outcome.content,
        name=name,
        tool_call_id=key,
        id=f"tool-{key}",
        status="success" if outcome.status in ("done", "accepted") else "error",
        artifact={**outcome.record(), "agent": agent},
    )
