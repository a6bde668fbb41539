"""Words of a list, found once each."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.matcher import Matcher

WORDS = {
    "订单": "order",
    "订单趋势": "trend",
    "统计": "dashboard",
    "order": "order",
    "stat": "dashboard",
    "vip客户": "vip",
    "use": "use",
}


@pytest.fixture
def matcher() -> Matcher[str]:
    return Matcher(WORDS)


def found(matcher: Matcher[str], text: str) -> list[str]:
    return [match.word for match in matcher.find(text)]


def test_the_longest_word_wins(matcher: Matcher[str]) -> None:
    assert found(matcher, "看订单趋势和订单") == ["订单趋势", "订单"]


@pytest.mark.parametrize("text", ["where is the border", "reorder it", "Statesboro", "ordered", "user"])
def test_latin_words_are_not_found_inside_longer_ones(matcher: Matcher[str], text: str) -> None:
    assert found(matcher, text) == []


@pytest.mark.parametrize("text", ["查VIP客户的order", "order订单", "My ORDER.", "orders", "(order)"])
def test_latin_words_match_beside_chinese_in_any_case_and_in_the_plural(matcher: Matcher[str], text: str) -> None:
    assert "order" in found(matcher, text)


def test_the_plural_belongs_to_the_match(matcher: Matcher[str]) -> None:
    (match,) = matcher.find("my orders")
    assert (match.start, match.end, match.word, match.value) == (3, 9, "order", "order")


def test_a_word_at_the_very_end_is_found_as_it_is(matcher: Matcher[str]) -> None:
    (match,) = matcher.find("查订单")
    assert (match.start, match.end) == (1, 3)


def test_an_empty_list_finds_nothing() -> None:
    assert Matcher[str]({}).find("订单") == []
    assert Matcher({"": "x", " ": "y"}).find("a b") == []


@given(
    st.text(alphabet="订单趋势统计ordersta vip客户"),
    st.dictionaries(st.text("订单orde ", min_size=1, max_size=4), st.just(1)),
)
def test_no_character_is_used_twice(text: str, words: dict[str, int]) -> None:
    matches = Matcher(words).find(text)
    assert all(a.end <= b.start for a, b in pairwise(matches))
    assert all(0 <= m.start < m.end <= len(text) for m in matches)


def test_no_word_is_looked_for_inside_a_long_one() -> None:
    words = Matcher({"a" * length: length for length in range(1, 40)})
    assert words.find("a" * 5_000) == []
    assert [m.value for m in words.find("查a" + "单")] == [1]
