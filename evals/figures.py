"""What a set of played cases comes to, in numbers that a file can keep."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, quantiles

from typing_extensions import TypedDict

from evals.cases import Case, Said
from evals.outcomes import Outcome
from evals.runner import Played
from evals.scoring import Judge, Level, Score
from nodes.state import UNKNOWN

WORST = 10
SHOWN_EXAMPLES = 4
SURE_TENTHS = 20


@dataclass(frozen=True, kw_only=True)
class Row:
    """One turn of one case, played and judged."""

    case: Case
    number: int
    said: Said
    outcome: Outcome
    score: Score

    @property
    def unknown(self) -> bool:
        return self.said.expect.agent == UNKNOWN


class Levels(TypedDict):
    """Shares of turns that are right; `entities` is an F1, None where no slot was expected."""

    turns: int
    route: float
    intent: float
    entities: float | None
    calls: float | None
    whole: float


class Entities(TypedDict):
    """`strict_f1`: with slots that nobody said counted as wrong ones."""

    found: int
    wrong: int
    missing: int
    extra: int
    precision: float
    recall: float
    f1: float
    strict_f1: float


class Trust(TypedDict):
    """Wrong beside refused, as shares of turns. `unknown_kept`: of the turns that nobody serves, the share that was
    refused or asked about; `gold_offered`: of the offers for a request that the desk serves, the share that held it;
    `forbidden_changes`: of the forbidden calls, those of tools with an effect."""

    wrong_route: float
    wrong_intent: float
    refused: float
    offered: float
    gold_offered: float | None
    unknown_kept: float | None
    forbidden_calls: int
    forbidden_changes: int
    errors: int


class Cost(TypedDict):
    """Per turn. `p95_ms`: of the turns."""

    model_calls: float
    input_tokens: float
    output_tokens: float
    mean_ms: float
    p95_ms: float


class Kind(TypedDict):
    """`failed`: turns with a fault; `examples`: case ids and turns, the first few."""

    kind: str
    turns: int
    failed: int
    at: dict[str, int]
    examples: list[tuple[str, int]]


class Figures(TypedDict):
    """`cases_right`: conversations without a fault. `sources`: level to source to its share of the decisions there.
    `degraded`: level to reason to how many turns; `confusion`: expected, got, how often, where they differ."""

    cases: int
    cases_right: int
    levels: Levels
    entities: Entities
    trust: Trust
    cost: Cost
    languages: dict[str, Levels]
    kinds: dict[str, Levels]
    sources: dict[str, dict[str, float]]
    degraded: dict[str, dict[str, int]]
    confusion: list[tuple[str, str, int]]
    worst: list[Kind]


def rows_of(played: Iterable[Played], judge: Judge) -> tuple[Row, ...]:
    return tuple(
        Row(case=one.case, number=n, said=said, outcome=outcome, score=score)
        for one in played
        for n, (said, outcome, score) in enumerate(
            zip(one.case.turns, one.outcomes, judge.case(one.case, one.outcomes), strict=True)
        )
    )


def figures(rows: Sequence[Row]) -> Figures:
    """`rows`: at least one."""
    failed = {row.case.id for row in rows if row.score.failed}
    cases = {row.case.id for row in rows}
    return Figures(
        cases=len(cases),
        cases_right=len(cases - failed),
        levels=levels(rows),
        entities=entities(rows),
        trust=_trust(rows),
        cost=_cost(rows),
        languages=_grouped(rows, lambda row: row.case.locale),
        kinds=_grouped(rows, lambda row: row.case.kind),
        sources=_sources(rows),
        degraded=_degraded(rows),
        confusion=_confusion(rows),
        worst=_worst(rows),
    )


def levels(rows: Sequence[Row]) -> Levels:
    slots = entities(rows)
    checked = [row for row in rows if row.score.calls is not None or row.score.forbidden]
    return Levels(
        turns=len(rows),
        route=_share(rows, lambda row: row.score.route == "right"),
        intent=_share(rows, lambda row: row.score.intent == "right"),
        entities=slots["f1"] if slots["found"] + slots["wrong"] + slots["missing"] else None,
        calls=_share(checked, lambda row: _right(row, "calls")) if checked else None,
        whole=_share(rows, lambda row: not row.score.failed),
    )


def entities(rows: Sequence[Row]) -> Entities:
    """A wrong value counts against precision and against recall; the cases allow slots that nobody said."""
    slots = [row.score.slots for row in rows]
    found, wrong = sum(len(s.found) for s in slots), sum(len(s.wrong) for s in slots)
    missing, extra = sum(len(s.missing) for s in slots), sum(len(s.extra) for s in slots)
    precision, recall = _ratio(found, found + wrong), _ratio(found, found + wrong + missing)
    return Entities(
        found=found,
        wrong=wrong,
        missing=missing,
        extra=extra,
        precision=precision,
        recall=recall,
        f1=_harmonic(precision, recall),
        strict_f1=_harmonic(_ratio(found, found + wrong + extra), recall),
    )


def _trust(rows: Sequence[Row]) -> Trust:
    served = [row for row in rows if not row.unknown and row.outcome["offered"]]
    strange = [row for row in rows if row.unknown]
    return Trust(
        wrong_route=_share(rows, lambda row: row.score.route == "wrong"),
        wrong_intent=_share(rows, lambda row: row.score.intent == "wrong"),
        refused=_share(rows, lambda row: row.score.intent == "refused"),
        offered=_share(rows, lambda row: bool(row.outcome["offered"])),
        gold_offered=_share(served, lambda row: row.score.gold_offered) if served else None,
        unknown_kept=_share(strange, lambda row: row.score.route == "right") if strange else None,
        forbidden_calls=sum(len(row.score.forbidden) for row in rows),
        forbidden_changes=sum(len(row.score.changes) for row in rows),
        errors=sum(row.outcome["error"] is not None for row in rows),
    )


def _cost(rows: Sequence[Row]) -> Cost:
    took = [row.outcome["elapsed_ms"] for row in rows]
    used = [row.outcome["usage"] for row in rows]
    return Cost(
        model_calls=round(fmean(u["model_calls"] for u in used), 3),
        input_tokens=round(fmean(u["input_tokens"] for u in used), 1),
        output_tokens=round(fmean(u["output_tokens"] for u in used), 1),
        mean_ms=round(fmean(took), 2),
        p95_ms=round(quantiles(took, n=SURE_TENTHS)[-1] if len(took) > 1 else took[0], 2),
    )


def _grouped(rows: Sequence[Row], key: Callable[[Row], str]) -> dict[str, Levels]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return {name: levels(group) for name, group in sorted(groups.items())}


def _sources(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """A sentence that goes nowhere has no route decision; it counts as one that nothing decided."""
    counted: dict[str, Counter[str]] = {"route": Counter(), "intent": Counter(), "tools": Counter()}
    for row in rows:
        for decision in row.outcome["decisions"]:
            counted[decision["level"]][decision["source"]] += 1
        if not any(d["level"] == "route" for d in row.outcome["decisions"]):
            counted["route"]["none"] += 1
    return {
        level: {source: _ratio(n, some.total()) for source, n in some.most_common()} for level, some in counted.items()
    }


def _degraded(rows: Sequence[Row]) -> dict[str, dict[str, int]]:
    counted: dict[str, Counter[str]] = {}
    for row in rows:
        for fault in set(row.outcome["degraded"]):
            level, _, reason = fault.partition(": ")
            counted.setdefault(level, Counter())[reason] += 1
    return {level: dict(some.most_common()) for level, some in sorted(counted.items())}


def _confusion(rows: Sequence[Row]) -> list[tuple[str, str, int]]:
    pairs = Counter(
        (" + ".join(row.said.expect.intents), _named(row.outcome)) for row in rows if row.score.intent != "right"
    )
    return [(expected, got, n) for (expected, got), n in pairs.most_common()]


def _named(outcome: Outcome) -> str:
    return "(offered)" if outcome["offered"] else " + ".join(dict.fromkeys(outcome["intents"]))


def _worst(rows: Sequence[Row]) -> list[Kind]:
    """The kinds with the most turns that have a fault."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.case.kind, []).append(row)
    kinds = [_kind(name, group) for name, group in groups.items()]
    return sorted((k for k in kinds if k["failed"]), key=lambda k: (-k["failed"], -k["failed"] / k["turns"]))[:WORST]


def _kind(name: str, rows: Sequence[Row]) -> Kind:
    failed = [row for row in rows if row.score.failed]
    return Kind(
        kind=name,
        turns=len(rows),
        failed=len(failed),
        at=dict(Counter(level for row in failed for level in row.score.failed[:1])),
        examples=[(row.case.id, row.number) for row in failed[:SHOWN_EXAMPLES]],
    )


def _right(row: Row, level: Level) -> bool:
    return level not in row.score.failed


def _share(rows: Sequence[Row], right: Callable[[Row], bool]) -> float:
    return _ratio(sum(map(right, rows)), len(rows))


def _ratio(part: float, whole: float) -> float:
    return round(part / whole, 4) if whole else 0.0


def _harmonic(a: float, b: float) -> float:
    return round(2 * a * b / (a + b), 4) if a + b else 0.0
