"""`frontdesk psql`: the desk's database in psql, or without one a plain reader of SQL."""

import argparse
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from checkpoints.postgres_programs import binary
from commands.database import database, must_be_there
from commands.settings import read_settings
from errors import ConfigurationError, Unavailable

# Standard input is a script: nobody's ~/.psqlrc, and the first error ends it.
SCRIPTED = ("--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1")


def run(args: argparse.Namespace) -> int:
    settings = read_settings(data_dir=args.data_dir)
    must_be_there(settings)
    with database(settings) as conninfo:
        program = _program()
        if program is None:
            return _without_psql(conninfo)
        return _with_psql(program, conninfo, args.psql_args)


def _program() -> str | None:
    try:
        return str(binary("psql"))
    except ConfigurationError:
        return shutil.which("psql")


def _with_psql(program: str, conninfo: str, more: Sequence[str]) -> int:
    scripted = () if sys.stdin.isatty() else SCRIPTED
    with _password_aside(conninfo) as plain:
        # Ctrl-C is for psql, which stops its query at it; a handler, unlike an ignored signal, is not inherited.
        before = signal.signal(signal.SIGINT, lambda *_: None)
        try:
            return subprocess.run([program, *scripted, *more, plain], check=False).returncode  # noqa: S603 - the user's own psql
        finally:
            signal.signal(signal.SIGINT, before)


@contextmanager
def _password_aside(conninfo: str) -> Iterator[str]:
    """The same address with its password in a file of its own: everybody can read a command line."""
    try:
        parts: dict[str, Any] = conninfo_to_dict(conninfo)
    except psycopg.ProgrammingError as error:
        raise ConfigurationError("DATABASE_URL is no address of a PostgreSQL database") from error
    password = parts.pop("password", None)
    if password is None:
        yield make_conninfo("", **parts)
        return
    with tempfile.TemporaryDirectory() as folder:  # made for us alone, mode 0700
        file = Path(folder) / "password"
        file.touch(mode=0o600)
        escaped = str(password).replace("\\", "\\\\").replace(":", "\\:")
        file.write_text(f"*:*:*:*:{escaped}\n", encoding="utf-8")
        yield make_conninfo("", **parts, passfile=str(file))


def _without_psql(conninfo: str) -> int:
    """Standard input as one script; the rows of every statement as text between tabs."""
    if sys.stdin.isatty():
        print("there is no psql here: type your SQL, and end it with Ctrl-D", file=sys.stderr)
    try:
        with psycopg.connect(conninfo, autocommit=True) as connection, connection.cursor() as cursor:
            cursor.execute(sys.stdin.buffer.read())
            _print_results(cursor)
    except psycopg.OperationalError as error:
        raise Unavailable(f"the database does not answer: {_first_line(error)}") from error
    except psycopg.Error as error:
        print(f"error: {_first_line(error)}", file=sys.stderr)
        return 3
    return 0


def _print_results(cursor: psycopg.Cursor[Any]) -> None:
    more: bool | None = True
    while more:
        if cursor.description:
            print("\t".join(column.name for column in cursor.description))
            for row in cursor:
                print("\t".join("" if value is None else str(value) for value in row))
        more = cursor.nextset()


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
