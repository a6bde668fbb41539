"""What people write on the command line, as values; what is none is refused in words that argparse shows."""

import re
from argparse import ArgumentTypeError
from datetime import UTC, date, datetime, timedelta

LONGEST_S, LONGEST_ID, LONGEST_AGE, LONGEST_LIST = 1e9, 18, 6, 10_000


def seconds(text: str) -> float:
    return _up_to(LONGEST_S, text, "no number of seconds")


def since(text: str) -> datetime:
    """An aware time: a day or a time, of this machine's zone where it has none, or how long ago that is."""
    for unit, length in (("min", timedelta(minutes=1)), ("h", timedelta(hours=1)), ("d", timedelta(days=1))):
        number = text.removesuffix(unit)
        if number != text and number.isascii() and number.isdigit() and len(number) < LONGEST_AGE:
            return datetime.now(UTC) - int(number) * length
    try:
        said = moment(text)
    except ArgumentTypeError as error:
        raise ArgumentTypeError(f"{error}, nor a day, nor how long ago, like 90min, 2h, 7d") from None
    return said if said.tzinfo else said.astimezone()


def names(text: str) -> tuple[str, ...]:
    """By commas; each once."""
    return tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def share(text: str) -> float:
    return _up_to(1, text, "no number from 0 to 1")


def count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= LONGEST_LIST):
        raise ArgumentTypeError(f"{text!r} is no number from 1 to {LONGEST_LIST}")
    return int(text)


def row_id(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= LONGEST_ID):
        raise ArgumentTypeError(f"{text!r} is no row of the ledger; `frontdesk ledger unknown` lists some")
    return int(text)


def tool_name(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_.-]{0,127}", text):
        raise ArgumentTypeError(f"{text!r} is no name of a tool")
    return text


def turn(text: str) -> int | str:
    """A number, or the id of a message."""
    if text.isascii() and text.isdigit() and 1 <= int(text) <= LONGEST_S:
        return int(text)
    if not text.strip() or text.lstrip("-").isdigit():
        raise ArgumentTypeError(f"{text!r} is no turn; they are numbered from 1")
    return text


def day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a day like 2026-11-30") from None


def moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a time like 2026-11-30T10:00:00+08:00") from None


def _up_to(most: float, text: str, otherwise: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= most:
        raise ArgumentTypeError(f"{text!r} is {otherwise}")
    return value
