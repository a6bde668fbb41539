"""The rules of language held against public suites in a folder of the caller's; none of their texts is ours."""

import json
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from typing_extensions import TypedDict

from config.catalogue import CHAT, Catalogue
from errors import ConfigurationError
from language.normalise import normalise
from language.numbers import find_numbers
from language.particulars import Reader
from language.periods import find_periods
from nodes.reading import reader_of
from nodes.understanding import understand

Row = dict[str, Any]
# A day without any meaning, for suites that bring no clock.
SOME_DAY = datetime.fromisoformat("2021-06-14T10:00:00+08:00")
PURE = frozenset({"pure_thank", "pure_bye_thank"})


class Suite(TypedDict):
    """`share`: right of rows; where a suite counts what must not happen, `right` are the rows where it did not."""

    rows: int
    right: int
    share: float
    aim: str


def public_suites(folder: Path, catalogue: Catalogue) -> dict[str, Suite]:
    """The suites that are there. Raises ConfigurationError where there is none, or one cannot be read."""
    desk = _Desk(catalogue)
    suites: dict[str, tuple[str, Callable[[Row], bool | None], str]] = {
        "time ranges": ("zh_time_ranges.jsonl", time_range, "at least 95 %"),
        "no time where there is none": ("zh_no_time.jsonl", no_time, "at most 1 of 34 wrong"),
        "integers": ("zh_numbers.jsonl", integers, "at least 95 %"),
        "a request stays one beside a greeting": ("zh_greeting_and_request.jsonl", desk.request_kept, "at least 99 %"),
        "thanks and goodbyes": ("zh_greeting_and_request.jsonl", desk.small_talk, "at least 97 %"),
    }
    found = {
        name: _suite(folder / file, right, aim)
        for name, (file, right, aim) in suites.items()
        if (folder / file).is_file()
    }
    if not found:
        raise ConfigurationError(
            f"{folder}: none of the public suites is here: {', '.join(f for f, _, _ in suites.values())}"
        )
    return found


def time_range(row: Row) -> bool | None:
    """Start and end exactly, and no other range beside it; rows that follow another convention do not count."""
    if row.get("trap"):
        return None
    found = find_periods(normalise(row["text"]).text, datetime.fromisoformat(row["ref"]))
    return [(str(one.value.start), str(one.value.end)) for one in found] == [(row["start"], row["end"])]


def no_time(row: Row) -> bool:
    return not find_periods(normalise(row["text"]).text, SOME_DAY)


def integers(row: Row) -> bool | None:
    """Every number and ordinal of the text, in order; rows with fractions, shares and ranges do not count."""
    gold = [float(one["resolution"]["value"]) for one in row["gold"] if one["type"] in ("number", "ordinal")]
    if not gold or len(gold) != len(row["gold"]) or any(value != int(value) for value in gold):
        return None
    return [one.value for one in find_numbers(normalise(row["text"]).text)] == gold


class _Desk:
    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue, self._reader = catalogue, reader_of(catalogue)

    def request_kept(self, row: Row) -> bool | None:
        return None if row["label"] in PURE else not self._talks(row["text"])

    def small_talk(self, row: Row) -> bool | None:
        return self._talks(row["text"]) if row["label"] in PURE else None

    def _talks(self, text: str) -> bool:
        reader: Reader = self._reader
        return bool(understand(text, self._catalogue, reader, now=SOME_DAY)["agent"] == CHAT)


def _suite(path: Path, right: Callable[[Row], bool | None], aim: str) -> Suite:
    verdicts = [verdict for row in _rows(path) if (verdict := _judged(row, right, path)) is not None]
    good = sum(verdicts)
    return Suite(rows=len(verdicts), right=good, share=round(good / len(verdicts), 4) if verdicts else 0.0, aim=aim)


def _judged(row: Row, right: Callable[[Row], bool | None], path: Path) -> bool | None:
    try:
        return right(row)
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigurationError(f"{path.name}: a row does not have what is read of it: {error!r}") from error


def _rows(path: Path) -> Iterator[Row]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            yield json.loads(line)
        except ValueError as error:
            raise ConfigurationError(f"{path.name}:{number}: {error}") from error
