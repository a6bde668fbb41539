"""The command: what a newcomer reads, and how it ends."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import cli

ROOT = Path(cli.__file__).parent
COMMANDS = ("serve", "check", "understand", "runs", "ledger", "prune", "replay", "psql")


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["--help"])
    text = capsys.readouterr().out
    assert ended.value.code == 0
    assert all(f"    {name}" in text for name in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_without_loading_the_desk(command: str) -> None:
    shown = f"import sys, cli; sys.modules['langgraph'] = None; cli.main([{command!r}, '--help'])"
    done = subprocess.run([sys.executable, "-c", shown], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"usage: frontdesk {command}")


def test_every_command_has_its_module() -> None:
    assert {path.stem for path in (ROOT / "commands").glob("*.py")} >= set(COMMANDS)


def test_an_unknown_command_is_refused_with_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["deliver"])
    assert ended.value.code == cli.MISUSED
    assert "serve" in capsys.readouterr().err


def test_a_wrong_setting_is_told_in_one_line_by_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PORT", "eighty")
    assert cli.main(["check"]) == cli.MISUSED
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: PORT: ")


def test_a_value_that_is_wrong_is_never_quoted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MODEL_KEYS", "hunter2")
    assert cli.main(["check"]) == cli.MISUSED
    assert "hunter2" not in capsys.readouterr().err


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    texts = tmp_path / "texts.jsonl"
    texts.write_text('{"text": "查一下今天的订单"}\n' * 200, encoding="utf-8")
    reading, writing = os.pipe()
    command = [sys.executable, "cli.py", "understand", "--file", str(texts)]
    with os.fdopen(writing, "wb") as out:
        process = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=subprocess.PIPE, text=True)
    os.read(reading, 10)
    os.close(reading)
    _, said = process.communicate(timeout=50)
    assert (process.returncode, said) == (0, "")
