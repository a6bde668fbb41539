"""How a command reaches the database, and what it says where it cannot."""

from pathlib import Path

import pytest

import cli
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
    assert cli.main(["ledger", "unknown", "--data-dir", str(home)]) == 2
    assert "start `frontdesk serve` once" in capsys.readouterr().err
    assert not (home / "pg" / "postmaster.pid").exists()
