"""What no word decides: routed by likeness where it only reads, offered where it does not, and answers to an offer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from models.similarity import Head, Similarity
from nodes.similarity import Alike
from server import House
from tests.fakes.openai_replies import call
from tests.fakes.openai_replies import text as prose
from tests.fakes.openai_server import ModelServer
from tests.graphs.conftest import NOW
from tests.graphs.driver import Desk, called, intents, sources, text

np = pytest.importorskip("numpy", reason="the similarity tier is not installed (make install SIMILARITY=1)")
SAID: dict[str, dict[str, float]] = {
    "昨天开张了没有呀": {"order": 0.7, "dashboard.order": 0.2, "unknown": 0.1},
    "昨天弄出去些啥呀": {"order": 0.4, "dashboard.order": 0.3, "todo.query": 0.2, "unknown": 0.1},
    "把那个弄成已经寄走": {"order.update_status": 0.9, "order": 0.08, "unknown": 0.02},
    "呱呱呱": {"unknown": 0.9, "order": 0.1},
    "how did it sell yesterday": {"order": 0.85, "unknown": 0.15},
}


class Told:
    """An encoder whose vectors say how likely each intent is."""

    name = "told 1"

    def __init__(self, names: Sequence[str], said: Mapping[str, Mapping[str, float]]) -> None:
        self.names, self.said, self.asked = names, said, list[str]()

    def encode(self, texts: Sequence[str]) -> Any:
        self.asked += texts
        rows = [[self.said.get(one, {"unknown": 1.0}).get(name, 1e-6) for name in self.names] for one in texts]
        return np.log(np.array(rows, dtype=np.float32))


@pytest.fixture
def told(house: House) -> Told:
    return Told(sorted(house.services.catalogue.learnt), SAID)


@pytest.fixture
def desk(house: House, told: Told) -> Desk:
    return Desk(alike_services(house, told), house.saver, NOW)


def alike_services(house: House, told: Told) -> Any:
    count = len(told.names)
    head = Head(
        names=tuple(told.names), mean=np.zeros(count), weights=np.eye(count), bias=np.zeros(count), sharpness=1.0
    )
    alike = Alike(similarity=Similarity(told, head, "1"), rules=house.written.models.similarity)
    return replace(house.services, alike=alike)


async def test_a_likely_reading_intent_is_routed_with_its_probability(desk: Desk) -> None:
    state = await desk.say("昨天开张了没有呀")
    assert (intents(state), sources(state)[:2]) == (["order"], [("route", "similarity"), ("intent", "similarity")])
    assert state["turn"]["decisions"][1]["confidence"] == pytest.approx(0.7, abs=0.01)
    assert called(state) == [("list_orders", {"start_date": "2026-11-29", "end_date": "2026-11-29"})]


async def test_what_is_not_sure_is_offered_and_the_answer_taken(desk: Desk) -> None:
    state = await desk.say("昨天弄出去些啥呀")
    question = state["turn"]["question"]
    assert question
    assert (question["slot"], len(question["options"])) == ("intent", 3)
    assert text(state).startswith("您是想：\n1. 查询订单")
    assert called(state) == []
    chosen = await desk.say("第二个")
    assert intents(chosen) == ["dashboard.order"]
    assert called(chosen) == [("dashboard_orders", {"start_date": "2026-11-29", "end_date": "2026-11-29"})]
    assert chosen["turn"]["decisions"][0]["source"] == "pending"


async def test_an_offer_is_dropped_by_another_request_and_taken_up_by_its_own_words(desk: Desk) -> None:
    await desk.say("昨天弄出去些啥呀")
    assert intents(await desk.say("张三的电话")) == ["contact.find"]
    await desk.say("昨天弄出去些啥呀")
    own_words = await desk.say("订单")
    assert called(own_words) == [("list_orders", {"start_date": "2026-11-29", "end_date": "2026-11-29"})]


async def test_a_change_is_never_routed_by_likeness_alone(desk: Desk) -> None:
    state = await desk.say("把那个弄成已经寄走")
    assert state["turn"]["question"]
    assert state["turn"]["question"]["options"][0].startswith("修改一个订单的状态")
    assert called(state) == []


async def test_what_is_like_nothing_stays_an_honest_unknown(desk: Desk) -> None:
    state = await desk.say("呱呱呱")
    assert (intents(state), state["turn"]["question"]) == (["unknown"], None)


@pytest.mark.parametrize("said", ["查一下今天的订单", "你好", "不要查订单", "写一首关于订单的诗"])
async def test_what_words_decide_is_not_compared(desk: Desk, told: Told, said: str) -> None:
    await desk.say(said)
    assert told.asked == []


async def test_a_model_is_asked_where_it_is_not_sure_enough_and_not_where_it_is(
    house: House, told: Told, with_model: Callable[[], Desk], model_server: ModelServer
) -> None:
    desk = Desk(alike_services(house, told), house.saver, NOW, models=with_model().services.models)
    assert intents(await desk.say("how did it sell yesterday")) == ["order"]
    assert model_server.requests == []
    model_server.script([call("choose_intents", {"intents": ["dashboard.order"]})])
    state = await desk.say("昨天开张了没有呀")
    assert (intents(state), sources(state)[1]) == (["dashboard.order"], ("intent", "model"))


async def test_it_speaks_again_where_the_model_abstains(
    house: House, told: Told, with_model: Callable[[], Desk], model_server: ModelServer
) -> None:
    desk = Desk(alike_services(house, told), house.saver, NOW, models=with_model().services.models)
    model_server.script([prose("我不确定"), prose("还是不确定")])
    state = await desk.say("昨天开张了没有呀")
    assert (intents(state), sources(state)[1]) == (["order"], ("intent", "similarity"))
    assert state["turn"]["degraded"][0].startswith("classify:")
