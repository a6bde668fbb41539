"""`frontdesk replay`: what would come out otherwise if one thread, or all turns of a day, were asked again."""

import argparse
import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
from psycopg_pool import PoolTimeout

from checkpoints.replays import ReplayRows, TurnsOfDay
from checkpoints.threads import Threads, parse_thread_id
from commands.database import must_be_there
from commands.progress import Progress
from commands.settings import read_settings
from commands.speech import speak_utf8
from config.settings import Settings
from errors import ConfigurationError, Conflict, NotFound, Unavailable
from graphs.difference import Summary, summed
from graphs.difference_text import summary_in_words
from graphs.replay import Replay, ReplayedTurn, Replays
from graphs.replayed_turn import Ground
from graphs.span import Span
from nodes.state import Locale
from server import House, open_house
from telemetry import logs

FAILED = 1
MOST_TURNS = 100_000  # of one thread
AT_ONCE = 4


@dataclass(frozen=True, kw_only=True)
class Missed:
    """Turns of a day that could not be replayed, and why."""

    turns: TurnsOfDay
    why: str


def run(args: argparse.Namespace) -> int:
    if (args.thread is None) == (args.day is None):
        raise ConfigurationError("name either a thread or a --day; see frontdesk replay --help")
    if args.day is not None and (args.turn is not None or args.until is not None):
        raise ConfigurationError("--turn and --until are of one thread, not of a --day")
    if args.tenant is not None and args.day is None:
        raise ConfigurationError("--tenant belongs to a --day")
    agent = None if args.agent is None else _read(args.agent)
    settings = read_settings(data_dir=args.data_dir, demo=False)
    must_be_there(settings)
    speak_utf8()
    logs.configure("error", settings.log_format)
    try:
        return asyncio.run(_run(args, settings, agent))
    except (psycopg.OperationalError, PoolTimeout) as error:
        raise Unavailable("the database does not answer") from error


async def _run(args: argparse.Namespace, settings: Settings, agent: str | None) -> int:
    async with open_house(settings) as house:
        replays = Replays(
            house.services,
            house.saver,
            house.pool,
            known_models=tuple(house.written.models.models),
            turn_timeout_s=settings.turn_timeout_s,
        )
        ground = await replays.ground(model=args.model, agent=agent)
        if args.day is None:
            return await _thread(args, house, replays, ground)
        if args.tenant is not None and args.tenant not in house.services.catalogue.tenants:
            known = ", ".join(house.services.catalogue.tenants)
            raise ConfigurationError(f"--tenant: there is no tenant {args.tenant!r}; there are {known}")
        return await Day(args, house, replays, ground).run()


async def _thread(args: argparse.Namespace, house: House, replays: Replays, ground: Ground) -> int:
    rows = ReplayRows(house.pool)
    thread = await rows.thread(parse_thread_id(args.thread))
    span = Span(turn=args.turn, until=args.until)
    with Progress("turns") as progress:
        replay = await replays.replay(
            thread,
            span,
            ground,
            most=MOST_TURNS,
            begun=progress.expect,
            told=lambda turn: progress.step(found=turn["changed"]),
        )
    if args.json:
        _print_json(replay)
    else:
        locale: Locale = args.locale
        print(replay["text"][locale])
        print(f"-> {replay['replay_thread_id']}")
    return 0


class Day:
    """All turns of a day, some threads at once; the replays' threads go again, unless they are to be kept."""

    def __init__(self, args: argparse.Namespace, house: House, replays: Replays, ground: Ground) -> None:
        self._args, self._replays, self._ground = args, replays, ground
        self._threads, self._rows = Threads(house.pool), ReplayRows(house.pool)
        self._free = asyncio.Semaphore(AT_ONCE)
        self._locale: Locale = args.locale

    async def run(self) -> int:
        found = await self._rows.of_day(self._args.day, self._args.tenant)
        with Progress("turns") as progress:
            progress.expect(sum(one.last - one.first + 1 for one in found))
            ended = await asyncio.gather(*(self._replay(one, progress) for one in found))
        replays = [one for one in ended if not isinstance(one, Missed)]
        missed = [one for one in ended if isinstance(one, Missed)]
        (self._print_json if self._args.json else self._print)(replays, missed)
        return FAILED if missed else 0

    async def _replay(self, turns: TurnsOfDay, progress: Progress) -> Replay | Missed:
        async with self._free:
            left = turns.last - turns.first + 1

            def told(turn: ReplayedTurn) -> None:
                nonlocal left
                left -= 1
                progress.step(found=turn["changed"])

            try:
                thread = await self._rows.thread(turns.thread_id)
                span = Span(turn=turns.first, until=turns.last)
                replay = await self._replays.replay(thread, span, self._ground, most=MOST_TURNS, told=told)
            except (Conflict, NotFound) as error:
                return Missed(turns=turns, why=str(error))
            finally:
                progress.expect(-left)
            if not self._args.keep:
                await self._threads.delete(UUID(replay["replay_thread_id"]), thread.tenant_id, thread.user_id)
            return replay

    def _summary(self, replays: Sequence[Replay]) -> Summary:
        return summed(turn for replay in replays for turn in replay["turns"])

    def _print(self, replays: Sequence[Replay], missed: Sequence[Missed]) -> None:
        """What would change, thread by thread, and then how much of it there is."""
        locale = self._locale
        for replay in replays:
            changed = [turn["text"][locale] for turn in replay["turns"] if turn["changed"]]
            if changed:
                kept = f" -> {replay['replay_thread_id']}" if self._args.keep else ""
                print(f"{replay['thread_id']}{kept}", *changed, "", sep="\n")
        print(summary_in_words(self._summary(replays), [], locale))
        left_out = sum(len(replay["left_out"]) for replay in replays)
        if left_out:
            print(f"Not replayed: {left_out}, which never ran or whose record was pruned.")
        for one in missed:
            turns = f"turn {one.turns.first} to {one.turns.last}"
            print(f"{one.turns.thread_id}, {turns}, could not be replayed: {one.why}")

    def _print_json(self, replays: Sequence[Replay], missed: Sequence[Missed]) -> None:
        kept = [replay if self._args.keep else {**replay, "replay_thread_id": None} for replay in replays]
        _print_json(
            {
                "day": self._args.day.isoformat(),
                "tenant": self._args.tenant,
                "model": self._ground.model,
                "agent": self._ground.agent,
                "summary": self._summary(replays),
                "threads": kept,
                "missed": [
                    {
                        "thread_id": str(one.turns.thread_id),
                        "first_turn": one.turns.first,
                        "last_turn": one.turns.last,
                        "why": one.why,
                    }
                    for one in missed
                ],
            }
        )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"--agent: {str(path)!r} cannot be read as UTF-8 text: {error}") from error


def _print_json(result: Any) -> None:
    print(json.dumps(result, ensure_ascii=False))
