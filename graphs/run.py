"""One run as its readers see it, whichever process plays it: what it tells, and what it comes to."""

from collections.abc import AsyncIterator
from contextlib import AbstractContextManager
from typing import Protocol, cast

from errors import FrontdeskError
from graphs.events import Event
from graphs.run_events import RunEvents
from graphs.run_watch import Followed
from graphs.turn_result import TurnResult

BEAT_S = 5.0


class Watching(Protocol):
    def following(self, followed: Followed) -> AbstractContextManager[None]:
        """As long as it is open, the run's end reaches its events."""


class Run:
    """Read by any number of readers; one that leaves changes nothing. `over_at`: its last event, where it is over."""

    def __init__(self, followed: Followed, events: RunEvents, watch: Watching, *, over_at: int | None = None) -> None:
        self.thread_id = str(followed.thread_id)
        self.run_id = str(followed.run_id)
        self._followed = followed
        self._events = events
        self._watch = watch
        self._over_at = over_at

    async def events(self, after: int = 0, *, beat_s: float = BEAT_S) -> AsyncIterator[Event | None]:
        """What follows the event `after` and is still kept, then what comes, until the end; None when nothing came
        for `beat_s`. Without Redis what another process tells is not known, only its result."""
        last = after
        if self._over_at is not None and after >= self._over_at:
            return
        with self._watch.following(self._followed):
            while True:
                found = await self._events.after(self.run_id, last, wait_s=beat_s)
                for event in found:
                    last = event.id
                    yield event
                if not found:
                    yield None
                elif found[-1].is_last:
                    return

    async def result(self) -> TurnResult:
        """Raises what kept the run from a result: that the database went away, that the desk shuts down."""
        with self._watch.following(self._followed):
            end = await self._events.ended(self.run_id)
        if end.kind == "error":
            raise end.cause or FrontdeskError()
        return cast("TurnResult", end.data)
