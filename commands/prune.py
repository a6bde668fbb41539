"""`frontdesk prune`: lets go of what is older than the settings keep it."""

import argparse

from checkpoints.database import Pool
from checkpoints.retention import Keep, Pruned, prune
from commands.database import with_pool
from commands.settings import read_settings

WORDS = {
    "threads": "threads with all that they own",
    "checkpoints": "earlier steps of threads (checkpoints)",
    "transcripts": "questions, answers and results (transcripts)",
    "tasks": "background tasks that are over",
    "audit": "rows of calls (audit, ledger)",
}


def run(args: argparse.Namespace) -> int:
    settings = read_settings(data_dir=args.data_dir)
    keep = Keep(**settings.kept_days)

    async def work(pool: Pool) -> int:
        _print(await prune(pool, keep, dry_run=args.dry_run), keep, dry_run=args.dry_run)
        return 0

    return with_pool(settings, work)


def _print(pruned: Pruned, keep: Keep, *, dry_run: bool) -> None:
    print("nothing was deleted; this would be:" if dry_run else "deleted:")
    for name, words in WORDS.items():
        days = getattr(keep, f"{name}_days")
        age = "kept for ever" if days is None else f"older than {days:g} days"
        print(f"{getattr(pruned, name):>8}  {words}, {age}")
