"""`python -m tests.crash`: kills real servers again and again, counts what became of everything, and prints a table.

Its status is 1 where anything happened twice, was lost, stuck or damaged, and where the controls, which run without
what is to be shown, find nothing.
"""

import argparse
import asyncio
import random
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.table import laid_out
from checkpoints.embedded import EmbeddedPostgres
from telemetry import logs
from tests.conftest import NOT_DURABLE
from tests.crash.campaign import Campaign, Plan
from tests.crash.judge import Verdict
from tests.crash.sending import Campaign as Sends
from tests.crash.sending import Sending
from tests.crash.servers import Nursery, Program
from tests.crash.setting import USUAL, Setting, setting
from tests.load.load import load

HEADINGS = (
    "servers", "kills that hit a turn", "turns hit", "stood still", "turns", "effects", "effects twice", "turns lost",
    "threads stuck", "histories damaged", "answers untrue", "outcomes unknown", "s",
)  # fmt: skip
CONTROLS = {"none": "control: no ledger", "unflushed": "control: a ledger, but no flush"}
CARELESS = "control: progress in a commit of its own"
CONTROL_TRIALS, CONTROL_TURNS = 40, 5
PARTS = ("kills", "tasks", "load", "controls")
# Of background tasks; as many as fit into the time.
TASK_TRIALS, TASK_CONTROL_TRIALS, TASKS_S = 30, 12, 60.0
LOAD_THREADS, LOAD_TURNS, LOAD_SLOW_S = 50, 20, 0.02
MOST_SHOWN = 40


@dataclass(frozen=True, kw_only=True)
class Line:
    """A row of the table. `control`: it must find effects that came twice, and nothing else is asked of it."""

    name: str
    verdict: Verdict
    trials: int = 0
    hit: int = 0
    pauses: int = 0
    seconds: float
    control: bool = False

    @property
    def is_as_it_should_be(self) -> bool:
        return self.verdict.twice > 0 if self.control else self.verdict.is_clean

    def cells(self) -> Iterable[object]:
        v = self.verdict
        counts = (v.turns, v.effects, v.twice, v.lost, v.stuck, v.damaged, v.untrue, v.unknown)
        return (self.name, self.trials, self.hit, self.pauses, *counts, round(self.seconds))


def main() -> int:
    given = _arguments()
    logs.configure("warning")
    began = time.monotonic()
    say(f'seed {given.seed}: `make test-crash ARGS="--seed {given.seed}"` draws the same again, up to the clock')
    folder = Path(tempfile.mkdtemp(prefix="frontdesk-crash-"))
    lines = asyncio.run(_tried(given, folder))
    say("", laid_out(HEADINGS, (line.cells() for line in lines)), "")
    say(f"{time.monotonic() - began:.0f} s")
    wrong = [line for line in lines if not line.is_as_it_should_be]
    for line in wrong:
        problems = line.verdict.problems or ["the control finds nothing, so the check can find nothing either"]
        say(f"\n{line.name}:", *problems[:MOST_SHOWN], f"{len(problems)} in all, logs in {folder}")
    if not wrong:
        shutil.rmtree(folder, ignore_errors=True)
    return int(bool(wrong))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.crash", description=__doc__)
    parser.add_argument("--trials", type=int, default=100, help="kills that hit a turn, of each kind (%(default)s)")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1_000_000), help="none: another each time")
    parser.add_argument("--only", choices=PARTS, action="append", help="repeatable")
    return parser.parse_args()


async def _tried(given: argparse.Namespace, folder: Path) -> list[Line]:
    postgres = EmbeddedPostgres(folder / "pg", database="frontdesk", settings=NOT_DURABLE)
    await asyncio.to_thread(postgres.start)
    try:
        async with Nursery(folder) as nursery:
            return await Trials(given, folder, postgres, nursery).run()
    finally:
        await asyncio.to_thread(postgres.stop)


class Trials:
    """One PostgreSQL for all of them, and a database for each."""

    def __init__(self, given: argparse.Namespace, folder: Path, postgres: EmbeddedPostgres, nursery: Nursery) -> None:
        self._given, self._folder, self._postgres, self._nursery = given, folder, postgres, nursery

    async def run(self) -> list[Line]:
        """What mostly waits runs side by side."""
        wanted, trials = self._given.only or PARTS, self._given.trials
        lines = []
        if "kills" in wanted:
            plans = {"one": Plan(servers=1, trials=trials), "two": Plan(servers=2, trials=trials)}
            lines += await asyncio.gather(*(self._killed(name, plan) for name, plan in plans.items()))
        if "tasks" in wanted:
            lines.append(await self._sent("coupons", Sends(trials=min(trials, TASK_TRIALS), most_s=TASKS_S)))
        if "load" in wanted:
            lines.append(await self._loaded())
        if "controls" in wanted:
            lines += await asyncio.gather(*(self._control(kind) for kind in CONTROLS))
            careless = Sends(trials=TASK_CONTROL_TRIALS, most_s=TASKS_S, tool="send_carelessly", agent="vault")
            lines.append(replace(await self._sent("careless", careless), name=CARELESS, control=True))
        return lines

    async def _killed(self, name: str, plan: Plan) -> Line:
        async with self._setting(name, with_redis=plan.servers > 1) as (around, chance):
            report = await Campaign(plan, around, chance).run()
        return told(
            Line(
                name=f"{name}, Redis" if around.redis else name,
                verdict=report.verdict,
                trials=report.trials,
                hit=report.hit,
                pauses=report.pauses,
                seconds=report.seconds,
            )
        )

    async def _control(self, kind: str) -> Line:
        program = Program(module="tests.crash.unguarded", arguments=(kind,))
        plan = Plan(servers=1, trials=CONTROL_TRIALS, turns=CONTROL_TURNS, program=program, enough=found_twice)
        return replace(await self._killed(kind, plan), name=CONTROLS[kind], control=True)

    async def _sent(self, name: str, plan: Sends) -> Line:
        async with self._setting(name) as (around, chance):
            report = await Sending(plan, around, chance).run()
        return told(
            Line(
                name=f"a worker of background tasks ({name})",
                verdict=report.verdict,
                trials=report.trials,
                hit=report.taken_up,
                pauses=report.pauses,
                seconds=report.seconds,
            )
        )

    async def _loaded(self) -> Line:
        async with self._setting("load", leases=USUAL, slow_s=LOAD_SLOW_S, with_redis=True) as (around, chance):
            report = await load(around, servers=2, threads=LOAD_THREADS, turns=LOAD_TURNS, chance=chance)
        name = f"two, {LOAD_THREADS} threads x {LOAD_TURNS} turns at once"
        return told(Line(name=name, verdict=report.verdict, seconds=report.seconds))

    @asynccontextmanager
    async def _setting(self, name: str, **more: Any) -> AsyncIterator[tuple[Setting, random.Random]]:
        """A database and a folder for one line of the table, and chance of its own."""
        folder, chance = self._folder / name, random.Random(f"{self._given.seed} {name}")
        folder.mkdir()
        async with setting(self._postgres, self._nursery, f"trials_{name}", folder, **more) as around:
            yield around, chance


def found_twice(verdict: Verdict) -> bool:
    return verdict.twice > 0


def told(line: Line) -> Line:
    say(f"{line.name}: {line.seconds:.0f} s, {line.trials} kills, {len(line.verdict.problems)} problems")
    return line


def say(*lines: str) -> None:
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
