"""Thoughts are hidden, whole or in pieces."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.thinking import ThinkFilter, without_thinking

CASES = [
    ("好的。", "好的。"),
    ("<think>嗯</think>好的。", "好的。"),
    ("<think>嗯</think>\n\n好的。", "好的。"),
    ("<think></think>好的。", "好的。"),
    ("<think>a</think>好<think>b</think>的。", "好的。"),
    ("<think>never ends", ""),
    ("1 < 2 <thin>", "1 < 2 <thin>"),
]


@pytest.mark.parametrize(("said", "shown"), CASES)
def test_what_stands_in_the_tags_is_hidden(said: str, shown: str) -> None:
    assert without_thinking(said) == shown


def test_an_end_without_a_beginning_hides_what_is_before_it() -> None:
    assert without_thinking("let me see</think>\n好的。") == "好的。"


@given(st.lists(st.sampled_from(["<think>", "</think>", "<thi", "nk>", "<", "/", " ", "好", "a"])), st.data())
def test_a_stream_shows_the_same_however_it_is_cut_up(parts: list[str], data: st.DataObject) -> None:
    said = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(said)))))
    pieces = [said[a:b] for a, b in pairwise([0, *cuts, len(said)])]
    assert through(pieces) == through([said])


@given(st.text("<think>/ 好a", max_size=60).filter(lambda text: "<think>" not in text))
def test_text_without_tags_is_shown_from_its_first_word(said: str) -> None:
    assert through(list(said)) == said.lstrip()


def through(pieces: list[str]) -> str:
    thinking = ThinkFilter()
    return "".join([*(thinking.feed(piece) for piece in pieces), thinking.end()])
