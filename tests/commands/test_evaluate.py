"""`frontdesk eval`: figures on standard output, two files beside them, and a status that CI can go by."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import cli
from tests.evals.conftest import case, lines
from tests.evals.scripted import skilled
from tests.fakes.openai_server import ModelServer

Evaluate = Callable[..., tuple[int, str, str]]
GOOD = {"say": "查一下上周的订单", "calls": [{"tool": "list_orders", "arguments": {"start_date": "2026-11-23"}}]}
WRONG = {"say": "查一下昨天的订单", "intents": ["user"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two cases a half, one of them expected wrongly."""
    for half in ("work", "measure"):
        cases = [case(GOOD, id=f"{half}-1"), case(WRONG, id=f"{half}-2", kind="odd")]
        lines(tmp_path / f"{half}.jsonl", *(one.model_dump(mode="json") for one in cases))
    (tmp_path / "low.yaml").write_text("floors: {rules: {measure: {at_least: {intent: 0.5}}}}\n")
    (tmp_path / "high.yaml").write_text("floors: {rules: {measure: {at_least: {intent: 0.6}}}}\n")
    return tmp_path


@pytest.fixture
def evaluate(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Evaluate:
    monkeypatch.setenv("SIMILARITY", "false")

    def run(*arguments: str, floors: str = "low.yaml", out: str = "out") -> tuple[int, str, str]:
        given = ["eval", "--cases", str(folder), "--floors", str(folder / floors), "--out", str(folder / out)]
        status = cli.main([*given, *arguments])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


def kept(folder: Path, out: str = "out") -> dict[str, Any]:
    result: dict[str, Any] = json.loads((folder / out / "result.json").read_text())
    return result


def test_it_prints_the_figures_and_writes_a_page_and_a_result(evaluate: Evaluate, folder: Path) -> None:
    status, out, err = evaluate()
    assert status == 0
    assert "=== measured half: 2 cases, 2 turns" in out
    assert "floors: 1 of 1 hold" in out
    assert "evaluation: 4 of 4, 2 with a fault" in err
    assert (folder / "out" / "report.html").read_text().startswith("<!doctype html>")
    (column,) = kept(folder)["columns"]
    assert (column["name"], column["halves"]["work"]["levels"]["intent"]) == ("rules", 0.5)


def test_below_a_floor_the_status_is_1_and_the_floor_is_named(evaluate: Evaluate) -> None:
    status, out, _ = evaluate(floors="high.yaml")
    assert status == 1
    assert "BELOW THE FLOOR: rules, measure: intent is 50.0 %, and should be at least 60.0 %" in out
    assert evaluate("--no-floors", floors="high.yaml")[0] == 0


def test_single_turns_of_the_measured_half_are_shown_on_request_alone(evaluate: Evaluate) -> None:
    assert "work-2/1 “" in evaluate()[1]
    assert "measure-2/1 “" not in evaluate()[1]
    assert "measure-2/1 “" in evaluate("--show-measured")[1]


def test_one_half_or_one_kind_alone(evaluate: Evaluate, folder: Path) -> None:
    assert "measured half" not in evaluate("--half", "work")[1].split("===")[1]
    evaluate("--only", "odd")
    assert kept(folder)["columns"][0]["halves"]["work"]["cases"] == 1
    assert evaluate("--only", "no such kind")[0] == 2


def test_against_a_baseline_it_says_what_became_better_and_worse(evaluate: Evaluate, folder: Path) -> None:
    evaluate(out="before")
    path = folder / "before" / "result.json"
    before = kept(folder, "before")
    before["columns"][0]["turns"]["work-1/1"]["failed"] = ["route", "intent"]
    path.write_text(json.dumps(before))
    _, out, _ = evaluate("--baseline", str(path))
    assert "rules, half that is worked with: 1 better, 0 worse" in out
    assert "better: work-1/1 “查一下上周的订单” route+intent -> right" in out


def test_a_model_is_recorded_and_played_again_without_an_address(
    evaluate: Evaluate, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tapes = ("--models", "default", "--cassettes", str(folder / "tapes"), "--half", "work")
    with ModelServer(skilled) as server:
        monkeypatch.setenv("MODEL_BASE_URL", server.url)
        monkeypatch.setenv("MODEL_NAME", "scripted")
        assert evaluate(*tapes)[0] == 0
        assert server.requests
    monkeypatch.delenv("MODEL_BASE_URL")
    assert (folder / "tapes" / "default.jsonl").is_file()
    status, out, _ = evaluate(*tapes, "--offline")
    assert status == 0
    assert "default alone" in out
    assert [column["missed"] for column in kept(folder)["columns"]] == [0, 0, 0, 0]


def test_another_wording_of_the_prompts_is_measured_beside_ours(
    evaluate: Evaluate, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wording = folder / "shorter"
    wording.mkdir()
    (wording / "classify.md").write_text("Sort. $today $intents $locale")
    with ModelServer(skilled) as server:
        monkeypatch.setenv("MODEL_BASE_URL", server.url)
        monkeypatch.setenv("MODEL_NAME", "scripted")
        asked = ("--models", "default", "--cassettes", str(folder / "tapes"), "--half", "work")
        status, out, _ = evaluate(*asked, "--prompts", str(wording))
        assert status == 0
        assert "compared with default: 2 turns in common" in out
        assert "default, prompts shorter" in [column["name"] for column in kept(folder)["columns"]]
        (wording / "clasify.md").write_text("Sort.")
        status, _, err = evaluate(*asked, "--prompts", str(wording))
    assert status == 2
    assert "clasify.md" in err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--models", "genius"], "no model 'genius'"),
        (["--models", "default", "--offline"], "neither an address nor a cassette"),
        (["--prompts", "."], "name --models"),
        (["--baseline", "nowhere.json"], "nowhere.json"),
        (["--public", "nowhere"], "none of the public suites"),
        (["--cases", "nowhere"], "measure.jsonl"),
    ],
)
def test_what_is_asked_wrongly_is_said_in_one_line(
    evaluate: Evaluate, folder: Path, arguments: list[str], says: str
) -> None:
    status, _, err = evaluate("--cassettes", str(folder / "tapes"), *arguments)
    assert status == 2
    assert says in err
    assert "Traceback" not in err
