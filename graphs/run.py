"""One run of a turn as its readers see it: what it told so far, and what it came to."""

import asyncio
from typing import Any

from graphs.events import Event, Kind
from graphs.turn_result import TurnResult


class Run:
    """Written by the task that runs the turn, read by any number of readers; a reader that leaves changes nothing."""

    def __init__(self, thread_id: str, run_id: str) -> None:
        self.thread_id = thread_id
        self.run_id = run_id
        self._events: list[Event] = []
        self._news = asyncio.Event()
        self._accepted = asyncio.Event()
        self._result: TurnResult | None = None
        self._error: BaseException | None = None

    @property
    def over(self) -> bool:
        return self._result is not None or self._error is not None

    def accept(self) -> None:
        """From here on the request that started it cannot be refused any more."""
        self._accepted.set()

    def tell(self, kind: Kind, data: dict[str, Any]) -> None:
        ids = {"thread_id": self.thread_id, "run_id": self.run_id}
        self._events.append(Event(id=len(self._events) + 1, kind=kind, data={**ids, **data}))
        self._wake()

    def finish(self, result: TurnResult) -> None:
        self._result = result
        self.tell("result", dict(result))

    def fail(self, error: BaseException) -> None:
        """No result can be made; the first reason counts."""
        if not self.over:
            self._error = error
            self.accept()
            self._wake()

    async def accepted(self) -> None:
        """Raises what refused the request, if it was refused."""
        await self._accepted.wait()
        if self._error is not None:
            raise self._error

    async def result(self) -> TurnResult:
        """Raises what kept the run from any result: StaleThread, or that the database went away."""
        while self._result is None:
            if self._error is not None:
                raise self._error
            await self._news.wait()
        return self._result

    @property
    def error(self) -> BaseException | None:
        return self._error

    async def after(self, event_id: int, *, wait_s: float) -> list[Event]:
        """The events that follow `event_id`, as soon as there is one; empty if none came in time or the run is over."""
        if event_id >= len(self._events) and not self.over:
            try:
                async with asyncio.timeout(wait_s):
                    await self._news.wait()
            except TimeoutError:
                return []
        return self._events[event_id:]

    def _wake(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()
