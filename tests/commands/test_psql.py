"""`frontdesk psql`: SQL from standard input, over the database that DATABASE_URL or DATA_DIR names."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

from checkpoints.embedded import EmbeddedPostgres
from commands import psql

ROOT = Path(psql.__file__).parent.parent


def run(sql: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "cli.py", "psql", *arguments]
    return subprocess.run(command, cwd=ROOT, input=sql, capture_output=True, text=True, check=False, timeout=50)


def test_it_reads_standard_input_and_prints_rows(monkeypatch: pytest.MonkeyPatch, database_url: str) -> None:
    monkeypatch.setenv("DATABASE_URL", database_url)
    done = run("SELECT '订单' AS name, 41 + 1 AS number; SELECT 'second' AS other;")
    assert done.returncode == 0, done.stderr
    assert "订单" in done.stdout
    assert "42" in done.stdout
    assert "second" in done.stdout


def test_the_first_error_ends_it_and_shows(monkeypatch: pytest.MonkeyPatch, database_url: str) -> None:
    monkeypatch.setenv("DATABASE_URL", database_url)
    done = run("SELECT 1; SELECT * FROM nowhere; SELECT 'never reached';")
    assert done.returncode != 0
    assert "nowhere" in done.stderr
    assert "never reached" not in done.stdout


def test_arguments_after_two_dashes_go_to_psql(monkeypatch: pytest.MonkeyPatch, database_url: str) -> None:
    monkeypatch.setenv("DATABASE_URL", database_url)
    assert run("SELECT 7;", "--", "-At").stdout == "7\n"


def test_without_a_running_desk_the_embedded_server_is_started_for_the_while(tmp_path: Path) -> None:
    with EmbeddedPostgres(tmp_path / "desk"):
        pass
    assert run("SELECT 7;", "--data-dir", str(tmp_path / "desk"), "--", "-At").stdout == "7\n"
    assert not (tmp_path / "desk" / "pg" / "postmaster.pid").exists()


def test_beside_a_running_desk_the_server_is_joined_and_left_running(tmp_path: Path) -> None:
    with EmbeddedPostgres(tmp_path / "desk") as server:
        assert run("SELECT 7;", "--data-dir", str(server.home), "--", "-At").stdout == "7\n"
        assert (server.data / "postmaster.pid").exists()


def test_without_any_psql_rows_come_between_tabs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], database_url: str, tmp_path: Path
) -> None:
    script = tmp_path / "script.sql"
    script.write_text("SELECT 1 AS a, NULL AS b; CREATE TEMP TABLE t (x int); SELECT '好' AS c;", encoding="utf-8")
    with script.open() as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert psql._without_psql(database_url) == 0
    assert capsys.readouterr().out == "a\tb\n1\t\nc\n好\n"


def test_a_password_is_not_on_the_command_line() -> None:
    with psql._password_aside("postgresql://bob:s:e%5Ccret@db:5433/x") as conninfo:
        parts = conninfo_to_dict(conninfo)
        file = Path(str(parts["passfile"]))
        assert "password" not in parts
        assert (parts["user"], parts["host"], parts["port"]) == ("bob", "db", "5433")
        assert file.read_text(encoding="utf-8") == "*:*:*:*:s\\:e\\\\cret\n"
        assert file.stat().st_mode & 0o077 == 0
    assert not file.exists()


def test_a_database_that_does_not_answer_is_told_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://bob:hunter2@127.0.0.1:1/x")
    done = run("SELECT 1;")
    assert done.returncode != 0
    assert "refused" in done.stderr
    assert "Traceback" not in done.stderr
    assert "hunter2" not in done.stderr


def test_the_wheel_brings_a_psql() -> None:
    assert psql._program()
    assert shutil.which(str(psql._program()))
