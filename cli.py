"""The `frontdesk` command: its sub-commands and their help; the work is in `commands/`."""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Protocol, TypeAlias, cast

from errors import FrontdeskError

FAILED, MISUSED, INTERRUPTED = 1, 2, 130
LONGEST_S, LONGEST_ID = 1e9, 18


class Command(Protocol):
    """A module of `commands/`."""

    def run(self, args: argparse.Namespace) -> int:
        """Do it; the number is the exit status of the process."""
        ...


def main(argv: Sequence[str] | None = None) -> int:
    """0: done; 1: done, with problems that were printed; 2: the configuration or the command line is wrong."""
    args = parser().parse_args(argv)
    # Imported late: `--help` should not wait for the whole desk to load.
    command = cast(Command, importlib.import_module(f"commands.{args.command}"))
    try:
        return command.run(args)
    except FrontdeskError as error:
        print(f"error: {error}", file=sys.stderr)
        return MISUSED
    except BrokenPipeError:
        # Whoever read our output has gone (`| head`). Python flushes once more at exit, which must not fail either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="frontdesk",
        description="One front desk for every business agent. Start with `frontdesk serve`.",
        epilog="Settings come from the environment or a .env file; docs/configuration.md lists them all.",
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _serve(commands)
    _check(commands)
    _understand(commands)
    _replay(commands)
    _runs(commands)
    _ledger(commands)
    _prune(commands)
    _psql(commands)
    return top


Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def _serve(commands: Commands) -> None:
    one = commands.add_parser(
        "serve",
        help="start the desk",
        description="Start the desk: its database (an embedded PostgreSQL unless DATABASE_URL names one), then HTTP. "
        "Ctrl-C stops it; a turn that is running is finished first.",
    )
    one.add_argument("--host", help="address to listen on (HOST; 127.0.0.1)")
    one.add_argument("--port", type=int, help="port to listen on, 0 for a free one (PORT; 8000)")
    _data_dir(one)


def _check(commands: Commands) -> None:
    commands.add_parser(
        "check",
        help="check the whole configuration without starting anything",
        description="Read settings, agents, words, cards, prompts, models and tool adapters, and check them against "
        "each other. Every problem is printed with its file and key, and the exit status is then 1.",
    )


def _understand(commands: Commands) -> None:
    one = commands.add_parser(
        "understand",
        help="show what the rules read in a text",
        description="Print, as one line of JSON per text, the agent, intents, requests, entities and decisions that "
        "the rules find: no model, no database, nothing is started.",
        epilog='example: frontdesk understand "查一下今天的订单" --clock 2026-11-30T10:00',
    )
    one.add_argument("text", nargs="*", help="a sentence, in quotes")
    one.add_argument(
        "--file",
        help='file of JSON lines {"text": "...", "clock": "..."}; the clock may be left out; - for standard input',
    )
    one.add_argument("--clock", type=_moment, help="what counts as now, e.g. 2026-11-30T10:00:00+08:00")
    one.add_argument("--time-zone", default="Asia/Shanghai", help="the zone that days are counted in (%(default)s)")
    one.add_argument("--locale", choices=("zh", "en"), help="the language of replies; the text's own if left out")


def _replay(commands: Commands) -> None:
    one = commands.add_parser(
        "replay",
        help="ask recorded turns again, and show what would come out otherwise",
        description="Replay one thread, or all turns of a day, in threads of their own: with the clock, the caller and "
        "the results of then. No tool is called. --model and --agent try another model or another definition. The "
        "exit status is 1 if turns of the day could not be replayed.",
        epilog="example: frontdesk replay --day 2026-11-30 --agent business.yaml",
    )
    one.add_argument("thread", nargs="?", metavar="THREAD", help="its id")
    one.add_argument("--turn", type=_turn, metavar="N", help="from this turn, by its number or its message's id (1)")
    one.add_argument("--until", type=_turn, metavar="N", help="to this turn (the last)")
    one.add_argument("--day", type=_day, metavar="DATE", help="all turns of a day, such as 2026-11-30")
    one.add_argument("--tenant", help="of a day: this tenant's alone")
    one.add_argument("--model", metavar="NAME", help="ask this model of models.yaml instead of each turn's own")
    one.add_argument("--agent", type=Path, metavar="FILE", help="a definition in place of the agent that it names")
    one.add_argument("--locale", choices=("zh", "en"), default="en", help="the language of the text (%(default)s)")
    one.add_argument("--json", action="store_true", help="one object instead of text")
    one.add_argument("--keep", action="store_true", help="of a day: keep the replays' threads, to look at them")
    _data_dir(one)


def _runs(commands: Commands) -> None:
    one = commands.add_parser(
        "runs",
        help="list runs that hang, and stop one",
        description="Runs are turns on their way: a desk's own are ended by it, those of a desk that died are taken "
        "over by another or by the next one that starts. This is for the rest.",
    )
    actions = one.add_subparsers(dest="action", required=True, metavar="ACTION")
    stuck = actions.add_parser("stuck", help="list the runs that wait or run for too long, the oldest first")
    stuck.add_argument(
        "--older-than", type=_seconds, default=60.0, metavar="SECONDS", help="for how long (%(default)s)"
    )
    _data_dir(stuck)
    cancel = actions.add_parser("cancel", help="stop one")
    cancel.add_argument("run", metavar="RUN", help="its id")
    cancel.add_argument("--rollback", action="store_true", help="also take back its steps, as if it had not been asked")
    _data_dir(cancel)


def _ledger(commands: Commands) -> None:
    one = commands.add_parser(
        "ledger",
        help="list calls whose end is unknown, and settle one",
        description="A call with an effect that began and has no end (the process was killed in between) is never "
        "made again blindly: whoever asks reads that its outcome is unknown, until it is settled here.",
    )
    actions = one.add_subparsers(dest="action", required=True, metavar="ACTION")
    _data_dir(actions.add_parser("unknown", help="list the calls whose end nobody knows, the oldest first"))
    resolve = actions.add_parser("resolve", help="say what became of one")
    resolve.add_argument("id", type=_row_id, metavar="ID", help="its row in the ledger")
    resolve.add_argument("status", choices=("done", "failed"), help="done: it happened; failed: it did not")
    resolve.add_argument("--note", help="how you know")
    _data_dir(resolve)


def _prune(commands: Commands) -> None:
    one = commands.add_parser(
        "prune",
        help="let go of what is older than it is to be kept",
        description="Delete what is older than KEEP_CHECKPOINTS_DAYS, KEEP_TRANSCRIPTS_DAYS, KEEP_AUDIT_DAYS and "
        "KEEP_THREADS_DAYS say. A running desk does the same by itself, every PRUNE_EVERY_HOURS.",
    )
    one.add_argument("--dry-run", action="store_true", help="only count what would go")
    _data_dir(one)


def _psql(commands: Commands) -> None:
    one = commands.add_parser(
        "psql",
        help="open the desk's database",
        description="Open the database in psql, or run the SQL of standard input if that is no terminal. It works "
        "while the desk is running, and without: then the embedded PostgreSQL is started for the while.",
        epilog="example: echo 'select count(*) from demo.orders' | frontdesk psql",
    )
    one.add_argument("psql_args", nargs="*", metavar="-- ARG", help="arguments for psql itself, after a --")
    _data_dir(one)


def _data_dir(one: argparse.ArgumentParser) -> None:
    one.add_argument("--data-dir", type=Path, help="where the embedded PostgreSQL lives (DATA_DIR; .frontdesk)")


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= LONGEST_S:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds")
    return seconds


def _row_id(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= LONGEST_ID):
        raise argparse.ArgumentTypeError(f"{text!r} is no row of the ledger; `frontdesk ledger unknown` lists some")
    return int(text)


def _turn(text: str) -> int | str:
    """A number, or the id of a message."""
    if text.isascii() and text.isdigit() and 1 <= int(text) <= LONGEST_S:
        return int(text)
    if not text.strip() or text.lstrip("-").isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is no turn; they are numbered from 1")
    return text


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a day like 2026-11-30") from None


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time like 2026-11-30T10:00:00+08:00") from None


if __name__ == "__main__":
    sys.exit(main())
