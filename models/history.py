"""Makes a message list one that no vendor refuses, by leaving out, never by adding."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, ToolMessage


def sendable(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Calls without an answer, answers without a call and messages without content go; each answer follows its call.

    System messages at the beginning become one, since some chat templates take only one. The given list stays as it is.
    """
    answers = _answers(messages)
    kept: list[BaseMessage] = []
    for index, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            continue
        if isinstance(message, AIMessage):
            kept.extend(_with_answers(message, answers.get(index, {})))
        elif message.content:
            kept.append(message)
    return _one_system(kept)


def _answers(messages: Sequence[BaseMessage]) -> dict[int, dict[str, ToolMessage]]:
    """Per position of an AIMessage: the answers to its calls. An answer belongs to the nearest call before it."""
    owner: dict[str, int] = {}
    found: dict[int, dict[str, ToolMessage]] = {}
    for index, message in enumerate(messages):
        if isinstance(message, AIMessage):
            owner |= {str(call["id"]): index for call in message.tool_calls}
        elif isinstance(message, ToolMessage) and message.tool_call_id in owner:
            found.setdefault(owner[message.tool_call_id], {}).setdefault(message.tool_call_id, message)
    return found


def _with_answers(message: AIMessage, answers: dict[str, ToolMessage]) -> list[BaseMessage]:
    calls = [call for call in message.tool_calls if str(call["id"]) in answers]
    if not calls and not message.text:
        return []
    slim = AIMessage(message.text, tool_calls=calls, name=message.name, id=message.id)
    return [slim, *(answers[str(call["id"])] for call in calls)]


def _one_system(messages: list[BaseMessage]) -> list[BaseMessage]:
    count = next((n for n, m in enumerate(messages) if not isinstance(m, SystemMessage)), len(messages))
    if count < 2:  # noqa: PLR2004 - one is what is wanted
        return messages
    text = "\n\n".join(str(m.text) for m in messages[:count])
    return [SystemMessage(text), *messages[count:]]


def call_ids(messages: Sequence[BaseMessage]) -> set[str]:
    """The ids of all calls so far: some servers number their calls from 0 in each answer."""
    return {str(call["id"]) for m in messages if isinstance(m, AIMessage) for call in m.tool_calls}
