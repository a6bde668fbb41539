"""The public suites are measured where they lie; these rows are our own."""

from pathlib import Path

import pytest

from config.catalogue import Catalogue
from errors import ConfigurationError
from evals.public import public_suites
from tests.evals.conftest import lines

REF = "2026-11-30T10:00:00"


def number(value: str) -> dict[str, object]:
    return {"text": value, "type": "number", "resolution": {"value": value}}


def test_every_suite_that_is_there_is_measured(tmp_path: Path, catalogue: Catalogue) -> None:
    lines(
        tmp_path / "zh_time_ranges.jsonl",
        {"text": "上周", "ref": REF, "start": "2026-11-23", "end": "2026-11-29"},
        {"text": "昨天", "ref": REF, "start": "2026-11-28", "end": "2026-11-28"},
        {"text": "下周", "ref": REF, "start": "x", "end": "x", "trap": "not ours"},
    )
    lines(tmp_path / "zh_no_time.jsonl", {"text": "这里什么日子都没有"})
    lines(
        tmp_path / "zh_numbers.jsonl",
        {"text": "三十二", "gold": [number("32")]},
        {"text": "一半", "gold": [number("0.5")]},
    )
    lines(
        tmp_path / "zh_greeting_and_request.jsonl",
        {"text": "你好，查一下今天的订单", "label": "request_with_greet"},
        {"text": "谢谢你", "label": "pure_thank"},
    )
    found = public_suites(tmp_path, catalogue)
    assert {name: (one["right"], one["rows"]) for name, one in found.items()} == {
        "time ranges": (1, 2),
        "no time where there is none": (1, 1),
        "integers": (1, 1),
        "a request stays one beside a greeting": (1, 1),
        "thanks and goodbyes": (1, 1),
    }


def test_a_folder_without_any_of_them_is_refused(tmp_path: Path, catalogue: Catalogue) -> None:
    with pytest.raises(ConfigurationError, match="none of the public suites"):
        public_suites(tmp_path, catalogue)


@pytest.mark.parametrize("row", ["{", {"text": "上周"}, {"ref": REF}])
def test_a_row_that_cannot_be_read_is_refused(tmp_path: Path, catalogue: Catalogue, row: object) -> None:
    lines(tmp_path / "zh_time_ranges.jsonl", row)
    with pytest.raises(ConfigurationError, match="zh_time_ranges"):
        public_suites(tmp_path, catalogue)
