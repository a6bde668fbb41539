"""An evaluation as one HTML file that opens without a network."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from evals.comparison import Comparison
from evals.figures import Figures, Levels, Row
from evals.floors import Held, shown
from evals.plots import bars, matrix, shares
from evals.result import MEASURE, WORK, Column, ColumnKept, Result, key_of
from evals.words import CONFUSED, FIGURES, NONE, PLAIN, TITLES, changed, example, tokens

CSS = Path(__file__).parent / "page.css"
LEVELS = (("route", "route"), ("intent", "intent"), ("entities", "entities F1"), ("calls", "calls"))


@dataclass(frozen=True, kw_only=True)
class Report:
    """`examples`: the halves of which single turns may be shown. `comparisons`: with what, and what came of it."""

    result: Result
    columns: Sequence[Column]
    floors: Sequence[Held]
    aims: Sequence[Held]
    examples: Sequence[str]
    comparisons: Sequence[tuple[str, Comparison]] = ()


def write_page(report: Report, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(report), encoding="utf-8")


def page(report: Report) -> str:
    halves = [h for h in (MEASURE, WORK) if any(h in c["halves"] for c in report.result["columns"])]
    body = [
        "<h1>Frontdesk: what it understands</h1>",
        f'<p class="note">{escape(report.result["made_at"])}</p>',
        _bounds(report),
        *(_comparison(report, with_, of) for with_, of in report.comparisons),
        *(_half(report, half) for half in halves),
        _public(report.result),
        _prompts(report.result),
    ]
    head = f"<meta charset=utf-8><title>Frontdesk: evaluation</title><style>{CSS.read_text(encoding='utf-8')}</style>"
    return f"<!doctype html><html lang=en><head>{head}</head><body>{''.join(body)}</body></html>\n"


def _bounds(report: Report) -> str:
    broken = [one for one in report.floors if not one.met]
    lines = [f"<li class=bad>below the floor: {escape(str(one))}</li>" for one in broken]
    if not broken:
        lines = [f"<li class=good>{len(report.floors)} of {len(report.floors)} floors hold</li>"]
    rows = [
        [
            escape(one.column), escape(one.metric), shown(one.metric, one.measured), shown(one.metric, one.bound),
            "<span class=good>reached</span>" if one.met else "<span class=bad>not yet</span>",
        ]
        for one in report.aims
    ]  # fmt: skip
    aims = "<h3>Aims, over the measured half</h3>" + table(["column", "metric", "measured", "aim", ""], rows)
    return f"<ul>{''.join(lines)}</ul>" + (aims if rows else "")


def _half(report: Report, half: str) -> str:
    kept = [c for c in report.result["columns"] if half in c["halves"]]
    own = [c for c in kept if not c["plain"]]
    of = kept[0]["halves"][half]
    parts = [
        f"<h2>The {escape(TITLES[half])}: {of['cases']} cases, {of['levels']['turns']} turns</h2>",
        _summary(kept, half),
        "<h3>Right, by level</h3>",
        bars({title: {c["name"]: _hundredths(c["halves"][half], key) for c in own} for key, title in LEVELS}, most=100),
        "<h3>Right, refused, asked, wrong (intent)</h3>",
        shares({c["name"]: _outcomes(c["halves"][half]) for c in own}),
        "<h3>Who decided</h3>",
        *(shares({f"{level}: {c['name']}": c["halves"][half]["sources"][level] for c in own}) for level in SOURCES),
        "<h3>Cost of a turn</h3>",
        _cost(kept, half),
        "<h3>By language</h3>",
        _grouped(own, half, lambda f: f["languages"]),
        "<h3>By kind</h3>",
        _grouped(own, half, lambda f: f["kinds"]),
        _degraded(own, half),
        *(_column(report, c, half) for c in own),
    ]
    return "".join(parts)


SOURCES = ("route", "intent", "tools")


def _summary(kept: Sequence[ColumnKept], half: str) -> str:
    rows = [
        [escape(title.strip()), *(NONE if c["plain"] and title not in PLAIN else read(c["halves"][half]) for c in kept)]
        for title, read in FIGURES
    ]
    return table(["", *(escape(c["name"]) for c in kept)], rows, figures=True)


def _hundredths(of: Figures, key: str) -> float | None:
    value = of["levels"][key]  # type: ignore[literal-required]  # the keys of LEVELS
    return None if value is None else round(value * 100, 1)


def _outcomes(of: Figures) -> dict[str, float]:
    """Of the turns; a wrong call beside them is on the level of calls."""
    right, wrong = of["levels"]["intent"], of["trust"]["wrong_intent"]
    refused = of["trust"]["refused"]
    return {"right": right, "refused": refused, "asked which": max(0.0, 1 - right - wrong - refused), "wrong": wrong}


def _cost(kept: Sequence[ColumnKept], half: str) -> str:
    taken = {c["name"]: c["halves"][half]["cost"]["mean_ms"] for c in kept}
    used = {c["name"]: round(tokens(c, half)) for c in kept}
    drawn = bars({"milliseconds": taken}, unit=" ms")
    return drawn + (
        bars({"tokens": used}, unit="") if any(used.values()) else '<p class="note">No model: no tokens.</p>'
    )


def _grouped(kept: Sequence[ColumnKept], half: str, read: Callable[[Figures], dict[str, Levels]]) -> str:
    names = sorted({name for c in kept for name in read(c["halves"][half])})
    rows = []
    for name in names:
        some = [read(c["halves"][half])[name] for c in kept]
        cells = [
            _percent(value) for one in some for value in (one["route"], one["intent"], one["entities"], one["calls"])
        ]
        rows.append([escape(name), str(some[0]["turns"]), *cells])
    head = ["", "turns", *(f"{escape(c['name'])}<br>{title}" for c in kept for _, title in LEVELS)]
    whole = {name: {c["name"]: round(read(c["halves"][half])[name]["whole"] * 100, 1) for c in kept} for name in names}
    drawn = f"<details><summary>turns right as a whole, drawn</summary>{bars(whole, most=100)}</details>"
    return f"<div class=scroll>{table(head, rows, figures=True)}</div>{drawn}"


def _percent(value: float | None) -> str:
    return NONE if value is None else f"{value * 100:.1f}"


def _degraded(kept: Sequence[ColumnKept], half: str) -> str:
    rows = [
        [
            escape(c["name"]),
            escape(level),
            str(n),
            f"{n / c['halves'][half]['levels']['turns'] * 100:.1f} %",
            escape(why),
        ]
        for c in kept
        for level, reasons in c["halves"][half]["degraded"].items()
        for why, n in reasons.items()
    ]
    found = table(["column", "level", "turns", "of all", "because"], rows) if rows else "<p>Nowhere.</p>"
    return f"<h3>Where a model was asked and abstained</h3>{found}"


def _column(report: Report, column: ColumnKept, half: str) -> str:
    of, name = column["halves"][half], escape(column["name"])
    pairs = of["confusion"]
    drawn = f"<div class=scroll>{matrix(pairs[: CONFUSED * 2])}</div>" if pairs else "<p>None.</p>"
    rows = next((c.rows.get(half, ()) for c in report.columns if c.name == column["name"]), ())
    worst = [_worst(kind["kind"], kind["failed"], kind["turns"], rows, half in report.examples) for kind in of["worst"]]
    return (
        f"<details open><summary><b>{name}</b>: confusion and worst kinds</summary>"
        f"<h3>Expected (rows) against taken for (columns)</h3>{drawn}<h3>Worst kinds</h3>{''.join(worst)}</details>"
    )


def _worst(kind: str, failed: int, turns: int, rows: Sequence[Row], examples: bool) -> str:
    title = f"{escape(kind)}: {failed} of {turns} turns"
    if not examples:
        return f"<p>{title}</p>"
    some = [row for row in rows if row.case.kind == kind and row.score.failed]
    return f"<details><summary>{title}</summary><ul>{items(example(row) for row in some)}</ul></details>"


def _comparison(report: Report, with_: str, of: Comparison) -> str:
    said = {key_of(row): row.said.say for c in report.columns for some in c.rows.values() for row in some}
    parts = [f"<h2>Beside {escape(with_)}</h2><p>{of.turns} turns in common.</p>"]
    for name in dict.fromkeys(one.column for one in of.changed):
        for half in (MEASURE, WORK):
            better, worse = of.count("better", half, name), of.count("worse", half, name)
            parts.append(
                f"<h3>{escape(name)}, {escape(TITLES[half])}: <span class=good>{better} better</span>, "
                f"<span class=bad>{worse} worse</span></h3>"
            )
            shown_here = [one for one in of.changed if (one.column, one.half) == (name, half)]
            if half in report.examples:
                parts.append(f"<ul>{items(changed(one, said.get(one.turn, '')) for one in shown_here)}</ul>")
    return "".join(parts)


def _public(result: Result) -> str:
    if not result["public"]:
        return ""
    rows = [
        [escape(name), f"{one['right']} of {one['rows']}", _percent(one["share"]), escape(one["aim"])]
        for name, one in result["public"].items()
    ]
    return "<h2>Public suites</h2>" + table(["suite", "right", "%", "aim"], rows)


def _prompts(result: Result) -> str:
    rows = [
        [escape(c["name"]), escape(" ".join(f"{name}@{version}" for name, version in c["prompts"].items()))]
        for c in result["columns"]
        if c["prompts"]
    ]
    return "<h2>Prompts</h2>" + table(["column", "versions"], rows) if rows else ""


def items(lines: Iterable[str]) -> str:
    return "".join(f"<li>{escape(line)}</li>" for line in lines)


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, figures: bool = False) -> str:
    """Cells are HTML already. `figures`: all but the first column stand to the right."""
    kind = " class=n" if figures else ""
    top = "".join(f"<th{kind if n else ''}>{cell}</th>" for n, cell in enumerate(head))
    body = "".join(
        "<tr>" + "".join(f"<td{kind if n else ''}>{cell}</td>" for n, cell in enumerate(row)) + "</tr>" for row in rows
    )
    return f"<table><tr>{top}</tr>{body}</table>"
