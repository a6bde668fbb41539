"""Figures, comparison, floors and the two reports, over a handful of turns."""

from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from errors import ConfigurationError
from evals.comparison import Comparison, compared
from evals.figures import Row, figures, rows_of
from evals.floors import Bounds, Floors, aimed, held, load_floors
from evals.page import Report, page
from evals.result import MEASURE, WORK, Column, Result, read_result, result_of, write_result
from evals.runner import Played
from evals.scoring import Judge
from evals.words import bounds_in_words, comparison_in_words, in_words, table
from tests.evals.conftest import case
from tests.evals.test_scoring import UNKNOWN, came

SAID = "查一下<上周>的订单"
USAGE = {"model_calls": 1, "input_tokens": 90, "output_tokens": 10}
ROUTED = [{"level": "route", "value": "business", "source": "keyword", "confidence": 0.95, "reason": "订单"}]


def rows(judge: Judge, *outcomes: Any) -> tuple[Row, ...]:
    """A case for each outcome, which should have been orders, and one that nobody serves."""
    played = [
        Played(case=case({"say": SAID}, id=f"w-{n}", locale="zh" if n % 2 else "en"), outcomes=(outcome,))
        for n, outcome in enumerate(outcomes)
    ]
    strange = case({"say": "唱首歌", **UNKNOWN}, id="w-u", kind="out of scope")
    return rows_of([*played, Played(case=strange, outcomes=(came(**UNKNOWN),))], judge)


@pytest.fixture
def some(judge: Judge) -> tuple[Row, ...]:
    wrong = came(agent="todo", intents=["todo.query"], calls=[{"tool": "list_todos", "arguments": {}}])
    degraded = came(**UNKNOWN, degraded=["classify: timeout", "classify: timeout"], usage=USAGE)
    offered = came(**UNKNOWN, question="intent", offered=["order", "user"])
    return rows(judge, came(decisions=ROUTED), wrong, degraded, offered)


def result(name: str, some: Sequence[Row], half: str = WORK) -> tuple[Result, Column]:
    column = Column(name=name, rows={half: some}, prompts={})
    return result_of([column], made_at="2026-11-30T10:00:00+08:00", public=None), column


def test_shares_are_of_turns(some: tuple[Row, ...]) -> None:
    of = figures(some)
    assert (of["cases"], of["cases_right"], of["levels"]["turns"]) == (5, 2, 5)
    assert (of["levels"]["route"], of["levels"]["intent"]) == (0.4, 0.4)
    trust = of["trust"]
    assert (trust["wrong_route"], trust["wrong_intent"], trust["refused"], trust["offered"]) == (0.2, 0.2, 0.2, 0.2)
    assert (trust["gold_offered"], trust["unknown_kept"]) == (1.0, 1.0)
    assert (of["languages"]["en"]["turns"], of["languages"]["zh"]["turns"]) == (2, 3)
    assert of["kinds"]["out of scope"]["route"] == 1.0


def test_it_says_who_decided_what_degraded_and_what_is_taken_for_what(some: tuple[Row, ...]) -> None:
    of = figures(some)
    assert of["sources"]["route"] == {"none": 0.8, "keyword": 0.2}
    assert of["degraded"] == {"classify": {"timeout": 1}}
    assert set(map(tuple, of["confusion"])) == {
        ("order", "todo.query", 1), ("order", "unknown", 1), ("order", "(offered)", 1),
    }  # fmt: skip
    (worst,) = of["worst"]
    assert (worst["kind"], worst["failed"], worst["turns"]) == ("plain", 3, 4)
    assert of["cost"]["input_tokens"] == 18.0


def test_entities_count_wrong_values_against_both_and_missing_ones_against_recall(judge: Judge) -> None:
    given = case({"say": "x", "entities": {"person": "张三", "limit": 3, "order_no": ["1"]}}, id="e")
    got = came(entities={"person": "张三", "limit": 4, "order_status": "shipped"})
    of = figures(rows_of([Played(case=given, outcomes=(got,))], judge))["entities"]
    assert (of["found"], of["wrong"], of["missing"], of["extra"]) == (1, 1, 1, 1)
    assert (of["precision"], of["recall"]) == (0.5, 0.3333)
    assert of["strict_f1"] < of["f1"] == 0.4


def test_a_later_result_is_compared_turn_by_turn(judge: Judge) -> None:
    good, bad, lost = came(), came(intents=["user"]), came(**UNKNOWN)
    before, _ = result("rules", rows(judge, bad, good, lost, good))
    after, column = result("rules", rows(judge, good, bad, bad, good))
    of = compared(before, after)
    assert [(one.turn, one.change) for one in of.changed] == [
        ("w-0/1", "better"), ("w-1/1", "worse"), ("w-2/1", "better"),
    ]  # fmt: skip
    text = comparison_in_words("the baseline", of, [column], examples=[WORK])
    assert f"better: w-0/1 “{SAID}” intent -> right" in text
    assert "2 better, 1 worse" in text
    assert SAID not in comparison_in_words("the baseline", of, [column], examples=[])


def test_columns_that_only_one_side_has_are_named(judge: Judge) -> None:
    of = compared(result("rules", rows(judge, came()))[0], result("other", rows(judge, came()))[0])
    assert (of.changed, of.unmatched, of.turns) == ((), ("other", "rules"), 0)


def test_a_result_is_read_as_it_was_written(some: tuple[Row, ...], tmp_path: Path) -> None:
    written, _ = result("rules", some)
    write_result(written, tmp_path / "deep" / "result.json")
    read = read_result(tmp_path / "deep" / "result.json")
    assert compared(read, written).changed == ()
    assert read["columns"][0]["halves"][WORK]["levels"] == written["columns"][0]["halves"][WORK]["levels"]


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"format": 99}', "null"])
def test_what_is_no_result_is_refused_by_its_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "before.json"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=r"before\.json"):
        read_result(path)


def test_floors_hold_or_are_named(some: tuple[Row, ...]) -> None:
    of, _ = result("rules", some, MEASURE)
    bounds = Bounds(at_least={"route": 0.5, "intent": 0.4}, at_most={"wrong_route": 0.1, "errors": 0})
    found = held(of, Floors(floors={"rules": {MEASURE: bounds}, "elsewhere": {MEASURE: bounds}}))
    assert [(one.metric, one.met) for one in found] == [
        ("route", False), ("intent", True), ("wrong_route", False), ("errors", True),
    ]  # fmt: skip
    text = bounds_in_words(found, aimed(of, Floors(floors={}, aims=bounds), MEASURE))
    assert "BELOW THE FLOOR: rules, measure: route is 40.0 %, and should be at least 50.0 %" in text
    assert "reached: rules, intent 40.0 % (at least 40.0 %)" in text


def test_a_floor_of_a_metric_that_there_is_not_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "floors.yaml"
    path.write_text("floors: {rules: {work: {at_least: {rout: 0.9}}}}\n")
    with pytest.raises(ConfigurationError, match="'rout'"):
        load_floors(path)
    path.write_text("floor: {}\n")
    with pytest.raises(ConfigurationError, match=r"floors\.yaml"):
        load_floors(path)


def test_our_floors_can_be_read() -> None:
    ours = load_floors(Path(__file__).parent.parent.parent / "evals" / "floors.yaml")
    assert set(ours.floors) == {"rules", "rules+similarity"}


class Tags(HTMLParser):
    """Whether every element is closed, and what is asked of elsewhere."""

    VOID = frozenset({"meta", "br", "input"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elsewhere: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        self.elsewhere += [value for name, value in attrs if name in ("src", "href") and value]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def report(some: tuple[Row, ...], examples: Sequence[str], *compared_with: tuple[str, Comparison]) -> str:
    of, column = result("rules", some)
    return page(Report(result=of, columns=[column], floors=(), aims=(), examples=examples, comparisons=compared_with))


def test_the_page_is_whole_and_asks_for_nothing_elsewhere(some: tuple[Row, ...]) -> None:
    before, after = result("rules", some)[0], result("rules", some)[0]
    before["columns"][0]["turns"]["w-0/1"]["failed"] = ["route"]
    html = report(some, [WORK], ("<before>", compared(before, after)))
    assert "Beside &lt;before&gt;" in html
    assert "better: w-0/1" in html
    tags = Tags()
    tags.feed(html)
    assert tags.open == []
    assert tags.elsewhere == []
    assert "<svg" in html
    assert "http" not in html.replace("<!doctype html>", "").replace("<html", "").replace("</html>", "")


def test_single_turns_are_shown_of_the_halves_that_may_be_seen(some: tuple[Row, ...]) -> None:
    assert "查一下&lt;上周&gt;的订单" in report(some, [WORK])
    assert "上周" not in report(some, [MEASURE])
    of, column = result("rules", some)
    assert SAID in in_words(of, [column], examples=[WORK])
    assert SAID not in in_words(of, [column], examples=[])


def test_a_table_puts_figures_to_the_right() -> None:
    assert table(["", "n"], [["a", "1"], ["bb", "10"]]).splitlines() == ["     n", "a    1", "bb  10"]
