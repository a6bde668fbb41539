"""Finished turns with what the desk made of them, to be labelled and to become cases."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from checkpoints.database import Pool
from checkpoints.transcripts import whole

Json = dict[str, Any]
COLUMNS = """
r.run_id, r.thread_id, r.created_at, r.context, r.input ->> 'message' AS message, r.transcript, r.result,
f.verdict, f.comment"""
ASKED = """
FROM frontdesk.runs r LEFT JOIN frontdesk.feedback f USING (run_id)
WHERE r.finished_at IS NOT NULL AND r.input ? 'message' AND r.transcript IS NOT NULL AND r.result IS NOT NULL
AND r.context ->> 'mode' IS DISTINCT FROM 'replay'"""
FIND = f"SELECT {COLUMNS} {ASKED} {{conditions}} ORDER BY r.created_at DESC, r.run_id DESC LIMIT %(limit)s"
BEFORE = f"""
SELECT {COLUMNS} {ASKED} AND r.thread_id = %(thread)s AND (r.created_at, r.run_id) < (%(at)s, %(run)s)
ORDER BY r.created_at DESC, r.run_id DESC LIMIT %(limit)s"""
DECIDED = "jsonb_array_elements(r.result -> 'decisions') d"
CONDITIONS = {
    "tenant": "r.tenant_id = %(tenant)s",
    "since": "r.created_at >= %(since)s",
    "until": "r.created_at < %(until)s",
    "agent": "r.result ->> 'agent' = %(agent)s",
    "source": f"EXISTS (SELECT FROM {DECIDED} WHERE d ->> 'source' = %(source)s)",
    "unsure": f"EXISTS (SELECT FROM {DECIDED} WHERE (d ->> 'confidence')::float < %(unsure)s)",
    "degraded": "jsonb_array_length(coalesce(r.transcript -> 'degraded', '[]')) > 0",
    "verdict": "f.verdict = %(verdict)s",
}


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Which turns; None does not ask. `unsure`: a decision with less confidence than that. `degraded`: a model was
    asked and abstained. `verdict`: `up` or `down`."""

    tenant: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    agent: str | None = None
    source: str | None = None
    unsure: float | None = None
    degraded: bool | None = None
    verdict: str | None = None

    @property
    def given(self) -> Json:
        return {name: value for name in CONDITIONS if (value := getattr(self, name)) not in (None, False)}


@dataclass(frozen=True, kw_only=True)
class Finished:
    """One turn. `transcript`, `result`: as its run keeps them; `verdict`: what its user thought of it, if told."""

    run_id: UUID
    thread_id: UUID
    created_at: datetime
    context: Json
    message: str
    transcript: Json
    result: Json
    verdict: str | None
    comment: str | None


class FinishedTurns:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def find(self, wanted: Wanted, *, limit: int) -> list[Finished]:
        """The newest first. What was pruned is not found any more."""
        given = wanted.given
        conditions = "".join(f" AND {CONDITIONS[name]}" for name in given)
        return await self._read(FIND.format(conditions=conditions), {**given, "limit": limit})

    async def before(self, turn: Finished, *, limit: int) -> list[Finished]:
        """The turns of its thread that came before it, the oldest first."""
        place = {"thread": turn.thread_id, "at": turn.created_at, "run": turn.run_id, "limit": limit}
        return (await self._read(BEFORE, place))[::-1]

    async def _read(self, statement: str, given: Json) -> list[Finished]:
        async with self._pool.connection() as connection:
            rows = await (await connection.execute(statement.encode(), given)).fetchall()
        return [Finished(**{**row, "transcript": whole(row["transcript"], row["result"])}) for row in rows]
