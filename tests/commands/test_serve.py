"""`frontdesk serve`: one line when it is ready, one line when it cannot start, and a clean end."""

import json
import logging
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

import cli

ROOT = Path(cli.__file__).parent


@pytest.fixture
def _logs_as_before() -> Iterator[None]:
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    yield
    root.setLevel(level)
    root.handlers[:] = handlers
    structlog.reset_defaults()


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """What is said on standard error by a desk that does not start."""
    assert cli.main(["serve", *arguments]) == cli.MISUSED
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "Traceback" not in shown.err
    return shown.err.splitlines()


def test_it_says_where_it_is_serves_and_ends_when_asked(tmp_path: Path) -> None:
    command = [sys.executable, "cli.py", "serve", "--port", "0", "--data-dir", str(tmp_path / "desk")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as desk:
        assert desk.stdout is not None
        line = desk.stdout.readline()
        found = re.search(r"ready on (http://127\.0\.0\.1:\d+)", line)
        if found is None:
            desk.kill()
        assert found, line + (desk.stderr.read() if desk.stderr else "")
        assert "curl -s" in line
        body = json.dumps({"message": "你好"}).encode()
        request = urllib.request.Request(f"{found[1]}/invoke", body, {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            assert json.load(answer)["status"] == "completed"
        desk.send_signal(signal.SIGTERM)
        _, err = desk.communicate(timeout=40)
    assert desk.returncode in {0, -signal.SIGTERM}
    assert "Traceback" not in err
    assert not (tmp_path / "desk" / "pg" / "postmaster.pid").exists()


@pytest.mark.usefixtures("_logs_as_before")
def test_a_port_in_use_is_found_out_before_anything_is_started(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        (line,) = refused(capsys, "--port", str(port), "--data-dir", str(tmp_path / "desk"))
    assert line == f"error: port {port} on 127.0.0.1 is in use; choose another with --port or PORT"
    assert not (tmp_path / "desk").exists()


@pytest.mark.usefixtures("_logs_as_before")
def test_what_keeps_it_from_starting_is_told_without_a_trace_and_without_secrets(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://bob:hunter2@[::1")
    lines = refused(capsys, "--port", "0")
    assert lines[-1].startswith("error: DATABASE_URL ")
    assert "hunter2" not in "".join(lines)


@pytest.mark.usefixtures("_logs_as_before")
def test_a_broken_configuration_is_told_with_its_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TOOL_DIRS", "/no/such/folder")
    lines = refused(capsys, "--port", "0", "--data-dir", str(tmp_path / "desk"))
    assert "/no/such/folder" in lines[-1]


@pytest.mark.usefixtures("_logs_as_before")
def test_an_address_that_others_can_reach_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = refused(capsys, "--host", "0.0.0.0", "--port", "0", "--data-dir", str(tmp_path / "desk"))
    assert "0.0.0.0" in lines[-1]
