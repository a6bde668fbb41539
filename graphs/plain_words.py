"""Whether a whole message is nothing but a yes or a no."""

import re
from collections.abc import Iterable
from typing import Literal

from config.catalogue import Catalogue
from language.normalise import normalise

Given = Literal["approve", "reject"]
LONGEST = 40
BETWEEN = re.compile(r"[^\w\s]+|_+")
SOFT = ("好吧", "行吧", "那", "还是", "先", "就", "well", "oh", "no", "nah")
ASKING = ("?", "吗", "么", "呢", "嘛")


class PlainWords:
    """The lexicon's words for yes and no, ready to be looked up; `particles` say nothing at the end of a clause."""

    def __init__(self, approvals: Iterable[str], rejections: Iterable[str], particles: Iterable[str]) -> None:
        self._yes = {_folded(word) for word in approvals}
        self._no = {_folded(word) for word in rejections}
        self._particles = {_folded(word) for word in particles} - {""}

    @classmethod
    def of(cls, catalogue: Catalogue) -> "PlainWords":
        return cls(catalogue.lexicon.approvals, catalogue.lexicon.rejections, catalogue.grammar.particles)

    def read(self, message: str) -> Given | None:
        """None: the message says something else, or not only that, or asks. Width, case, punctuation, emoji and spaces
        do not count."""
        if len(message) > LONGEST:
            return None
        text = _written(message)
        clauses = [clause for part in BETWEEN.split(text) if (clause := _folded(part))]
        given = {self._clause(clause) for clause in clauses if clause not in self._particles or self._known(clause)}
        if given == {"reject"}:
            return "reject"
        asks = any(text.rstrip(" 。.!").endswith(sign) for sign in ASKING)
        return "approve" if given == {"approve"} and not asks else None

    def _known(self, clause: str) -> Given | None:
        return "reject" if clause in self._no else "approve" if clause in self._yes else None

    def _clause(self, clause: str) -> Given | None:
        while clause:
            if known := self._known(clause):
                return known
            shorter = next((rest for word in self._particles if (rest := _without(clause, word))), "")
            if not shorter and self._sighed(clause):
                return "reject"
            clause = shorter
        return None

    def _sighed(self, clause: str) -> bool:
        """Whether a no follows words that agree to nothing: "好吧取消", but not "确认取消"."""
        while word := next((w for w in SOFT if clause.startswith(w) and clause != w), None):
            clause = clause.removeprefix(word).lstrip()
            if self._known(clause) == "reject":
                return clause != f"不{word}"  # "好不好" asks
        return False


def _written(text: str) -> str:
    """Without apostrophes, which would cut "don't" in two."""
    return re.sub("['\u2019]", "", normalise(text).text).casefold()


def _folded(text: str) -> str:
    """Compatibility form, lower case, one space between Latin words and none between others."""
    spaced = " ".join(BETWEEN.sub(" ", _written(text)).split())
    return re.sub(r"(?<![a-z0-9]) | (?![a-z0-9])", "", spaced)


def _without(clause: str, particle: str) -> str:
    """The clause without a particle at its end; a Latin one must be a word of its own."""
    ending = f" {particle}" if particle.isascii() else particle
    return clause.removesuffix(ending) if clause.endswith(ending) else ""
