"""How far a long command has come, on standard error, so that standard output holds its result alone."""

import shutil
import sys
import time
from types import TracebackType
from typing import Self, TextIO

WIDEST = 40
REDRAW_S = 0.1
TENTHS = 10


class Progress:
    """A bar where standard error is a terminal, else a line for each tenth of the way.

    `stream`: instead of standard error. `found`: what those are that are looked for.
    """

    def __init__(self, what: str, stream: TextIO | None = None, *, found: str = "changed") -> None:
        self._what, self._stream, self._looked_for = what, stream or sys.stderr, found
        self._total, self._done, self._found = 0, 0, 0
        self._began = time.monotonic()
        self._drawn_at, self._tenth = 0.0, 0
        self._draws = self._stream.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._draws:
            print("\r\x1b[K", end="", file=self._stream, flush=True)
        elif self._done == self._total and self._tenth < TENTHS:
            print(self._said(), file=self._stream, flush=True)

    def expect(self, steps: int) -> None:
        """So many more are to be done."""
        self._total += steps

    def step(self, *, found: bool) -> None:
        """One more is done; `found`: it is one of those that are looked for."""
        self._done += 1
        self._found += found
        if self._draws:
            self._draw()
        elif self._total and (tenth := self._done * TENTHS // self._total) > self._tenth:
            self._tenth = tenth
            print(self._said(), file=self._stream, flush=True)

    def _draw(self) -> None:
        now = time.monotonic()
        if now - self._drawn_at < REDRAW_S and self._done < self._total:
            return
        self._drawn_at = now
        words = self._said()
        width = max(0, min(WIDEST, shutil.get_terminal_size().columns - len(words) - 4))
        full = width * min(self._done, self._total) // max(self._total, 1)
        bar = f"[{'#' * full}{'-' * (width - full)}] " if width else ""
        print(f"\r\x1b[K{bar}{words}", end="", file=self._stream, flush=True)

    def _said(self) -> str:
        words = f"{self._what}: {self._done} of {self._total}, {self._found} {self._looked_for}"
        left = self._total - self._done
        if left <= 0:
            return words
        seconds = round((time.monotonic() - self._began) / self._done * left)
        return f"{words}, {seconds // 60}:{seconds % 60:02d} left"
