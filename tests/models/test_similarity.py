"""The similarity tier: what the head learns, what is kept of it, and that it is off without a complaint."""

import hashlib
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from models.similarity import Similarity, load_encoder, open_similarity, train, version_of

np = pytest.importorskip("numpy", reason="the similarity tier is not installed (make install SIMILARITY=1)")
real = load_encoder()
needs_wheel = pytest.mark.skipif(
    real is None, reason="the similarity tier is not installed (make install SIMILARITY=1)"
)
EXAMPLES = {
    "order": ["查一下今天的订单", "昨天卖了多少单", "谁还没付款", "show today's orders", "how much did we sell",
              "who has not paid"],
    "todo": ["提醒我明天交周报", "记一下要买纸", "还有什么没做完", "remind me to call", "put it on my list",
             "what is unfinished"],
    "unknown": ["今天天气怎么样", "讲个笑话", "写一首诗", "what is the weather", "tell me a joke", "write a poem"],
}  # fmt: skip


class Words:
    """An encoder that knows which words a text holds, and nothing else."""

    name = "words 1"

    def encode(self, texts: Sequence[str]) -> Any:
        rows = np.zeros((len(texts), 64), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.split():
                row[int(hashlib.md5(word.encode(), usedforsecurity=False).hexdigest(), 16) % 64] += 1
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1)


FRUIT = {
    "pear": ["ripe pear tree", "pear juice", "green pear"],
    "car": ["fast car", "car wheel", "old car engine"],
    "none": [],
}


def of_fruit() -> Similarity:
    return Similarity(Words(), train(Words(), FRUIT), "1")


def test_the_likeliest_comes_first_and_all_add_up_to_one() -> None:
    found = of_fruit().of("a pear")
    assert found[0].intent == "pear"
    assert found[0].probability > 0.5
    assert sum(one.probability for one in found) == pytest.approx(1, abs=1e-3)
    assert {one.intent for one in found} == {"pear", "car"}


async def test_only_what_may_be_chosen_is_told_with_the_probability_over_all() -> None:
    (only,) = await of_fruit().likely("a pear", {"car"})
    assert only.intent == "car"
    assert only.probability < 0.5


@pytest.mark.parametrize("changed", [{**FRUIT, "pear": ["pear"]}, {**FRUIT, "bus": ["red bus"]}])
def test_other_examples_are_another_version(changed: dict[str, list[str]]) -> None:
    assert version_of("a", FRUIT) == version_of("a", dict(reversed(FRUIT.items())))
    assert version_of("a", changed) != version_of("a", FRUIT) != version_of("b", FRUIT)


@needs_wheel
def test_the_real_encoder_tells_paraphrases_apart_in_both_languages() -> None:
    similarity = open_similarity(EXAMPLES, None)
    assert similarity is not None
    said = {
        "今天成交了几单": "order",
        "别忘了明天打电话": "todo",
        "会下雨吗": "unknown",
        "who still owes us": "order",
        "sing a song": "unknown",
    }
    assert {text: similarity.of(text)[0].intent for text in said} == said


@needs_wheel
def test_what_was_learnt_is_kept_and_read_again(tmp_path: Path) -> None:
    first = open_similarity(EXAMPLES, tmp_path / "heads")
    again = open_similarity(EXAMPLES, tmp_path / "heads")
    assert first is not None
    assert again is not None
    assert [path.stem for path in (tmp_path / "heads").iterdir()] == [first.version]
    assert again.of("今天成交了几单") == first.of("今天成交了几单")
    (tmp_path / "heads" / f"{first.version}.npz").write_bytes(b"broken")
    mended = open_similarity(EXAMPLES, tmp_path / "heads")
    assert mended is not None
    assert mended.of("今天成交了几单") == first.of("今天成交了几单")


@needs_wheel
def test_only_the_newest_heads_stay(tmp_path: Path) -> None:
    for number in range(8):
        open_similarity({**EXAMPLES, "more": [f"number {number}"]}, tmp_path)
    assert len(list(tmp_path.iterdir())) == 5


@needs_wheel
@given(st.text(max_size=400) | st.text(alphabet="\0\ud800👍é查", max_size=20))
@hypothesis_settings(max_examples=30)
def test_any_text_has_an_answer_that_does_not_depend_on_what_came_before(text: str) -> None:
    similarity = of_real()
    alone = similarity.of(text)
    similarity.of("查一下今天的订单" * 40)
    assert similarity.of(text) == alone
    assert all(0 <= one.probability <= 1 for one in alone)


@needs_wheel
def test_two_threads_do_not_disturb_each_other() -> None:
    similarity, said = of_real(), ["今天的订单", "remind me", "讲个笑话", "who has not paid"]
    alone = [similarity.of(text) for text in said]
    found: dict[int, list[object]] = {}

    def ask(number: int) -> None:
        found[number] = [similarity.of(text) for text in said]

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(answers == alone for answers in found.values())


def of_real() -> Similarity:
    if not _opened:
        similarity = open_similarity(EXAMPLES, None)
        assert similarity is not None
        _opened.append(similarity)
    return _opened[0]


_opened: list[Similarity] = []
