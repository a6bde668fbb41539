"""A conversation through the real runner over the real graph, and its replays."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from auth.principal import Principal
from checkpoints.database import Pool
from checkpoints.run import Run as Row
from checkpoints.runs import Runs
from checkpoints.threads import Thread, Threads
from graphs.replay import Replay, Replays
from graphs.resuming import Resume
from graphs.runner import Asked, Runner
from graphs.span import Span
from graphs.turn_result import TurnResult
from models.registry import Models
from nodes.context import Context
from server import House

ME = Principal()
APPROVE, REJECT = {"type": "approve"}, {"type": "reject"}
TABLES = (
    "frontdesk.threads", "frontdesk.runs", "frontdesk.ledger", "checkpoints", "checkpoint_blobs", "checkpoint_writes",
)  # fmt: skip


def replays_of(house: House, *, models: Models | None = None, turn_timeout_s: float = 10) -> Replays:
    services = house.services if models is None else replace(house.services, models=models)
    known = tuple(house.written.models.models)
    return Replays(services, house.saver, house.pool, known_models=known, turn_timeout_s=turn_timeout_s)


class Talk:
    """One thread. `minutes`: by how much the clock moves before each message."""

    def __init__(self, runner: Runner, replays: Replays, pool: Pool, now: datetime, *, minutes: float = 1) -> None:
        self.runner, self.replays, self.pool = runner, replays, pool
        self.threads, self.runs = Threads(pool), Runs(pool)
        self.context = Context(clock=now)
        self.minutes = minutes
        self.thread_id: UUID | None = None

    async def say(self, *messages: str) -> TurnResult:
        for message in messages:
            result = await self._ask(message=message)
        return result

    async def answer(self, waiting: TurnResult, *decisions: dict[str, Any]) -> TurnResult:
        assert waiting["interrupt"] is not None
        return await self._ask(resume=Resume(interrupt_id=waiting["interrupt"]["id"], decisions=decisions))

    async def thread(self) -> Thread:
        assert self.thread_id is not None
        return await self.threads.get(self.thread_id, ME.tenant, ME.user)

    async def turns(self) -> list[tuple[Row, ...]]:
        return await self.runs.turns_of((await self.thread()).thread_id, ME.tenant, ME.user)

    async def replay(self, *, model: str | None = None, agent: str | None = None, **span: Any) -> Replay:
        ground = await self.replays.ground(model=model, agent=agent)
        return await self.replays.replay(await self.thread(), Span(**span), ground)

    async def rows(self, *, of: UUID | None = None) -> dict[str, list[str]]:
        """Every row that the thread has, in every table, as text."""
        found = {}
        async with self.pool.connection() as connection:
            for table in TABLES:
                query = f"SELECT t::text AS row FROM {table} t WHERE thread_id::text = %s ORDER BY 1"
                rows = await (await connection.execute(query, (str(of or self.thread_id),))).fetchall()
                found[table] = [row["row"] for row in rows]
        return found

    async def _ask(self, **asked: Any) -> TurnResult:
        clock = self.context.clock
        assert clock is not None
        self.context = replace(self.context, clock=clock + timedelta(minutes=self.minutes))
        run = await self.runner.start(Asked(context=self.context, thread_id=self.thread_id, **asked))
        self.thread_id = UUID(run.thread_id)
        return await run.result()


def kinds(replay: Replay) -> list[list[str]]:
    """What is otherwise, turn by turn."""
    return [[difference["what"] for difference in turn["differences"]] for turn in replay["turns"]]
