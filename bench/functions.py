"""What it costs to call a function in another process: the function centre on loopback beside the Python adapter."""

import random
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from langchain_core.utils.uuid import uuid7

from auth.principal import Principal
from bench.calls import Measured, measured
from bench.desk import port_told, process
from bench.measure import Layer, Size, compare
from config.settings import Settings
from nodes.clock import now_of
from nodes.context import Context
from server import House, open_house
from tools.call import Call, Caller

MANY = 20
HERE, THERE = "python adapter", "function centre"
ASKED: Mapping[str, Mapping[str, Any]] = {"list_todos": {"limit": 5}, "add_todo": {"content": "water the plants"}}


async def functions(folder: Path, *, each: int, limit_s: float, chance: random.Random) -> dict[str, list[Measured]]:
    """`each`: calls of each way in each comparison; no batch of a comparison begins after `limit_s` seconds. Every call
    goes through the executor, with its ledger where it has an effect."""
    found: list[Measured] = []
    async with _houses(folder / "desk") as houses:
        for name, arguments in ASKED.items():
            layers = [Layer(name=way, turn=_calling(house, name, arguments)) for way, house in houses.items()]
            for at_once in (1, MANY):
                print(f"{name}, {at_once} at once ...", file=sys.stderr)
                batch = max(10, 2 * at_once)
                size = Size(at_once=at_once, turns=batch, batches=-(-each // batch), limit_s=limit_s)
                found += measured(name, at_once, await compare(layers, "", size, chance), base=HERE)
    return {"functions": found}


@asynccontextmanager
async def _houses(data_dir: Path) -> AsyncIterator[dict[str, House]]:
    """Two desks over one database, one of which has the functions of the other process."""
    command = (sys.executable, "cli.py", "function-centre", "--port", "0", "--data-dir", str(data_dir))
    async with process("env", "LOG_LEVEL=warning", *command) as printed:
        url = f"http://127.0.0.1:{await port_told(printed)}"
        async with open_house(_settings(data_dir)) as here, open_house(_settings(data_dir, url)) as there:
            yield {HERE: here, THERE: there}


def _settings(data_dir: Path, url: str | None = None) -> Settings:
    chosen = {"data_dir": data_dir, "similarity": False, "database_pool_size": MANY, "function_centre_url": url}
    return Settings(_env_file=None, **chosen)  # type: ignore[call-arg, arg-type]  # pydantic-settings


def _calling(house: House, tool: str, arguments: Mapping[str, Any]) -> Callable[[int, str], Awaitable[float]]:
    """Every call in a turn of its own, so that none is answered from the ledger."""
    agent, context = house.written.catalogue.agents["todo"], Context()
    call = Call(id="c", name=tool, arguments=arguments)

    async def turn(_: int, __: str) -> float:
        caller = Caller(
            principal=Principal(), agent=agent, locale="zh", now=now_of(context), turn_id=str(uuid7()), source="keyword"
        )
        began = time.perf_counter()
        ended = await house.services.executor.run(call, caller, confirmation=None, deadline_s=30)
        if ended.status != "done":
            raise RuntimeError(f"the call ended as {ended}")
        return time.perf_counter() - began

    return turn
