"""A run that this process plays, from its claim to its end."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Literal, cast
from uuid import UUID, uuid5

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import RunControl

from auth.principal import Principal
from checkpoints.run import Run as Row
from graphs.events import Event, Kind
from graphs.progress import Progress
from graphs.run_events import RunEvents
from nodes.context import Context

Permissions = Callable[[Sequence[str]], frozenset[str]]
# interrupt, rollback: on request. lost: another process has the run. drain: this process shuts down.
Stop = Literal["interrupt", "rollback", "lost", "drain"]
STEPS = 60
NOTICEABLE_S = 1.0
# What an attempt told may be lost with its process: the next one counts from where no reader can have come.
PER_ATTEMPT = 100_000
GRAPH_ID = "frontdesk"
# The id that LangGraph's server gives to the assistant of this graph, so that clients find it under the same one.
ASSISTANT_ID = str(uuid5(UUID("6ba7b821-9dad-11d1-80b4-00c04fd430c8"), GRAPH_ID))
LABELS = {"graph_id": GRAPH_ID, "assistant_id": ASSISTANT_ID}


class Live:
    """`row`: as it was claimed. `permissions`: the codes of roles.

    `last_event`: the id of the last event that was told, in whatever attempt.
    """

    def __init__(self, row: Row, events: RunEvents, permissions: Permissions) -> None:
        self.row = row
        self.run_id, self.thread_id = str(row.run_id), str(row.thread_id)
        self.context = context_of(row, permissions)
        self.turn_id = row.turn_id
        self.tokens = bool(row.context.get("tokens"))
        self.progress = Progress(None)
        self.control = RunControl()
        self.accepted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.last_event = 0
        self.completed = False
        self.stopped: Stop | None = None
        self._attempt = row.attempt - 1
        self._events = events
        self._playing: asyncio.Task[None] | None = None
        self._started = time.perf_counter()

    @property
    def config(self) -> RunnableConfig:
        # Stored in plain text with every checkpoint. The run's id must be new each time: LangGraph takes a call with
        # the id of the newest checkpoint for the same run going on, and ignores its input.
        metadata = {**LABELS, "run_id": self.run_id, "thread_id": self.thread_id}
        return {"configurable": {"thread_id": self.thread_id}, "recursion_limit": STEPS, "metadata": metadata}

    @property
    def elapsed_ms(self) -> float:
        return (time.perf_counter() - self._started) * 1000

    def accept(self) -> None:
        """From here on the request that started it cannot be refused any more."""
        if not self.accepted.done():
            self.accepted.set_result(None)

    def count_from(self, last_event: int) -> None:
        """`last_event`: the last one that is known to have been told."""
        self.last_event = max(last_event, (self.row.attempt - 1) * PER_ATTEMPT)

    def begin(self) -> int:
        """The number of this attempt, from 1."""
        self._attempt += 1
        return self._attempt

    def tell(self, kind: Kind, data: dict[str, Any], *, cause: BaseException | None = None) -> None:
        self.last_event += 1
        ids = {"thread_id": self.thread_id, "run_id": self.run_id}
        self._events.publish(self.run_id, Event(id=self.last_event, kind=kind, data={**ids, **data}, cause=cause))

    def fail(self, cause: BaseException) -> None:
        """Tell the readers of this process that no result comes from here."""
        if not self.accepted.done():
            self.accepted.set_exception(cause)
            self.accepted.exception()  # looked at: whoever waits for it may have gone
        self.tell("error", {}, cause=cause)

    def drain(self) -> None:
        """Stop at the next step of the graph."""
        self.stopped = self.stopped or "drain"
        self.control.request_drain()

    def keep(self) -> None:
        """What the run did cannot be taken back: its stop keeps it instead."""
        self.stopped = "interrupt"

    def stop(self, why: Stop) -> None:
        """As soon as a call with an effect that is on its way has come to its end. The first reason counts, but a lost
        run is lost whatever was wanted of it."""
        if self.stopped is None or why == "lost":
            self.stopped = why
        if self._playing is not None:
            self._playing.cancel()

    def playing(self, task: asyncio.Task[None]) -> None:
        self._playing = task
        if self.stopped is not None:
            task.cancel()


def stored(context: Context, now: datetime, *, tokens: bool = False) -> dict[str, Any]:
    """What a run keeps of its context, so that any process can play it; its clock stands at `now`."""
    return {
        "agent": context.agent,
        "model": context.model,
        "locale": context.locale,
        "extra": context.extra,
        "roles": list(context.principal.roles),
        "clock": now.isoformat(),
        "pinned": context.clock is not None,
        "time_zone": context.time_zone,
        "mode": context.mode,
        "recorded": context.recorded,
        "tokens": tokens,
    }


def context_of(row: Row, permissions: Permissions) -> Context:
    """`permissions`: of roles, as they are now: what was given or taken meanwhile counts."""
    kept = row.context
    roles = tuple(kept.get("roles", ()))
    principal = Principal(tenant=row.tenant_id, user=row.user_id, roles=roles, permissions=permissions(roles))
    known = {name: kept[name] for name in ("agent", "model", "locale", "extra", "time_zone", "mode") if name in kept}
    clock = datetime.fromisoformat(kept["clock"]) if kept.get("clock") else None
    waited_s = (datetime.now(UTC) - clock).total_seconds() if clock and not kept.get("pinned") else 0.0
    return replace(
        Context(principal=principal, run_id=str(row.run_id), **cast("dict[str, Any]", known)),
        clock=clock,
        waited_s=waited_s if waited_s >= NOTICEABLE_S and kept.get("mode") != "replay" else 0.0,
        recorded=kept.get("recorded") or {},
    )
