"""Stops asking a model that keeps failing, so that a dead one costs nothing."""

import logging
from collections.abc import Callable
from typing import Literal

logger = logging.getLogger(__name__)


class Breaker:
    """One per endpoint and model. `clock`: seconds of a monotonic clock.

    Every `admit()` that says yes is followed by exactly one of `succeeded()`, `failed()` and `released()`; the last
    says nothing of the endpoint (the call was cancelled, or the request itself was refused).
    """

    def __init__(self, name: str, *, failures: int, open_s: float, clock: Callable[[], float]) -> None:
        self._name, self._limit, self._open_s, self._clock = name, failures, open_s, clock
        self._in_a_row = 0
        self._opened_at: float | None = None
        self._probing = False

    @property
    def state(self) -> Literal["closed", "open", "half_open"]:
        """`half_open`: the time is up, and the next call, or one that is under way, finds out."""
        if self._opened_at is None:
            return "closed"
        return "half_open" if self._clock() - self._opened_at >= self._open_s else "open"

    def admit(self) -> bool:
        """Whether a request may be sent now; after the open time one call at a time may."""
        if self.state == "closed":
            return True
        if self.state == "open" or self._probing:
            return False
        self._probing = True
        return True

    def succeeded(self) -> None:
        if self._opened_at is not None:
            logger.info("model %s answers again", self._name)
        self._in_a_row, self._opened_at, self._probing = 0, None, False

    def failed(self) -> None:
        self._in_a_row += 1
        self._probing = False
        if self._opened_at is not None or self._in_a_row >= self._limit:
            self._opened_at = self._clock()
            logger.warning(
                "model %s failed %d times in a row: not asked for %g s", self._name, self._in_a_row, self._open_s
            )

    def released(self) -> None:
        self._probing = False
