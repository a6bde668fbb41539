"""Marks what tools gave back as data, so that a model can tell it from what it is told to do."""

import re
from collections.abc import Sequence

from langchain_core.messages import AnyMessage, ToolMessage

# The prompts of plan and reply name them.
OPENS, CLOSES = "<data>", "</data>"
# What would end the mark from inside, in any spelling that a model might take for it.
FORGED = re.compile(r"[<＜]\s*(/?)\s*data\s*[>＞]", re.IGNORECASE)


def quoted(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """The same messages, each result of a tool between `<data>` and `</data>`; the given ones stay as they are."""
    return [_marked(message) if isinstance(message, ToolMessage) else message for message in messages]


def _marked(message: ToolMessage) -> ToolMessage:
    text = FORGED.sub(r"(\1data)", message.text)
    return message.model_copy(update={"content": f"{OPENS}\n{text}\n{CLOSES}"})
