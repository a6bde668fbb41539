"""`frontdesk eval`: the cases of evals/ through the real graph, without business effects, and what comes of them."""

import argparse
import asyncio
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from commands.progress import Progress
from commands.settings import read_settings
from commands.speech import speak_utf8
from config.settings import Settings
from errors import ConfigurationError
from evals.cases import Case, read_cases
from evals.columns import Ground, endpoint_of, with_model, without_models
from evals.comparison import between, compared
from evals.floors import aimed, held, load_floors
from evals.page import Report, write_page
from evals.public import public_suites
from evals.result import MEASURE, WORK, Column, read_result, result_of, write_result
from evals.words import bounds_in_words, comparison_in_words, in_words, public_in_words
from models.endpoints import endpoints
from nodes.similarity import Alike
from opening.similarity import similarity_of
from opening.written import read
from telemetry import logs

EVALS = Path("evals")
BELOW, FINE = 1, 0


def run(args: argparse.Namespace) -> int:
    """1 where a floor does not hold."""
    speak_utf8()
    settings = read_settings()
    logs.configure("error")
    ground, wordings = _ground(args, settings), _wordings(args.prompts)
    if wordings and not args.models:
        raise ConfigurationError("--prompts compares wordings, which needs a model that reads them: name --models")
    baseline = read_result(args.baseline) if args.baseline else None
    floors = None if args.only or args.no_floors else load_floors(args.floors or _home() / "floors.yaml")
    columns = asyncio.run(_columns(args, ground, wordings))
    public = public_suites(args.public, ground.catalogue) if args.public else None
    result = result_of(columns, made_at=datetime.now().astimezone().isoformat(timespec="seconds"), public=public)
    report = Report(
        result=result,
        columns=columns,
        floors=held(result, floors) if floors else (),
        aims=aimed(result, floors, MEASURE) if floors else (),
        examples=(WORK, MEASURE) if args.show_measured else (WORK,),
        comparisons=[
            *([("the baseline", compared(baseline, result))] if baseline else []),
            *((model, between(result, model, f"{model}, {name}")) for model in args.models for name in wordings),
        ],
    )
    _print(report)
    place = args.out or settings.data_dir / "evaluation"
    write_result(result, place / "result.json")
    write_page(report, place / "report.html")
    print(f"\nreport: {place / 'report.html'}   result: {place / 'result.json'}", file=sys.stderr)
    return FINE if all(one.met for one in report.floors) else BELOW


def _ground(args: argparse.Namespace, settings: Settings) -> Ground:
    written = read(settings)
    similarity = None if args.rules_only else similarity_of(settings, written.catalogue)
    return Ground(
        catalogue=written.catalogue,
        registry=written.registry,
        config=written.models,
        halves=_halves(args),
        alike=Alike(similarity=similarity, rules=written.models.similarity) if similarity else None,
        endpoints={} if args.offline else endpoints(written.models, settings),
        cassettes=args.cassettes or _home() / "cassettes",
        fresh=args.fresh,
        offline=args.offline,
    )


def _halves(args: argparse.Namespace) -> dict[str, tuple[Case, ...]]:
    wanted = (args.half,) if args.half else (MEASURE, WORK)
    folder = args.cases or _home() / "cases"
    halves = {half: read_cases(folder / f"{half}.jsonl") for half in wanted}
    if args.only:
        halves = {half: tuple(c for c in cases if c.kind in args.only) for half, cases in halves.items()}
    halves = {half: cases for half, cases in halves.items() if cases}
    if not halves:
        raise ConfigurationError(f"no case is of the kind {', '.join(args.only)}")
    return halves


def _home() -> Path:
    """The evals/ of this installation: cases and floors lie beside the code that reads them."""
    return Path(__file__).parent.parent / EVALS


def _wordings(folders: Sequence[Path]) -> dict[str, Mapping[str, str]]:
    """Each folder's prompts under its name. Raises ConfigurationError for one without any."""
    found: dict[str, Mapping[str, str]] = {}
    for folder in folders:
        prompts = {file.name: file.read_text(encoding="utf-8-sig") for file in sorted(folder.glob("*.md"))}
        if not prompts:
            raise ConfigurationError(f"{folder}: there is no prompt (*.md) in it")
        found[f"prompts {folder.name}"] = prompts
    return found


async def _columns(args: argparse.Namespace, ground: Ground, wordings: Mapping[str, Mapping[str, str]]) -> list[Column]:
    strange = {name for prompts in wordings.values() for name in prompts} - ground.catalogue.prompts.keys()
    if strange:
        raise ConfigurationError(f"there are no prompts {', '.join(sorted(strange))} to take the place of")
    for model in args.models:
        endpoint_of(ground, model)  # before anything is played
    cases = sum(len(half) for half in ground.halves.values())
    # The desk, further wordings, the model alone and the plain agent.
    a_model = len(wordings) + 3
    ways = 1 + (ground.alike is not None) + a_model * len(args.models)
    with Progress("evaluation", found="with a fault") as progress:
        progress.expect(cases * ways)

        def told(fault: bool) -> None:
            progress.step(found=fault)

        columns = await without_models(ground, told)
        for model in args.models:
            columns += await with_model(ground, model, told, wordings=wordings)
    return columns


def _print(report: Report) -> None:
    print(in_words(report.result, report.columns, examples=report.examples))
    if report.result["public"]:
        print("\n" + public_in_words(report.result["public"]))
    for with_, of in report.comparisons:
        print("\n" + comparison_in_words(with_, of, report.columns, examples=report.examples))
    if report.floors or report.aims:
        print("\n" + bounds_in_words(report.floors, report.aims))
