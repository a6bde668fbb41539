"""Many threads that ask at once, each without waiting for its answers, over several processes."""

import asyncio
import random
import time
from dataclasses import dataclass, field

from tests.crash.caller import Caller, Sent
from tests.crash.judge import Verdict, judge
from tests.crash.setting import Setting

KINDS = ("lookium", "lookium", "rulium", "payium", "pairium", "hello")
# How many questions are sent on a thread before the first of them has its answer.
AT_ONCE = (1, 2, 3, 5)
ANSWERED_S = 120.0


class Hurried(Caller):
    """Asks on before it has an answer; what a server has taken is to be answered in that order."""

    async def talk(self, turns: int) -> None:
        left = turns
        while left:
            number = min(left, self._chance.choice(AT_ONCE))
            left -= number
            reading = [await self._ask() for _ in range(number)]
            await asyncio.gather(*reading)

    async def _ask(self) -> "asyncio.Task[None]":
        """Until it is taken; the task reads its answer."""
        ask = self.new_ask(self._chance.choice(KINDS))
        ask.runs[ask.name] = ""
        sent = Sent(ask=ask, key=ask.name, body=self.body(ask))
        server = self._chance.choice(self._servers.all)
        request = self._servers.http.build_request(
            "POST", f"{server.url}/stream", json=sent.body, headers={"Idempotency-Key": sent.key}
        )
        answer = await self._servers.http.send(request, stream=True)
        if not sent.taken(answer):
            raise RuntimeError(f"{sent.key}: {answer.status_code}")
        self.thread_id = answer.headers["Content-Location"].split("/")[2]

        async def read() -> None:
            ask.result = await self.read(sent, answer)

        return asyncio.create_task(read())


@dataclass(kw_only=True)
class LoadReport:
    """`seconds`: from the first question to the last answer."""

    servers: int
    threads: int
    seconds: float = 0.0
    verdict: Verdict = field(default_factory=Verdict)


async def load(setting: Setting, *, servers: int, threads: int, turns: int, chance: random.Random) -> LoadReport:
    report = LoadReport(servers=servers, threads=threads)
    async with setting.servers(servers).running() as running:
        callers = [Hurried(f"l{number}", running, random.Random(chance.random())) for number in range(threads)]
        began = time.monotonic()
        talks = [asyncio.create_task(caller.talk(turns)) for caller in callers]
        _, pending = await asyncio.wait(talks, timeout=ANSWERED_S)
        report.seconds = time.monotonic() - began
        for talk in pending:
            talk.cancel()
        await asyncio.gather(*talks, return_exceptions=True)
        report.verdict = await judge(callers, running, setting.pool)
        failures = [error for talk in talks if not talk.cancelled() and (error := talk.exception())]
        report.verdict.stuck += len(pending)
        report.verdict.lost += len(failures)
        report.verdict.problems += [repr(error) for error in failures]
    return report
