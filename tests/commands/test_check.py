"""`frontdesk check`: says ok, or every problem with its file and key."""

from pathlib import Path

import pytest

import cli

AGENT = """
name: weather
title: {zh: 天气, en: Weather}
description: {zh: 查天气, en: Looks up the weather.}
tool_groups: [sky]
intents:
  weather.query:
    description: {zh: 查天气, en: look up the weather}
    synonyms: [天气, weather]
    tool: forecast_the_wether
"""


def test_the_configuration_of_the_tree_is_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("ok: 6 agents, ")
    assert " intents, " in out
    assert out.endswith(" tools\n")


def test_every_problem_is_told_with_file_and_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    agents, tools = tmp_path / "agents", tmp_path / "tools"
    agents.mkdir()
    tools.mkdir()
    (agents / "weather.yaml").write_text(AGENT, encoding="utf-8")
    (tools / "sky.py").write_text("import nothing_of_that_name\n")
    monkeypatch.setenv("AGENT_DIRS", str(agents))
    monkeypatch.setenv("TOOL_DIRS", str(tools))
    monkeypatch.setenv("MODEL_BASE_URL", "not an address")
    assert cli.main(["check"]) == cli.FAILED
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "sky.py" in shown.err
    assert "nothing_of_that_name" in shown.err
    assert "MODEL_BASE_URL" in shown.err
    assert all(line.startswith(("error: ", "warning: ")) for line in shown.err.splitlines())


def test_a_tool_that_does_not_exist_is_a_problem_of_the_intent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "weather.yaml").write_text(AGENT, encoding="utf-8")
    monkeypatch.setenv("AGENT_DIRS", str(tmp_path))
    assert cli.main(["check"]) == cli.FAILED
    (line,) = [line for line in capsys.readouterr().err.splitlines() if "forecast_the_wether" in line]
    assert "weather.yaml: intents.weather.query" in line


def test_a_folder_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("TOOL_DIRS", "/no/such/folder")
    assert cli.main(["check"]) == cli.FAILED
    assert "/no/such/folder" in capsys.readouterr().err
