"""One written form for what was typed, and the way back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.normalise import LONGEST, fold, normalise


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("查詢張三的訂單", "查询张三的订单"),
        ("前３名，最新的５条", "前3名,最新的5条"),
        ("  多\u3000个 \t 空格\n", "多 个 空格"),
        ("零\u200b宽\u200d字\ufeff符", "零宽字符"),
        ("坏\x00掉\x07的", "坏掉的"),
        ("lone \ud800 surrogate", "lone surrogate"),
        ("㎏ ﬁ ①", "kg fi 1"),
        ("ﾊﾞｰ", "バー"),
        ("e\u0301te\u0301", "été"),
        ("Keep The CASE", "Keep The CASE"),
        ("", ""),
        ("\u200b \u3000", ""),
    ],
)
def test_text_has_one_written_form(raw: str, text: str) -> None:
    assert normalise(raw).text == text


def test_the_original_of_a_piece_is_what_was_typed() -> None:
    text = normalise(" 新建：“Buy　Ｍilk，雞蛋”")
    start = text.text.index("Buy")
    assert text.text[start:-1] == "Buy Milk,鸡蛋"
    assert text.original(start, len(text.text) - 1) == "Buy　Ｍilk，雞蛋"


def test_an_empty_piece_has_no_original() -> None:
    text = normalise("订单")
    assert text.original(1, 1) == ""
    assert text.original(5, 9) == ""


def test_a_replacement_points_to_what_it_replaced() -> None:
    text = normalise("他的訂單").replace(0, 1, "李四")
    assert text.text == "李四的订单"
    assert text.original(0, 1) == text.original(0, 2) == "他"
    assert text.original(2, 5) == "的訂單"


def test_an_insertion_points_to_where_it_stands() -> None:
    text = normalise("订单").replace(2, 2, "号")
    assert text.text == "订单号"
    assert text.spans[-1] == (2, 2)


def test_a_part_keeps_its_origin() -> None:
    part = normalise("你好，查訂單").part(3, 6)
    assert part.text == "查订单"
    assert part.original(0, 3) == "查訂單"


@given(st.text())
def test_normalising_again_changes_nothing(raw: str) -> None:
    once = normalise(raw).text
    assert normalise(once).text == once


@given(st.text(alphabet=st.characters(codec=None)))
def test_every_character_knows_where_it_came_from(raw: str) -> None:
    text = normalise(raw)
    assert len(text.spans) == len(text.text)
    assert all(0 <= start < end <= len(raw) for start, end in text.spans)
    assert list(text.spans) == sorted(text.spans)


@given(st.text())
def test_no_white_space_but_single_spaces_inside(raw: str) -> None:
    text = normalise(raw).text
    assert text == " ".join(text.split())


@given(st.text())
def test_folding_keeps_the_length(raw: str) -> None:
    assert len(fold(raw)) == len(raw)


def test_folding_lowers_case_and_straightens_apostrophes() -> None:
    assert fold("Don’t SHOW İ") == "don't show İ"


@pytest.mark.parametrize("letter", ["\u2800", "\u3164", "\u115f", "\u1160", "\uffa0", "\u034f", "\U000e0101"])
def test_letters_that_show_nothing_are_gone(letter: str) -> None:
    assert normalise(f"{letter}订{letter}单{letter}").text == "订单"
    assert normalise(letter * 3).text == ""


@pytest.mark.parametrize(
    "raw", ["字" * 9_000, "\ufdfa" * 9_000, "e\u0301" * 9_000, "a " * 9_000, "가" * 9_000, "１" * 9_000]
)
def test_what_is_read_is_limited_after_it_has_grown(raw: str) -> None:
    text = normalise(raw)
    assert LONGEST - 1 <= len(text.text) <= LONGEST
    assert text.raw == raw
    assert normalise(text.text).text == text.text


def test_a_long_invisible_beginning_hides_nothing() -> None:
    assert normalise("\u200b \n" * 20_000 + "订单").text == "订单"


def test_thousands_of_marks_on_one_letter_are_cut() -> None:
    assert len(normalise("a" + "\u0323\u0301" * 30_000 + "b").text) < 50
