"""Conversations through the real graph over tools that do nothing."""

import copy
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from config.catalogue import Catalogue
from errors import StaleThread
from evals.cases import Case
from evals.columns import Ground
from evals.desk import Stand, silenced, stand, without_words
from evals.outcomes import Outcome
from evals.runner import play, play_all
from graphs.assistant import build_graph
from nodes.similarity import Alike
from tests.evals.conftest import case
from tools.executor import Executor
from tools.registry import Registry
from tools.tool import ToolContext, ToolResult

Play = Callable[..., Awaitable[tuple[Outcome, ...]]]


@pytest.fixture
def desk(ground: Callable[..., Ground]) -> Stand:
    g = ground([])
    return stand("rules", g.catalogue, g.registry, g.without_model(), alike=Alike())


@pytest.fixture
def said(desk: Stand) -> Play:
    async def talk(*words: str, **more: Any) -> tuple[Outcome, ...]:
        return (await play(case(*({"say": word} for word in words), **more), desk)).outcomes

    return talk


async def test_a_turn_is_taken_apart_as_far_as_it_is_scored(said: Play) -> None:
    (got,) = await said("查一下上周的订单")
    assert (got["agent"], got["intents"], got["error"]) == ("business", ["order"], None)
    assert got["calls"][0]["tool"] == "list_orders"
    assert got["calls"][0]["arguments"]["start_date"] == "2026-11-23"
    assert got["entities"]["period"]["end"] == "2026-11-29"
    assert {d["source"] for d in got["decisions"]} == {"keyword"}
    assert got["elapsed_ms"] > 0


async def test_the_clock_is_the_case_s(said: Play) -> None:
    (got,) = await said("今天的订单", clock="2027-02-03T23:30:00+08:00")
    assert got["calls"][0]["arguments"]["start_date"] == "2027-02-03"


async def test_turns_lean_on_each_other_and_cases_do_not(said: Play) -> None:
    first, second = await said("上周的订单", "那上个月的呢")
    assert (first["intents"], second["intents"]) == (["order"], ["order"])
    assert second["calls"][0]["arguments"]["start_date"] == "2026-10-01"
    (alone,) = await said("那上个月的呢")
    assert alone["intents"] == ["unknown"]


async def test_a_question_back_names_the_arguments_that_it_asks_for(said: Play) -> None:
    (got,) = await said("帮我取消一个订单")
    assert got["question"] is not None
    assert "order_no" in got["asked"]
    assert got["calls"] == []


async def test_a_call_that_waits_for_a_yes_counts_and_a_plain_yes_answers_it(said: Play) -> None:
    waiting, answered = await said("把订单20261130001改成已发货", "确认")
    assert [call["tool"] for call in waiting["calls"]] == ["update_order_status"]
    assert "20261130001" in waiting["reply"]
    assert [call["tool"] for call in answered["calls"]] == ["update_order_status"]
    assert answered["error"] is None


async def test_anything_else_passes_the_question_for_a_yes_over(said: Play) -> None:
    _, after = await said("把订单20261130001改成已发货", "今天的告警")
    assert [call["tool"] for call in after["calls"]] == ["dashboard_alerts"]


async def test_a_turn_that_breaks_is_an_outcome_and_the_next_one_goes_on(desk: Stand, registry: Registry) -> None:
    async def break_off(context: ToolContext, **_: Any) -> ToolResult:
        raise StaleThread

    tools = [replace(t, call=break_off) if t.name == "list_orders" else t for t in registry.values()]
    services = replace(desk.services, executor=Executor(Registry(tools), {}, {}))
    broken = replace(desk, graph=build_graph(services).compile(checkpointer=InMemorySaver()))
    first, second = (await play(case({"say": "今天的订单"}, {"say": "你好"}), broken)).outcomes
    assert (first["agent"], first["error"]) == ("error", "StaleThread")
    assert (second["agent"], second["error"]) == ("chat", None)


async def test_every_tool_is_silenced_and_looks_the_same_to_whoever_plans(registry: Registry) -> None:
    for tool in registry.values():
        quiet = silenced(tool)
        assert (quiet.name, quiet.arguments, quiet.effect, quiet.confirm) == (
            tool.name, tool.arguments, tool.effect, tool.confirm,
        )  # fmt: skip
        assert quiet.call is not tool.call


async def test_cases_at_once_come_out_as_one_after_the_other(desk: Stand) -> None:
    cases = [
        case({"say": words}, {"say": "那上个月的呢"}, id=f"c-{n}")
        for n, words in enumerate(["上周的订单", "昨天的评价", "你好", "今天的告警"])
    ]

    async def one(given: Case) -> Any:
        return await play(given, desk)

    alone = await play_all(cases, one, at_once=1)
    together = await play_all(cases, one, at_once=4)
    assert [[_settled(o) for o in p.outcomes] for p in alone] == [[_settled(o) for o in p.outcomes] for p in together]


def _settled(outcome: Outcome) -> dict[str, Any]:
    plain = copy.deepcopy(dict(outcome))
    del plain["elapsed_ms"]
    return plain


async def test_without_its_words_the_desk_knows_nothing(
    catalogue: Catalogue, registry: Registry, ground: Callable[..., Ground]
) -> None:
    bare = stand("bare", without_words(catalogue), registry, ground([]).without_model(), alike=Alike())
    for words in ("查一下上周的订单", "你好", "把订单20261130001改成已发货"):
        (got,) = (await play(case({"say": words}), bare)).outcomes
        assert (got["agent"], got["calls"]) == ("unknown", [])
