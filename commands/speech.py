"""What commands print: UTF-8 whatever the locale, and rows in columns."""

import sys
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import zip_longest

MINUTE_S, HOUR_S, DAY_S = 60, 3600, 86400


def speak_utf8() -> None:
    """A lone surrogate comes out as the escape that JSON has for it."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """One line for each row under its head; a Chinese character is two columns wide."""
    cells = [[_plain(cell) for cell in row] for row in (head, *rows)]
    widths = [max(map(_width, column)) for column in zip_longest(*cells, fillvalue="")]
    lines = [
        "  ".join(cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)) for row in cells
    ]
    return "\n".join(line.rstrip() for line in lines)


def age(since: datetime) -> str:
    """How long ago, in whole units of the size that a reader would choose."""
    seconds = max(0.0, (datetime.now(UTC) - since).total_seconds())
    for unit, length in (("d", DAY_S), ("h", HOUR_S), ("min", MINUTE_S)):
        if seconds >= 2 * length:
            return f"{seconds // length:.0f} {unit}"
    return f"{seconds // 1:.0f} s"


def _plain(text: str) -> str:
    """Nothing that a terminal would act upon."""
    return "".join(char if char.isprintable() else " " for char in text)


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)
