"""Plots as inline SVG, drawn by hand so that a report is one file: bars, stacked shares and a matrix."""

from collections.abc import Mapping, Sequence
from html import escape

WIDTH, LABEL, ROW, GAP = 760, 210, 18, 10
CELL, SMALL = 22, 34
# Told apart by people who see few colours as well.
COLOURS = ("#2f6db3", "#d9822b", "#3f9c76", "#a64d79", "#7a6bb0", "#8f8f3a", "#4aa3c7", "#b0483f", "#777777")
FULL = 100.0


def bars(groups: Mapping[str, Mapping[str, float | None]], *, unit: str = " %", most: float | None = None) -> str:
    """Rows in groups, one bar for each series. Values as they are shown; None draws nothing."""
    series = list(dict.fromkeys(name for some in groups.values() for name in some))
    values = [value for some in groups.values() for value in some.values() if value is not None]
    top = most or max([*values, 1e-9])
    parts, y = [_legend(series)], SMALL
    for group, some in groups.items():
        parts.append(_text(0, y + ROW * len(some) / 2 + 4, group))
        for name, value in some.items():
            if value is not None:
                length = (WIDTH - LABEL - 70) * value / top
                colour = COLOURS[series.index(name) % len(COLOURS)]
                parts.append(_rect((LABEL, y), (length, ROW - 3), colour, f"{group}, {name}: {value:g}{unit}"))
                parts.append(_text(LABEL + length + 5, y + ROW - 6, f"{value:g}{unit}", small=True))
            y += ROW
        y += GAP
    return _svg(y, parts)


def shares(rows: Mapping[str, Mapping[str, float]]) -> str:
    """One bar of full width for each row, cut by shares from 0 to 1."""
    series = list(dict.fromkeys(name for some in rows.values() for name in some))
    parts, y = [_legend(series)], SMALL
    for row, some in rows.items():
        parts.append(_text(0, y + ROW - 4, row))
        x, whole = float(LABEL), sum(some.values()) or 1.0
        for name, share in some.items():
            length = (WIDTH - LABEL - 10) * share / whole
            colour = COLOURS[series.index(name) % len(COLOURS)]
            parts.append(_rect((x, y), (length, ROW), colour, f"{row}, {name}: {share * FULL:.1f} %"))
            if length > SMALL + 8:
                parts.append(_text(x + 4, y + ROW - 5, f"{share * FULL:.0f} %", small=True, inside=True))
            x += length
        y += ROW + GAP
    return _svg(y, parts)


def matrix(pairs: Sequence[tuple[str, str, int]]) -> str:
    """Expected against got, the darker the more often; rows and columns in the order of their frequency."""
    rows = list(dict.fromkeys(expected for expected, _, _ in pairs))
    columns = list(dict.fromkeys(got for _, got, _ in pairs))
    most = max((n for _, _, n in pairs), default=1)
    left, top = 230, 200
    parts = [_text(0, top + CELL * n + 15, name, small=True) for n, name in enumerate(rows)]
    parts += [
        f'<text class="small" transform="translate({left + CELL * n + 14},{top - 6}) rotate(-50)">{escape(name)}</text>'
        for n, name in enumerate(columns)
    ]
    for expected, got, n in pairs:
        x, y = left + CELL * columns.index(got), top + CELL * rows.index(expected)
        said = f"{expected} taken for {got}: {n}"
        parts.append(_rect((x, y), (CELL - 2, CELL - 2), COLOURS[0], said, opacity=0.25 + 0.75 * n / most))
        parts.append(_text(x + 6, y + 15, str(n), small=True, inside=True))
    return _svg(top + CELL * len(rows) + GAP, parts, width=left + CELL * len(columns) + 160)


def _legend(series: Sequence[str]) -> str:
    parts, x = [], 0.0
    for n, name in enumerate(series):
        parts.append(_rect((x, 4), (12, 12), COLOURS[n % len(COLOURS)], name))
        parts.append(_text(x + 17, 14, name, small=True))
        x += 30 + 7.0 * len(name)
    return "".join(parts)


def _svg(height: float, parts: Sequence[str], *, width: float = WIDTH) -> str:
    return f'<svg viewBox="0 0 {width:g} {height:g}" width="{width:g}" role="img">{"".join(parts)}</svg>'


def _rect(at: tuple[float, float], size: tuple[float, float], colour: str, title: str, *, opacity: float = 1.0) -> str:
    (x, y), (width, height) = at, size
    shape = f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{height:g}" rx="2"'
    return f'{shape} fill="{colour}" fill-opacity="{opacity:.2f}"><title>{escape(title)}</title></rect>'


def _text(x: float, y: float, said: str, *, small: bool = False, inside: bool = False) -> str:
    classes = " ".join(name for name, on in (("small", small), ("inside", inside)) if on)
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{classes}">{escape(said)}</text>'
