"""Readers of a run: how many they are, when they come and when they leave changes nothing."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import pytest

from auth.principal import Principal
from errors import NotFound, StaleThread
from graphs.events import Event, Kind
from graphs.run import Run
from graphs.run_events import InProcessEvents
from graphs.run_watch import Followed


class Told:
    """A run that somebody plays and others read."""

    def __init__(self) -> None:
        self.events = InProcessEvents(kept_s=60)
        self.followed = Followed(run_id=uuid4(), thread_id=uuid4(), owner=Principal())
        self._last = 0

    def tell(self, kind: Kind, data: dict[str, Any] | None = None, cause: BaseException | None = None) -> None:
        self._last += 1
        event = Event(id=self._last, kind=kind, data=data or {}, cause=cause)
        self.events.publish(str(self.followed.run_id), event)

    def run(self, *, over_at: int | None = None) -> Run:
        return Run(self.followed, self.events, self, over_at=over_at)

    @contextmanager
    def following(self, followed: Followed) -> Iterator[None]:
        assert followed == self.followed
        yield


async def everything(run: Run, after: int = 0) -> list[int]:
    return [event.id async for event in run.events(after) if event is not None]


async def test_an_early_a_late_and_a_leaving_reader_do_not_disturb_each_other() -> None:
    told = Told()
    run = told.run()
    early, leaving = asyncio.create_task(everything(run)), asyncio.create_task(everything(run))
    told.tell("turn")
    await asyncio.sleep(0)
    leaving.cancel()
    told.tell("token")
    await asyncio.sleep(0)
    told.tell("result", {"status": "completed"})
    assert await early == [1, 2, 3]
    assert await everything(told.run()) == [1, 2, 3]
    assert await everything(told.run(), after=2) == [3]
    assert (await told.run().result())["status"] == "completed"


async def test_silence_is_told_by_nothing() -> None:
    assert await anext(told_events := Told().run().events(beat_s=0.01)) is None
    assert await anext(told_events) is None


async def test_of_a_run_that_is_over_nothing_follows_its_last_event() -> None:
    told = Told()
    told.tell("turn")
    told.tell("result")
    assert await everything(told.run(over_at=2), after=1) == [2]
    assert await everything(told.run(over_at=2), after=2) == []
    assert await everything(told.run(over_at=2), after=99) == []


async def test_what_kept_a_run_from_a_result_reaches_whoever_waits_for_it() -> None:
    told = Told()
    waiting = asyncio.create_task(told.run().result())
    await asyncio.sleep(0)
    told.tell("error", cause=StaleThread())
    with pytest.raises(StaleThread):
        await waiting
    assert await everything(told.run()) == [1]


async def test_another_attempt_goes_on_after_an_error() -> None:
    told = Told()
    told.tell("turn")
    told.tell("error", cause=NotFound())
    again = asyncio.create_task(everything(told.run(), after=2))
    await asyncio.sleep(0)
    told.tell("turn")
    told.tell("result", {"status": "completed"})
    assert await again == [3, 4]
    assert (await told.run().result())["status"] == "completed"
