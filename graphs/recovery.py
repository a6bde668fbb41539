"""How a run begins, or goes on after its process was lost: what the graph is given, judged by where the thread stands.

The thread's head is read first and inside the turn, so that nothing can come between it and the run.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal, cast

from langchain_core.messages import HumanMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.types import INTERRUPT
from langgraph.types import Command, Interrupt, StateSnapshot

from graphs.assistant import Desk
from graphs.live import Live
from graphs.plain_words import PlainWords
from graphs.progress import Progress
from graphs.questions import passed_over
from graphs.resuming import Resume, answered, answered_in_words, expired
from nodes.state import Input, Turn
from tools.audit import AuditEntry

Where = Literal["start", "go on", "settle"]


@dataclass(frozen=True, kw_only=True)
class Beginning:
    """`given`: the graph's input; None lets it go on where it stood. `plays`: False where all of it was done before.

    `dropped`: the questions for a yes that the message passes over; `passed_over`: what the audit is told of them.
    """

    turn_id: str
    progress: Progress
    given: Input | Command[Any] | None = None
    plays: bool = True
    dropped: tuple[str, ...] = ()
    passed_over: tuple[AuditEntry, ...] = ()


async def beginning(live: Live, graph: Desk, words: PlainWords, *, again: bool) -> Beginning:
    """`again`: the run was begun before.

    Raises NoInterrupt, StaleInterrupt, ExpiredInterrupt or InvalidInput for an answer that does not fit.
    """
    message = live.row.input.get("message")
    if not again and message is not None and not live.row.first_writes:
        # Nothing is pending on the thread: no question is open, and nothing need be read.
        return _asked(live, message, None)
    word = words.read(message) if message is not None else None
    state = await graph.aget_state(live.config)
    waiting, turn_id = next(iter(state.interrupts), None), _turn_of(state)
    place = where(state, live.run_id) if again else "start"
    if again and place == "start" and waiting is None and await _answered_before(live, graph):
        place = "go on"
    if place != "start":
        return goes_on(live, state, plays=place == "go on")
    now = live.context.clock or datetime.now(UTC)
    if message is None:
        command = answered(_resume(live), waiting, now)
        return Beginning(given=command, turn_id=turn_id, progress=Progress(None))
    if word and waiting is not None:
        command = answered_in_words(word, waiting, now)
        return Beginning(given=command, turn_id=turn_id, progress=Progress(None))
    begins = _asked(live, message, waiting)
    if waiting is None:
        return begins
    entries = passed_over(live, state.values, expired=expired(waiting, now))
    return replace(begins, passed_over=tuple(entries))


def where(state: StateSnapshot, run_id: str) -> Where:
    """`start`: the thread's newest checkpoint is not of this run. `settle`: it is done, or waits for a yes.

    `next` leaves tasks out whose results are saved but not yet taken into the state.
    """
    if (state.metadata or {}).get("run_id") != run_id:
        return "start"
    return "settle" if state.interrupts or not state.tasks else "go on"


def open_questions(state: StateSnapshot) -> dict[str, tuple[Interrupt, ...]]:
    """Task id to what it waits for."""
    return {task.id: task.interrupts for task in state.tasks if task.interrupts}


async def _answered_before(live: Live, graph: Desk) -> bool:
    """The older run's question has its answer already, and it was this run that gave it."""
    saver = cast("BaseCheckpointSaver[str]", graph.checkpointer)
    head = await saver.aget_tuple(live.config)
    if head is None or head.checkpoint["id"] != live.row.first_checkpoint_id:
        return False
    writes = head.pending_writes or []
    asked = any(channel == INTERRUPT for _, channel, _ in writes)
    return asked and len(writes) > len(live.row.first_writes or [])


def _asked(live: Live, message: str, waiting: Interrupt | None) -> Beginning:
    given: Input = {"messages": [HumanMessage(message, id=live.row.turn_id)]}
    actions = waiting.value["action_requests"] if waiting is not None else ()
    dropped = tuple(str(action.get("description") or action["name"]) for action in actions)
    return Beginning(given=given, turn_id=live.row.turn_id, progress=Progress(live.row.turn_id), dropped=dropped)


def goes_on(live: Live, state: StateSnapshot, *, plays: bool) -> Beginning:
    """A message of ours in the state means a turn of its own; without it this run answers an older turn's question."""
    # The checkpoint of the input itself has the message still to be taken in: the turn that it shows is the one before.
    taken_in = (state.metadata or {}).get("source") != "input"
    own = not taken_in or any(message.id == live.row.turn_id for message in state.values.get("messages", []))
    progress = Progress(live.row.turn_id if own else None)
    progress.begin_with(state, interrupted=not plays)
    return Beginning(turn_id=live.row.turn_id if own else _turn_of(state), progress=progress, plays=plays)


def _resume(live: Live) -> Resume:
    given = live.row.input["resume"]
    return Resume(interrupt_id=given["interrupt_id"], decisions=given["decisions"])


def _turn_of(state: StateSnapshot) -> str:
    turn: Turn = state.values.get("turn", Turn())
    return turn.get("id", "")
