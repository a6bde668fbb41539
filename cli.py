"""The `frontdesk` command: its sub-commands and their help; the work is in `commands/`."""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, TypeAlias, cast

from commands.values import count, day, moment, names, row_id, seconds, share, since, tool_name, turn
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
    command = cast(Command, importlib.import_module(f"commands.{args.command.replace('-', '_')}"))
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
    _worker(commands)
    _check(commands)
    _understand(commands)
    _replay(commands)
    _eval(commands)
    _cases(commands)
    _runs(commands)
    _ledger(commands)
    _switch(commands)
    _audit(commands)
    _prune(commands)
    _function_centre(commands)
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


def _worker(commands: Commands) -> None:
    one = commands.add_parser(
        "worker",
        help="do background tasks, without serving anybody",
        description="Do background tasks beside the desks of the same database (DATABASE_URL), on this machine or any "
        "other. Ctrl-C stops it; what it is at is handed back and goes on elsewhere, at its last step.",
    )
    one.add_argument("--concurrency", type=int, metavar="N", help="how many at once (TASK_CONCURRENCY; 2)")
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
    one.add_argument("--clock", type=moment, help="what counts as now, e.g. 2026-11-30T10:00:00+08:00")
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
    one.add_argument("--turn", type=turn, metavar="N", help="from this turn, by its number or its message's id (1)")
    one.add_argument("--until", type=turn, metavar="N", help="to this turn (the last)")
    one.add_argument("--day", type=day, metavar="DATE", help="all turns of a day, such as 2026-11-30")
    one.add_argument("--tenant", help="of a day: this tenant's alone")
    one.add_argument("--model", metavar="NAME", help="ask this model of models.yaml instead of each turn's own")
    one.add_argument("--agent", type=Path, metavar="FILE", help="a definition in place of the agent that it names")
    one.add_argument("--locale", choices=("zh", "en"), default="en", help="the language of the text (%(default)s)")
    one.add_argument("--json", action="store_true", help="one object instead of text")
    one.add_argument("--keep", action="store_true", help="of a day: keep the replays' threads, to look at them")
    _data_dir(one)


def _eval(commands: Commands) -> None:
    one = commands.add_parser(
        "eval",
        help="measure what the desk understands",
        description="Play the cases of evals/ through the real graph, with tools that do nothing, and print and draw "
        "how much of it is right: by rules, by rules and similarity, and by each model that is named. No database is "
        "started. The exit status is 1 where a floor of evals/floors.yaml does not hold.",
        epilog="example: frontdesk eval --models default --baseline .frontdesk/evaluation/before.json",
    )
    one.set_defaults(command="evaluate")
    one.add_argument("--half", choices=("work", "measure"), help="this half of the cases alone")
    one.add_argument("--only", metavar="KIND", action="append", help="cases of this kind alone; repeatable; no floors")
    one.add_argument("--cases", type=Path, metavar="FOLDER", help="other work.jsonl and measure.jsonl than ours")
    one.add_argument("--rules-only", action="store_true", help="leave the similarity tier out")
    one.add_argument("--models", type=names, default=(), metavar="A,B", help="these models of models.yaml as well")
    one.add_argument(
        "--prompts", type=Path, action="append", default=[], metavar="FOLDER",
        help="the models also with these prompts in place of ours of the same names; repeatable",
    )  # fmt: skip
    one.add_argument("--cassettes", type=Path, metavar="FOLDER", help="where models' answers are recorded and found")
    recorded = one.add_mutually_exclusive_group()
    recorded.add_argument("--offline", action="store_true", help="recorded answers alone, no network")
    recorded.add_argument("--fresh", action="store_true", help="ask for everything anew, and record it")
    one.add_argument("--baseline", type=Path, metavar="FILE", help="an earlier result.json to compare with")
    one.add_argument("--floors", type=Path, metavar="FILE", help="other floors than ours")
    one.add_argument("--no-floors", action="store_true", help="hold nothing against floors")
    one.add_argument("--public", type=Path, metavar="FOLDER", help="also measure the public suites that lie there")
    one.add_argument("--show-measured", action="store_true", help="show single turns of the measured half too")
    one.add_argument("--out", type=Path, metavar="FOLDER", help="for report.html and result.json (in DATA_DIR)")


def _cases(commands: Commands) -> None:
    one = commands.add_parser(
        "cases",
        help="make cases of what was asked in earnest",
        description="Finished turns go into a file, with personal details replaced; a person corrects what should have "
        "come out and marks it as labelled; labelled lines are merged into the cases that are worked with.",
        epilog="example: frontdesk cases export --since 7d --thumbs-down --file to-label.jsonl",
    )
    actions = one.add_subparsers(dest="action", required=True, metavar="ACTION")
    export = actions.add_parser("export", help="write finished turns to be labelled, the newest first")
    export.add_argument("--file", type=Path, help="where to (standard output)")
    export.add_argument("--since", type=since, metavar="WHEN", help="a day, a time, or how long ago: 90min, 2h, 7d")
    export.add_argument("--until", type=since, metavar="WHEN", help="before that")
    export.add_argument("--tenant", help="of this tenant alone")
    export.add_argument("--agent", help="that went to this agent")
    export.add_argument("--source", help="in which this source decided something: keyword, similarity, model, none ...")
    export.add_argument("--below", type=share, metavar="P", help="with a decision of less confidence than this")
    export.add_argument("--degraded", action="store_true", help="in which a model abstained")
    export.add_argument("--thumbs-down", action="store_true", help="that the user was not content with")
    export.add_argument("--limit", type=count, default=200, metavar="N", help="at most this many (%(default)s)")
    _data_dir(export)
    merge = actions.add_parser("merge", help="add the labelled lines of a file to the cases that are worked with")
    merge.add_argument("file", type=Path, metavar="FILE")
    merge.add_argument("--into", type=Path, metavar="FOLDER", help="another folder of cases than evals/cases")


def _runs(commands: Commands) -> None:
    one = commands.add_parser(
        "runs",
        help="list runs that hang, and stop one",
        description="Runs are turns on their way: a desk's own are ended by it, those of a desk that died are taken "
        "over by another or by the next one that starts. This is for the rest.",
    )
    actions = one.add_subparsers(dest="action", required=True, metavar="ACTION")
    stuck = actions.add_parser("stuck", help="list the runs that wait or run for too long, the oldest first")
    stuck.add_argument("--older-than", type=seconds, default=60.0, metavar="SECONDS", help="for how long (%(default)s)")
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
    resolve.add_argument("id", type=row_id, metavar="ID", help="its row in the ledger")
    resolve.add_argument("status", choices=("done", "failed"), help="done: it happened; failed: it did not")
    resolve.add_argument("--note", metavar="TEXT", help="how you know")
    _data_dir(resolve)


def _audit(commands: Commands) -> None:
    one = commands.add_parser(
        "audit",
        help="list the calls that were made or refused",
        description="List the calls of all tenants, made, refused or waiting for a yes, the newest first. Secrets and "
        "phone numbers were masked when they were recorded.",
        epilog="example: frontdesk audit --tool update_order_status --since 7d",
    )
    one.add_argument("--since", type=since, metavar="WHEN", help="a day, a time, or how long ago: 90min, 2h, 7d")
    one.add_argument("--tool", help="calls of this tool alone")
    one.add_argument("--tenant", help="of this tenant alone")
    one.add_argument("--user", help="of this user alone")
    one.add_argument("--thread", metavar="ID", help="of this thread alone")
    one.add_argument("--outcome", help="with this outcome alone: done, failed, refused, rejected, unknown ...")
    one.add_argument("--limit", type=count, default=50, metavar="N", help="at most this many (%(default)s)")
    one.add_argument("--json", action="store_true", help="one object a line instead of a table")
    _data_dir(one)


def _switch(commands: Commands) -> None:
    one = commands.add_parser(
        "switch",
        help="stop all changes, or single tools, at once",
        description="Stop what must not go on, without a restart: every process of this database looks here before "
        "each call that changes something, and about once a second for the others. Calls that are running come to "
        "their end. What is asked for meanwhile is refused, and the caller reads why.",
        epilog="example: frontdesk switch read-only on --note 'moving the order system'. READ_ONLY and DISABLED_TOOLS "
        "say the same at a start; a switch that is set later takes their place.",
    )
    actions = one.add_subparsers(dest="action", required=True, metavar="ACTION")
    _data_dir(actions.add_parser("list", help="show how the switches stand"))
    read_only = actions.add_parser("read-only", help="stop every tool that changes anything, or release them")
    read_only.add_argument("state", choices=("on", "off"), help="on: nothing is changed any more")
    disable = actions.add_parser("disable", help="stop one tool")
    enable = actions.add_parser("enable", help="release one tool")
    for action in (disable, enable):
        action.add_argument("tool", type=tool_name, metavar="TOOL", help="its name, as GET /tools shows it")
    for action in (read_only, disable, enable):
        action.add_argument("--note", metavar="TEXT", help="why")
        _data_dir(action)


def _prune(commands: Commands) -> None:
    one = commands.add_parser(
        "prune",
        help="let go of what is older than it is to be kept",
        description="Delete what is older than KEEP_CHECKPOINTS_DAYS, KEEP_TRANSCRIPTS_DAYS, KEEP_AUDIT_DAYS, "
        "KEEP_TASKS_DAYS and KEEP_THREADS_DAYS say. A running desk does the same by itself, every PRUNE_EVERY_HOURS.",
    )
    one.add_argument("--dry-run", action="store_true", help="only count what would go")
    _data_dir(one)


def _function_centre(commands: Commands) -> None:
    one = commands.add_parser(
        "function-centre",
        help="serve the demo's todo and calendar functions in a process of their own",
        description="Serve the todo and calendar functions of the demo business over HTTP, on 127.0.0.1 alone. A desk "
        "that is started with FUNCTION_CENTRE_URL calls them there, in place of its own. Ctrl-C stops it.",
        epilog="example: FUNCTION_CENTRE_URL=http://127.0.0.1:8010 frontdesk serve",
    )
    one.add_argument("--port", type=int, help="port to listen on, 0 for a free one (FUNCTION_CENTRE_PORT; 8010)")
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


if __name__ == "__main__":
    sys.exit(main())
