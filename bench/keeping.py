"""What it costs to keep every step: our saver beside LangGraph's own, whole turns, and long threads."""

import random
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from langchain_core.messages import HumanMessage
from langchain_core.utils.uuid import uuid7
from pydantic import SecretStr

from bench import seven
from bench.costs import Cost, cost
from bench.growth import Growth, growth
from bench.measure import Sample, Size, compare
from bench.savers import REFERENCE, SAVERS, Subject, contenders
from bench.table import laid_out, percentile
from bench.whole import Commits, commits, desk_with_a_vault
from checkpoints.embedded import EmbeddedPostgres
from config.settings import Settings
from graphs.assistant import build_graph
from nodes.context import Context
from nodes.state import Input
from server import House, create_app, open_house

AT_ONCE = (1, 10, 40)
DISKS = {"fast": False, "2.5 ms": True}
COST_TURNS = 40
GROWING = ("你好", "查一下今天的订单")
KEYWORD = "查一下今天的订单"


@dataclass(frozen=True, kw_only=True)
class Kept:
    """`disk`: this machine's own, or one on which a commit takes that long. `ratio`: turns per second over those of
    LangGraph's saver in `async` in the same comparison."""

    graph: str
    disk: str
    at_once: int
    saver: str
    turns: int
    per_second: float
    p50_ms: float
    ratio: float


Found = dict[str, Sequence[Kept | Cost | Commits | Growth]]
HEADINGS: dict[str, tuple[str, ...]] = {
    "speed": ("graph", "disk", "at once", "saver", "turns", "turns/s", "p50 ms", "x of stock async"),
    "costs": ("saver", "commits", "of them writing", "log syncs", "rows cp/bl/wr", "KB kept", "KB of log"),
    "commits": ("whole turn", "effects", "commits"),
    "growth": ("turn", "around", "ms", "KB", "x ms", "x KB"),
}


def shown(found: Found) -> str:
    tables = (laid_out(HEADINGS[name], (asdict(row).values() for row in rows)) for name, rows in found.items())
    return "\n\n".join(tables)


async def savers(folder: Path, *, turns: int, limit_s: float, chance: random.Random) -> Found:
    """`turns`: of each saver in each comparison; no batch of a comparison begins after `limit_s` seconds."""
    postgres = EmbeddedPostgres(folder / "savers")
    with postgres:
        async with _house(postgres) as house:
            subjects = {"seven steps": Subject(build=seven.build, given=seven.given), "desk": _desk(house)}
            speed: list[Kept] = []
            for name, subject in subjects.items():
                for disk, slow in DISKS.items():
                    async with contenders(postgres, subject, slow_disk=slow) as found:
                        for at_once in AT_ONCE:
                            _tell(f"{name}, disk {disk}, {at_once} at once")
                            size = _size(turns, at_once, limit_s)
                            samples = await compare([each.layer for each in found], "", size, chance)
                            speed += kept(samples, name, disk, at_once)
        _tell("commits, rows and bytes")
        named = [name for name, (kind, _) in SAVERS.items() if kind]
        costs = [await cost(postgres, subjects["seven steps"], name, COST_TURNS) for name in named]
        async with desk_with_a_vault(postgres, "vault") as (runner, pool):
            whole = await commits(runner, pool, COST_TURNS)
    return {"speed": speed, "costs": costs, "commits": whole}


async def long_threads(folder: Path) -> Found:
    postgres = EmbeddedPostgres(folder / "growth")
    with postgres:
        app = create_app(_settings(postgres))
        async with app.router.lifespan_context(app) as opened:
            found: list[Growth] = []
            for message in GROWING:
                runner, pool = (opened or {})["runner"], (opened or {})["pool"]
                found += await growth(runner, pool, message, told=lambda at: _tell(f"a thread of {at} turns"))
    return {"growth": found}


def kept(samples: Mapping[str, Sample], graph: str, disk: str, at_once: int) -> list[Kept]:
    speed = {name: len(sample.seconds) / sample.wall_s for name, sample in samples.items()}
    return [
        Kept(
            graph=graph,
            disk=disk,
            at_once=at_once,
            saver=name,
            turns=len(sample.seconds),
            per_second=round(speed[name], 1),
            p50_ms=round(percentile(sample.seconds, 50) * 1000, 1),
            ratio=round(speed[name] / speed[REFERENCE], 2),
        )
        for name, sample in samples.items()
    ]


def _size(turns: int, at_once: int, limit_s: float) -> Size:
    batch = max(10, 2 * at_once)
    return Size(at_once=at_once, turns=batch, batches=-(-turns // batch), limit_s=limit_s)


def _desk(house: House) -> Subject:
    def given() -> Input:
        return Input(messages=[HumanMessage(KEYWORD, id=str(uuid7()))])

    return Subject(
        build=lambda saver: build_graph(house.services).compile(checkpointer=saver), given=given, context=Context()
    )


@asynccontextmanager
async def _house(postgres: EmbeddedPostgres) -> AsyncIterator[House]:
    async with open_house(_settings(postgres)) as house:
        yield house


def _settings(postgres: EmbeddedPostgres) -> Settings:
    return Settings(
        _env_file=None, database_url=SecretStr(postgres.url), demo=True, prune_every_hours=0, log_level="warning"
    )  # type: ignore[call-arg]  # pydantic-settings


def _tell(what: str) -> None:
    print(f"{what} ...", file=sys.stderr)
