"""Background tasks as tools see them: what was accepted, how far it is, and the steps in which it is done."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Any, Literal, Protocol

from psycopg import AsyncConnection

TaskStatus = Literal["queued", "running", "done", "failed", "cancelled"]
OPEN: tuple[TaskStatus, ...] = ("queued", "running")


class Task(Protocol):
    """One piece of work beside the conversation, as it was when it was read.

    `title`: what it is called, and `stage`: what it is at, in the language in which it was asked for. `done` of `total`
    is how far it is, where it can be counted. `resume`: what its last step left for the next one. `attempt`: how often
    it was taken up, and `tries`: how often since it last got on. `result`: `Outcome.record` of its end.
    """

    @property
    def task_id(self) -> int: ...
    @property
    def tenant_id(self) -> str: ...
    @property
    def user_id(self) -> str: ...
    @property
    def roles(self) -> Sequence[str]: ...
    @property
    def agent(self) -> str: ...
    @property
    def thread_id(self) -> str | None: ...
    @property
    def turn_id(self) -> str | None: ...
    @property
    def run_id(self) -> str | None: ...
    @property
    def effect_key(self) -> str: ...
    @property
    def tool(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def arguments(self) -> Mapping[str, Any]: ...
    @property
    def extra(self) -> Mapping[str, Any]: ...
    @property
    def locale(self) -> Literal["zh", "en"]: ...
    @property
    def status(self) -> TaskStatus: ...
    @property
    def stage(self) -> str: ...
    @property
    def done(self) -> int | None: ...
    @property
    def total(self) -> int | None: ...
    @property
    def resume(self) -> Mapping[str, Any]: ...
    @property
    def cancel_requested(self) -> bool: ...
    @property
    def attempt(self) -> int: ...
    @property
    def tries(self) -> int: ...
    @property
    def result(self) -> Mapping[str, Any] | None: ...
    @property
    def created_at(self) -> datetime: ...


class OwnTasks(Protocol):
    """The background tasks of one caller. `number`: as a person says it; somebody else's task is none."""

    async def find(self, number: str) -> Task | None:
        """None: the caller has no such task."""

    async def latest(self, thread_id: str, *, limit: int) -> Sequence[Task]:
        """Those that are open, else the last one: of this thread, or where it has none, of all. The newest first."""

    async def cancel(self, number: str) -> Task | None:
        """Stop it: at once where it still waits, else before its next step; one that is over stays. As it is then."""


class Step(Protocol):
    """One step of a task: what is done on `connection` and what `reached` says come about together, or neither."""

    @property
    def connection(self) -> AsyncConnection[Any]: ...

    def reached(
        self,
        *,
        stage: str | None = None,
        done: int | None = None,
        total: int | None = None,
        resume: Mapping[str, Any] | None = None,
    ) -> None:
        """How far the task is when this step is over; what is left out stays as it is. `resume`: JSON values."""


class Steps(Protocol):
    def step(self) -> AbstractAsyncContextManager[Step]:
        """Begin a step, in a transaction that commits at its end. Raises whatever stops the task, with nothing done."""
