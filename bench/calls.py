"""What the executor adds to a call: permission, limits, switches, result check and, for effects alone, the ledger."""

import random
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from langchain_core.utils.uuid import uuid7
from pydantic import SecretStr

from auth.principal import Principal
from bench.measure import Layer, Sample, Size, compare
from bench.table import laid_out, percentile
from checkpoints.embedded import EmbeddedPostgres
from checkpoints.ledger import LedgerStore
from checkpoints.switches import SwitchBoard
from config.settings import Settings
from nodes.clock import now_of
from nodes.context import Context
from server import House, open_house
from tools.call import Call, Caller
from tools.coercion import coerce
from tools.executor import Executor
from tools.switches import Switches
from tools.tool import ToolContext

MANY = 20
BARE = "bare call and validation"
HEADINGS = ("call", "at once", "how", "calls", "calls/s", "p50 ms", "p95 ms", "x of bare")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A tool of the demo business, its agent and arguments."""

    tool: str
    agent: str
    arguments: Mapping[str, Any]


READING = Asked(tool="list_orders", agent="business", arguments={"limit": 5, "status": "已发货"})
WRITING = Asked(tool="add_todo", agent="todo", arguments={"content": "water the plants"})


@dataclass(frozen=True, kw_only=True)
class Measured:
    """`ratio`: this median over that of the bare call in the same comparison."""

    call: str
    at_once: int
    how: str
    calls: int
    per_second: float
    p50_ms: float
    p95_ms: float
    ratio: float


async def calls(folder: Path, *, each: int, limit_s: float, chance: random.Random) -> dict[str, list[Measured]]:
    """`each`: calls of each way in each comparison; no batch of a comparison begins after `limit_s` seconds."""
    found: list[Measured] = []
    with EmbeddedPostgres(folder / "calls") as postgres:
        async with _house(postgres) as house:
            for asked, layers in await _ways(house):
                for at_once in (1, MANY):
                    print(f"{asked.tool}, {at_once} at once ...", file=sys.stderr)
                    batch = max(10, 2 * at_once)
                    size = Size(at_once=at_once, turns=batch, batches=-(-each // batch), limit_s=limit_s)
                    found += measured(asked.tool, at_once, await compare(layers, "", size, chance))
    return {"calls": found}


def measured(call: str, at_once: int, samples: Mapping[str, Sample], base: str = BARE) -> list[Measured]:
    reference = percentile(samples[base].seconds, 50)
    return [
        Measured(
            call=call,
            at_once=at_once,
            how=name,
            calls=len(sample.seconds),
            per_second=round(len(sample.seconds) / sample.wall_s, 1),
            p50_ms=round(percentile(sample.seconds, 50) * 1000, 3),
            p95_ms=round(percentile(sample.seconds, 95) * 1000, 3),
            ratio=round(percentile(sample.seconds, 50) / reference, 2),
        )
        for name, sample in samples.items()
    ]


def shown(found: Mapping[str, Sequence[Measured]], base: str = "bare") -> str:
    return laid_out((*HEADINGS[:-1], f"x of {base}"), (asdict(row).values() for row in found["calls"]))


async def _ways(house: House) -> list[tuple[Asked, list[Layer]]]:
    switches = Switches(board=await SwitchBoard.opened(house.pool))
    ledger = LedgerStore(house.pool, house.saver)
    cards, registry, resources = house.written.catalogue.cards, house.written.registry, house.resources
    without = Executor(registry, resources, cards, switches=switches, max_parallel=MANY)
    whole = Executor(registry, resources, cards, ledger=ledger, switches=switches, max_parallel=MANY)
    bare = {one.tool: _timed(_bare(house, one, resources[one.tool])) for one in (READING, WRITING)}
    return [
        (READING, [_layer(BARE, bare[READING.tool]), _layer("executor", _timed(_through(house, whole, READING)))]),
        (
            WRITING,
            [
                _layer(BARE, bare[WRITING.tool]),
                _layer("executor without ledger", _timed(_through(house, without, WRITING))),
                _layer("executor with ledger", _timed(_through(house, whole, WRITING))),
            ],
        ),
    ]


Make = Callable[[], Awaitable[str]]


def _bare(house: House, asked: Asked, resources: Any) -> Make:
    """Only what nobody can do without: arguments made sound, and the tool."""
    tool, context = house.written.registry[asked.tool], Context()

    async def make() -> str:
        now = now_of(context)
        coerced = coerce(tool, asked.arguments, now=now, locale="zh")
        values = {name: getattr(coerced.values, name) for name in tool.arguments.model_fields}
        about = ToolContext(
            principal=context.principal, locale="zh", now=now, deadline_s=5, idempotency_key="", resources=resources
        )
        return (await tool.call(about, **values)).outcome

    return make


def _through(house: House, executor: Executor, asked: Asked) -> Make:
    """As a node has it made: every call in a turn of its own, so that none is answered from the ledger."""
    agent, context = house.written.catalogue.agents[asked.agent], Context()
    call = Call(id="c", name=asked.tool, arguments=asked.arguments)

    async def make() -> str:
        caller = Caller(
            principal=Principal(),
            agent=agent,
            locale="zh",
            now=now_of(context),
            turn_id=str(uuid7()),
            source="keyword",
        )
        return (await executor.run(call, caller, confirmation=None, deadline_s=30)).status

    return make


def _timed(make: Make) -> Callable[[], Awaitable[float]]:
    async def timed() -> float:
        began = time.perf_counter()
        if (ended := await make()) != "done":
            raise RuntimeError(f"the call ended as {ended}")
        return time.perf_counter() - began

    return timed


def _layer(name: str, timed: Callable[[], Awaitable[float]]) -> Layer:
    return Layer(name=name, turn=lambda _, __: timed())


@asynccontextmanager
async def _house(postgres: EmbeddedPostgres) -> AsyncIterator[House]:
    chosen = Settings(
        _env_file=None,
        database_url=SecretStr(postgres.url),
        demo=True,
        database_pool_size=MANY,
        similarity=False,
        log_level="warning",
    )  # type: ignore[call-arg]  # pydantic-settings
    async with open_house(chosen) as house:
        yield house
