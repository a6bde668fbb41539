"""`frontdesk cases`: finished turns to be labelled, and labelled ones into the evaluation."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from checkpoints.database import Pool
from checkpoints.finished import FinishedTurns, Wanted
from commands.database import with_pool
from commands.settings import read_settings
from commands.speech import speak_utf8
from errors import ConfigurationError
from evals.cases import as_line, read_cases
from evals.labelling import line_of, merge

HOME = Path(__file__).parent.parent / "evals" / "cases"
EARLIER = 4
WORK, MEASURE = "work.jsonl", "measure.jsonl"


def run(args: argparse.Namespace) -> int:
    speak_utf8()
    actions: Mapping[str, Callable[[argparse.Namespace], int]] = {"export": _export, "merge": _merge}
    return actions[args.action](args)


def _export(args: argparse.Namespace) -> int:
    settings = read_settings(data_dir=args.data_dir)
    wanted = Wanted(
        tenant=args.tenant,
        since=args.since,
        until=args.until,
        agent=args.agent,
        source=args.source,
        unsure=args.below,
        degraded=args.degraded or None,
        verdict="down" if args.thumbs_down else None,
    )

    async def work(pool: Pool) -> int:
        turns = FinishedTurns(pool)
        found = await turns.find(wanted, limit=args.limit)
        lines = [line_of([*await turns.before(turn, limit=EARLIER), turn]) for turn in found]
        _write(args.file, [json.dumps(line, ensure_ascii=False) for line in lines])
        print(f"{len(lines)} turns; label them and set labelled to true", file=sys.stderr)
        return 0

    return with_pool(settings, work)


def _write(path: Path | None, lines: list[str]) -> None:
    if path is None:
        for line in lines:
            print(line)
        return
    try:
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(f"{path}: {error.strerror}") from error


def _merge(args: argparse.Namespace) -> int:
    """Never into the half that measures: whoever labels has seen what the desk did."""
    folder = args.into or HOME
    path = folder / WORK
    existing = read_cases(path) if path.exists() else ()
    others = read_cases(folder / MEASURE) if (folder / MEASURE).exists() else ()
    merged = merge(existing, others, args.file)
    if merged.added:
        with path.open("a", encoding="utf-8") as file:
            file.writelines(f"{as_line(case)}\n" for case in merged.cases[len(existing) :])
    print(f"{merged.added} added to {path}, {merged.twice} there already, {merged.unlabelled} not labelled yet")
    return 0
