"""`python -m bench`: what a turn costs, and what it costs to keep it, on this machine, with nothing outside it."""

import argparse
import asyncio
import json
import platform
import random
import sys
import tempfile
from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench import calls, functions, keeping, reading
from bench.desk import free_port, in_process, model_calls, over_http, port_answers, port_told, process, serving
from bench.measure import Layer, Size, compare
from bench.table import Row, rows, shown
from config.settings import Settings
from telemetry import logs

# One sentence each that ends in small talk, in one reading tool by rules alone, and in a model's hands.
MESSAGES = {"greeting": "你好", "keyword": "查一下今天的订单", "model": "最近行情咋样呀"}
CALLS = {"greeting": 0, "keyword": 0, "model": 1}
MANY = 20
REFERENCE = "saver"
# layers: of one turn. savers: ours beside LangGraph's own. growth: of a thread. tools: of one call. functions: of one
# in another process. reading: of a sentence.
PARTS = ("layers", "savers", "growth", "tools", "functions", "reading")
SHOWN: dict[str, Callable[[Any], str]] = {
    "layers": lambda tables: shown(tables["rows"]),
    "tools": calls.shown,
    "reading": reading.shown,
    "functions": lambda tables: calls.shown({"calls": tables["functions"]}, "python"),
}


def main() -> None:
    given = _arguments()
    logs.configure("warning")
    found: dict[str, Iterable[Any]] = {}
    for part in given.part or PARTS:
        with tempfile.TemporaryDirectory(prefix="frontdesk-bench-") as folder:
            tables = asyncio.run(_part(part, given, Path(folder)))
        print(SHOWN.get(part, keeping.shown)(tables), end="\n\n")
        found |= tables
    if given.json:
        facts = {"python": platform.python_version(), "machine": platform.machine(), "seed": given.seed}
        rows_of = {name: [asdict(row) for row in table] for name, table in found.items()}
        given.json.write_text(json.dumps({**facts, **rows_of}, indent=1, ensure_ascii=False) + "\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "--turns", type=int, default=100, help="turns of each layer or saver in each comparison (%(default)s)"
    )
    parser.add_argument("--seconds", type=float, default=40, help="bound of each comparison in seconds (%(default)s)")
    parser.add_argument("--part", choices=PARTS, action="append", help="this part alone; repeatable")
    parser.add_argument("--only", choices=sorted(MESSAGES), action="append", help="this kind of turn alone; repeatable")
    parser.add_argument("--seed", type=int, default=1, help="of the order in which layers take turns (%(default)s)")
    parser.add_argument("--json", type=Path, help="write the figures to this file as well")
    return parser.parse_args()


async def _part(part: str, given: argparse.Namespace, folder: Path) -> dict[str, Any]:
    if part == "savers":
        chance = random.Random(given.seed)
        return await keeping.savers(folder, turns=given.turns, limit_s=given.seconds, chance=chance)
    if part == "reading":
        return reading.reading()
    if part == "growth":
        return await keeping.long_threads(folder)
    if part == "functions":
        chance = random.Random(given.seed)
        return await functions.functions(folder, each=10 * given.turns, limit_s=given.seconds, chance=chance)
    if part == "tools":
        chance = random.Random(given.seed)
        return await calls.calls(folder, each=10 * given.turns, limit_s=given.seconds, chance=chance)
    return {"rows": await _measured(given, folder)}


async def _measured(given: argparse.Namespace, folder: Path) -> list[Row]:
    chance, table = random.Random(given.seed), list[Row]()
    async with AsyncExitStack() as stack:
        layers = await _opened(stack, folder)
        for kind in given.only or MESSAGES:
            for at_once in (1, MANY):
                size = _size(given.turns, at_once, given.seconds)
                print(f"{kind}, {at_once} at once ...", file=sys.stderr)
                samples = await compare(layers, MESSAGES[kind], size, chance)
                table += rows(kind, at_once, samples, REFERENCE)
    return table


def _size(turns: int, at_once: int, seconds: float) -> Size:
    """A batch is large enough that its slowest turn does not decide alone."""
    batch = min(turns, 2 * at_once if at_once > 1 else 10)
    return Size(at_once=at_once, turns=batch, batches=-(-turns // batch), limit_s=seconds)


async def _opened(stack: AsyncExitStack, folder: Path) -> list[Layer]:
    model_port = free_port()
    fake = (sys.executable, "-m", "tests.fakes.openai_server", "--port", str(model_port))
    await stack.enter_async_context(process(*fake))
    await port_answers(model_port)
    settings = Settings(
        data_dir=folder / "desk",
        model_base_url=f"http://127.0.0.1:{model_port}/v1",
        model_name="scripted",
        similarity=False,
        log_level="warning",
    )
    desk_port = await port_told(await stack.enter_async_context(process(*serving(settings))))
    for kind, message in MESSAGES.items():
        if (calls := await model_calls(desk_port, message)) != CALLS[kind]:
            raise RuntimeError(f"{message!r} should ask a model {CALLS[kind]} times, and did {calls} times")
    layers = await stack.enter_async_context(in_process(settings))
    return [*layers, *await stack.enter_async_context(over_http(desk_port, MANY))]


if __name__ == "__main__":
    main()
