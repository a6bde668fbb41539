"""States and threads in the shapes of LangGraph's own API."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.types import PregelTask, StateSnapshot
from typing_extensions import TypedDict

from checkpoints.threads import Thread
from graphs.plain import plain, plain_interrupt

Json = dict[str, Any]


class ThreadState(TypedDict):
    """The state at one checkpoint. All but the first three are null in a thread without checkpoints."""

    values: Json
    next: list[str]
    tasks: list[Json]
    metadata: Json | None
    created_at: str | None
    checkpoint: Json | None
    parent_checkpoint: Json | None
    interrupts: list[Json]
    checkpoint_id: str | None
    parent_checkpoint_id: str | None


class ThreadRow(TypedDict):
    """A thread. `values`: its newest state. `interrupts`: task id to the questions that it waits with."""

    thread_id: str
    created_at: str
    updated_at: str
    state_updated_at: str
    metadata: Json
    status: str
    config: Json
    values: Json | None
    error: Json | None
    interrupts: Json


def thread_state(snapshot: StateSnapshot) -> ThreadState:
    checkpoint, parent = _checkpoint(snapshot.config), _checkpoint(snapshot.parent_config)
    exists = snapshot.created_at is not None
    return ThreadState(
        values=plain(snapshot.values or {}),
        next=list(snapshot.next),
        tasks=[_task(task) for task in snapshot.tasks],
        metadata={**plain(snapshot.metadata), "thread_id": _thread_id(snapshot.config)} if exists else None,
        created_at=snapshot.created_at,
        checkpoint=checkpoint if exists else None,
        parent_checkpoint=parent,
        interrupts=[plain_interrupt(interrupt) for interrupt in snapshot.interrupts],
        checkpoint_id=checkpoint["checkpoint_id"] if exists and checkpoint else None,
        parent_checkpoint_id=parent["checkpoint_id"] if parent else None,
    )


def thread_row(thread: Thread) -> ThreadRow:
    """The title travels in the metadata, where clients look for such things."""
    return ThreadRow(
        thread_id=str(thread.thread_id),
        created_at=utc(thread.created_at),
        updated_at=utc(thread.updated_at),
        state_updated_at=utc(thread.state_updated_at),
        metadata={**thread.metadata, "title": thread.title},
        status=thread.status,
        config=thread.config,
        values=thread.values,
        error=thread.error,
        interrupts=thread.interrupts,
    )


def utc(moment: datetime) -> str:
    """Always with microseconds: clients compare such times as text."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def _thread_id(config: RunnableConfig) -> str:
    return str(config["configurable"]["thread_id"])


def _checkpoint(config: RunnableConfig | None) -> Json | None:
    if not config:
        return None
    found: Mapping[str, Any] = config.get("configurable", {})
    return {
        "checkpoint_id": found.get("checkpoint_id"),
        "thread_id": found.get("thread_id"),
        "checkpoint_ns": found.get("checkpoint_ns", ""),
    }


def _task(task: PregelTask) -> Json:
    """`state`: of a task that is a graph, where it was asked for; `checkpoint`: where that one is."""
    inner = task.state
    place = inner.config if isinstance(inner, StateSnapshot) else inner
    return {
        "id": task.id,
        "name": task.name,
        "path": plain(task.path),
        "error": None if task.error is None else repr(task.error),
        "interrupts": [plain_interrupt(interrupt) for interrupt in task.interrupts],
        "checkpoint": dict(place["configurable"]) if place else None,
        "state": thread_state(inner) if isinstance(inner, StateSnapshot) else None,
        "result": plain(task.result),
    }
