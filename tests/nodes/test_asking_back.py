"""What is asked back, in both languages."""

import pytest

from config.catalogue import Catalogue, Intent
from nodes.asking_back import question_for, unresolved
from nodes.state import Locale, Request, Turn
from tools.registry import Registry

VALUES: dict[Locale, str] = {
    "zh": "待付款、待发货、已发货、已完成、已取消",
    "en": "awaiting payment, to be shipped, shipped, completed, cancelled",
}


@pytest.fixture
def intent(catalogue: Catalogue) -> Intent:
    return catalogue.intents["order.update_status"]


def turn(locale: Locale, **entities: object) -> Turn:
    request = Request(agent="business", intent="order.update_status", entities=dict(entities), spans=[])
    return Turn(locale=locale, requests=[request])


def unworded(intent: Intent, parameter: str) -> Intent:
    bare = intent.arguments[parameter].model_copy(update={"ask": None})
    return intent.model_copy(update={"arguments": {**intent.arguments, parameter: bare}})


@pytest.mark.parametrize("locale", ["zh", "en"])
def test_a_question_names_the_values_that_there_are(intent: Intent, registry: Registry, locale: Locale) -> None:
    asked = question_for(0, "status", unworded(intent, "status"), registry["update_order_status"], turn(locale))
    assert asked["slot"] == "order_status"
    assert VALUES[locale] in asked["text"]


def test_a_question_that_names_them_itself_stays_as_it_is(intent: Intent, registry: Registry) -> None:
    asked = question_for(0, "status", intent, registry["update_order_status"], turn("zh"))
    assert asked["text"] == "请问要改成什么状态？可以是待付款、待发货、已发货、已完成或已取消。"


def test_a_parameter_has_a_chinese_name_in_a_chinese_question(intent: Intent, registry: Registry) -> None:
    asked = question_for(0, "order_no", unworded(intent, "order_no"), registry["update_order_status"], turn("zh"))
    assert asked["text"] == "还缺一项信息：订单号。请补充一下。"


def test_a_value_that_is_not_wanted_is_not_offered(intent: Intent, registry: Registry) -> None:
    given = turn("zh", not_order_status=["cancelled"])
    asked = unresolved(0, "order_status", intent, registry["update_order_status"], given)
    assert asked["text"] == "还缺一项信息：订单状态。请补充一下。可以是：待付款、待发货、已发货、已完成。"


def test_nothing_can_be_looked_up_by_what_it_is_not(catalogue: Catalogue, registry: Registry) -> None:
    given = turn("zh", not_order_status=["cancelled"])
    asked = unresolved(0, "order_status", catalogue.intents["order"], registry["list_orders"], given)
    assert asked["text"].startswith("目前不能按排除条件查询")
    assert asked["text"].endswith("可以是：待付款、待发货、已发货、已完成。")


@pytest.mark.parametrize(
    ("slot", "entities", "text"),
    [
        ("person", {}, "请问您指的是哪一位？请告诉我姓名。"),
        ("order_no", {}, "请问要修改哪个订单？请告诉我订单号。"),
        ("period", {"impossible": "2月30日"}, "没有“2月30日”这一天，请换一个日期。"),
    ],
)
def test_what_stands_for_nothing_is_asked_for(
    intent: Intent, registry: Registry, slot: str, entities: dict[str, object], text: str
) -> None:
    asked = unresolved(0, slot, intent, registry["update_order_status"], turn("zh", **entities))
    assert (asked["slot"], asked["text"], asked["requests"]) == (slot, text, [0])
