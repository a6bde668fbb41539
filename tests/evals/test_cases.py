"""Files of cases: what is wrong with one is said with its line and key."""

from pathlib import Path
from typing import Any

import pytest

from config.catalogue import CHAT, Catalogue
from errors import ConfigurationError
from evals.cases import CLOCK, Case, as_line, read_cases
from nodes.state import UNKNOWN
from tests.evals.conftest import case, lines
from tools.registry import Registry

CASES = Path(__file__).parent.parent.parent / "evals" / "cases"
HALVES = ("work", "measure")
GOOD = {
    "id": "a", "locale": "zh", "kind": "plain",
    "turns": [{"say": "查订单", "expect": {"agent": "business", "intents": ["order"]}}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "f.jsonl:1"),
        ({**GOOD, "turns": []}, "f.jsonl:1: turns"),
        ({**GOOD, "locale": "fr"}, "f.jsonl:1: locale"),
        ({**GOOD, "turn": []}, "f.jsonl:1: turn"),
        ({**GOOD, "clock": "2026-11-30T10:00:00"}, "no time zone"),
        ({**GOOD, "clock": "tomorrow"}, "f.jsonl:1: clock"),
        ({**GOOD, "turns": [{"say": "查订单", "expect": {"agent": "business"}}]}, "turns.0.expect.intents"),
        ("", "there is no case in it"),
    ],
)
def test_a_line_that_is_no_case_is_named_with_its_key(tmp_path: Path, line: Any, says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        read_cases(lines(tmp_path / "f.jsonl", line))


def test_two_cases_with_one_id_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="the id 'a'"):
        read_cases(lines(tmp_path / "f.jsonl", GOOD, GOOD))


def test_a_file_that_is_missing_or_no_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"none\.jsonl"):
        read_cases(tmp_path / "none.jsonl")
    (tmp_path / "binary.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigurationError, match=r"binary\.jsonl"):
        read_cases(tmp_path / "binary.jsonl")


def test_a_case_is_written_as_it_was_read() -> None:
    given = case({"say": "查订单", "calls": [], "never": ["add_todo"]})
    assert Case.model_validate_json(as_line(given)) == given
    assert CLOCK not in as_line(given)


def test_there_are_cases_enough_for_every_intent_in_both_languages(catalogue: Catalogue) -> None:
    """By counts alone: nobody is to look at single cases of the half that measures."""
    cases = [one for half in HALVES for one in read_cases(CASES / f"{half}.jsonl")]
    assert len(cases) >= 400
    assert {one.locale for one in cases} == {"zh", "en"}
    assert sum(len(one.turns) > 1 for one in cases) >= 40
    assert len({one.words for one in cases}) == len(cases)


def test_cases_name_agents_intents_tools_and_arguments_that_exist(catalogue: Catalogue, registry: Registry) -> None:
    strange = set()
    for half in HALVES:
        for turn in (turn for one in read_cases(CASES / f"{half}.jsonl") for turn in one.turns):
            expect = turn.expect
            strange |= {expect.agent} - {*catalogue.agents, UNKNOWN, CHAT}
            strange |= set(expect.intents) - {*catalogue.intents, UNKNOWN}
            strange |= set(expect.never) - registry.keys()
            for call in expect.calls or ():
                tool = registry.get(call.tool)
                strange |= set(call.arguments) - set(tool.arguments.model_fields) if tool else {call.tool}
    assert strange == set()
