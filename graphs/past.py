"""The last event of a run that is over, made anew from its row."""

from typing import Any

from checkpoints.run import Run
from errors import Conflict, ExpiredInterrupt, FrontdeskError, InvalidInput, NoInterrupt, StaleInterrupt, Unavailable
from graphs.apology import STOPPED
from graphs.events import Event
from graphs.run_watch import Followed
from graphs.turn_result import TurnResult, turn_result
from nodes.reading import locale_of

REFUSALS: dict[str, type[FrontdeskError]] = {
    kind.__name__: kind for kind in (NoInterrupt, StaleInterrupt, ExpiredInterrupt, InvalidInput, Conflict)
}


def end_of(run: Run) -> Event:
    """A run that never began has no result in its row: it was stopped while it waited."""
    event_id = (run.transcript or {}).get("events", 1)
    error: dict[str, Any] = run.error or {}
    ids = {"thread_id": str(run.thread_id), "run_id": str(run.run_id)}
    if run.result is not None:
        # The database keeps no order of keys; readers of both would be surprised.
        ordered = {name: run.result[name] for name in TurnResult.__annotations__ if name in run.result}
        return Event(id=event_id, kind="result", data=ordered)
    if run.status == "interrupted":
        return _stopped(ids, run.context.get("locale") or locale_of(run.input.get("message") or ""))
    refusal = REFUSALS.get(error.get("error", ""))
    cause = refusal(error.get("message")) if refusal else Unavailable("this run came to no result")
    return Event(id=event_id, kind="error", data=ids, cause=cause)


def end_of_gone(followed: Followed) -> Event:
    """A run whose row is gone was taken back, or its thread deleted."""
    return _stopped({"thread_id": str(followed.thread_id), "run_id": str(followed.run_id)}, "zh")


def _stopped(ids: dict[str, str], locale: Any) -> Event:
    result = turn_result(
        {}, **ids, status="failed", interrupt=None, reply=STOPPED[locale], unfinished={}, elapsed_ms=0.0
    )
    return Event(id=1, kind="result", data=dict(result))
