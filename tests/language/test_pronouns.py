"""Words that point back to what was spoken of before."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.lexicon import Grammar
from language.names import Names
from language.normalise import normalise
from language.pronouns import resolve

REMEMBERED = {"person": "李四", "order_no": ["1001", "20261130001"], "todo_no": ["3"]}


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("他的订单呢", "李四的订单呢"),
        ("她買了什麼", "李四买了什么"),
        ("这个用户的评价", "李四的评价"),
        ("show his orders", "show 李四's orders"),
        ("what did she buy", "what did 李四 buy"),
        ("把它改成已发货", "把20261130001改成已发货"),
        ("这个订单到哪了", "订单20261130001到哪了"),
        ("where is that order", "where is order 20261130001"),
        ("把这个待办改到明天", "把待办3改到明天"),
    ],
)
def test_pronouns_stand_for_what_was_said(grammar: Grammar, raw: str, text: str) -> None:
    resolved, used = resolve(normalise(raw), REMEMBERED, grammar.pronouns)
    assert resolved.text == text
    assert set(used) <= set(REMEMBERED)
    assert used


@pytest.mark.parametrize("raw", ["其他订单", "弹吉他的用户", "there are others", "维他命的销量", "the theme", "其它的"])
def test_longer_words_hold_no_pronoun(grammar: Grammar, raw: str) -> None:
    text = normalise(raw)
    assert resolve(text, REMEMBERED, grammar.pronouns) == (text, {})


def test_nothing_is_replaced_by_what_nobody_remembers(grammar: Grammar) -> None:
    text = normalise("他的订单呢")
    assert resolve(text, {}, grammar.pronouns) == (text, {})
    assert resolve(text, {"order_no": ["1001"], "person": None}, grammar.pronouns) == (text, {})


def test_the_origin_of_a_replaced_pronoun_is_the_pronoun(grammar: Grammar) -> None:
    resolved, used = resolve(normalise("他的訂單"), {"person": "欧阳锋"}, grammar.pronouns)
    assert used == {"person": "欧阳锋"}
    assert resolved.original(0, 3) == "他"
    assert resolved.original(4, 6) == "訂單"


def test_who_the_sentence_named_comes_before_who_is_remembered(grammar: Grammar, names: Names) -> None:
    text = normalise("查张三的订单和他的评价")
    assert resolve(text, {"person": "李四"}, grammar.pronouns, names=names)[0].text == "查张三的订单和张三的评价"
    assert resolve(text, {}, grammar.pronouns, names=names)[0].text == "查张三的订单和张三的评价"
    text = normalise("他和张三的订单")
    assert resolve(text, {"person": "李四"}, grammar.pronouns, names=names)[0].text == "李四和张三的订单"


@given(
    st.text(), st.dictionaries(st.sampled_from(["person", "order_no"]), st.none() | st.text() | st.lists(st.integers()))
)
def test_any_text_and_memory_can_be_resolved(grammar: Grammar, raw: str, remembered: dict[str, Any]) -> None:
    resolved, _ = resolve(normalise(raw), remembered, grammar.pronouns)
    assert len(resolved.spans) == len(resolved.text)
