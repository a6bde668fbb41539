"""What an agent's file adds to the lexicon: read like its own words, and checked against them."""

from pathlib import Path

import pytest

from config.check import check, known_slots
from config.loading import load_catalogue, read_catalogue
from tests.config.written import SHIPPED, SHOP_TOOLS, put, write_shop

SHELF = {"shelf": {"top": ["顶层", "top shelf"], "low": ["底层"]}}


def problems(folder: Path) -> list[str]:
    loaded = read_catalogue(SHIPPED, [folder])
    assert loaded.catalogue is not None, loaded.problems
    found = [*loaded.problems, *check(loaded.catalogue, SHOP_TOOLS)]
    mine = f"{folder}/shop.yaml: words."
    return [one.removeprefix(mine) for one in found if one.startswith(mine)]


def test_an_agent_brings_a_slot_and_a_kind_of_number_of_its_own(tmp_path: Path) -> None:
    words = {"values": SHELF, "identifiers": {"box_no": {"nouns": ["箱号", "box"]}}, "idioms": ["goods and chattels"]}
    folder = write_shop(tmp_path / "more", put("words", to=words))
    assert problems(folder) == []
    catalogue = load_catalogue(SHIPPED, [folder])
    assert {"shelf", "box_no"} <= set(known_slots(catalogue))
    assert catalogue.lexicon.values["shelf"]["top"] == ("顶层", "top shelf")
    assert "goods and chattels" in catalogue.lexicon.idioms
    assert "shelf" not in catalogue.shared.values


def test_words_for_a_known_value_stand_behind_those_of_the_lexicon(tmp_path: Path) -> None:
    words = {"values": {"order_status": {"shipped": ["飞走了"]}}, "identifiers": {"todo_no": {"nouns": ["差事"]}}}
    folder = write_shop(tmp_path / "more", put("words", to=words))
    assert problems(folder) == []
    catalogue = load_catalogue(SHIPPED, [folder])
    known = catalogue.shared.values["order_status"]["shipped"]
    assert catalogue.lexicon.values["order_status"]["shipped"] == (*known, "飞走了")
    assert catalogue.lexicon.identifiers["todo_no"].nouns[-1] == "差事"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ({"values": {"shelf": {"top": ["层"], "low": ["层"]}}}, "values.shelf: '层' stands for several values"),
        (
            {"values": {"order_status": {"cancelled": ["已发货"]}}},
            "values.order_status: '已发货' stands for several values",
        ),
        ({"values": {"shelf": {"top": [" "]}}}, "values.shelf.top: an empty word"),
        ({"values": {"period": {"top": ["层"]}}}, "values.period: this slot is filled by another rule"),
        ({"values": {"order_no": {"top": ["层"]}}}, "values.order_no: this slot is filled by another rule"),
        (
            {"identifiers": {"order_status": {"nouns": ["层"]}}},
            "identifiers.order_status: this slot is filled by another rule",
        ),
        (
            {"identifiers": {"order_no": {"nouns": ["层"], "digits": [4]}}},
            "identifiers.order_no: is already a number of another length or kind",
        ),
    ],
)
def test_words_that_do_not_fit_are_named(tmp_path: Path, words: object, problem: str) -> None:
    assert problems(write_shop(tmp_path / "more", put("words", to=words))) == [problem]
