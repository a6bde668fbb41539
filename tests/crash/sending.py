"""Kills workers at random points while they send coupons, or stops them for a while, and counts the coupons."""

import asyncio
import json
import os
import random
import signal
import time
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from checkpoints.database import Pool
from checkpoints.task import Task
from demo.seeding import seed
from tests.checkpoints.working import accept, again
from tests.crash.judge import Verdict
from tests.crash.servers import Program, end, is_alive
from tests.crash.setting import Setting

COUNT = 500
STALLED_S, PAUSE_S = 0.6, 0.02
# Most of a task is done in that time by a worker that is not killed.
SPAN_S = 0.7
START_S, SETTLE_S, LOOK_S = 60.0, 60.0, 0.02
OPEN_AT_ONCE = 2
PAUSED = 0.2
READY = "worker is ready"
RUNNING = "SELECT count(*) AS n FROM frontdesk.tasks WHERE status = 'running'"
TWICE = "SELECT count(*) - count(DISTINCT (campaign, serial)) AS n FROM demo.coupons"
SENT = "SELECT count(*) AS n, count(DISTINCT serial) AS different FROM demo.coupons WHERE campaign = %s"


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """`trials`: how many kills have to hit a task. `most_s`: no new kills after that, or once a coupon came twice.
    `tool`: what sends."""

    trials: int
    most_s: float = 60.0
    tool: str = "send_coupons"
    agent: str = "business"


@dataclass(kw_only=True)
class Report:
    """`trials`: kills that hit a task. `taken_up`: how often a task was taken up again."""

    kills: int = 0
    trials: int = 0
    pauses: int = 0
    taken_up: int = 0
    seconds: float = 0.0
    verdict: Verdict = field(default_factory=Verdict)


class Sending:
    """One worker at a time; a second one while the first stands still."""

    def __init__(self, campaign: Campaign, setting: Setting, chance: random.Random) -> None:
        self._campaign, self._setting, self._chance = campaign, setting, chance
        self._tasks: list[Task] = []
        self._logs = 0
        self.report = Report()

    async def run(self) -> Report:
        began = time.monotonic()
        await seed(self._setting.pool, datetime.now(UTC))
        worker = await self._start()
        try:
            while not await self._over(began):
                await self._put_in()
                await asyncio.sleep(self._chance.uniform(0.0, SPAN_S))
                worker = await self._strike(worker)
            await self._settled()
        finally:
            await end(worker, signal.SIGTERM)
        await self._judge()
        self.report.seconds = time.monotonic() - began
        return self.report

    async def _over(self, began: float) -> bool:
        campaign, spent_s = self._campaign, time.monotonic() - began
        return self.report.trials >= campaign.trials or spent_s > campaign.most_s or await self._count(TWICE) > 0

    async def _strike(self, worker: int) -> int:
        """The worker that goes on."""
        other = None
        if self._chance.random() < PAUSED:
            self.report.pauses += 1
            os.kill(worker, signal.SIGSTOP)
            other = await self._start()
            await asyncio.sleep(STALLED_S + self._chance.uniform(0.1, SPAN_S))
            os.kill(worker, signal.SIGCONT)
            await asyncio.sleep(self._chance.uniform(0.0, SPAN_S / 2))
        await end(worker, signal.SIGKILL)
        self.report.kills += 1
        if other is not None:
            return other
        self.report.trials += await self._count(RUNNING) > 0
        return await self._start()

    async def _start(self) -> int:
        self._logs += 1
        log = self._setting.folder / f"worker-{self._logs}.log"
        resources = json.dumps({"coupons": {"pause_s": PAUSE_S}})
        given = {"RESOURCES": resources, "TASK_STALLED_S": str(STALLED_S), "TASK_CONCURRENCY": str(OPEN_AT_ONCE)}
        environment = {**self._setting.environment, **given}
        pid = await self._setting.nursery.fork(Program(arguments=("worker",)), environment, log)
        async with asyncio.timeout(START_S):
            while READY not in _said(log):
                assert is_alive(pid), _said(log)
                await asyncio.sleep(LOOK_S)
        return pid

    async def _put_in(self) -> None:
        """There is always something to be sent."""
        still = [task for task in self._tasks[-OPEN_AT_ONCE:] if not (await again(self._pool, task)).is_over]
        for _ in range(OPEN_AT_ONCE - len(still)):
            asked = {"tool": self._campaign.tool, "agent": self._campaign.agent, "arguments": {"count": COUNT}}
            self._tasks.append(await accept(self._pool, **asked))

    async def _settled(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(SETTLE_S):
                for task in self._tasks:
                    while not (await again(self._pool, task)).is_over:  # noqa: ASYNC110  it is told by nobody
                        await asyncio.sleep(LOOK_S)

    async def _judge(self) -> None:
        verdict = self.report.verdict
        for task in self._tasks:
            now = await again(self._pool, task)
            async with self._pool.connection() as connection:
                row = await (await connection.execute(SENT, (task.effect_key,))).fetchone()
            assert row is not None
            verdict.turns += 1
            verdict.effects += row["n"]
            verdict.twice += row["n"] - row["different"]
            verdict.lost += COUNT - row["different"]
            verdict.stuck += not now.is_over
            told = (now.result or {}).get("data", {}).get("sent")
            verdict.untrue += now.status != "done" or not now.done == told == COUNT
            self.report.taken_up += now.attempt - 1
            if (row["n"], row["different"], now.status) != (COUNT, COUNT, "done"):
                problem = f"{row['n']} coupons, {row['different']} different, told {now.done} and {told}"
                verdict.problems.append(f"task {task.task_id} is {now.status}: {problem}: {now.result}")

    async def _count(self, statement: str) -> int:
        async with self._pool.connection() as connection:
            row = await (await connection.execute(statement)).fetchone()
        return int(row["n"]) if row else 0

    @property
    def _pool(self) -> Pool:
        return self._setting.pool


def _said(log: Path) -> str:
    return log.read_text(errors="replace") if log.exists() else ""
