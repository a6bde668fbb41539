"""The time that a recorded answer once took, added to the turn in which it is played back."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(kw_only=True)
class Waited:
    ms: float = 0.0


_turn: ContextVar[Waited | None] = ContextVar("turn", default=None)


@contextmanager
def one_turn() -> Iterator[Waited]:
    """What is played back inside, in this task or in those that it starts, is added to what this yields."""
    waited = Waited()
    token = _turn.set(waited)
    try:
        yield waited
    finally:
        _turn.reset(token)


def add(ms: float) -> None:
    if (waited := _turn.get()) is not None:
        waited.ms += ms
