"""`frontdesk ledger`: calls with an effect whose end nobody knows, and what an operator found out about them."""

import argparse
import json
from collections.abc import Sequence

from checkpoints.database import Pool
from checkpoints.ledger import Effect, LedgerStore
from checkpoints.saver import TurnSaver
from commands.database import with_pool
from commands.operator import operator
from commands.settings import read_settings
from commands.speech import age, speak_utf8, table
from errors import Conflict, NotFound

FAILED = 1
MOST = 100
HEAD = ("id", "began", "owner", "tool", "arguments", "thread")
LONGEST = 80
ADVICE = "look whether the effect is there, then: frontdesk ledger resolve ID done|failed --note '...'"


def run(args: argparse.Namespace) -> int:
    settings = read_settings(data_dir=args.data_dir)
    speak_utf8()

    async def work(pool: Pool) -> int:
        ledger = LedgerStore(pool, TurnSaver(pool))
        return await (_unknown(ledger) if args.action == "unknown" else _resolve(ledger, args))

    return with_pool(settings, work)


async def _unknown(ledger: LedgerStore) -> int:
    found = await ledger.unknown(limit=MOST)
    if not found:
        print("the end of every call is known")
        return 0
    print(table(HEAD, _rows(found)))
    print(f"... these are the {MOST} oldest" if len(found) == MOST else ADVICE)
    return 0


def _rows(effects: Sequence[Effect]) -> list[tuple[str, ...]]:
    return [
        (
            str(effect.id),
            f"{age(effect.started_at)} ago",
            f"{effect.tenant_id}/{effect.user_id}",
            effect.tool,
            _short(json.dumps(effect.arguments, ensure_ascii=False, sort_keys=True))
            if effect.arguments is not None
            else "(deleted)",
            effect.thread_id or "(deleted)",
        )
        for effect in effects
    ]


async def _resolve(ledger: LedgerStore, args: argparse.Namespace) -> int:
    try:
        settled = await ledger.resolve(args.id, args.status, operator(), args.note)
    except (NotFound, Conflict) as error:
        print(f"nothing was settled: {error}")
        return FAILED
    print(f"settled: {settled.tool}, row {settled.id}, is {settled.status}; {MEANING[args.status]}")
    return 0


MEANING = {
    "done": "its own turn, taken up again, finds it done and does not make it again",
    "failed": "asked for again, it is made",
}


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
