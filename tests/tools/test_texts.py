"""What the desk says by itself."""

from string import Formatter

from tests.tools.samples import answering, set_status
from tools.texts import TEXTS, question, text
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
