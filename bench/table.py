"""Turns samples into a table: turns per second, percentiles, and ratios within the run."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from bench.measure import Sample

HEADINGS = ("turn", "at once", "layer", "turns", "turns/s", "p50 ms", "p95 ms", "x of saver")


@dataclass(frozen=True, kw_only=True)
class Row:
    """`ratio`: this layer's median over the median of the graph with its saver in the same comparison."""

    kind: str
    at_once: int
    layer: str
    turns: int
    per_second: float
    p50_ms: float
    p95_ms: float
    ratio: float


def rows(kind: str, at_once: int, samples: Mapping[str, Sample], reference: str) -> list[Row]:
    base = percentile(samples[reference].seconds, 50)
    return [
        Row(
            kind=kind,
            at_once=at_once,
            layer=name,
            turns=len(sample.seconds),
            per_second=round(len(sample.seconds) / sample.wall_s, 1),
            p50_ms=round(percentile(sample.seconds, 50) * 1000, 2),
            p95_ms=round(percentile(sample.seconds, 95) * 1000, 2),
            ratio=round(percentile(sample.seconds, 50) / base, 2),
        )
        for name, sample in samples.items()
    ]


def percentile(values: Sequence[float], percent: int) -> float:
    """The smallest value that at least `percent` per cent of them do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def shown(table: Iterable[Row]) -> str:
    return laid_out(HEADINGS, (asdict(row).values() for row in table))


def laid_out(headings: Sequence[str], table: Iterable[Iterable[object]]) -> str:
    """A table in Markdown that reads well as it is."""
    cells = [tuple(headings), *(tuple(str(value) for value in row) for row in table)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(headings))]
    lines = [_line(line, widths) for line in cells]
    return "\n".join([lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Words to the left, numbers to the right."""
    padded = [
        cell.rjust(width) if cell.replace(".", "").isdigit() else cell.ljust(width)
        for cell, width in zip(cells, widths, strict=True)
    ]
    return "| " + " | ".join(padded) + " |"
