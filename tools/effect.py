"""Lets a call with an effect happen once, and to its end though the run that asked for it is cancelled."""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import psycopg
from langgraph.errors import GraphBubbleUp

from errors import Unavailable
from tools.call import Call, Caller, Outcome
from tools.ledger import Ledger, Row, effect_key
from tools.texts import attempted, text
from tools.tool import Status, Tool

logger = logging.getLogger(__name__)

Make = Callable[[asyncio.Event], Awaitable[Outcome]]
Result = TypeVar("Result")


@dataclass(frozen=True, kw_only=True)
class Effect:
    """A sound and permitted call of a tool that changes something. `arguments`: coerced."""

    tool: Tool
    arguments: Mapping[str, Any]
    caller: Caller

    @property
    def key(self) -> str:
        undoes = self.caller.undoes
        return effect_key(self.caller.turn_id, self.tool.name, self.arguments, undoes.id if undoes else "")

    @property
    def business_key(self) -> str | None:
        return business_key(self.tool, self.arguments, self.caller.principal.user)

    @property
    def one_at_a_time(self) -> str:
        """What two calls at once have in common when only one of them may happen."""
        unique = self.business_key
        return f"{self.caller.principal.tenant}:{self.tool.name}:{unique}" if unique else self.key

    async def begin(self, ledger: Ledger) -> Row:
        caller = self.caller
        return await ledger.begin(
            effect_key=self.key,
            business_key=self.business_key,
            tenant=caller.principal.tenant,
            user=caller.principal.user,
            thread_id=caller.thread_id,
            turn_id=caller.turn_id,
            run_id=caller.run_id,
            tool=self.tool.name,
            arguments=self.arguments,
        )

    def outcome(self, status: Status, reason: str, words: str) -> Outcome:
        locale = self.caller.locale
        content = text(words, locale, what=attempted(self.tool, self.arguments, locale))
        return Outcome(status=status, reason=reason, content=content, arguments=dict(self.arguments))


class Effects:
    """`ledger`: None leaves out the record, not the shield."""

    def __init__(self, ledger: Ledger | None) -> None:
        self._ledger = ledger
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def once(self, effect: Effect, make: Make) -> Outcome:
        """What `make` gives, or what it gave before, or that nobody knows.

        `make` is told by its event that the caller is cancelled, so that it does not begin anew what has failed. It
        ends or meets its time limit and is recorded; then the cancellation goes on. Raises StaleThread and Unavailable
        where the row cannot be written before the call, which is not made then.
        """
        lock = self._locks.setdefault(effect.one_at_a_time, asyncio.Lock())

        async def happen(leaving: asyncio.Event) -> Outcome:
            async with lock:  # of two at once in this process the second finds the first one's result
                if leaving.is_set():
                    return effect.outcome("not_executed", "cancelled", "cancelled")
                if self._ledger is None:
                    return await make(leaving)
                return await _through(self._ledger, effect, make, leaving)

        return await to_the_end(happen)


async def to_the_end(work: Callable[[asyncio.Event], Coroutine[Any, Any, Result]]) -> Result:
    """Await `work` though the caller is cancelled meanwhile, even over and over; then be cancelled, with its result
    in the error's `args`."""
    leaving, cancelled = asyncio.Event(), None
    task = asyncio.create_task(work(leaving))
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = error
            leaving.set()
    if cancelled is not None:
        failure = None if task.cancelled() else task.exception()
        if failure is None and not task.cancelled():
            cancelled.args = (*cancelled.args, task.result())
        raise cancelled from failure
    return task.result()


def cut_off(error: asyncio.CancelledError, call: Call) -> Outcome:
    """What a call came to whose caller was cancelled: one with an effect was made to its end (`to_the_end`)."""
    ended = next((part for part in error.args if isinstance(part, Outcome)), None)
    return ended or Outcome(status="failed", reason="cancelled", content="", arguments=dict(call.arguments))


async def _through(ledger: Ledger, effect: Effect, make: Make, leaving: asyncio.Event) -> Outcome:
    row = await effect.begin(ledger)
    if row.state == "recorded":
        return _recorded(row, effect)
    # A task is accepted once for its key, however often it is put in.
    if row.state == "unknown" and not (effect.tool.idempotent or effect.tool.background):
        return _noted(effect.outcome("unknown", "unsettled", "unknown"), row)
    not_made = effect.outcome("not_executed", "cancelled", "cancelled")
    try:
        outcome = not_made if leaving.is_set() else await make(leaving)
    except GraphBubbleUp:  # the tool wants to be run again from its beginning
        await _settle(ledger, row, effect, not_made)
        raise
    await _settle(ledger, row, effect, outcome)
    return _noted(outcome, row) if outcome.status == "unknown" else outcome


async def _settle(ledger: Ledger, row: Row, effect: Effect, outcome: Outcome) -> None:
    """Write down how the call ended; an end that nobody knows leaves the row open, for an operator.

    Where the database is gone the call has ended all the same, so the outcome stands and is told as it is; calling it
    unknown would be untrue. The row stays `started`. The run's own commit fails next, most likely, and nobody reads
    this outcome; whoever takes the run up finds the row, says unknown, and does not repeat the call. The same holds
    where the process dies before the end is committed.
    """
    if outcome.status == "unknown" or (row.state == "unknown" and outcome.status == "not_executed"):
        return
    try:
        await ledger.settle(row.id, "done" if outcome.status in ("done", "accepted") else "failed", outcome.record())
    except (Unavailable, psycopg.Error):
        name, status = effect.tool.name, outcome.status
        logger.exception("tool %s ended as %s, and ledger row %d could not say so", name, status, row.id)


def _noted(outcome: Outcome, row: Row) -> Outcome:
    """With the row that an operator settles: under it the transcript finds what became of the call."""
    return replace(outcome, data={**outcome.data, "ledger_id": row.id})


def _recorded(row: Row, effect: Effect) -> Outcome:
    """A row that an operator settled by hand has no result to show."""
    outcome = Outcome.recorded(row.result) if row.result else effect.outcome("done", "recorded", "settled")
    return outcome if row.own else replace(outcome, reason="done_before")


def business_key(tool: Tool, arguments: Mapping[str, Any], user: str) -> str | None:
    """The tool's key over these arguments; `{user}` is the caller's own id, what is not given is `-`.

    What could be mistaken for the text between two values is escaped in them.
    """
    if tool.business_key is None:
        return None
    given = {"user": user, **{name: value for name, value in arguments.items() if value is not None}}
    names = dict.fromkeys(["user", *tool.arguments.model_fields], "-")
    return tool.business_key.format(**{**names, **{name: _escaped(value) for name, value in given.items()}})


def _escaped(value: object) -> str:
    return re.sub(r"[^\w.-]", lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), str(value))
