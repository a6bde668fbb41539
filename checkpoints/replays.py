"""What a replay reads of the table of runs beyond one thread's turns, and the one row that it writes for each turn."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from checkpoints.database import Connection, Pool
from checkpoints.jsonb import lenient
from checkpoints.run import Run
from checkpoints.threads import Thread
from checkpoints.transcripts import shortened
from errors import NotFound

_NUMBERED = """
WITH turns AS (
    SELECT turn_id, row_number() OVER (ORDER BY min(created_at)) AS number, min(first_checkpoint_id) AS began_at
    FROM frontdesk.runs WHERE thread_id = %(thread_id)s GROUP BY turn_id
)"""
NUMBER_OF_TURN = f"{_NUMBERED} SELECT number FROM turns WHERE turn_id = %(turn_id)s"  # noqa: S608
NUMBER_OF_RUN = f"""{_NUMBERED}
SELECT number FROM turns JOIN frontdesk.runs r USING (turn_id)
WHERE r.thread_id = %(thread_id)s AND r.run_id::text = %(run_id)s"""  # noqa: S608
# Ids of checkpoints are ordered by time.
NUMBER_AFTER = f"""{_NUMBERED}
SELECT min(number) AS number FROM turns WHERE began_at >= %(checkpoint_id)s"""  # noqa: S608
THREAD = "SELECT * FROM frontdesk.threads WHERE thread_id = %s"
# A turn is of the day that its own clock showed in its own zone.
TURNS_OF_DAY = """
WITH concerned AS (
    SELECT DISTINCT thread_id FROM frontdesk.runs r JOIN frontdesk.threads t USING (thread_id)
    WHERE NOT t.metadata ? 'replay_of' AND (%(tenant)s::text IS NULL OR r.tenant_id = %(tenant)s)
        AND (coalesce((r.context ->> 'clock')::timestamptz, r.created_at)
            AT TIME ZONE coalesce(r.context ->> 'time_zone', 'UTC'))::date = %(day)s
), turns AS (
    SELECT thread_id, row_number() OVER (PARTITION BY thread_id ORDER BY min(created_at)) AS number,
        (array_agg((coalesce((context ->> 'clock')::timestamptz, created_at)
            AT TIME ZONE coalesce(context ->> 'time_zone', 'UTC'))::date ORDER BY created_at, run_id))[1] AS day
    FROM frontdesk.runs JOIN concerned USING (thread_id) GROUP BY thread_id, turn_id
)
SELECT thread_id, min(number) AS first, max(number) AS last FROM turns WHERE day = %(day)s
GROUP BY thread_id ORDER BY thread_id"""
COLUMNS = (
    "run_id", "thread_id", "tenant_id", "user_id", "turn_id", "status", "input", "context", "multitask_strategy",
    "metadata", "kwargs", "attempt", "first_checkpoint_id", "result", "transcript", "error", "usage", "agents",
    "model", "started_at",
)  # fmt: skip
RECORD = f"""
WITH recorded AS (
    INSERT INTO frontdesk.runs ({", ".join(COLUMNS)}, finished_at)
    VALUES ({", ".join(f"%({name})s" for name in COLUMNS)}, clock_timestamp()) RETURNING thread_id
)
UPDATE frontdesk.threads t SET status = 'idle', "values" = %(values)s, interrupts = '{{}}', error = NULL,
    updated_at = clock_timestamp(), state_updated_at = clock_timestamp()
FROM recorded WHERE t.thread_id = recorded.thread_id"""  # noqa: S608
# A question that is open in the source is not to be answered in the copy.
DROP_PENDING = "DELETE FROM checkpoint_writes WHERE thread_id = %s"
STILL_THERE = "SELECT 1 FROM frontdesk.threads WHERE thread_id = %(thread_id)s"


@dataclass(frozen=True, kw_only=True)
class TurnsOfDay:
    """A thread's turns of one day, by their numbers; `first` and `last` are among them."""

    thread_id: UUID
    first: int
    last: int


class ReplayRows:
    """Reads for operators as well: nothing here asks whose a thread is."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def thread(self, thread_id: UUID) -> Thread:
        """Whosever it is. Raises NotFound."""
        row = await self._one(THREAD, (thread_id,))
        if row is None:
            raise NotFound(f"Thread with ID {thread_id} not found")
        return Thread(**row)

    async def of_day(self, day: date, tenant: str | None) -> list[TurnsOfDay]:
        """Threads that are replays themselves are left out. `tenant`: None means all."""
        row = {"day": day, "tenant": tenant}
        async with self._pool.connection() as connection:
            found = await (await connection.execute(TURNS_OF_DAY, row)).fetchall()
        return [TurnsOfDay(**each) for each in found]

    async def number_of_turn(self, thread_id: UUID, turn_id: str) -> int | None:
        """Turns are numbered from 1, as the transcript lists them."""
        return await self._number(NUMBER_OF_TURN, thread_id, turn_id=turn_id)

    async def number_of_run(self, thread_id: UUID, run_id: str) -> int | None:
        return await self._number(NUMBER_OF_RUN, thread_id, run_id=run_id)

    async def number_after(self, thread_id: UUID, checkpoint_id: str) -> int | None:
        """The first turn that began at this checkpoint or later."""
        return await self._number(NUMBER_AFTER, thread_id, checkpoint_id=checkpoint_id)

    async def drop_pending(self, thread_id: UUID) -> None:
        """Whatever waits on the only checkpoint of a replay's thread."""
        async with self._pool.connection() as connection:
            await connection.execute(DROP_PENDING, (str(thread_id),))

    async def record(self, connection: Connection, run: Run, values: Mapping[str, Any]) -> None:
        """A finished run of a replay, and where its thread stands now, in the caller's transaction."""
        kept = shortened(run.transcript, run.result) if run.transcript and run.result else run.transcript
        columns = {**vars(run), "transcript": kept}
        row = {name: lenient(value) if isinstance(value, dict) else value for name, value in columns.items()}
        await connection.execute(RECORD, {**row, "values": lenient(dict(values))})

    async def _number(self, statement: str, thread_id: UUID, **values: str) -> int | None:
        row = await self._one(statement, {"thread_id": thread_id, **values})
        return None if row is None else row["number"]

    async def _one(self, statement: str, values: Any) -> dict[str, Any] | None:
        async with self._pool.connection() as connection:
            return await (await connection.execute(statement, values)).fetchone()
