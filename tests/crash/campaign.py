"""Kills servers at random points of turns, or stops them for a while, and lets everything settle in between."""

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.crash.caller import Caller, Refused
from tests.crash.judge import Verdict, judge
from tests.crash.servers import Program, Server
from tests.crash.setting import LEASE_S, Setting

# Within this time most turns of a round begin and end, without kills; and runs of a dead process are taken over.
SPAN_S = 0.9
KILLS_OF_A_ROUND = {1: (1, 1, 2), 2: (1, 2, 3)}
SETTLE_S = 30.0
# Of several servers one is sometimes not killed but stands still, for longer than it holds its runs.
PAUSED = 0.2
# Less than the desk remembers of a thread, so that its messages are all there to be judged.
TURNS_OF_A_THREAD = 20
HIT = """
SELECT count(*) AS n FROM frontdesk.runs WHERE status = 'running' AND lease_owner LIKE %s"""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """`trials`: how many kills have to hit a turn. `threads`: how many turns are on their way at once. `turns`: of each
    thread, before there are new ones. `enough`: looked at then. `cold`: the first servers are
    started by the command."""

    servers: int
    trials: int
    threads: int = 12
    turns: int = TURNS_OF_A_THREAD
    program: Program = field(default_factory=Program)
    cold: bool = True
    enough: Callable[[Verdict], bool] = lambda _: False


@dataclass(kw_only=True)
class Report:
    """`trials`: kills that hit at least one turn. `hit`: runs that were on their way in a process that was killed."""

    servers: int
    redis: bool
    kills: int = 0
    pauses: int = 0
    trials: int = 0
    hit: int = 0
    seconds: float = 0.0
    verdict: Verdict = field(default_factory=Verdict)


class Campaign:
    def __init__(self, plan: Plan, setting: Setting, chance: random.Random) -> None:
        self.plan = plan
        self.report = Report(servers=plan.servers, redis=setting.redis)
        self._setting, self._chance = setting, chance
        self._servers = setting.servers(plan.servers, plan.program)
        self._generation = 0

    async def run(self) -> Report:
        began = time.monotonic()
        async with self._servers.running(cold=self.plan.cold and self.plan.program == Program()):
            while not self._over():
                await self._generate()
        self.report.seconds = time.monotonic() - began
        return self.report

    def _over(self) -> bool:
        verdict = self.report.verdict
        return self.report.trials >= self.plan.trials or bool(verdict.stuck) or self.plan.enough(verdict)

    async def _generate(self) -> None:
        """New threads, and what becomes of them."""
        self._generation += 1
        callers = [
            Caller(f"g{self._generation}c{n}", self._servers, random.Random(self._chance.random()))
            for n in range(self.plan.threads)
        ]
        late: list[str] = []
        for _ in range(self.plan.turns):
            late += await self._round(callers)
            if late or self.report.trials >= self.plan.trials:
                break
        verdict = await judge(callers, self._servers, self._setting.pool)
        verdict.stuck += len(late)
        verdict.problems += late
        self.report.verdict.add(verdict)

    async def _round(self, callers: list[Caller]) -> list[str]:
        """One turn on each thread, with one kill or more meanwhile; what was not answered or refused."""
        turns = {asyncio.create_task(caller.turn()): caller for caller in callers}
        killing = asyncio.create_task(self._kill(lambda: all(turn.done() for turn in turns)))
        _, pending = await asyncio.wait(turns, timeout=SETTLE_S)
        await killing
        if pending:
            _, pending = await asyncio.wait(pending, timeout=SETTLE_S)
        for turn in pending:
            turn.cancel()
        ends = await asyncio.gather(*turns, return_exceptions=True)
        for end in ends:
            if isinstance(end, BaseException) and not isinstance(end, Refused | asyncio.CancelledError):
                raise end
        return [
            f"{caller.asks[-1].message}: {'was not answered in time' if turn in pending else turn.exception()}"
            for turn, caller in turns.items()
            if turn in pending or turn.exception() is not None
        ]

    async def _kill(self, over: Callable[[], bool]) -> None:
        starting: list[asyncio.Task[None]] = []
        for number in range(self._chance.choice(KILLS_OF_A_ROUND[self.plan.servers])):
            # A second one hits turns that are being taken up again.
            await asyncio.sleep(self._chance.uniform(0.0, SPAN_S + number * LEASE_S))
            up = [server for server in self._servers.all if server.url]
            if over() or not up:
                break
            server = self._chance.choice(up)
            if len(up) > 1 and self._chance.random() < PAUSED:
                await self._pause(server)
                continue
            await self._kill_one(server)
            starting.append(asyncio.create_task(self._servers.start(server)))
            if len(self._servers.all) == 1:
                await asyncio.wait(starting)
        await asyncio.gather(*starting)

    async def _pause(self, server: Server) -> None:
        """Another process takes its runs over, and it wakes up in the middle of them."""
        self.report.pauses += 1
        with self._servers.paused(server):
            await asyncio.sleep(LEASE_S + self._chance.uniform(0.1, SPAN_S))

    async def _kill_one(self, server: Server) -> None:
        pid = await self._servers.kill(server)
        async with self._setting.pool.connection() as connection:
            row = await (await connection.execute(HIT, (f"frontdesk % {pid} %",))).fetchone()
        hit = row["n"] if row else 0
        self.report.kills += 1
        self.report.hit += hit
        self.report.trials += hit > 0
