"""Plays one run to its end, whatever comes: the graph, its last checkpoints, and the rows of run and thread."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, cast
from uuid import UUID

import psycopg
from langgraph.errors import GraphDrained
from psycopg_pool import PoolClosed
from structlog.contextvars import bound_contextvars

from checkpoints.audit import AuditStore
from checkpoints.database import Connection
from checkpoints.leases import Leases
from checkpoints.run import Closed
from checkpoints.runs import Runs
from checkpoints.saver import TurnSaver
from errors import Conflict, ExpiredInterrupt, InvalidInput, NotFound, StaleThread, Unavailable
from graphs.assistant import Desk
from graphs.ending import Ending, failed, failed_result, finished, refused, written
from graphs.live import Live, Permissions
from graphs.plain_words import PlainWords
from graphs.progress import MODES
from graphs.questions import asked, too_late
from graphs.recovery import beginning, goes_on, where
from graphs.run_events import RunEvents
from graphs.transcript import Facts
from graphs.unfinished import Unfinished
from nodes.state import State
from tools.audit import AuditEntry

logger = logging.getLogger(__name__)
# How often a run is read again and decided anew where somebody else wrote to its thread meanwhile.
TRIES = 3
# How many processes may be lost over one run before it is given up.
MOST_ATTEMPTS = 5
UNWIND_S = 10.0
FOR_TOOLS = 0.9  # of a turn's time; the rest is for what is said of their results
AWAY = (Unavailable, psycopg.OperationalError, PoolClosed)
NO_DATABASE = "the database does not answer; the desk goes on with this request when it is back"
CLOSING = "the desk is shutting down; it goes on with this request when it is back"


class GaveUpError(Exception):
    """Process after process was lost over this run."""


class LostError(Exception):
    """Another process has the run, or it is over."""


@dataclass(frozen=True, kw_only=True)
class Stage:
    """What a turn is played with. `summarise`: what is better said of a thread once a turn is answered, or None.

    `permissions`: the codes that roles have now. `unfinished`: None where nothing has an effect. `audit`: None
    where nothing is recorded.
    """

    graph: Desk
    saver: TurnSaver
    runs: Runs
    leases: Leases
    events: RunEvents
    words: PlainWords
    facts: Facts
    summarise: Callable[[State], Awaitable[State | None]]
    turn_timeout_s: float
    permissions: Permissions
    unfinished: Unfinished | None = None
    audit: AuditStore | None = None


class Conductor:
    """`holds`: whether a run's lease is ours as far as this process knows."""

    def __init__(self, stage: Stage, holds: Callable[[UUID], bool]) -> None:
        self._stage = stage
        self._holds = holds

    async def play(self, live: Live) -> UUID | None:
        """To its end, which is told to its readers. The run that waits for the thread now, if this one is over."""
        with bound_contextvars(thread_id=live.thread_id, run_id=live.run_id):
            async with self._stage.events.playing(live.run_id) as last_event:
                live.count_from(last_event)
                for number in range(TRIES):
                    # A task of its own: whatever ends it is looked at here, and nothing needs to be caught inside.
                    turn = asyncio.create_task(self._turn(live, again=number > 0, is_last=number == TRIES - 1))
                    await asyncio.wait({turn})
                    failure = failure_of(turn)
                    if not isinstance(failure, StaleThread) or live.stopped or not self._holds(live.row.run_id):
                        break
                    logger.info("the thread moved on meanwhile; the run is looked at again")
                if failure is None:
                    ending, closed = turn.result()
                    self._tell(live, ending)
                    return closed.waiting
                return await self._unended(live, failure)

    async def _turn(self, live: Live, *, again: bool, is_last: bool) -> tuple[Ending, Closed]:
        """Raises where the run has no end here: it is another's, the process stops, the database is away."""
        is_new = live.row.first_checkpoint_id is None and live.row.attempt == 1 and not again
        guard = self._stage.leases.guard(live.row.run_id)
        async with self._stage.saver.turn(guard=guard, empty=[live.thread_id] if is_new else ()):
            playing = asyncio.create_task(self._play(live, again=again))
            live.playing(playing)
            await asyncio.wait({playing})
            failure = failure_of(playing)
            if live.stopped == "rollback" and await self._stage.runs.has_effects(live.row.run_id):
                logger.warning("the run has had an effect and is not taken back: it ends where it was stopped")
                live.keep()
            if failure is not None and not self._has_an_end(live, failure, is_last=is_last):
                if not isinstance(failure, GraphDrained | asyncio.CancelledError) or live.stopped != "drain":
                    self._stage.saver.forget()
                raise failure
            ending = finished(live) if failure is None else await self._failed(live, failure)
            return ending, await self._stage.saver.flush(
                lambda connection: self._close(connection, live, ending), closes=True
            )

    async def _play(self, live: Live, *, again: bool) -> None:
        stage, row = self._stage, live.row
        if row.attempt > MOST_ATTEMPTS:
            raise GaveUpError
        begins = await beginning(live, stage.graph, stage.words, again=again or row.attempt > 1)
        if again or row.attempt > 1:
            # After the head, so that what is decided on cannot be older than the row.
            await self._still_ours(live)
        live.turn_id, live.progress = begins.turn_id, begins.progress
        live.context = replace(live.context, dropped=begins.dropped)
        await self._record(begins.passed_over)
        live.accept()
        live.tell("turn", {"attempt": live.begin()})
        if not begins.plays:
            return
        stream = stage.graph.astream(
            begins.given,
            live.config,
            context=replace(live.context, ends_at=ends_at(stage.turn_timeout_s)),
            stream_mode=[*MODES, "messages"] if live.tokens else MODES,
            durability="sync",
            version="v2",
            control=live.control,
        )
        async with asyncio.timeout(stage.turn_timeout_s):
            try:
                async with aclosing(cast("AsyncGenerator[Mapping[str, Any]]", stream)) as parts:
                    async for part in parts:
                        if not self._holds(row.run_id):
                            raise LostError
                        for kind, data in live.progress.take(part):
                            live.tell(kind, data)
            except asyncio.CancelledError as error:
                # LangGraph hands over the task in which it is still writing what was done.
                unwinding = [part for part in error.args if isinstance(part, asyncio.Future)]
                if unwinding:
                    await asyncio.wait(unwinding, timeout=UNWIND_S)
                raise

    async def _still_ours(self, live: Live) -> None:
        try:
            row = await self._stage.runs.get(live.row.run_id, live.row.thread_id, live.row.tenant_id, live.row.user_id)
        except NotFound:  # deleted with its thread
            raise LostError from None
        if row.is_over or row.lease_owner != self._stage.leases.owner:
            raise LostError

    def _has_an_end(self, live: Live, failure: BaseException, *, is_last: bool) -> bool:
        """Whether this failure is what the run came to, to be written as its end."""
        if isinstance(failure, StaleThread):
            return is_last
        if isinstance(failure, asyncio.CancelledError):
            return live.stopped in (None, "interrupt")
        return not isinstance(failure, (*AWAY, LostError, GraphDrained))

    async def _failed(self, live: Live, failure: BaseException) -> Ending:
        stage = self._stage
        head = await stage.graph.aget_state(live.config)
        if isinstance(failure, Conflict | InvalidInput) and not isinstance(failure, StaleThread):
            logger.info("refused: %s", failure)
            if isinstance(failure, ExpiredInterrupt):
                await self._record(too_late(live.context.principal, live.thread_id, head.values, run_id=live.run_id))
            return refused(failure, head)
        if not isinstance(failure, asyncio.CancelledError):
            logger.error("the turn failed", exc_info=failure)
        if not live.progress.values and where(head, live.run_id) != "start":
            # It was stopped before it went on with what a lost process had begun.
            begun = goes_on(live, head, plays=True)
            live.turn_id, live.progress = begun.turn_id, begun.progress
        if not isinstance(failure, StaleThread) and live.progress.is_open and await self._settle(live, failure):
            head = await stage.graph.aget_state(live.config)
        return failed(live, failure, head, stage.unfinished.words(live) if stage.unfinished else ())

    async def _settle(self, live: Live, failure: BaseException) -> bool:
        """Learn what became of calls without an answer, and tell it, to later turns as well; whether there is more."""
        stage = self._stage
        if stage.unfinished is None:
            return False
        await stage.saver.flush()  # with it the ends that the ledger is still to be told
        answers = await stage.unfinished.answers(live)
        for message in answers:
            for kind, data in live.progress.settle(message):
                live.tell(kind, data)
        kept = [message for message in answers if message.artifact["status"] != "not_executed"]
        if not kept or isinstance(failure, GaveUpError):  # a step of the graph may be what cannot be done here
            return False
        await stage.graph.aupdate_state(live.config, {"messages": kept}, as_node="execute")
        return True

    async def _close(self, connection: Connection, live: Live, ending: Ending) -> Closed:
        columns = written(live, ending, self._stage.facts)
        owner = self._stage.leases.owner
        closed = await self._stage.runs.finish(connection, live.row.run_id, owner, turn_id=live.turn_id, **columns)
        if closed is None:
            raise LostError
        if self._stage.audit and ending.result is not None and ending.result["status"] == "interrupted":
            await self._stage.audit.write(connection, asked(live))
        return closed

    async def _record(self, entries: Sequence[AuditEntry]) -> None:
        if self._stage.audit is not None:
            for entry in entries:
                await self._stage.audit.record(entry)

    def _tell(self, live: Live, ending: Ending) -> None:
        if ending.result is None:
            live.fail(ending.refusal or Unavailable())
            return
        result = ending.result
        live.completed = result["status"] == "completed"
        logger.info("turn %s in %.1f ms: %s", result["status"], result["elapsed_ms"], result["intents"])
        live.accept()
        live.tell("result", dict(result))

    async def _unended(self, live: Live, failure: BaseException) -> UUID | None:
        """The run goes on elsewhere or later, or there is nothing left of it."""
        if isinstance(failure, LostError) or live.stopped == "lost":
            logger.warning("another process has this run now")
            live.accept()
        elif live.stopped == "rollback":
            return await self._roll_back(live)
        elif live.stopped == "drain":
            logger.info("the run is left to whoever comes next")
            live.fail(Unavailable(CLOSING))
        else:
            logger.error("the run has no end yet", exc_info=failure)
            live.fail(Unavailable(NO_DATABASE) if isinstance(failure, AWAY) else failure)
        return None

    async def _roll_back(self, live: Live) -> UUID | None:
        closed = await self._stage.runs.rollback(live.row.run_id, self._stage.leases.owner)
        live.accept()
        if closed is None:
            return None
        logger.info("the run was taken back, as was asked")
        live.progress.started.clear()  # or it would not have been: what it began left nothing
        live.tell("result", dict(failed_result(live, asyncio.CancelledError())))
        return closed.waiting


def ends_at(turn_timeout_s: float) -> float:
    """When tools have to be done for the turn to be answered in its own time."""
    return asyncio.get_running_loop().time() + turn_timeout_s * FOR_TOOLS


def failure_of(done: asyncio.Task[Any]) -> BaseException | None:
    return asyncio.CancelledError() if done.cancelled() else done.exception()
