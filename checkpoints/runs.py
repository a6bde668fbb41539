"""Runs: what was asked of a thread, from its submission to its end."""

from collections.abc import Callable, Collection, Mapping
from itertools import groupby
from typing import Any
from uuid import UUID

from langchain_core.utils.uuid import uuid7

from checkpoints import run_statements as sql
from checkpoints.database import Connection, Pool
from checkpoints.jsonb import lenient
from checkpoints.leases import Leases
from checkpoints.rollback import roll_back
from checkpoints.run import CancelAction, Closed, EndStatus, Json, Run, RunStatus, Strategy, Submitted, cancelled
from checkpoints.threads import Status, Thread, title_of
from checkpoints.transcripts import shortened
from errors import Conflict, NotFound, ThreadBusy


class _Repeated(Exception):
    """The idempotency key has its run: what this transaction did is to be undone."""


class Runs:
    """The table of runs. Where a method takes tenant and user, what is somebody else's is not found."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def submit(
        self,
        *,
        thread_id: UUID | None,
        tenant: str,
        user: str,
        turn_id: str,
        input: Mapping[str, Any],
        context: Mapping[str, Any],
        run_id: UUID | None = None,
        strategy: Strategy = "enqueue",
        idempotency_key: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
        question: str | None = None,
        labels: Mapping[str, Any] | None = None,
        start: Leases | None = None,
        check: Callable[[Thread], None] | None = None,
    ) -> Submitted:
        """Store what is asked, in one commit, before anything of it runs; a new thread where `thread_id` is None.

        `question` becomes the thread's title if it has none, `labels` are laid over the thread's metadata. `start`:
        with nothing in flight on the thread the run is running at once, under a lease of theirs. `check` may refuse,
        by raising, when it sees the thread, without its values; a run that waits its turn is not shown to it. An
        idempotency key that is known gives its run back, whatever else is asked. Raises NotFound for the thread,
        ThreadBusy where the strategy is `reject` and something is in flight.
        """
        row = {
            "run_id": run_id or uuid7(),
            "thread_id": thread_id or uuid7(),
            "tenant": tenant,
            "user": user,
            "turn_id": turn_id,
            "input": lenient(dict(input)),
            "context": lenient(dict(context)),
            "strategy": strategy,
            "idempotency_key": idempotency_key,
            "metadata": lenient(dict(metadata or {})),
            "kwargs": lenient(dict(kwargs or {})),
            "title": title_of(question or "") or None,
            "labels": lenient(dict(labels or {})),
        }
        if thread_id is None and idempotency_key is None:
            return await self._open(row, start)
        while True:
            try:
                async with self._pool.connection() as connection, connection.pipeline(), connection.transaction():
                    if thread_id is None:
                        await connection.execute(sql.OPEN_THREAD, row)
                        return await _insert(connection, row, start)
                    return await _enter(connection, row, start, check)
            except _Repeated:
                # Gone again where the first one was rolled back meanwhile: then this one is the first.
                if found := await self.find(tenant, user, str(idempotency_key)):
                    return Submitted(run=found, created=False)

    async def _open(self, row: Json, start: Leases | None) -> Submitted:
        """In one statement: nothing can be in its way."""
        statement = sql.OPEN_RUNNING if start else sql.OPEN_PENDING
        async with self._pool.connection() as connection:
            made = await (await connection.execute(statement, {**row, **_lease(start)})).fetchone()
        if made is None:
            raise RuntimeError("a run without a key was not inserted")
        return Submitted(run=Run(**made), created=True)

    async def finish(
        self,
        connection: Connection,
        run_id: UUID,
        owner: str,
        *,
        status: EndStatus,
        thread_status: Status,
        values: Mapping[str, Any] | None = None,
        interrupts: Mapping[str, Any] | None = None,
        result: Mapping[str, Any] | None = None,
        transcript: Mapping[str, Any] | None = None,
        error: Mapping[str, Any] | None = None,
        thread_error: Mapping[str, Any] | None = None,
        usage: Mapping[str, Any] | None = None,
        agents: Mapping[str, Any] | None = None,
        model: str | None = None,
        turn_id: str | None = None,
    ) -> Closed | None:
        """End run and thread in the caller's transaction, that of the last checkpoints; None: not `owner`'s any more.

        `values` and `interrupts`: the thread's latest; None leaves those of before. A thread on which more runs wait
        stays busy. `turn_id`: where it turned out only while it ran whose turn goes on.
        """
        objects = {
            "values": values,
            "interrupts": interrupts,
            "result": result,
            "transcript": shortened(transcript, result) if transcript and result else transcript,
            "error": error,
            "thread_error": thread_error,
            "usage": usage,
            "agents": agents,
        }
        row: Json = {name: None if value is None else lenient(dict(value)) for name, value in objects.items()}
        row |= {"run_id": run_id, "owner": owner, "status": status, "thread_status": thread_status}
        row |= {"model": model, "turn_id": turn_id}
        await connection.execute(sql.LOCK_THREAD_OF_RUN, row)
        ended = await (await connection.execute(sql.END, row)).fetchone()
        return Closed(waiting=ended["run_id"]) if ended else None

    async def has_effects(self, run_id: UUID) -> bool:
        """Whether the run began a call with an effect that did not fail: such a run cannot be taken back."""
        async with self._pool.connection() as connection:
            found = await (await connection.execute(sql.HAS_EFFECTS, {"run_id": run_id})).fetchone()
        return found is not None

    async def rollback(self, run_id: UUID, owner: str) -> Closed | None:
        """Take back a run, once its turn is over, with all that it left; None where it is not `owner`'s any more."""
        async with self._pool.connection() as connection, connection.transaction():
            return await roll_back(connection, run_id, owner)

    async def cancel(self, run_id: UUID, thread_id: UUID | None, tenant: str, user: str, action: CancelAction) -> Run:
        """One that waits is settled here, or with `rollback` deleted; one that runs is told to whoever runs it.

        Raises NotFound, and Conflict where it is over.
        """
        await self.get(run_id, thread_id, tenant, user)
        return await self.cancel_any(run_id, action)

    async def cancel_any(self, run_id: UUID, action: CancelAction) -> Run:
        """As `cancel`, whosever it is: for operators."""
        row = {"run_id": run_id, "action": action, "error": lenient(cancelled(action))}
        async with self._pool.connection() as connection, connection.transaction():
            thread = await (await connection.execute(sql.LOCK_THREAD_OF_RUN, row)).fetchone()
            if thread is None:
                raise NotFound(f"Run with ID {run_id} not found")
            # In this order: one that is claimed in between is running then.
            dropped = await (await connection.execute(sql.DROP_RUN, row)).fetchone()
            if dropped is None:
                told = await (await connection.execute(sql.CANCEL_RUN, row)).fetchone()
                if told is None:
                    raise Conflict("No runs found to cancel.")
                return Run(**told)
            if action == "rollback":
                await connection.execute(sql.DELETE_RUN, row)
            await connection.execute(sql.CALM_THREAD, {"thread_id": thread["thread_id"], "error": None})
            return Run(**dropped)

    async def get(self, run_id: UUID, thread_id: UUID | None, tenant: str, user: str) -> Run:
        """Raises NotFound, also for a run of another thread than `thread_id`; None: whichever it is of."""
        row = {"run_id": run_id, "thread_id": thread_id, "tenant": tenant, "user": user}
        found = await self._rows(sql.GET, row)
        if not found:
            raise NotFound(f"Run with ID {run_id} not found")
        return found[0]

    async def find(self, tenant: str, user: str, idempotency_key: str) -> Run | None:
        """The run that this caller's key belongs to."""
        found = await self._rows(sql.BY_KEY, {"tenant": tenant, "user": user, "idempotency_key": idempotency_key})
        return found[0] if found else None

    async def statuses(self, run_ids: Collection[UUID]) -> dict[UUID, RunStatus]:
        """Where these runs are, whosever they are; one that was deleted is left out."""
        async with self._pool.connection() as connection:
            rows = await (await connection.execute(sql.STATUSES, (list(run_ids),))).fetchall()
        return {row["run_id"]: row["status"] for row in rows}

    async def of_thread(
        self,
        thread_id: UUID,
        tenant: str,
        user: str,
        *,
        status: RunStatus | None = None,
        limit: int = 10,
        offset: int = 0,
    ) -> list[Run]:
        """Newest first; none for a thread of somebody else."""
        row = {"thread_id": thread_id, "tenant": tenant, "user": user}
        return await self._rows(sql.OF_THREAD, {**row, "status": status, "limit": limit, "offset": offset})

    async def turns_of(
        self,
        thread_id: UUID,
        tenant: str,
        user: str,
        *,
        limit: int = 100,
        offset: int = 0,
        newest_first: bool = False,
    ) -> list[tuple[Run, ...]]:
        """The transcript: for each turn its runs, the message first and then its resumes."""
        statement = sql.NEWEST_TURNS if newest_first else sql.TURNS
        row = {"thread_id": thread_id, "tenant": tenant, "user": user, "limit": limit, "offset": offset}
        runs = await self._rows(statement, row)
        return [tuple(of_turn) for _, of_turn in groupby(runs, key=lambda run: run.turn_id)]

    async def stuck(self, older_than_s: float, *, limit: int = 100) -> list[Run]:
        """Runs of anybody that wait or run for longer than that, the oldest first: for operators."""
        return await self._rows(sql.STUCK, {"older_than_s": older_than_s, "limit": limit})

    async def _rows(self, statement: str, values: Json) -> list[Run]:
        async with self._pool.connection() as connection:
            rows = await (await connection.execute(statement, values)).fetchall()
        return [Run.read(row) for row in rows]


async def _enter(
    connection: Connection, row: Json, start: Leases | None, check: Callable[[Thread], None] | None
) -> Submitted:
    """Into a thread that there is: behind what is in flight there, or in its place."""
    locked = await connection.execute(sql.LOCK_THREAD, row)
    repeated = await connection.execute(sql.BY_KEY, row)
    in_flight = await connection.execute(sql.IN_FLIGHT, row)
    if found := await repeated.fetchone():
        return Submitted(run=Run.read(found), created=False)
    if (thread := await locked.fetchone()) is None:
        raise NotFound(f"Thread with ID {row['thread_id']} not found")
    busy, strategy = await in_flight.fetchone() is not None, row["strategy"]
    if check is not None and not (busy and strategy == "enqueue"):
        check(Thread(**thread))
    if busy and strategy == "reject":
        raise ThreadBusy
    dropped: tuple[UUID, ...] = ()
    cancelling: UUID | None = None
    if busy and strategy in ("interrupt", "rollback"):
        reason = {"thread_id": row["thread_id"], "action": strategy, "error": lenient(cancelled(strategy))}
        gone = await connection.execute(sql.DROP_WAITING, reason)
        told = await connection.execute(sql.CANCEL_RUNNING, reason)
        dropped = tuple([each["run_id"] async for each in gone])
        cancelling = running["run_id"] if (running := await told.fetchone()) else None
    free = not busy or (cancelling is None and strategy != "enqueue")
    await connection.execute(sql.BUSY_THREAD, row)
    return await _insert(connection, row, start if free else None, dropped=dropped, cancelling=cancelling)


async def _insert(
    connection: Connection,
    row: Json,
    start: Leases | None,
    *,
    dropped: tuple[UUID, ...] = (),
    cancelling: UUID | None = None,
) -> Submitted:
    inserted = await connection.execute(sql.INSERT_RUNNING if start else sql.INSERT_PENDING, {**row, **_lease(start)})
    made = await inserted.fetchone()
    if made is None:
        raise _Repeated
    return Submitted(run=Run(**made), created=True, dropped=dropped, cancelling=cancelling)


def _lease(start: Leases | None) -> Json:
    return {"owner": start.owner, "lease_s": start.lease_s} if start else {}
