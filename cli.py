"""The `frontdesk` command: its sub-commands and their help; the work is in `commands/`."""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol, TypeAlias, cast

from errors import FrontdeskError

FAILED, MISUSED, INTERRUPTED = 1, 2, 130


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


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time like 2026-11-30T10:00:00+08:00") from None


if __name__ == "__main__":
    sys.exit(main())
