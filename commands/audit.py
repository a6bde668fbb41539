"""`frontdesk audit`: which calls were made or refused, as far as a filter asks for them."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import get_args

from checkpoints.audit import AuditStore, Recorded, Wanted
from checkpoints.database import Pool
from checkpoints.saver import TurnSaver
from commands.database import with_pool
from commands.settings import read_settings
from commands.speech import speak_utf8, table
from errors import ConfigurationError
from tools.tool import Status

HEAD = ("at", "owner", "tool", "arguments", "outcome", "confirmed", "ms", "thread")
LONGEST = 60


def run(args: argparse.Namespace) -> int:
    settings = read_settings(data_dir=args.data_dir)
    speak_utf8()
    if args.outcome is not None and args.outcome not in get_args(Status):
        raise ConfigurationError(f"--outcome: must be one of {', '.join(get_args(Status))}")
    wanted = Wanted(
        tenant=args.tenant,
        since=args.since,
        tool=args.tool,
        user=args.user,
        thread_id=args.thread,
        outcome=args.outcome,
    )

    async def work(pool: Pool) -> int:
        found = await AuditStore(pool, TurnSaver(pool)).find(wanted, limit=args.limit + 1)
        _print(found[: args.limit], as_json=args.json, more=len(found) > args.limit)
        return 0

    return with_pool(settings, work)


def _print(found: Sequence[Recorded], *, as_json: bool, more: bool) -> None:
    if as_json:
        for row in found:
            print(json.dumps(asdict(row) | {"at": row.at.isoformat()}, ensure_ascii=False, default=str))
        return
    if not found:
        print("there are no such calls")
        return
    print(table(HEAD, [_cells(row) for row in found]))
    if more:
        print(f"... these are the newest {len(found)}; --limit shows more")


def _cells(row: Recorded) -> tuple[str, ...]:
    asked = row.confirmation
    confirmed = "-" if asked is None else f"{asked.get('answer') or 'asked'}{_by(asked.get('by'))}"
    return (
        row.at.astimezone().isoformat(sep=" ", timespec="seconds"),
        f"{row.tenant_id}/{row.user_id}",
        row.tool,
        "(deleted)" if row.arguments is None else _short(json.dumps(row.arguments, ensure_ascii=False)),
        f"{row.outcome} ({row.reason})" if row.reason else row.outcome,
        confirmed,
        f"{row.elapsed_ms:.0f}",
        row.thread_id or "-",
    )


def _by(user: object) -> str:
    return f" by {user}" if user else ""


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
