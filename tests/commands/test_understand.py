"""`frontdesk understand`: JSON lines of what the rules read, for texts of the command line or of a file."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import cli

CLOCK = ("--clock", "2026-11-30T10:00:00+08:00")


def understood(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    assert cli.main(["understand", *arguments]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def period(result: dict[str, Any]) -> tuple[str, str]:
    found = result["entities"]["period"]
    return found["start"], found["end"]


def test_a_text_is_read_by_rules_alone(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = understood(capsys, "查一下今天的订单", "show me the top three orders from the last 7 days", *CLOCK)
    assert (first["agent"], first["intents"]) == ("business", ["order"])
    assert period(first) == ("2026-11-30", "2026-11-30")
    assert second["entities"]["limit"] == 3
    assert period(second) == ("2026-11-24", "2026-11-30")
    assert {decision["source"] for decision in first["decisions"]} == {"keyword"}
    assert set(first) >= {"text", "normalised", "requests"}


def test_what_is_today_depends_on_the_zone(capsys: pytest.CaptureFixture[str]) -> None:
    late = ("查一下今天的订单", "--clock", "2026-11-30T23:30:00+00:00")
    assert period(understood(capsys, *late)[0]) == ("2026-12-01", "2026-12-01")
    assert period(understood(capsys, *late, "--time-zone", "America/New_York")[0]) == ("2026-11-30", "2026-11-30")


def test_a_clock_without_a_zone_is_meant_in_the_zone_that_is_given(capsys: pytest.CaptureFixture[str]) -> None:
    given = ("今天的订单", "--clock", "2026-11-30T00:30", "--time-zone", "America/New_York")
    assert period(understood(capsys, *given)[0]) == ("2026-11-30", "2026-11-30")


def test_each_line_of_a_file_may_bring_its_own_clock(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "texts.jsonl"
    lines = [{"text": "今天的订单"}, {"text": "今天的订单", "clock": "2024-02-29T12:00:00+08:00"}]
    file.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines), encoding="utf-8-sig")
    first, second = understood(capsys, "--file", str(file), *CLOCK)
    assert period(first) == ("2026-11-30", "2026-11-30")
    assert period(second) == ("2024-02-29", "2024-02-29")


def test_a_bad_line_is_told_with_its_number_and_the_others_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "texts.jsonl"
    bad = [b"not json", b'{"txt": 1}', b'{"text": "\xff"}', b'{"text": "x", "clock": "noon"}', b"[" * 100_000]
    file.write_bytes(b"\n".join([*bad, b"", '{"text": "你好"}'.encode()]))
    assert cli.main(["understand", "--file", str(file)]) == cli.FAILED
    shown = capsys.readouterr()
    assert [json.loads(line)["text"] for line in shown.out.splitlines()] == ["你好"]
    assert [json.loads(line)["line"] for line in shown.err.splitlines()] == [1, 2, 3, 4, 5]
    assert all(json.loads(line)["error"] for line in shown.err.splitlines())


def test_odd_texts_are_read_like_any_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "texts.jsonl"
    odd = [
        "",
        "  ",
        "\u200b",
        "\ud800",
        "\x00",
        "😀" * 10_000,
        "-。-",
        "'; DROP TABLE orders;--",
        '{"a": 1}',
        "查" * 70_000,
    ]
    file.write_text("\n".join(json.dumps({"text": text}) for text in odd), encoding="utf-8")
    assert len(understood(capsys, "--file", str(file))) == len(odd)


def test_standard_input_is_a_file_as_well(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO('{"text": "你好"}'.encode())))
    (result,) = understood(capsys, "--file", "-")
    assert result["decisions"][0]["source"] == "chitchat"


def test_output_is_utf8_whatever_the_locale_and_surrogates_stay_json(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    assert cli.main(["understand", "查订单\ud800"]) == 0
    text = written.getvalue().decode()
    assert "查订单" in text
    assert json.loads(text)["text"] == "查订单\ud800"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["x", "--time-zone", "Mars/Olympus"], "Mars/Olympus"),
        (["--file", "/no/such/file"], "/no/such/file"),
        ([], "--help"),
    ],
)
def test_misuse_is_told_in_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["understand", *arguments]) == cli.MISUSED
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ")
    assert said in line
