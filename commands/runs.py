"""`frontdesk runs`: runs that hang, and how one is stopped."""

import argparse
from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

from checkpoints.database import Pool
from checkpoints.run import CancelAction, Run
from checkpoints.runs import Runs
from commands.database import with_pool
from commands.settings import read_settings
from commands.speech import age, speak_utf8, table
from errors import ConfigurationError, Conflict, NotFound

FAILED = 1
MOST = 100
HEAD = ("run", "thread", "owner", "status", "for", "attempt", "held")


def run(args: argparse.Namespace) -> int:
    settings = read_settings(data_dir=args.data_dir)
    speak_utf8()

    async def work(pool: Pool) -> int:
        return await (_stuck(Runs(pool), args) if args.action == "stuck" else _cancel(Runs(pool), args))

    return with_pool(settings, work)


async def _stuck(runs: Runs, args: argparse.Namespace) -> int:
    found = await runs.stuck(args.older_than, limit=MOST)
    if not found:
        print(f"no run waits or runs for longer than {args.older_than:g} s")
        return 0
    print(table(HEAD, _rows(found)))
    if len(found) == MOST:
        print(f"... these are the {MOST} oldest")
    return 0


def _rows(runs: Sequence[Run]) -> list[tuple[str, ...]]:
    return [
        (
            str(run.run_id),
            str(run.thread_id),
            f"{run.tenant_id}/{run.user_id}",
            f"{run.status}, to be stopped" if run.cancel_action else run.status,
            age(run.started_at or run.created_at),
            str(run.attempt),
            _held(run),
        )
        for run in runs
    ]


def _held(run: Run) -> str:
    """By whom. A running desk takes over at once what is held by nobody."""
    if run.status == "pending":
        return "waits"
    if run.lease_until is None or run.lease_until <= datetime.now(UTC):
        return "by nobody"
    return f"by {run.lease_owner}"


async def _cancel(runs: Runs, args: argparse.Namespace) -> int:
    action: CancelAction = "rollback" if args.rollback else "interrupt"
    try:
        told = await runs.cancel_any(_run_id(args.run), action)
    except (NotFound, Conflict) as error:
        print(f"nothing to stop: {error}")
        return FAILED
    if told.status == "running":
        print(f"told: run {told.run_id} stops within seconds where a desk runs, else when the next one starts")
    else:
        print(f"stopped: run {told.run_id} had not begun")
    return 0


def _run_id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise ConfigurationError(f"{text!r} is no id of a run; `frontdesk runs stuck` lists some") from None
