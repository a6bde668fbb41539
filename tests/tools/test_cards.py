"""Cards get their design where their data can be shown with it."""

from typing import Any

import pytest

from config.catalogue import CardDesign
from tests.tools.samples import answering
from tools.cards import dressed, misfit, undesigned
from tools.tool import Card

ROW = {
    "type": "object",
    "required": ["no"],
    "properties": {"no": {"type": "string"}, "n": {"type": ["number", "null"]}},
}
FIELDS: dict[str, dict[str, Any]] = {
    "total": {"type": "integer"},
    "rows": {"type": "array", "items": ROW},
    "period": {"type": "string", "enum": ["today", "week"], "optional": True},
}


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ({"total": 1, "rows": [{"no": "1"}]}, ""),
        ({"total": 1, "rows": [{"no": "1", "n": None}], "period": "week", "more": 1}, ""),
        ({"total": 1}, "data lacks rows"),
        ({"total": "1", "rows": []}, "data.total is no integer"),
        ({"total": True, "rows": []}, "data.total is no integer"),
        ({"total": 1, "rows": {}}, "data.rows is no array"),
        ({"total": 1, "rows": [{"no": "1"}, {}]}, "data.rows.1 lacks no"),
        ({"total": 1, "rows": [{"no": "1", "n": "x"}]}, "data.rows.0.n is no number or null"),
        ({"total": 1, "rows": [], "period": "year"}, "data.period is none of ['today', 'week']"),
    ],
)
def test_data_is_held_against_the_fields(data: dict[str, Any], problem: str) -> None:
    assert misfit(data, FIELDS) == problem


def test_a_design_of_the_catalogue_dresses_a_card() -> None:
    cards = {"rows": CardDesign(type="rows", fields=FIELDS, design={"title": "Rows"})}
    data = {"total": 0, "rows": list[Any]()}
    assert dressed(Card(type="rows", data=data), cards) == {"type": "rows", "design": {"title": "Rows"}, "data": data}
    assert dressed(Card(type="rows", data={}), cards) is None
    assert dressed(None, cards) is None


def test_a_declared_card_without_a_design_is_a_problem_of_the_configuration() -> None:
    tools = [answering("x", cards=("list", "nowhere"))]
    assert list(undesigned(tools, {"list": CardDesign(type="list", design={}, fields=FIELDS)})) == [
        "tool 'answer': cards: no card 'nowhere' in config/cards/"
    ]
