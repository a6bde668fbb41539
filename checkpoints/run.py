"""What is stored of one run, and what its submission and its lease came to."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Self
from uuid import UUID

from checkpoints.transcripts import whole

# LangGraph's: a run that stops at a question is `success`, its thread `interrupted`; a cancelled run is `interrupted`.
RunStatus = Literal["pending", "running", "success", "error", "timeout", "interrupted"]
EndStatus = Literal["success", "error", "timeout", "interrupted"]
Strategy = Literal["enqueue", "reject", "interrupt", "rollback"]
CancelAction = Literal["interrupt", "rollback"]
Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Run:
    """One row, as it was when it was read.

    `turn_id`: the id of the message that the turn answers; a resume carries the one of the turn that it goes on with.
    `input`: {"message", "message_id"} or {"resume": {"interrupt_id", "decisions"}}; empty where it was pruned.
    `attempt`: how often it was begun, 0 while it waits. `first_checkpoint_id`: the thread's newest checkpoint when it
    first began, None for an empty thread. `first_writes`: [task id, index] of what was pending there. `transcript`:
    what audit and replay read of it. `agents`: name to the hash of its definition.
    """

    run_id: UUID
    thread_id: UUID
    tenant_id: str
    user_id: str
    turn_id: str
    status: RunStatus
    input: Json
    context: Json
    multitask_strategy: Strategy
    idempotency_key: str | None
    metadata: Json
    kwargs: Json
    cancel_action: CancelAction | None
    attempt: int
    lease_owner: str | None
    lease_until: datetime | None
    first_checkpoint_id: str | None
    first_writes: list[list[Any]] | None
    result: Json | None
    transcript: Json | None
    error: Json | None
    usage: Json | None
    agents: Json | None
    model: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    updated_at: datetime

    @classmethod
    def read(cls, row: Mapping[str, Any]) -> Self:
        """From the table, with its transcript as it was before it was shortened."""
        transcript = row["transcript"]
        return cls(**{**row, "transcript": None if transcript is None else whole(transcript, row["result"])})

    @property
    def is_over(self) -> bool:
        return self.status not in ("pending", "running")


@dataclass(frozen=True, kw_only=True)
class Submitted:
    """`created`: False where the idempotency key has its run already. `dropped`: runs that waited and will not run now.

    `cancelling`: the running one that was told to make room, to be signalled to whoever runs it.
    """

    run: Run
    created: bool
    dropped: tuple[UUID, ...] = ()
    cancelling: UUID | None = None


@dataclass(frozen=True, kw_only=True)
class Renewed:
    """`lost`: runs that are not the process's any more. `cancel`: runs to be stopped, and what becomes of them."""

    lost: frozenset[UUID] = frozenset()
    cancel: dict[UUID, CancelAction] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Closed:
    """A run was ended. `waiting`: the oldest run that waits for the thread, to be claimed by whoever ended this one."""

    waiting: UUID | None


def cancelled(action: CancelAction) -> Json:
    """The error of a run that was stopped on request, in LangGraph's words."""
    name = {"interrupt": "UserInterrupt", "rollback": "UserRollback"}[action]
    return {"error": name, "message": f"{action} requested"}
