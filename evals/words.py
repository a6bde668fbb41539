"""An evaluation as text: figures side by side, and what is worth looking at below them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from evals.comparison import Changed, Comparison
from evals.figures import Figures, Levels, Row
from evals.floors import Held, shown
from evals.result import MEASURE, WORK, Column, ColumnKept, Result, key_of

TITLES = {MEASURE: "measured half", WORK: "half that is worked with"}
CONFUSED, LISTED = 15, 40
NONE = "-"
# As measured figures have them: (title, how it is read); a plain agent shows those of PLAIN alone.
Read = Callable[[Figures], str]


def percent(value: float | None) -> str:
    return NONE if value is None else f"{value * 100:.1f} %"


FIGURES: tuple[tuple[str, Read], ...] = (
    ("route right", lambda f: percent(f["levels"]["route"])),
    ("intent right", lambda f: percent(f["levels"]["intent"])),
    ("entities F1", lambda f: percent(f["entities"]["f1"])),
    ("  precision", lambda f: percent(f["entities"]["precision"])),
    ("  recall", lambda f: percent(f["entities"]["recall"])),
    ("  F1, unsaid slots counted", lambda f: percent(f["entities"]["strict_f1"])),
    ("calls right", lambda f: percent(f["levels"]["calls"])),
    ("turn right as a whole", lambda f: percent(f["levels"]["whole"])),
    ("wrong route", lambda f: percent(f["trust"]["wrong_route"])),
    ("wrong intent", lambda f: percent(f["trust"]["wrong_intent"])),
    ("refused (unknown)", lambda f: percent(f["trust"]["refused"])),
    ("offered (did you mean)", lambda f: percent(f["trust"]["offered"])),
    ("  right one among them", lambda f: percent(f["trust"]["gold_offered"])),
    ("unknown kept unknown", lambda f: percent(f["trust"]["unknown_kept"])),
    ("forbidden calls", lambda f: str(f["trust"]["forbidden_calls"])),
    ("  that change something", lambda f: str(f["trust"]["forbidden_changes"])),
    ("turns that failed", lambda f: str(f["trust"]["errors"])),
    ("model calls a turn", lambda f: f"{f['cost']['model_calls']:.2f}"),
    ("tokens a turn", lambda f: f"{f['cost']['input_tokens'] + f['cost']['output_tokens']:.0f}"),
    ("ms a turn", lambda f: f"{f['cost']['mean_ms']:.1f}"),
    ("ms, 95 % of turns", lambda f: f"{f['cost']['p95_ms']:.1f}"),
)
PLAIN = frozenset({
    "calls right", "forbidden calls", "  that change something", "turns that failed", "model calls a turn",
    "tokens a turn", "ms a turn", "ms, 95 % of turns",
})  # fmt: skip


def in_words(result: Result, columns: Sequence[Column], *, examples: Sequence[str]) -> str:
    """`examples`: the halves of which single turns may be shown."""
    halves = [half for half in (MEASURE, WORK) if any(half in c["halves"] for c in result["columns"])]
    parts = [part for half in halves for part in _half(half, result, columns, half in examples)]
    return "\n\n".join(part for part in [*parts, _prompts(result)] if part)


def _half(half: str, result: Result, columns: Sequence[Column], examples: bool) -> list[str]:
    kept = [c for c in result["columns"] if half in c["halves"]]
    own = [c for c in kept if not c["plain"]]
    turns = kept[0]["halves"][half]["levels"]["turns"]
    title = f"=== {TITLES[half]}: {kept[0]['halves'][half]['cases']} cases, {turns} turns"
    return [
        title + "\n" + table(["", *(c["name"] for c in kept)], [*_figures(kept, half), *_prices(kept, half)]),
        _groups("language", own, half, lambda f: f["languages"]),
        _groups("kind", own, half, lambda f: f["kinds"]),
        _sources(own, half),
        _degraded(own, half),
        *(_confusion(c, half) for c in own[-1:]),
        *(_worst(c, half, _rows(columns, c["name"], half), examples) for c in own[-1:]),
    ]


def _rows(columns: Sequence[Column], name: str, half: str) -> Sequence[Row]:
    return next((c.rows.get(half, ()) for c in columns if c.name == name), ())


def _figures(kept: Sequence[ColumnKept], half: str) -> Iterable[list[str]]:
    for title, read in FIGURES:
        yield [title, *(NONE if c["plain"] and title not in PLAIN else read(c["halves"][half]) for c in kept)]


def _prices(kept: Sequence[ColumnKept], half: str) -> Iterable[list[str]]:
    """Where a price is known: of a thousand turns, in its currency. And tokens beside those of the plain agent."""
    if any(c["price"] for c in kept):
        yield ["price of 1000 turns", *(_price(c, half) for c in kept)]
    plain = {c["model"]: tokens(c, half) for c in kept if c["plain"]}
    if plain:
        yield ["tokens beside plain agent's", *(_share_of(c, half, plain.get(c["model"])) for c in kept)]


def _price(column: ColumnKept, half: str) -> str:
    cost, price = column["halves"][half]["cost"], column["price"]
    if price is None:
        return NONE
    return f"{(cost['input_tokens'] * price[0] + cost['output_tokens'] * price[1]) / 1000:.2f}"


def tokens(column: ColumnKept, half: str) -> float:
    cost = column["halves"][half]["cost"]
    return cost["input_tokens"] + cost["output_tokens"]


def _share_of(column: ColumnKept, half: str, plain: float | None) -> str:
    return percent(tokens(column, half) / plain) if plain else NONE


def _groups(title: str, kept: Sequence[ColumnKept], half: str, read: Callable[[Figures], dict[str, Levels]]) -> str:
    head = [f"by {title}", "turns", *(f"{c['name']}: route intent F1 calls" for c in kept)]
    names = sorted({name for c in kept for name in read(c["halves"][half])})
    rows = []
    for name in names:
        some = [read(c["halves"][half])[name] for c in kept]
        rows.append([name, str(some[0]["turns"]), *(_four(one) for one in some)])
    return table(head, rows)


def _four(levels: Levels) -> str:
    values = (levels["route"], levels["intent"], levels["entities"], levels["calls"])
    return " ".join(f"{NONE:>5}" if value is None else f"{value * 100:5.1f}" for value in values)


def _sources(kept: Sequence[ColumnKept], half: str) -> str:
    rows = []
    for level in ("route", "intent", "tools"):
        some = [c["halves"][half]["sources"][level] for c in kept]
        for source in dict.fromkeys(source for one in some for source in one):
            rows.append([f"{level} by {source}", *(percent(one.get(source, 0.0)) for one in some)])
    return table(["decided", *(c["name"] for c in kept)], rows)


def _degraded(kept: Sequence[ColumnKept], half: str) -> str:
    rows = []
    for column in kept:
        of = column["halves"][half]
        for level, reasons in of["degraded"].items():
            share = percent(sum(reasons.values()) / of["levels"]["turns"])
            why = ", ".join(f"{reason} {n}" for reason, n in reasons.items())
            rows.append([column["name"], level, share, why])
    return table(["degraded", "level", "of turns", "because"], rows) if rows else "degraded: nowhere"


def _confusion(column: ColumnKept, half: str) -> str:
    pairs = column["halves"][half]["confusion"]
    rows = [[expected, got, str(n)] for expected, got, n in pairs[:CONFUSED]]
    more = f"\n({len(pairs) - CONFUSED} more pairs)" if len(pairs) > CONFUSED else ""
    return table([f"{column['name']}: expected", "taken for", "turns"], rows) + more if rows else ""


def _worst(column: ColumnKept, half: str, rows: Sequence[Row], examples: bool) -> str:
    by_key = {(row.case.id, row.number): row for row in rows}
    lines = [f"{column['name']}: worst kinds"]
    for kind in column["halves"][half]["worst"]:
        at = ", ".join(f"{level} {n}" for level, n in kind["at"].items())
        lines.append(f"  {kind['kind']}: {kind['failed']} of {kind['turns']} turns ({at})")
        if examples:
            lines += [f"    {example(by_key[case, number])}" for case, number in kind["examples"]]
    return "\n".join(lines) if len(lines) > 1 else ""


def example(row: Row) -> str:
    """One turn that has a fault, with what was expected and what came."""
    expected = " + ".join(row.said.expect.intents)
    got = row.outcome["error"] or " + ".join(row.outcome["intents"])
    offered = f" (offered {', '.join(row.outcome['offered'])})" if row.outcome["offered"] else ""
    slots = [*row.score.slots.wrong, *row.score.slots.missing]
    notes = [*(f"slot {slot}" for slot in slots), *row.score.faults, *(f"called {t}" for t in row.score.forbidden)]
    because = f": {'; '.join(notes)}" if notes else ""
    return f"{key_of(row)} “{row.said.say}” {expected} -> {got}{offered}{because}"


def _prompts(result: Result) -> str:
    lines = []
    for column in result["columns"]:
        if column["prompts"]:
            lines.append(f"prompts of {column['name']}: " + " ".join(f"{n}@{v}" for n, v in column["prompts"].items()))
        if column["missed"]:
            lines.append(f"{column['name']}: {column['missed']} requests are not on its cassette and were not asked")
    return "\n".join(lines)


def bounds_in_words(floors: Sequence[Held], aims: Sequence[Held]) -> str:
    """The floors that are broken, and how far the aims are."""
    lines = [f"aims, {TITLES[MEASURE]}"]
    for one in aims:
        mark, word = "reached" if one.met else "not yet", "at least" if one.least else "at most"
        bound, measured = shown(one.metric, one.bound), shown(one.metric, one.measured)
        lines.append(f"  {mark}: {one.column}, {one.metric} {measured} ({word} {bound})")
    broken = [f"BELOW THE FLOOR: {one}" for one in floors if not one.met]
    return "\n".join([*(lines if aims else []), *(broken or [f"floors: {len(floors)} of {len(floors)} hold"])])


def public_in_words(suites: Mapping[str, Mapping[str, Any]]) -> str:
    rows = [
        [name, f"{one['right']} of {one['rows']}", percent(one["share"]), one["aim"]] for name, one in suites.items()
    ]
    return table(["public suite", "right", "", "aim"], rows)


def comparison_in_words(with_: str, of: Comparison, columns: Sequence[Column], *, examples: Sequence[str]) -> str:
    """`with_`: what it is compared with. Case by case for the halves in `examples`; of the others only how many."""
    lines = [f"compared with {with_}: {of.turns} turns in common"]
    if of.unmatched:
        lines.append(f"  only on one side: {', '.join(of.unmatched)}")
    said = {key_of(row): row.said.say for column in columns for some in column.rows.values() for row in some}
    for name in dict.fromkeys(one.column for one in of.changed):
        for half in (MEASURE, WORK):
            better, worse = of.count("better", half, name), of.count("worse", half, name)
            lines.append(f"  {name}, {TITLES[half]}: {better} better, {worse} worse")
            some = [one for one in of.changed if (one.column, one.half) == (name, half)] if half in examples else []
            lines += [f"    {changed(one, said.get(one.turn, ''))}" for one in some[:LISTED]]
            if len(some) > LISTED:
                lines.append(f"    and {len(some) - LISTED} more in the report")
    return "\n".join(lines) if of.changed else "\n".join([*lines, "  nothing became otherwise"])


def changed(one: Changed, said: str) -> str:
    before, after = ("+".join(levels) or "right" for levels in (one.before, one.after))
    return f"{one.change}: {one.turn} “{said}” {before} -> {after}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The first column to the left, figures to the right where all of a column's cells are figures."""
    cells = [list(head), *(list(row) for row in rows)]
    widths = [max(len(row[n]) for row in cells) for n in range(len(head))]
    right = [n > 0 and all(_figure(row[n]) for row in rows) for n in range(len(head))]
    lines = [
        "  ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right, strict=True)) for row in cells
    ]
    return "\n".join(line.rstrip() for line in lines)


def _figure(cell: str) -> bool:
    return cell == NONE or cell[:1].isdigit()
