"""Takes `<think>…</think>` out of what a model says, whole or piece by piece."""

import re

OPEN, CLOSE = "<think>", "</think>"
_BLOCK = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)


def without_thinking(text: str) -> str:
    """An opening without an end hides the rest; an end without an opening, as some templates have, what is before."""
    if CLOSE not in text and OPEN not in text:
        return text
    rest = _BLOCK.sub("", text)
    return rest.rpartition(CLOSE)[2].strip()


class ThinkFilter:
    """The same for a stream: what might be the beginning of a tag is held back until more comes."""

    def __init__(self) -> None:
        self._held = ""
        self._inside = False
        self._began = False

    def feed(self, piece: str) -> str:
        """What can be shown now; spaces before the first word of the answer are dropped."""
        self._held += piece
        shown = ""
        while True:
            tag = CLOSE if self._inside else OPEN
            before, found, after = self._held.partition(tag)
            if not found:
                kept = _overlap(self._held, tag)
                ready, self._held = self._held[: len(self._held) - kept], self._held[len(self._held) - kept :]
                shown += "" if self._inside else ready
                return self._begin(shown)
            shown += "" if self._inside else before
            self._held, self._inside = after, not self._inside

    def end(self) -> str:
        """What was held back and turned out to be no tag."""
        held, self._held = self._held, ""
        return "" if self._inside else self._begin(held)

    def _begin(self, text: str) -> str:
        if not self._began:
            text = text.lstrip()
            self._began = bool(text)
        return text


def _overlap(text: str, tag: str) -> int:
    """How many characters at the end of the text begin the tag."""
    return next((n for n in range(min(len(tag) - 1, len(text)), 0, -1) if text.endswith(tag[:n])), 0)
