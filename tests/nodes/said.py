"""Messages of a thread, written short."""

from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import tool_call

from tools.call import Outcome


def ask(n: int, text: str | None = None) -> HumanMessage:
    return HumanMessage(text or f"question {n}", id=f"h{n}")


def planned(n: int, *calls: tuple[str, str], text: str = "", **more: Any) -> AIMessage:
    """`calls`: (id, tool) of each."""
    made = [tool_call(name=name, args={}, id=key) for key, name in calls]
    return AIMessage(text, id=f"c{n}", tool_calls=made, **more)


def result(key: str, tool: str, text: str = "ok", agent: str = "business", **outcome: Any) -> ToolMessage:
    record = Outcome(**{"status": "done", "content": text, **outcome}).record()
    return ToolMessage(text, name=tool, tool_call_id=key, id=f"tool-{key}", artifact={**record, "agent": agent})


def reply(n: int, text: str | None = None) -> AIMessage:
    return AIMessage(text or f"answer {n}", id=f"a{n}")
