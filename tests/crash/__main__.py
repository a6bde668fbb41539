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
from dataclasses import dataclass
from pathlib import Path

from bench.table import laid_out
from checkpoints.embedded import EmbeddedPostgres
from telemetry import logs
from tests.conftest import NOT_DURABLE
from tests.crash.campaign import Campaign, Plan
from tests.crash.judge import Verdict
from tests.crash.servers import Program
from tests.crash.setting import setting
from tests.load.load import load

HEADINGS = (
    "servers", "kills that hit a turn", "turns hit", "turns", "effects", "effects twice", "turns lost", "threads stuck",
    "histories damaged", "answers untrue", "outcomes unknown", "s",
)  # fmt: skip
CONTROLS = {"none": "control: no ledger", "unflushed": "control: a ledger, but no flush"}
CONTROL_TRIALS = 30
LOAD_THREADS, LOAD_TURNS, LOAD_SLOW_S = 50, 20, 0.02
MOST_SHOWN = 40


@dataclass(frozen=True, kw_only=True)
class Line:
    """A row of the table. `control`: it must find effects that came twice, and nothing else is asked of it."""

    name: str
    verdict: Verdict
    trials: int = 0
    hit: int = 0
    seconds: float
    control: bool = False

    @property
    def is_as_it_should_be(self) -> bool:
        return self.verdict.twice > 0 if self.control else self.verdict.is_clean

    def cells(self) -> Iterable[object]:
        v = self.verdict
        counts = (v.turns, v.effects, v.twice, v.lost, v.stuck, v.damaged, v.untrue, v.unknown)
        return (self.name, self.trials, self.hit, *counts, round(self.seconds))


def main() -> int:
    given = _arguments()
    logs.configure("warning")
    began = time.monotonic()
    say(f'seed {given.seed}: `make test-crash ARGS="--seed {given.seed}"` draws the same again, up to the clock')
    folder = Path(tempfile.mkdtemp(prefix="frontdesk-crash-"))
    lines = asyncio.run(Trials(given, folder).run())
    say(laid_out(HEADINGS, (line.cells() for line in lines)))
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
    parser.add_argument("--only", choices=("one", "two", "load", "controls"), action="append", help="repeatable")
    return parser.parse_args()


class Trials:
    """One PostgreSQL for all of them, and a database for each."""

    def __init__(self, given: argparse.Namespace, folder: Path) -> None:
        self._given, self._folder = given, folder
        self._chance = random.Random(given.seed)
        self._databases = 0

    async def run(self) -> list[Line]:
        postgres = EmbeddedPostgres(self._folder / "pg", database="frontdesk", settings=NOT_DURABLE)
        await asyncio.to_thread(postgres.start)
        try:
            return [line async for line in self._lines(postgres)]
        finally:
            await asyncio.to_thread(postgres.stop)

    async def _lines(self, postgres: EmbeddedPostgres) -> AsyncIterator[Line]:
        wanted, trials = self._given.only or ("one", "two", "load", "controls"), self._given.trials
        if "one" in wanted:
            yield await self._killed(postgres, "one", Plan(servers=1, trials=trials))
        if "two" in wanted:
            yield await self._killed(postgres, "two", Plan(servers=2, trials=trials), with_redis=True)
        if "load" in wanted:
            yield await self._loaded(postgres)
        if "controls" in wanted:
            for kind, name in CONTROLS.items():
                program = Program(module="tests.crash.unguarded", arguments=(kind,))
                plan = Plan(servers=1, trials=CONTROL_TRIALS, program=program, enough=lambda found: found.twice > 0)
                yield await self._killed(postgres, name, plan, control=True)

    async def _killed(
        self, postgres: EmbeddedPostgres, name: str, plan: Plan, *, with_redis: bool = False, control: bool = False
    ) -> Line:
        database, chance = self._database(), random.Random(self._chance.random())
        async with setting(postgres, database, self._folder / database, with_redis=with_redis) as around:
            report = await Campaign(plan, around, chance).run()
        return Line(
            name=f"{name}, Redis" if around.redis else name,
            verdict=report.verdict,
            trials=report.trials,
            hit=report.hit,
            seconds=report.seconds,
            control=control,
        )

    async def _loaded(self, postgres: EmbeddedPostgres) -> Line:
        database, chance = self._database(), random.Random(self._chance.random())
        async with setting(postgres, database, self._folder / database, slow_s=LOAD_SLOW_S, with_redis=True) as around:
            report = await load(around, servers=2, threads=LOAD_THREADS, turns=LOAD_TURNS, chance=chance)
        return Line(name=f"two, {LOAD_THREADS} threads at once", verdict=report.verdict, seconds=report.seconds)

    def _database(self) -> str:
        """A database and a folder for one line of the table."""
        self._databases += 1
        name = f"trials_{self._databases}"
        (self._folder / name).mkdir()
        return name


def say(*lines: str) -> None:
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
