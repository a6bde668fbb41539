"""Pure reading and bounding of the message list."""

from collections.abc import Sequence
from typing import cast

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage, ToolMessage
from langchain_core.messages.tool import ToolCall

SUMMARY_CHARS = 1_500
LINE_CHARS = 120


def this_turn(messages: Sequence[AnyMessage]) -> Sequence[AnyMessage]:
    """What followed the last message of the user."""
    for index in range(len(messages) - 1, -1, -1):
        if isinstance(messages[index], HumanMessage):
            return messages[index + 1 :]
    return messages


def results(messages: Sequence[AnyMessage]) -> list[ToolMessage]:
    """The tool answers of this turn."""
    return [m for m in this_turn(messages) if isinstance(m, ToolMessage)]


def calls(messages: Sequence[AnyMessage]) -> list[ToolCall]:
    """The tool calls of this turn, in the order in which they were planned."""
    return [call for m in this_turn(messages) if isinstance(m, AIMessage) for call in m.tool_calls]


def last_round(messages: Sequence[AnyMessage]) -> list[ToolMessage]:
    """The answers to the newest tool calls."""
    found: list[ToolMessage] = []
    for message in reversed(messages):
        if not isinstance(message, ToolMessage):
            break
        found.append(message)
    return found[::-1]


def planned_calls(messages: Sequence[AnyMessage]) -> list[ToolCall]:
    """The calls of the newest message, which nobody has answered yet."""
    last = messages[-1]
    return last.tool_calls if isinstance(last, AIMessage) else []


def spoken(messages: Sequence[AnyMessage]) -> AIMessage | None:
    """What the planner said at the end of this turn instead of calling more."""
    after = this_turn(messages)
    last = after[-1] if after else None
    return last if isinstance(last, AIMessage) and not last.tool_calls and last.text.strip() else None


def turns(messages: Sequence[AnyMessage]) -> list[list[AnyMessage]]:
    """The list cut before each message of the user; what stands before the first one joins it."""
    found: list[list[AnyMessage]] = []
    for message in messages:
        if not found or (isinstance(message, HumanMessage) and any(isinstance(m, HumanMessage) for m in found[-1])):
            found.append([])
        found[-1].append(message)
    return found


def tidy(messages: Sequence[AnyMessage], rounds: int) -> tuple[list[AnyMessage], list[list[AnyMessage]]]:
    """What bounds and mends a thread before a new turn: an update for `add_messages`, and the turns that fall out.

    `rounds`: turns that stay, the new one among them. Calls that nobody answered are taken out of their message (an
    abandoned confirmation, a crash), answers without their call go, and structured results go. Ids stay, so nothing is
    inserted or moved.
    """
    grouped = turns(messages)
    dropped, kept = grouped[:-rounds], grouped[-rounds:]
    change = removed(dropped)
    answered = {m.tool_call_id for turn in kept for m in turn if isinstance(m, ToolMessage)}
    asked = {c["id"] for turn in kept for m in turn if isinstance(m, AIMessage) for c in m.tool_calls}
    for message in (m for turn in kept for m in turn):
        if (mended := _mend(message, answered, asked)) is not None:
            change.append(mended)
    return change, dropped


def _mend(message: AnyMessage, answered: set[str], asked: set[str | None]) -> AnyMessage | None:
    """The replacement of one message, or None where it may stay as it is."""
    if isinstance(message, ToolMessage):
        if message.tool_call_id not in asked:
            return _drop(message)
        return message.model_copy(update={"artifact": None}) if message.artifact is not None else None
    if not isinstance(message, AIMessage) or not (message.tool_calls or message.invalid_tool_calls):
        return None
    kept = [c for c in message.tool_calls if c["id"] in answered]
    if len(kept) == len(message.tool_calls) and not message.invalid_tool_calls:
        return None
    if not kept and not message.text.strip():
        return _drop(message)
    # The raw form of the calls travels in additional_kwargs with some vendors and would be sent again.
    return message.model_copy(update={"tool_calls": kept, "invalid_tool_calls": [], "additional_kwargs": {}})


def removed(dropped: Sequence[Sequence[AnyMessage]]) -> list[AnyMessage]:
    """The update for `add_messages` that takes these turns out."""
    return [_drop(message) for turn in dropped for message in turn]


def _drop(message: AnyMessage) -> AnyMessage:
    return cast("AnyMessage", RemoveMessage(id=str(message.id)))  # an update may hold it, the stored list never does


def fold(summary: str, dropped: Sequence[Sequence[AnyMessage]]) -> str:
    """The summary with a line for each turn that falls out; the oldest lines go first where it grows too long."""
    lines = [line for line in summary.splitlines() if line]
    lines += [line for turn in dropped if (line := _line(turn))]
    while len(lines) > 1 and sum(len(line) + 1 for line in lines) > SUMMARY_CHARS:
        lines.pop(0)
    return "\n".join(lines)


def _line(turn: Sequence[AnyMessage]) -> str:
    asked = next((_short(m.text) for m in turn if isinstance(m, HumanMessage)), "")
    said = next((_short(m.text) for m in reversed(turn) if isinstance(m, AIMessage) and m.text.strip()), "")
    return f"{asked} -> {said}" if asked and said else asked


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= LINE_CHARS else flat[: LINE_CHARS - 1] + "…"
