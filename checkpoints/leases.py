"""Who runs a run: exactly one process, for as long as it keeps saying so."""

from collections.abc import Collection
from uuid import UUID

import psycopg

from checkpoints import run_statements as sql
from checkpoints.database import Pool
from checkpoints.run import Renewed, Run
from checkpoints.turn_buffer import Guard

LONGEST_LEASE_S = 300.0
BATCH = 20


class Leases:
    """The leases of one process. `owner`: a name that no other process has, and none had before.

    `lease_s`: how long a run stays with a process that does not renew, at most LONGEST_LEASE_S.
    """

    def __init__(self, pool: Pool, owner: str, lease_s: float) -> None:
        if not 0 < lease_s <= LONGEST_LEASE_S:
            raise ValueError(f"lease_s: {lease_s:g} is not between 0 and {LONGEST_LEASE_S:g}")
        self.owner = owner
        self.lease_s = lease_s
        self._pool = pool

    async def claim(self, thread_id: UUID) -> Run | None:
        """The oldest run that waits on a thread becomes ours; None where none waits, or one is running."""
        claimed = await self._update(sql.CLAIM, thread_id=thread_id)
        return claimed[0] if claimed else None

    async def claim_any(self, limit: int = BATCH) -> list[Run]:
        """The next runs of threads on which nothing runs: whoever should have claimed them is gone."""
        return await self._update(sql.CLAIM_ANY, limit=limit)

    async def take_over(self, limit: int = BATCH) -> list[Run]:
        """Running runs whose process did not renew in time become ours, with one attempt more."""
        return await self._update(sql.TAKE_OVER, limit=limit, longest_s=LONGEST_LEASE_S)

    async def renew(self, run_ids: Collection[UUID]) -> Renewed:
        """Keep them for `lease_s` from now."""
        if not run_ids:
            return Renewed()
        values = {"run_ids": list(run_ids), "owner": self.owner, "lease_s": self.lease_s}
        async with self._pool.connection() as connection:
            rows = await (await connection.execute(sql.RENEW, values)).fetchall()
        return Renewed(
            lost=frozenset(run_ids) - {row["run_id"] for row in rows},
            cancel={row["run_id"]: row["cancel_action"] for row in rows if row["cancel_action"]},
        )

    async def release(self, run_ids: Collection[UUID]) -> None:
        """Give them up unfinished: whoever looks next may take them over at once."""
        async with self._pool.connection() as connection:
            await connection.execute(sql.RELEASE, {"run_ids": list(run_ids), "owner": self.owner})

    def guard(self, run_id: UUID) -> Guard:
        """For the turn that runs it: no commit of the turn goes through once the run is not ours any more."""
        return Guard(sql=sql.STILL_MINE, values={"run_id": run_id, "owner": self.owner})

    async def _update(self, statement: str, **values: object) -> list[Run]:
        everything = {**values, "owner": self.owner, "lease_s": self.lease_s}
        try:
            async with self._pool.connection() as connection:
                rows = await (await connection.execute(statement, everything)).fetchall()
        except psycopg.errors.UniqueViolation:
            # Another process was quicker on one of the threads.
            return []
        return sorted((Run(**row) for row in rows), key=lambda run: (run.created_at, run.run_id))
