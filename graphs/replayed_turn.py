"""Plays one recorded turn once more: nothing is called, nobody is asked, and it is as late as it was then."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Collection, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, cast
from uuid import UUID

from langchain_core.messages import HumanMessage
from langchain_core.messages.tool import ToolCall
from langchain_core.utils.uuid import uuid7
from langgraph.types import StateSnapshot
from structlog.contextvars import bound_contextvars

from checkpoints.replays import STILL_THERE, ReplayRows
from checkpoints.run import Run as Row
from checkpoints.saver import TurnSaver
from checkpoints.turn_buffer import Guard
from errors import FrontdeskError
from graphs.assistant import Desk
from graphs.conductor import AWAY, failure_of
from graphs.ending import failed, finished, written
from graphs.live import Live, Permissions
from graphs.progress import MODES, Progress
from graphs.recorded import RecordedTurn, recording
from graphs.run_events import InProcessEvents
from graphs.transcript import Facts
from nodes.confirm import request
from nodes.context import Context
from nodes.conversation import planned_calls
from nodes.state import Input, State, Turn
from tools.ledger import canonical
from tools.registry import Registry

logger = logging.getLogger(__name__)
ASKS = "confirm"  # the node before which a turn waits for what a person answered


@dataclass(frozen=True, kw_only=True)
class Ground:
    """What turns are replayed with: a graph over the agents as they are, or as they are defined otherwise.

    `permissions`: the codes that the roles of then have now. `model`: the one that is asked in place of the recorded
    ones; None: each turn's own. `agent`: the one that is defined otherwise, if any.
    """

    graph: Desk
    saver: TurnSaver
    rows: ReplayRows
    registry: Registry
    facts: Facts
    turn_timeout_s: float
    permissions: Permissions
    model: str | None = None
    agent: str | None = None


async def replay_turn(
    turn: RecordedTurn, thread_id: UUID, ground: Ground, *, before: StateSnapshot | None, at: StateSnapshot | None
) -> Row:
    """The finished run of a replay's thread, stored with its transcript and the thread's new state.

    `before`: how things stood before the turn; None: there was nothing yet. `at`: where the thread stands in the middle
    of the turn; None: before it. A turn that fails has failed as a live one would. Raises what keeps anything from
    being stored, and then nothing is.
    """
    live = Live(_row(turn, thread_id, ground), InProcessEvents(kept_s=0), ground.permissions)
    live.progress = Progress(turn.turn_id)
    live.context = replace(live.context, dropped=passed_over(before, ground.registry))
    guard = Guard(sql=STILL_THERE, values={"thread_id": thread_id})
    with bound_contextvars(thread_id=live.thread_id, run_id=live.run_id):
        async with ground.saver.turn(guard=guard):
            failure = await _ended(asyncio.create_task(_played(turn, live, ground, at)))
            if isinstance(failure, (FrontdeskError, asyncio.CancelledError, *AWAY)):
                ground.saver.forget()
                raise failure
            if failure is None:
                ending = finished(live)
            else:
                logger.error("the replayed turn failed", exc_info=failure)
                ending = failed(live, failure, await ground.graph.aget_state(live.config))
            columns = written(live, ending, ground.facts)
            kept = {
                name: columns[name] for name in ("status", "error", "result", "transcript", "usage", "agents", "model")
            }
            row = replace(live.row, **kept, context={**live.row.context, "recorded": {}})
            await ground.saver.flush(lambda connection: ground.rows.record(connection, row, ending.values))
            return row


async def _ended(playing: asyncio.Task[None]) -> BaseException | None:
    """What ended it; it is not left behind where the replay itself is cancelled."""
    try:
        await asyncio.wait({playing})
    finally:
        if playing.cancel():
            await asyncio.wait({playing})
    return failure_of(playing)


async def _played(turn: RecordedTurn, live: Live, ground: Ground, at: StateSnapshot | None) -> None:
    """In the context of the message until a person would be asked, in that of the answer from there on."""
    progress, answers = live.progress, live.context.recorded.get("decisions", {})
    first = _run_of(turn, at)
    contexts = [_replaying(context, live, ground) for context in turn.contexts(ground.permissions)[first:]]
    if first == 0:
        contexts[0] = replace(contexts[0], dropped=live.context.dropped)
    given: Input | None = None
    if at is None:
        given = {"messages": [HumanMessage(turn.message, id=turn.turn_id)]}
    else:
        progress.begin_with(at, interrupted=False)
    waits = at is not None and ASKS in at.next
    for number, context in enumerate(contexts):
        if not waits:
            await _segment(live, context, ground, given)
        asked = unanswered(progress.values)
        if not asked:
            return
        is_last = number + 1 == len(contexts)
        if is_last or not any(canonical(call["name"], call["args"]) in answers for call in asked):
            progress.interrupt = _question(asked, progress.values, ground.registry)
            return
        given, waits = None, False


async def _segment(live: Live, context: Context, ground: Ground, given: Input | None) -> None:
    """Up to the end of the turn, or to where a person would be asked."""
    stream = ground.graph.astream(
        given,
        live.config,
        context=context,
        stream_mode=MODES,
        durability="sync",
        version="v2",
        interrupt_before=[ASKS],
    )
    async with (
        asyncio.timeout(ground.turn_timeout_s),
        aclosing(cast("AsyncGenerator[Mapping[str, Any]]", stream)) as parts,
    ):
        async for part in parts:
            for _ in live.progress.take(part):
                pass


def unanswered(state: State) -> list[ToolCall]:
    """The planned calls that wait for a yes."""
    messages, planned = state.get("messages", []), state.get("turn", Turn()).get("planned", {})
    calls = planned_calls(messages) if messages else []
    return [call for call in calls if (known := planned.get(str(call["id"]))) and known["confirm"]]


def passed_over(before: StateSnapshot | None, registry: Registry) -> tuple[str, ...]:
    """What waited for a yes when something else was said, in the words of its question."""
    if before is None or ASKS not in before.next:
        return ()
    state = cast("State", before.values)
    asked = request(unanswered(state), registry, state["turn"]["locale"])
    return tuple(str(action["description"]) for action in asked["action_requests"])


def _question(asked: Collection[ToolCall], state: State, registry: Registry) -> dict[str, Any]:
    """What a person would be asked. It has no id, so nobody can answer it."""
    return {"id": "", "value": {**request(list(asked), registry, state["turn"]["locale"]), "expires_at": None}}


def _run_of(turn: RecordedTurn, at: StateSnapshot | None) -> int:
    """Which of the turn's runs came to that state."""
    run_id = (at.metadata or {}).get("run_id") if at else None
    return next((number for number, run in enumerate(turn.runs) if str(run.run_id) == run_id), 0)


def _replaying(context: Context, live: Live, ground: Ground) -> Context:
    return replace(
        context,
        run_id=live.run_id,
        model=ground.model or context.model,
        mode="replay",
        recorded=live.context.recorded,
    )


def _row(turn: RecordedTurn, thread_id: UUID, ground: Ground) -> Row:
    first, now = turn.runs[0], datetime.now(UTC)
    changes = {"mode": "replay", "recorded": recording(turn, ground.registry)}
    if ground.model is not None:
        changes["model"] = ground.model
    return replace(
        first,
        run_id=uuid7(),
        thread_id=thread_id,
        turn_id=turn.turn_id,
        status="running",
        input={"message": turn.message, "message_id": turn.turn_id},
        context={**first.context, **changes},
        multitask_strategy="enqueue",
        idempotency_key=None,
        metadata={"replay_of": str(first.run_id)},
        kwargs={},
        cancel_action=None,
        attempt=1,
        lease_owner=None,
        lease_until=None,
        first_checkpoint_id=None,
        first_writes=None,
        created_at=now,
        started_at=now,
        finished_at=None,
        updated_at=now,
    )
