"""What the desk says by itself."""

from string import Formatter

import pytest

from tests.tools.samples import answering, set_status
from tools.texts import TEXTS, attempted, question, text
from tools.tool import ToolResult


def named(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def test_both_languages_name_the_same_things() -> None:
    """But for the description of a parameter, which is English."""
    for zh, en in TEXTS.values():
        assert named(zh) == named(en) - {"description"}
        assert not zh.isascii()
        assert en.isascii()


def test_a_text_comes_in_the_locale_asked_for() -> None:
    assert text("timeout", "zh") != text("timeout", "en")


def test_a_question_says_values_as_a_person_does() -> None:
    arguments = {"order_no": "20261130001", "status": "shipped"}
    assert question(set_status, arguments, "zh") == "把订单 20261130001 改为已发货？"
    assert question(set_status, arguments, "en") == "Set order 20261130001 to shipped?"


def test_a_question_stands_without_all_arguments_and_without_a_text() -> None:
    assert question(set_status, {"status": "{order_no}"}, "en") == "Set order - to {order_no}?"
    assert question(answering(ToolResult(content="")), {"a": 1, "b": ["x", None]}, "en") == "answer(a=1, b=x, null)"


def test_what_was_attempted_is_a_statement() -> None:
    arguments = {"order_no": "20261130001", "status": "shipped"}
    assert attempted(set_status, arguments, "zh") == "把订单 20261130001 改为已发货"
    assert attempted(set_status, arguments, "en") == "Set order 20261130001 to shipped"
    tool = answering(ToolResult(content=""))
    assert attempted(tool, {"a": 1, "b": None}, "en") == "answer(a=1)"
    assert len(attempted(tool, {"a": "x" * 5_000}, "en")) == 300


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("把待办标为完成，确认吗？", "把待办标为完成"),
        ("删除它，可以吗?", "删除它"),
        ("Really delete it, ok?", "Really delete it"),
        ("是否继续？", "是否继续？"),
        ("付账", "付账"),
    ],
)
def test_whatever_a_question_asks_with_is_left_out(asked: str, said: str) -> None:
    tool = answering(ToolResult(content=""), confirm=True, effect=True, confirm_text={"zh": asked})
    assert attempted(tool, {}, "zh") == said
