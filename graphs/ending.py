"""What a run came to, and what of it is written: the run's row and its thread's in one transaction."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langgraph.types import StateSnapshot

from checkpoints.run import EndStatus, cancelled
from checkpoints.threads import Status
from graphs.apology import apology
from graphs.live import Live
from graphs.plain import plain, plain_interrupt
from graphs.recovery import open_questions
from graphs.transcript import Facts, agents_of, transcript
from graphs.turn_result import TurnResult, TurnStatus, turn_result
from nodes.reading import locale_of
from nodes.state import Locale, Turn

Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Ending:
    """`values`, `interrupts`: how the thread stands. `result`: None where the run was refused; `refusal` says why."""

    status: EndStatus
    thread_status: Status
    values: Json
    interrupts: Json
    result: TurnResult | None = None
    refusal: BaseException | None = None
    error: Json | None = None


def finished(live: Live) -> Ending:
    """The graph came to its end, or to a question for a yes."""
    progress = live.progress
    waits = progress.interrupt is not None
    return Ending(
        status="success",
        thread_status="interrupted" if waits else "idle",
        values=plain(progress.values),
        interrupts=progress.interrupts,
        result=result_of(live, "interrupted" if waits else "completed"),
    )


def refused(error: BaseException, head: StateSnapshot) -> Ending:
    """The request did not fit the thread; nothing of it ran."""
    reason = {"error": type(error).__name__, "message": str(error)}
    return replace(_unfinished(head, status="error", error=reason, calm=True), refusal=error)


def failed(live: Live, error: BaseException, head: StateSnapshot, words: Sequence[str] = ()) -> Ending:
    """`head`: where the graph stood when it was stopped. A cancelled run is no error of its thread.

    `words`: what is to be said beside the apology.
    """
    if isinstance(error, asyncio.CancelledError):
        status: EndStatus = "interrupted"
        reason = cancelled("interrupt")
    else:
        status = "timeout" if isinstance(error, TimeoutError) else "error"
        message = f"the turn failed; the log has more on run {live.run_id}"
        reason = {"error": type(error).__name__, "message": message}
    ending = _unfinished(head, status=status, error=reason, calm=status == "interrupted")
    return replace(ending, result=failed_result(live, error, words))


def failed_result(live: Live, error: BaseException, words: Sequence[str] = ()) -> TurnResult:
    return result_of(live, "failed", "\n".join([apology(error, _locale(live)), *words]))


def _unfinished(head: StateSnapshot, *, status: EndStatus, error: Json, calm: bool) -> Ending:
    """`calm`: the thread itself is in order."""
    questions = open_questions(head)
    stands: Status = "interrupted" if questions or (head.tasks and status == "interrupted") else "idle"
    return Ending(
        status=status,
        thread_status=stands if calm else "error",
        values=plain(head.values),
        interrupts={task: [plain_interrupt(one) for one in found] for task, found in questions.items()},
        error=error,
    )


def written(live: Live, ending: Ending, facts: Facts) -> Json:
    """The columns of the run's row and of its thread's."""
    result = ending.result
    columns: Json = {
        "status": ending.status,
        "thread_status": ending.thread_status,
        "values": ending.values,
        "interrupts": ending.interrupts,
        "error": ending.error,
        "thread_error": ending.error if result is not None else None,
    }
    if result is not None:
        told = live.last_event + 1
        columns |= {
            "result": result,
            "transcript": transcript(live, live.progress.state, result, facts, events=told),
            "usage": result["usage"],
            "agents": agents_of(result, facts),
            "model": facts.model(live.context.model),
        }
    return columns


def result_of(live: Live, status: TurnStatus, reply: str | None = None) -> TurnResult:
    progress = live.progress
    interrupt: Mapping[str, Any] | None = progress.interrupt if status == "interrupted" else None
    return turn_result(
        progress.state,
        thread_id=live.thread_id,
        run_id=live.run_id,
        status=status,
        interrupt=interrupt,
        reply=reply,
        unfinished=progress.unfinished(waiting=interrupt is not None),
        elapsed_ms=live.elapsed_ms,
    )


def _locale(live: Live) -> Locale:
    known = live.progress.state.get("turn", Turn()).get("locale") or live.context.locale
    return known or locale_of(live.row.input.get("message") or "")
