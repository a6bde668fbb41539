"""What a turn costs on a thread that has had ten, a hundred or a thousand before, in milliseconds and in bytes."""

import random
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from operator import truediv
from uuid import UUID

from checkpoints.database import Pool
from graphs.runner import Asked, Runner
from nodes.context import Context

AROUND, TURNS = (10, 100, 1000), 20
# So often the whole is measured, for which a long thread goes on and short ones are made anew.
TIMES, SHORT = 3, 200
# All that the desk keeps of a thread; its own row is written anew with each turn, the others are added.
STORED = """
SELECT (SELECT sum(pg_column_size(c.*)) FROM checkpoints c WHERE thread_id = %(thread)s)
    + (SELECT sum(pg_column_size(b.*)) FROM checkpoint_blobs b WHERE thread_id = %(thread)s)
    + (SELECT sum(pg_column_size(w.*)) FROM checkpoint_writes w WHERE thread_id = %(thread)s)
    + (SELECT sum(pg_column_size(r.*)) FROM frontdesk.runs r WHERE thread_id = %(thread)s::uuid) AS added,
    (SELECT pg_column_size(t.*) FROM frontdesk.threads t WHERE thread_id = %(thread)s::uuid) AS written_anew"""


@dataclass(frozen=True, kw_only=True)
class Growth:
    """Medians of TURNS turns around turn `at` of a thread, TIMES over; `x_ms`, `x_kb`: over those around the first.

    `x_ms` is the median of what each turn took over what the one beside it took: it means something though the machine
    is at times busy and at times not.
    """

    message: str
    at: int
    ms: float
    kb: float
    x_ms: float
    x_kb: float


class Thread:
    """A thread on which the same is asked again and again."""

    def __init__(self, runner: Runner, pool: Pool, message: str) -> None:
        self._runner, self._pool, self._message = runner, pool, message
        self._id: UUID | None = None
        self._added = 0

    async def turn(self) -> float:
        began = time.perf_counter()
        asked = Asked(context=Context(), thread_id=self._id, message=self._message)
        result = await (await self._runner.start(asked)).result()
        if result["status"] != "completed":
            raise RuntimeError(f"not completed: {result}")
        self._id = UUID(result["thread_id"])
        return time.perf_counter() - began

    async def grown(self) -> int:
        """The bytes that the turns since the last look left."""
        before = self._added
        self._added, written_anew = await self._stored()
        return self._added - before + written_anew

    async def _stored(self) -> tuple[int, int]:
        async with self._pool.connection() as connection:
            row = await (await connection.execute(STORED, {"thread": str(self._id or UUID(int=0))})).fetchone()
        return (int(row["added"] or 0), int(row["written_anew"] or 0)) if row else (0, 0)


async def growth(
    runner: Runner,
    pool: Pool,
    message: str,
    *,
    around: Sequence[int] = AROUND,
    chance: random.Random | None = None,
    told: Callable[[int], None] = lambda _: None,
) -> list[Growth]:
    """The threads are measured turn by turn in an order drawn anew, so that a slow minute of the machine hits all of
    them alike, and so does what a look at the bytes of a long thread leaves of the caches."""
    chance = chance or random.Random(1)
    seconds: dict[int, list[float]] = {at: [] for at in around}
    sizes: dict[int, list[int]] = {at: [] for at in around}
    threads: dict[int, Thread] = {}
    for _ in range(TIMES):
        for at in around:
            if at not in threads or at <= SHORT:
                told(at)
                threads[at] = Thread(runner, pool, message)
                await _again(threads[at].turn, at - TURNS // 2)
        for thread in threads.values():
            await thread.grown()
        for _ in range(TURNS):
            for at in chance.sample(list(threads), len(threads)):
                seconds[at].append(await threads[at].turn())
            for at, thread in threads.items():
                sizes[at].append(await thread.grown())
    ms = {at: statistics.median(taken) * 1000 for at, taken in seconds.items()}
    kb = {at: statistics.median(size) / 1024 for at, size in sizes.items()}
    first = around[0]
    return [
        Growth(
            message=message,
            at=at,
            ms=round(ms[at], 2),
            kb=round(kb[at], 1),
            x_ms=round(statistics.median(map(truediv, seconds[at], seconds[first])), 2),
            x_kb=round(kb[at] / kb[first], 2),
        )
        for at in around
    ]


async def _again(turn: Callable[[], Awaitable[object]], times: int) -> None:
    for _ in range(times):
        await turn()
