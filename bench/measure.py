"""Runs the same turns through several layers, in random order, and keeps how long each took."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

Turn = Callable[[int, str], Awaitable[float]]


@dataclass(frozen=True, kw_only=True)
class Layer:
    """`turn(worker, message)` runs one whole turn and returns the seconds until what is measured: its end, or its first
    event. Workers have numbers from 0, and one worker runs one turn at a time."""

    name: str
    turn: Turn


@dataclass(frozen=True, kw_only=True)
class Size:
    """`batches` of `turns` for each layer, `at_once` at a time; no batch begins after `limit_s` seconds."""

    at_once: int
    turns: int
    batches: int
    limit_s: float


@dataclass(kw_only=True)
class Sample:
    """`seconds`: of each turn; `wall_s`: of all batches together."""

    seconds: list[float] = field(default_factory=list)
    wall_s: float = 0.0


async def compare(layers: Sequence[Layer], message: str, size: Size, chance: random.Random) -> dict[str, Sample]:
    """Every layer has a batch in every round, in an order drawn anew: a slow minute of the machine hits them alike."""
    samples = {layer.name: Sample() for layer in layers}
    for layer in layers:
        await _batch(layer, message, size.at_once, size.at_once)
    end = time.monotonic() + size.limit_s
    for _ in range(size.batches):
        if time.monotonic() > end:
            break
        for layer in chance.sample(list(layers), len(layers)):
            began = time.perf_counter()
            seconds = await _batch(layer, message, size.turns, size.at_once)
            samples[layer.name].wall_s += time.perf_counter() - began
            samples[layer.name].seconds += seconds
    return samples


async def _batch(layer: Layer, message: str, turns: int, at_once: int) -> list[float]:
    left, seconds = iter(range(turns)), []

    async def work(worker: int) -> None:
        for _ in left:
            seconds.append(await layer.turn(worker, message))

    async with asyncio.TaskGroup() as group:
        for worker in range(at_once):
            group.create_task(work(worker))
    return seconds
