"""Runs turns: each in a task of its own, one at a time on a thread, and to the end though its reader leaves."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast
from uuid import UUID, uuid5
from weakref import WeakValueDictionary

import psycopg
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.utils.uuid import uuid7
from langgraph.types import Command, Interrupt
from psycopg_pool import PoolTimeout
from structlog.contextvars import bound_contextvars

from checkpoints.saver import TurnSaver
from checkpoints.threads import Status, Threads
from errors import FrontdeskError, StaleThread, Unavailable
from graphs.apology import apology
from graphs.assistant import Desk
from graphs.plain import plain, plain_interrupt
from graphs.plain_words import PlainWords
from graphs.progress import MODES, Progress
from graphs.resuming import Resume, answered, answered_in_words
from graphs.run import Run
from graphs.turn_result import TurnResult, TurnStatus, turn_result
from nodes.context import Context
from nodes.reading import locale_of
from nodes.state import Input, Turn

logger = logging.getLogger(__name__)
GRAPH_ID = "frontdesk"
# The id that LangGraph's server gives to the assistant of this graph, so that clients find it under the same one.
ASSISTANT_ID = str(uuid5(UUID("6ba7b821-9dad-11d1-80b4-00c04fd430c8"), GRAPH_ID))
STEPS = 60
AFTER_CANCEL_S = 5.0
LOST = (StaleThread, Unavailable, psycopg.OperationalError, PoolTimeout)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a caller wants of a thread: exactly one of `message` and `resume`. `thread_id`: None opens a new thread."""

    context: Context
    thread_id: UUID | None = None
    message: str | None = None
    resume: Resume | None = None


@dataclass(kw_only=True)
class Begun:
    """A run on its way. `opened`: the thread's row says busy, so that it must be told the end."""

    run: Run
    asked: Asked
    thread_id: UUID
    progress: Progress
    config: RunnableConfig
    started: float
    opened: bool = False


class Runner:
    """`turn_timeout_s`: how long the graph may take for one turn. To be closed, which waits for what is running."""

    def __init__(
        self, graph: Desk, saver: TurnSaver, threads: Threads, words: PlainWords, *, turn_timeout_s: float
    ) -> None:
        self._graph = graph
        self._saver = saver
        self._threads = threads
        self._words = words
        self._turn_timeout_s = turn_timeout_s
        self._locks: WeakValueDictionary[UUID, asyncio.Lock] = WeakValueDictionary()
        self._runs: set[asyncio.Task[None]] = set()
        self._turns: set[asyncio.Task[None]] = set()
        self._closing = False

    async def start(self, asked: Asked) -> Run:
        """Begin a run; it goes on if the caller is cancelled.

        A message to a busy thread waits for its turn. Raises NotFound, InvalidInput, NoInterrupt, StaleInterrupt,
        ExpiredInterrupt, Unavailable, or an error of the database; then there is no run.
        """
        if self._closing:
            raise Unavailable("the desk is shutting down")
        owner = asked.context.principal
        if asked.thread_id is None:
            thread_id = (await self._threads.create(owner.tenant, owner.user, metadata=_labels())).thread_id
        else:
            thread_id = (await self._threads.get(asked.thread_id, owner.tenant, owner.user)).thread_id
        run = Run(str(thread_id), str(uuid7()))
        task = asyncio.create_task(self._conduct(run, asked, thread_id))
        self._runs.add(task)
        task.add_done_callback(lambda done: self._over(run, done))
        await run.accepted()
        return run

    async def close(self, wait_s: float) -> None:
        """Take nothing new, wait for what is running, and cancel what is not done after `wait_s` seconds."""
        self._closing = True
        if self._runs:
            await asyncio.wait(self._runs, timeout=wait_s)
        for turn in self._turns:
            turn.cancel()
        if self._runs:
            await asyncio.wait(self._runs, timeout=AFTER_CANCEL_S)

    async def _conduct(self, run: Run, asked: Asked, thread_id: UUID) -> None:
        lock = self._locks.setdefault(thread_id, asyncio.Lock())
        if lock.locked() and asked.resume is None:
            run.accept()
        async with lock:
            with bound_contextvars(thread_id=run.thread_id, run_id=run.run_id):
                message_id = None if asked.message is None else str(uuid7())
                begun = Begun(
                    run=run,
                    asked=asked,
                    thread_id=thread_id,
                    progress=Progress(message_id),
                    config=_config(run),
                    started=time.perf_counter(),
                )
                # A task of its own: whatever ends it is looked at here, and nothing needs to be caught inside.
                turn = asyncio.create_task(self._turn(begun, message_id))
                self._turns.add(turn)
                turn.add_done_callback(self._turns.discard)
                await asyncio.wait({turn})
                await self._end(begun, _failure(turn))

    async def _turn(self, begun: Begun, message_id: str | None) -> None:
        if self._closing:
            raise Unavailable("the desk is shutting down")
        run, progress = begun.run, begun.progress
        async with self._saver.turn():
            given = await self._given(begun, message_id)
            await self._threads.mark_busy(begun.thread_id, question=begun.asked.message, metadata=_labels())
            begun.opened = True
            run.accept()
            run.tell("turn", {})
            async with asyncio.timeout(self._turn_timeout_s):
                await self._play(begun, given)
            status: Status = "interrupted" if progress.interrupt else "idle"
            # In the same commit as the turn's last checkpoints.
            await self._saver.flush(lambda conn: self._finish_row(begun, status, conn))

    async def _play(self, begun: Begun, given: Input | Command[Any]) -> None:
        context, progress = begun.asked.context, begun.progress
        stream = self._graph.astream(
            given, begun.config, context=context, stream_mode=MODES, durability="sync", version="v2"
        )
        async with aclosing(cast("AsyncGenerator[Mapping[str, Any]]", stream)) as parts:
            async for part in parts:
                for kind, data in progress.take(part):
                    begun.run.tell(kind, data)

    async def _given(self, begun: Begun, message_id: str | None) -> Input | Command[Any]:
        """The graph's input. The thread is read inside the turn, so that nothing can come between this and the run."""
        asked = begun.asked
        now = asked.context.clock or datetime.now(UTC)
        if asked.resume is not None:
            return answered(asked.resume, (await self._waiting(begun.config))[0], now)
        message = asked.message or ""
        if word := self._words.read(message):
            waiting, turn = await self._waiting(begun.config)
            if waiting is not None:
                begun.progress = Progress(None)
                return answered_in_words(word, waiting, now, turn.get("locale") or locale_of(message))
        return {"messages": [HumanMessage(message, id=message_id)]}

    async def _waiting(self, config: RunnableConfig) -> tuple[Interrupt | None, Turn]:
        """The open question of a thread, and the turn that asks it."""
        state = await self._graph.aget_state(config)
        return next(iter(state.interrupts), None), state.values.get("turn", Turn())

    async def _finish_row(self, begun: Begun, status: Status, conn: Any) -> None:
        progress = begun.progress
        interrupts = progress.interrupts if status == "interrupted" else {}
        await self._threads.finish(
            begun.thread_id, status=status, values=plain(progress.values), interrupts=interrupts, conn=conn
        )

    async def _end(self, begun: Begun, error: BaseException | None) -> None:
        if error is None:
            result = _result(begun, "interrupted" if begun.progress.interrupt else "completed")
        elif begun.opened and not isinstance(error, LOST):
            result = await self._failed(begun, error)
        else:
            await self._lose(begun, error)
            return
        logger.info("turn %s in %.1f ms: %s", result["status"], result["elapsed_ms"], result["intents"])
        begun.run.finish(result)

    async def _lose(self, begun: Begun, error: BaseException) -> None:
        """No run, or none that left anything behind."""
        if isinstance(error, FrontdeskError):
            logger.info("refused: %s", error)
        else:
            logger.error("the run was lost", exc_info=error)
        if begun.opened and isinstance(error, StaleThread):
            await self._settle(begun, None)
        begun.run.fail(error)

    async def _failed(self, begun: Begun, error: BaseException) -> TurnResult:
        logger.error("the turn failed", exc_info=error)
        locale = begun.progress.state.get("turn", Turn()).get("locale") or begun.asked.context.locale
        reply = apology(error, locale or locale_of(begun.asked.message or ""))
        reason = {
            "error": type(error).__name__,
            "message": f"the turn failed; the log has more on run {begun.run.run_id}",
        }
        await self._settle(begun, reason)
        return _result(begun, "failed", reply)

    async def _settle(self, begun: Begun, error: Mapping[str, Any] | None) -> None:
        """Bring the thread's row in line with its newest checkpoint, whoever wrote that."""
        state = await self._graph.aget_state(begun.config)
        open_ones = {t.id: [plain_interrupt(i) for i in t.interrupts] for t in state.tasks if t.interrupts}
        status: Status = "error" if error else "interrupted" if open_ones else "idle"
        await self._threads.finish(
            begun.thread_id, status=status, values=plain(state.values), interrupts=open_ones, error=error
        )

    def _over(self, run: Run, done: asyncio.Task[None]) -> None:
        self._runs.discard(done)
        error = _failure(done)
        if error is not None:
            logger.error("run %s on thread %s has no end", run.run_id, run.thread_id, exc_info=error)
        run.fail(error or Unavailable())


def _result(begun: Begun, status: TurnStatus, reply: str | None = None) -> TurnResult:
    progress = begun.progress
    interrupt = progress.interrupt if status == "interrupted" else None
    return turn_result(
        progress.state,
        thread_id=begun.run.thread_id,
        run_id=begun.run.run_id,
        status=status,
        interrupt=interrupt,
        reply=reply,
        unfinished=progress.unfinished(waiting=interrupt is not None),
        elapsed_ms=(time.perf_counter() - begun.started) * 1000,
    )


def _config(run: Run) -> RunnableConfig:
    # Stored in plain text with every checkpoint. The run's id must be new each time: LangGraph takes a call with the id
    # of the newest checkpoint for the same run going on, and ignores its input.
    metadata = {**_labels(), "run_id": run.run_id, "thread_id": run.thread_id}
    return {"configurable": {"thread_id": run.thread_id}, "recursion_limit": STEPS, "metadata": metadata}


def _labels() -> dict[str, str]:
    return {"graph_id": GRAPH_ID, "assistant_id": ASSISTANT_ID}


def _failure(done: asyncio.Task[None]) -> BaseException | None:
    return asyncio.CancelledError() if done.cancelled() else done.exception()
