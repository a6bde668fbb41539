"""A long command tells how far it has come, and standard output stays clean."""

import io

import pytest

from commands.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    @property
    def drawn(self) -> list[str]:
        return self.getvalue().split("\r\x1b[K")[1:]


def test_without_a_terminal_each_tenth_of_the_way_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("turns") as progress:
        progress.expect(40)
        for n in range(40):
            progress.step(found=n % 10 == 0)
    shown = capsys.readouterr()
    assert shown.out == ""
    lines = shown.err.splitlines()
    assert [line.split(",")[0] for line in lines] == [f"turns: {n} of 40" for n in range(4, 41, 4)]
    assert lines[0] == "turns: 4 of 40, 1 changed, 0:00 left"
    assert lines[-1] == "turns: 40 of 40, 4 changed"


def test_what_falls_away_on_the_way_is_not_waited_for(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("turns") as progress:
        progress.expect(4)
        progress.step(found=False)
        progress.expect(-3)
    assert capsys.readouterr().err.splitlines()[-1] == "turns: 1 of 1, 0 changed"


def test_nothing_to_do_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("turns"):
        pass
    assert capsys.readouterr().err == "turns: 0 of 0, 0 changed\n"


def test_on_a_terminal_a_bar_grows_and_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    terminal = Terminal()
    with Progress("turns", terminal) as progress:
        progress.expect(2)
        progress.step(found=True)
        progress.step(found=False)
    half, whole, gone = terminal.drawn
    assert half.startswith(f"[{'#' * 20}{'-' * 20}] turns: 1 of 2, 1 changed, ")
    assert whole == f"[{'#' * 40}] turns: 2 of 2, 1 changed"
    assert gone == ""


def test_a_narrow_terminal_has_no_room_for_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "10")
    terminal = Terminal()
    with Progress("turns", terminal) as progress:
        progress.expect(1)
        progress.step(found=False)
    assert terminal.drawn[0] == "turns: 1 of 1, 0 changed"
