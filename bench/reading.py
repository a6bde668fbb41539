"""What it costs to read a sentence by rules, stage by stage, and to compare it with the examples."""

import statistics
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from config.catalogue import Catalogue
from config.loading import load_catalogue
from config.settings import HERE
from language.amounts import find_amounts
from language.clauses import split
from language.counts import find_limits
from language.misspelt import mend
from language.names import find_people
from language.normalise import normalise
from language.numbers import find_numbers
from language.periods import find_periods
from language.times import find_times
from models.similarity import open_similarity
from nodes.reading import read, reader_of
from nodes.understanding import understand

NOW = datetime(2026, 11, 30, 10, tzinfo=ZoneInfo("Asia/Shanghai"))
LONG = 200
TEXTS: Mapping[str, str] = {
    "zh, 18 characters": "帮我查一下张三上周的订单，要最新的五条",
    "en, 49 characters": "show me the top three orders from the last 7 days",
    "zh, 200 characters": ("请看看张三和李四上个月已付款的订单，再建一个明天下午三点的待办：给王小明回电话，" * 6)[
        :LONG
    ],
    "en, 200 characters": (
        "show the orders of Alice Wong from last month, then remind me to call Bob at 3pm tomorrow, " * 4
    )[:LONG],
}
REPEATS = 25


@dataclass(frozen=True, kw_only=True)
class Stage:
    """`us`: median microseconds by text."""

    stage: str
    us: dict[str, float]


def reading(*, repeats: int = REPEATS) -> dict[str, list[Stage]]:
    """The similarity tier only where it is installed; it learns first, which takes some seconds."""
    catalogue = load_catalogue(HERE)
    stages = dict(_stages(catalogue))
    if (similarity := open_similarity(catalogue.learnt, None)) is not None:
        stages["compare with the examples"] = similarity.of
    return {
        "reading": [
            Stage(stage=name, us={label: _median(work, text, repeats) for label, text in TEXTS.items()})
            for name, work in stages.items()
        ]
    }


def _stages(catalogue: Catalogue) -> Iterable[tuple[str, Callable[[str], Any]]]:
    grammar, reader = catalogue.grammar, reader_of(catalogue)
    words = {"connectors": grammar.connectors, "negations": grammar.negations, "not_negations": grammar.not_negations}
    vocabulary = catalogue.vocabulary
    yield "normalise", normalise
    yield "mend misspelt words", lambda text: mend(normalise(text), vocabulary)
    yield "split into clauses", lambda text: split(text, **words)
    yield "find nouns of intents", catalogue.nouns.find
    yield "dates and periods", lambda text: find_periods(text, NOW)
    yield "times of day", find_times
    yield "numbers", find_numbers
    yield "counts", find_limits
    yield "amounts", find_amounts
    yield "names", lambda text: find_people(text, catalogue.names, ())
    yield "all particulars", lambda text: reader.read(normalise(text), NOW, ())
    yield "clauses, pronouns, negations", lambda text: read(text, {}, catalogue)
    yield "all of it: intents and particulars", lambda text: understand(text, catalogue, reader, now=NOW)


def _median(work: Callable[[str], Any], text: str, repeats: int) -> float:
    """Each time a text that was not read before: what is kept of the last readings would take no time."""
    taken = []
    for number in range(repeats):
        fresh = f"{text}{chr(0x4E00 + number % 64)}"
        began = time.perf_counter()
        work(fresh)
        taken.append(time.perf_counter() - began)
    return round(statistics.median(taken) * 1e6, 1)


def shown(tables: Mapping[str, list[Stage]]) -> str:
    lines = [f"| microseconds, median | {' | '.join(TEXTS)} |", f"|---|{'---|' * len(TEXTS)}"]
    lines += (
        f"| {row.stage} | {' | '.join(f'{row.us[label]:,.0f}' for label in TEXTS)} |" for row in tables["reading"]
    )
    return "\n".join(lines)
