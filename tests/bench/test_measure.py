"""Layers take turns, and all of them the same number."""

import random

from bench.measure import Layer, Size, compare


async def test_every_layer_runs_as_many_turns_and_no_more_at_once_than_asked() -> None:
    running, most, runs = 0, 0, {"a": 0, "b": 0}

    def layer(name: str) -> Layer:
        async def turn(worker: int, message: str) -> float:
            nonlocal running, most
            running += 1
            most = max(most, running)
            runs[name] += 1
            running -= 1
            return 0.001

        return Layer(name=name, turn=turn)

    size = Size(at_once=3, turns=6, batches=2, limit_s=10)
    samples = await compare([layer("a"), layer("b")], "hi", size, random.Random(1))
    assert {name: len(sample.seconds) for name, sample in samples.items()} == {"a": 12, "b": 12}
    assert runs == {"a": 15, "b": 15}
    assert most <= 3


async def test_a_comparison_ends_when_its_time_is_up() -> None:
    async def turn(worker: int, message: str) -> float:
        return 0.0

    size = Size(at_once=1, turns=1, batches=1000, limit_s=-1)
    samples = await compare([Layer(name="a", turn=turn)], "hi", size, random.Random(1))
    assert samples["a"].seconds == []
