"""`frontdesk understand`: what the rules read in a text, as JSON lines."""

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, tzinfo
from pathlib import Path
from typing import IO, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from commands.settings import read_settings
from commands.speech import speak_utf8
from config.loading import load_catalogue
from config.models import load_models
from config.settings import Settings
from errors import ConfigurationError, FrontdeskError
from models.similarity import open_similarity
from nodes.reading import reader_of
from nodes.similarity import Alike
from nodes.understanding import understand

Understand = Callable[[str, datetime], dict[str, Any]]


def run(args: argparse.Namespace) -> int:
    zone = _zone(args.time_zone)
    if not args.text and not args.file:
        raise ConfigurationError("name a text, or a --file of texts; see frontdesk understand --help")
    speak_utf8()
    settings = read_settings()
    understood = _understanding(settings, args.locale)
    clock = _aware(args.clock or settings.clock, zone)
    for text in args.text:
        _print(understood(text, clock or datetime.now(zone)))
    if not args.file:
        return 0
    with _opened(args.file) as lines:
        return _all_lines(lines, understood, clock, zone)


def _understanding(settings: Settings, locale: Any) -> Understand:
    catalogue = load_catalogue(settings.config_dir, settings.agent_dirs)
    reader = reader_of(catalogue)
    kept = settings.data_dir / "similarity"
    similarity = open_similarity(catalogue.learnt, kept if kept.is_dir() else None) if settings.similarity else None
    alike = Alike(similarity=similarity, rules=load_models(settings.config_dir / "models.yaml").similarity)
    return lambda text, now: understand(text, catalogue, reader, now=now, locale=locale, alike=alike)


def _all_lines(lines: Iterator[bytes], understood: Understand, clock: datetime | None, zone: tzinfo) -> int:
    """A line that cannot be read is told with its number, and the others go on."""
    failed = 0
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            text, own_clock = _line(line, zone)
            _print(understood(text, own_clock or clock or datetime.now(zone)))
        except (ValueError, RecursionError, FrontdeskError) as error:
            failed = 1
            print(json.dumps({"error": str(error), "line": number}, ensure_ascii=False), file=sys.stderr, flush=True)
    return failed


def _line(line: bytes, zone: tzinfo) -> tuple[str, datetime | None]:
    item = json.loads(line.decode("utf-8-sig"))
    if not isinstance(item, dict) or not isinstance(item.get("text"), str):
        raise ValueError('a line holds {"text": "..."}')
    clock = item.get("clock")
    if clock is not None and not isinstance(clock, str):
        raise ValueError('"clock" is a time like "2026-11-30T10:00:00+08:00"')
    return item["text"], _aware(datetime.fromisoformat(clock), zone) if clock else None


def _aware(moment: datetime | None, zone: tzinfo) -> datetime | None:
    """In `zone`; a time without a zone is meant there."""
    if moment is None:
        return None
    return moment.replace(tzinfo=zone) if moment.tzinfo is None else moment.astimezone(zone)


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ConfigurationError(f"no time zone is named {name!r}; a name is like Asia/Shanghai") from error


@contextmanager
def _opened(name: str) -> Iterator[IO[bytes]]:
    if name == "-":
        yield sys.stdin.buffer
        return
    try:
        with Path(name).open("rb") as file:
            yield file
    except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
        raise ConfigurationError(f"{name}: {error.strerror}") from error


def _print(result: dict[str, Any]) -> None:
    print(json.dumps(result, ensure_ascii=False), flush=True)
