"""Decisions and the whitelist."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.answer import Usage
from nodes.decision import decide, reported, whitelisted
from nodes.state import Decision, Request, Turn, intents_of, turn_with


@pytest.mark.parametrize(
    ("said", "shown"),
    [(0.5, 0.5), (0, 0.0), (1, 1.0), (1.5, 0.85), (-1, 0.85), ("0.9", 0.85), (True, 0.85), (None, 0.85)],
)
def test_a_models_confidence_counts_only_between_0_and_1(said: object, shown: float) -> None:
    assert reported(said) == shown


def test_nan_is_no_confidence() -> None:
    assert reported(math.nan) == 0.85


@given(st.lists(st.one_of(st.sampled_from(["order", "user", "rm -rf"]), st.integers(), st.none(), st.text())))
def test_only_names_of_the_catalogue_pass_once_each(said: list[object]) -> None:
    known, strange = whitelisted(said, {"order", "user"})
    assert set(known) <= {"order", "user"}
    assert len(known) == len(set(known))
    assert len(strange) == sum(name not in ("order", "user") for name in said)


def test_a_decision_says_how_sure_its_source_is() -> None:
    assert decide("intent", ["order"], "keyword", "订单") == {
        "level": "intent", "value": ["order"], "source": "keyword", "confidence": 0.9, "reason": "订单",
    }  # fmt: skip
    assert decide("intent", ["unknown"], "none", "x")["confidence"] == 0


def decision(reason: str) -> Decision:
    return decide("route", "business", "keyword", reason)


def test_a_turn_with_an_id_replaces_the_old_one_whole() -> None:
    old = Turn(id="1", rounds=3, decisions=[decision("a")], capped=True)
    assert turn_with(old, Turn(id="2", rounds=0)) == {"id": "2", "rounds": 0}


def test_decisions_append_and_usage_adds_up() -> None:
    usage = Usage(model_calls=1, input_tokens=10, output_tokens=2)
    old = Turn(id="1", decisions=[decision("a")], usage=usage)
    merged = turn_with(old, Turn(decisions=[decision("b")], usage=usage))
    assert [d["reason"] for d in merged["decisions"]] == ["a", "b"]
    assert merged["usage"] == {"model_calls": 2, "input_tokens": 20, "output_tokens": 4}
    assert [d["reason"] for d in old["decisions"]] == ["a"]


def test_intents_are_named_once_in_spoken_order() -> None:
    asked = [Request(agent="business", intent=name, entities={}, spans=[]) for name in ("order", "user", "order")]
    assert intents_of(Turn(requests=asked)) == ["order", "user"]
    assert intents_of(Turn(requests=[])) == ["unknown"]
