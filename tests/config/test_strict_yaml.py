"""YAML is read strictly, and every problem names file and key."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from config.records import Localised, Record
from config.strict_yaml import parse, parse_record, read_record


class Part(Record):
    words: tuple[str, ...] = ()
    label: Localised | None = None


class Whole(Record):
    parts: dict[str, Part] = Field(default_factory=dict)
    list: tuple[Part, ...] = ()
    count: int = 0


def problems(text: str) -> list[str]:
    return list(parse_record(text, Whole, "whole.yaml").problems)


def test_a_key_that_stands_twice_is_an_error_with_its_path_and_both_lines() -> None:
    text = "parts:\n  a: {words: [x]}\n  b:\n    words: [y]\n    words: [z]\n  a: {}\n"
    assert problems(text) == [
        "whole.yaml: parts.b.words: this key stands twice, in line 4 and in line 5",
        "whole.yaml: parts.a: this key stands twice, in line 2 and in line 6",
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("counts: 1", "whole.yaml: unknown key 'counts'; did you mean 'count'?"),
        ("parts: {a: {word: [x]}}", "whole.yaml: parts.a: unknown key 'word'; did you mean 'words'?"),
        ("list: [{}, {wrds: []}]", "whole.yaml: list.1: unknown key 'wrds'; did you mean 'words'?"),
        ("parts: {a: {label: {zh: x, english: y, en: z}}}", "whole.yaml: parts.a.label: unknown key 'english'"),
        ("parts: {a: {label: {zh: x}}}", "whole.yaml: parts.a.label.en: is missing"),
        ("count: many", "whole.yaml: count: input should be a valid integer"),
        ("parts: {a: {words: [x, 1]}}", "whole.yaml: parts.a.words.1: input should be a valid string, not 1"),
        ("parts: {1: {}}", "whole.yaml: parts.1: a key must be text; put it into quotes (line 1)"),
        ("parts: [", "whole.yaml: line "),
        ("", "whole.yaml: the file is empty"),
        ("- a", "whole.yaml: input should be a valid dictionary"),
        ("a: 1\n---\nb: 2", "whole.yaml: line 2, column 1: "),
        ("a: !!python/object:os.system {}", "whole.yaml: line 1, column 4: "),
        ("a: &x [*x]", "whole.yaml: a.0: aliases are not read here; write it out (line 1)"),
        ("parts: {a: &x {words: [y]}, b: *x}", "whole.yaml: parts.b: aliases are not read here; write it out (line 1)"),
    ],
)
def test_what_is_wrong_is_named(text: str, problem: str) -> None:
    assert any(found.startswith(problem) for found in problems(text)), problems(text)


def test_all_problems_of_a_file_are_told_at_once() -> None:
    assert len(problems("counts: 1\nparts: {a: {word: []}}\ncount: x")) == 3


@pytest.mark.parametrize(
    "word", ["yes", "no", "on", "off", "Yes", "NO", "y", "n", "2026-11-30", "12:30", "0x1F", "1_000"]
)
def test_words_stay_words(word: str) -> None:
    assert parse(f"[{word}]") == ([word], [])


def test_numbers_truth_and_nothing_are_still_read() -> None:
    assert parse("[1, -2, 1.5, true, false, null, ~]") == ([1, -2, 1.5, True, False, None, None], [])


def test_a_file_that_is_missing_or_no_text_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes(b"count: \xff")
    assert read_record(tmp_path / "none.yaml", Whole, "none.yaml").problems == ("none.yaml: the file is missing",)
    assert "UTF-8" in read_record(tmp_path / "latin.yaml", Whole, "latin.yaml").problems[0]


def test_a_byte_order_mark_is_no_problem(tmp_path: Path) -> None:
    (tmp_path / "whole.yaml").write_bytes(b"\xef\xbb\xbfcount: 3")
    assert read_record(tmp_path / "whole.yaml", Whole, "whole.yaml").record == Whole(count=3)


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"]), max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc键", min_size=1), inner, max_size=4),
    max_leaves=12,
)


@given(PLAIN)
def test_json_reads_back_as_it_was_written(data: Any) -> None:
    assert parse(json.dumps(data)) == (data, [])


@given(st.text(max_size=60))
def test_no_text_makes_the_reader_raise(text: str) -> None:
    data, wrong = parse(text)
    assert data is None or not wrong


@given(
    st.dictionaries(st.text("abc键", min_size=1, max_size=5), st.text("xyz", max_size=5), min_size=1, max_size=5),
    st.data(),
)
def test_any_repeated_key_is_found(data: dict[str, str], draw: st.DataObject) -> None:
    again = draw.draw(st.sampled_from(sorted(data)))
    text = yaml.safe_dump(data, allow_unicode=True) + yaml.safe_dump({again: "more"}, allow_unicode=True)
    _, wrong = parse(text)
    assert len(wrong) == 1
    assert "stands twice" in wrong[0]
