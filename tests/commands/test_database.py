"""How a command reaches the database, and what it says where it cannot."""

from pathlib import Path

import pytest

import cli
from checkpoints.embedded import EmbeddedPostgres
from tests.commands.said import Frontdesk


async def test_a_database_that_no_desk_has_set_up_is_told_plainly(
    frontdesk: Frontdesk, monkeypatch: pytest.MonkeyPatch, empty_database_url: str
) -> None:
    monkeypatch.setenv("DATABASE_URL", empty_database_url)
    for command in (["runs", "stuck"], ["ledger", "unknown"], ["prune"]):
        said = await frontdesk(*command)
        assert (said.status, said.out) == (2, "")
        assert said.err == "error: this database has no tables of this version yet: start `frontdesk serve` once\n"


def test_without_a_running_desk_the_embedded_server_is_started_for_the_while(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    home = tmp_path / "desk"
    with EmbeddedPostgres(home):
        pass
    assert cli.main(["ledger", "unknown", "--data-dir", str(home)]) == 2
    assert "start `frontdesk serve` once" in capsys.readouterr().err
    assert not (home / "pg" / "postmaster.pid").exists()


@pytest.mark.parametrize(
    "command",
    [
        ["ledger", "unknown"], ["ledger", "resolve", "1", "done"], ["runs", "stuck"], ["prune"], ["psql"],
        ["replay", "--day", "2026-11-30"],
    ],
    ids=" ".join,
)  # fmt: skip
@pytest.mark.parametrize("is_there", [True, False])
def test_where_no_desk_was_ever_started_nothing_is_made(
    command: list[str],
    is_there: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    home = tmp_path / "elsewhere"
    if is_there:
        home.mkdir()
    assert cli.main([*command, "--data-dir", str(home)]) == 2
    said = capsys.readouterr().err
    assert str(home) in said
    assert "DATA_DIR" in said
    assert "DATABASE_URL" in said
    assert list(tmp_path.iterdir()) == ([home] if is_there else [])
    assert not is_there or list(home.iterdir()) == []
