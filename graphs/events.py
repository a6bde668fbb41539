"""The events that a stream tells a turn in, and how they are told from the parts that LangGraph streams."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.messages import AIMessage, ToolMessage

from graphs.plain import plain
from graphs.turn_result import call_of, card_of, interrupt_of

Kind = Literal["turn", "decision", "tool_call", "token", "card", "confirmation", "result", "error"]
Told = tuple[Kind, dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Event:
    """`id` grows by one from event to event, from 1; where an attempt is begun again, it leaps.

    `cause`: of an `error` alone, which stays in the process where it was met.
    """

    id: int
    kind: Kind
    data: dict[str, Any]
    cause: BaseException | None = None

    @property
    def is_last(self) -> bool:
        """Nothing follows a result; after an error another attempt may."""
        return self.kind in ("result", "error")


def token(content: str, message_id: str | None) -> Told:
    """`message_id`: a new one means that what was told under another is not the answer after all."""
    return "token", {"content": content, "status": "REPLYING", "message_id": message_id}


def started(call: Mapping[str, Any]) -> Told:
    facts = {"id": call["id"], "tool": call["name"], "arguments": call["args"]}
    return "tool_call", {**plain(facts), "phase": "started"}


def finished(message: ToolMessage) -> Iterator[Told]:
    """The end of one call, and its card if it has one."""
    yield "tool_call", {**call_of(message), "phase": "finished"}
    if card := card_of(message):
        yield "card", {"content": message.text, **card, "status": "COMPLETED"}


def decided(change: Mapping[str, Any]) -> Iterator[Told]:
    for decision in change.get("decisions", []):
        yield "decision", plain(decision)


def asked(interrupt: Mapping[str, Any]) -> Told:
    return "confirmation", dict(interrupt_of(interrupt))


def said(messages: list[Any]) -> AIMessage | None:
    """The answer among the messages that a node wrote."""
    spoken = [m for m in messages if isinstance(m, AIMessage) and not m.tool_calls and m.text]
    return spoken[-1] if spoken else None
