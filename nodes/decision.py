"""The one shape of a decision, how sure each source is, and the whitelist that every level asks."""

from collections.abc import Collection, Iterable

from nodes.state import Decision, Level, Source

CONFIDENCE: dict[Source, float] = {
    "keyword": 0.9, "chitchat": 0.95, "pending": 0.9, "inherited": 0.9, "model": 0.85, "fallback": 0.85, "none": 0.0,
}  # fmt: skip
KEYWORD_ROUTE, SEVERAL_INTENTS = 0.95, 0.75


def decide(
    level: Level, value: str | list[str], source: Source, reason: str, confidence: float | None = None
) -> Decision:
    """`confidence`: None means what the source stands for; it is shown, and nothing is ever decided by it."""
    sure = CONFIDENCE.get(source, 0.0) if confidence is None else confidence
    return Decision(level=level, value=value, source=source, confidence=sure, reason=reason)


def worded(decisions: Iterable[Decision], prompts: str) -> list[Decision]:
    """The decisions of a model, each with the prompts that it went by."""
    return [Decision(**{**decision, "prompts": prompts}) for decision in decisions]


def reported(confidence: object) -> float:
    """A model's own number where it is one between 0 and 1, else what a model stands for."""
    usable = isinstance(confidence, int | float) and not isinstance(confidence, bool) and 0 <= confidence <= 1
    return float(confidence) if usable else CONFIDENCE["model"]  # type: ignore[arg-type]  # narrowed by `usable`


def whitelisted(names: Iterable[object], allowed: Collection[str]) -> tuple[list[str], list[str]]:
    """The names that the catalogue knows, in order and once each, and those that it does not (as text)."""
    known: list[str] = []
    strange: list[str] = []
    for name in names:
        if isinstance(name, str) and name in allowed:
            if name not in known:
                known.append(name)
        else:
            strange.append(str(name)[:80])
    return known, strange
