"""The words that operators wrote are read as a yes or a no, and what only looks like one is not."""

import pytest

from config.loading import load_catalogue
from config.settings import HERE
from graphs.plain_words import PlainWords


@pytest.fixture(scope="module")
def words() -> PlainWords:
    return PlainWords.of(load_catalogue(HERE))


@pytest.mark.parametrize("message", ["确认", "好的", "yes", "OK", "好的！", "Yes."])
def test_yes(words: PlainWords, message: str) -> None:
    assert words.read(message) == "approve"


@pytest.mark.parametrize("message", ["取消", "不", "no", "不要", "No!", "don't", "Don’t do it."])
def test_no(words: PlainWords, message: str) -> None:
    assert words.read(message) == "reject"


@pytest.mark.parametrize(
    "message", ["可以吗", "好不好", "确认订单", "不确认", "行不行", "对不起", "好像不对", "ok?", "查订单"]
)
def test_neither(words: PlainWords, message: str) -> None:
    assert words.read(message) != "approve"
