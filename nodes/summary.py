"""A better summary of the turns that the next one pushes out, by a model, after the answer has been sent."""

import logging
import re
from collections.abc import Iterator, Sequence

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from config.catalogue import Catalogue
from models.registry import Models
from nodes.conversation import LINE_CHARS, SUMMARY_CHARS, removed, turns
from nodes.memory import bounds_for
from nodes.state import Memory, State

logger = logging.getLogger(__name__)
NOTES_CHARS = SUMMARY_CHARS * 2 // 3  # leaves room for the lines that rules add until the next time
PART_CHARS = 2_000
LONG_NUMBER = re.compile(r"[0-9]{5,}")


async def summarise(state: State, *, catalogue: Catalogue, models: Models) -> State | None:
    """The change of a finished turn's state: a new summary, without the turns that it stands for.

    None where rules lose nothing, where there is no model, and where it gives nothing that can be used: then rules fold
    those turns into the summary at the next message, as ever. To be written only onto the checkpoint that `state` was
    read from.
    """
    going = leaving(state, catalogue)
    model = models.serving("summary") if shortened(state, going) else None
    if model is None:
        return None
    source = written(state.get("summary", ""), going)
    rules = catalogue.render("summary", locale=state["turn"]["locale"])
    messages: list[BaseMessage] = [SystemMessage(rules), HumanMessage(source)]
    answer = await model.call(messages, [], must_call=False)
    notes = checked(answer.message.text, source) if answer.message else ""
    logger.debug("summary by %s: %s, %s", answer.model, answer.abstained or f"{len(notes)} characters", answer.usage)
    return {"summary": notes, "messages": removed(going)} if notes else None


def leaving(state: State, catalogue: Catalogue) -> list[list[AnyMessage]]:
    """The turns that a next message would push out; the newest stays, since a reader of the thread looks for it.

    Empty where the newest turn has not been answered.
    """
    messages = state.get("messages", [])
    last = messages[-1] if messages else None
    if not isinstance(last, AIMessage) or last.tool_calls:
        return []
    stay = max(bounds_for(state.get("memory", Memory()), catalogue).rounds - 1, 1)
    return turns(messages)[:-stay]


def shortened(state: State, going: Sequence[Sequence[AnyMessage]]) -> bool:
    """Whether a line of rules for each of these turns would leave something out."""
    messages = [m for turn in going for m in turn]
    room = SUMMARY_CHARS - len(state.get("summary", "")) - sum(len(m.text) + len(" -> ") for m in messages)
    long = any(len(m.text) > LINE_CHARS or isinstance(m, ToolMessage) for m in messages)
    return bool(messages) and (long or room < 0)


def written(summary: str, going: Sequence[Sequence[AnyMessage]]) -> str:
    """What the model reads: the notes so far and the turns, as text, so that nothing in it speaks for itself."""
    said = "\n".join(line for turn in going for message in turn for line in _lines(message))
    return f"Notes so far:\n{summary or '-'}\n\nConversation:\n{said}"


def _lines(message: AnyMessage) -> Iterator[str]:
    text = " ".join(message.text.split())[:PART_CHARS]
    if isinstance(message, HumanMessage):
        yield f"User: {text}"
    elif isinstance(message, ToolMessage):
        yield f"Result of {message.name}: {text}"
    elif text:
        yield f"Desk: {text}"


def checked(text: str, source: str) -> str:
    """The notes, line by line, within their bound; a line with a number that nobody named is a model's invention."""
    known = set(LONG_NUMBER.findall(source))
    notes: list[str] = []
    for line in (" ".join(line.split()) for line in text.splitlines()):
        if line and known.issuperset(LONG_NUMBER.findall(line)) and len("\n".join([*notes, line])) <= NOTES_CHARS:
            notes.append(line)
    return "\n".join(notes)
