"""What one process of the desk is to the others: a runner of its own over the same database, with the toy graph."""

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Self
from uuid import UUID, uuid4

from auth.principal import DEV_PERMISSIONS, Principal
from checkpoints.database import Pool
from checkpoints.leases import Leases
from checkpoints.run import Run as Row
from checkpoints.runs import Runs
from checkpoints.saver import TurnSaver
from checkpoints.threads import Thread, Threads
from errors import Unavailable
from graphs.conductor import Stage
from graphs.events import Event
from graphs.plain_words import PlainWords
from graphs.resuming import Resume
from graphs.run import Run
from graphs.run_events import InProcessEvents, NoSignals, RunEvents, Signals
from graphs.runner import Asked, Runner
from graphs.transcript import Facts
from graphs.turn_result import TurnResult
from nodes.context import Context
from nodes.state import State
from tests.graphs import toy

APPROVE, REJECT = {"type": "approve"}, {"type": "reject"}
WORDS = PlainWords(approvals=("yes", "好的"), rejections=("no", "取消"), particles=("please",))
FACTS = Facts(agents={"business": "abc", "todo": "def"}, model=lambda _: None)
ME = Principal()


async def no_summary(_: State) -> State | None:
    return None


class Process:
    """Somebody who asks a runner, thread by thread. `lease_s`, `renew_s`, `sweep_s`: as short as a test needs them."""

    def __init__(
        self,
        pool: Pool,
        *,
        turn_timeout_s: float = 10,
        lease_s: float = 10,
        renew_s: float = 3,
        sweep_s: float = 5,
        drain_s: float = 5,
        events: RunEvents | None = None,
        signals: Signals | None = None,
        summarise: Any = no_summary,
    ) -> None:
        self.pool = pool
        self.threads, self.runs, self.saver = Threads(pool), Runs(pool), TurnSaver(pool)
        self.graph = toy.toy().compile(checkpointer=self.saver)
        self.leases = Leases(pool, f"process-{uuid4().hex[:8]}", lease_s)
        self.events = events or InProcessEvents(kept_s=60)
        stage = Stage(
            graph=self.graph,
            saver=self.saver,
            runs=self.runs,
            leases=self.leases,
            events=self.events,
            words=WORDS,
            facts=FACTS,
            summarise=summarise,
            turn_timeout_s=turn_timeout_s,
            permissions=lambda _: DEV_PERMISSIONS,
        )
        self.runner = Runner(
            stage, self.threads, signals or NoSignals(), renew_s=renew_s, sweep_s=sweep_s, drain_s=drain_s
        )

    async def __aenter__(self) -> Self:
        await self.runner.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.runner.close()

    async def die(self) -> None:
        """As by kill -9, as far as the database sees it: nothing more is written, renewed or released."""
        lives = self.runner._lives
        lives.closing = True
        for task in self.runner._services:
            task.cancel()
        for live, _ in list(lives._lives.values()):
            live.stop("lost")
        if lives._tasks():
            await asyncio.wait(lives._tasks())
        await self.runner._watch.close(Unavailable("dead"))

    async def start(
        self,
        message: str | None = None,
        thread_id: str | None = None,
        resume: Resume | None = None,
        *,
        strategy: Any = "enqueue",
        key: str | None = None,
        **context: Any,
    ) -> Run:
        return await self.runner.start(
            Asked(
                context=Context(**context),
                thread_id=UUID(thread_id) if thread_id else None,
                message=message,
                resume=resume,
                strategy=strategy,
                idempotency_key=key,
            )
        )

    async def say(self, message: str, thread_id: str | None = None, **more: Any) -> TurnResult:
        return await (await self.start(message, thread_id, **more)).result()

    async def answer(self, waiting: TurnResult, *decisions: dict[str, Any], **more: Any) -> TurnResult:
        assert waiting["interrupt"] is not None
        resume = Resume(interrupt_id=waiting["interrupt"]["id"], decisions=decisions)
        return await (await self.start(thread_id=waiting["thread_id"], resume=resume, **more)).result()

    async def is_over(self, run: Run) -> bool:
        return (await self.stored(run)).is_over

    async def values(self, result: TurnResult | Run) -> dict[str, Any]:
        """The thread's newest state, as its row has it."""
        values = (await self.row(result)).values
        assert values is not None
        return values

    async def row(self, result: TurnResult | Run) -> Thread:
        key = result.thread_id if isinstance(result, Run) else result["thread_id"]
        return await self.threads.get(UUID(key), ME.tenant, ME.user)

    async def stored(self, result: TurnResult | Run) -> Row:
        key = result.run_id if isinstance(result, Run) else result["run_id"]
        return await self.runs.get(UUID(key), None, ME.tenant, ME.user)


async def expire(pool: Pool, run: Run | TurnResult) -> None:
    """What time does to a lease that nobody renews."""
    run_id = run.run_id if isinstance(run, Run) else run["run_id"]
    async with pool.connection() as connection:
        statement = "UPDATE frontdesk.runs SET lease_until = clock_timestamp() WHERE run_id = %s AND status = 'running'"
        await connection.execute(statement, (run_id,))


async def until(condition: Callable[[], Awaitable[bool]], *, within_s: float = 10) -> None:
    async with asyncio.timeout(within_s):
        while not await condition():  # noqa: ASYNC110  the database tells it in no other way
            await asyncio.sleep(0.01)


async def told(run: Run, after: int = 0) -> list[Event]:
    """All events of a run, to its end."""
    return [event async for event in run.events(after) if event is not None]


async def kinds(run: Run, after: int = 0) -> list[str]:
    return [event.kind for event in await told(run, after)]
