"""Replays under other conditions: another definition of an agent, another model, a model that answers otherwise."""

import asyncio
import json
from typing import Any
from uuid import UUID

import pytest
import yaml

from config.settings import HERE
from errors import InvalidInput
from models.registry import Models
from server import House
from tests.fakes.openai_replies import Reply, call, hang, text
from tests.fakes.openai_server import ModelServer
from tests.graphs.replaying import Rows, a_runner, a_talk, a_talk_with_model, orders_to_ship, scripted_models
from tests.graphs.talk import ME, Talk, kinds, replays_of

__all__ = ["a_runner", "a_talk", "a_talk_with_model", "orders_to_ship", "scripted_models"]


def business() -> dict[str, Any]:
    """The shipped definition, to be changed."""
    return dict(yaml.safe_load((HERE / "agents" / "business.yaml").read_text(encoding="utf-8")))


def defined(**arguments: Any) -> str:
    """`business` with other bindings for the arguments of `order`."""
    agent = business()
    agent["intents"]["order"]["arguments"] |= arguments
    return json.dumps(agent, ensure_ascii=False)


def chosen(*names: str) -> Reply:
    return call("choose_intents", {"intents": list(names)})


async def test_another_definition_changes_what_it_changes_and_nothing_is_executed(talk: Talk) -> None:
    await talk.say("今天的订单", "你好", "查张三的订单")
    replay = await talk.replay(agent=defined(limit={"value": 3}))
    assert replay["agent"] == "business"
    assert kinds(replay) == [["call", "reply"], [], ["call", "reply"]]
    (call, reply) = replay["turns"][0]["differences"]
    assert call["recorded"]["status"] == "done"
    assert call["replayed"] == {
        "tool": "list_orders",
        "arguments": {"start_date": "2026-11-30", "end_date": "2026-11-30", "limit": 3},
        "status": "not_executed",
    }
    assert reply["replayed"] == "回放：没有执行"
    assert replay["summary"]["by_kind"] == {"call": 2, "reply": 2}
    assert replay["text"]["zh"].startswith("共回放 3 轮，2 轮有变化。")
    assert "arguments of list_orders: " in replay["text"]["en"]
    # The desk itself knows nothing of it.
    assert (await talk.replay())["summary"]["changed"] == 0


async def test_another_definition_changes_the_route(talk: Talk) -> None:
    await talk.say("看看课程", "今天的订单")
    agent = business()
    agent["intents"]["dashboard.course"]["synonyms"].remove("课程")
    agent["intents"]["dashboard.order"]["synonyms"].append("课程")
    replay = await talk.replay(agent=yaml.safe_dump(agent, allow_unicode=True))
    assert kinds(replay)[0][:2] == ["intents", "plan"]
    assert replay["turns"][0]["differences"][0]["replayed"] == ["dashboard.order"]
    assert kinds(replay)[1] == []


async def test_a_definition_that_would_ask_for_a_yes_stops_there(talk: Talk, to_ship: list[str], orders: Rows) -> None:
    await talk.say(f"查一下订单{to_ship[0]}", "谢谢")
    agent = business()
    agent["intents"]["order"]["tool"] = "update_order_status"
    del agent["intents"]["order"]["card"], agent["chains"]
    agent["intents"]["order"]["arguments"] = {"order_no": "order_no", "status": {"value": "shipped"}}
    replay = await talk.replay(agent=json.dumps(agent, ensure_ascii=False))
    first, second = replay["turns"]
    assert [d["what"] for d in first["differences"]] == ["status", "plan", "call", "call", "reply"]
    assert (first["replayed"]["status"], first["replayed"]["calls"][0]["status"]) == ("interrupted", "awaiting")
    assert first["replayed"]["reply"] == f"把订单 {to_ship[0]} 的状态改为已发货，确认吗？"
    assert [d["what"] for d in second["differences"]] == ["reply"]
    assert second["replayed"]["reply"].startswith("（没有得到确认，未执行：")
    (row,) = await orders(f"SELECT status FROM demo.orders WHERE tenant_id = 'acme' AND order_no = '{to_ship[0]}'")
    assert row["status"] == "to_ship"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": "sales"}, "agent: name: there is no agent 'sales' to replace"),
        ({"colour": "red"}, "agent: unknown key 'colour'"),
        ({"tool_groups": ["nonsense"]}, "agent: tool_groups.0: no tool is in a group 'nonsense'"),
        ({"model": "nobody"}, "agent: model: no model 'nobody'"),
        ({"intents": {"order": {"tool": "list_orders"}}}, "agent: intents.order.description: is missing"),
        ({"intents": {"todo.x": {"description": {"zh": "", "en": ""}, "tool": "list_orders"}}}, "intents.todo.x"),
    ],
)
async def test_a_definition_that_does_not_fit_is_refused_by_its_key(
    talk: Talk, change: dict[str, Any], said: str
) -> None:
    with pytest.raises(InvalidInput) as error:
        await talk.replays.ground(agent=json.dumps({**business(), **change}, ensure_ascii=False))
    assert said in str(error.value)


@pytest.mark.parametrize("agent", ["", "name: [", "- a\n- b", "a: &x 1\nb: *x", "42"])
async def test_a_definition_that_is_none_is_refused(talk: Talk, agent: str) -> None:
    with pytest.raises(InvalidInput, match="agent: "):
        await talk.replays.ground(agent=agent)


async def test_a_model_that_nobody_set_up_is_refused(talk: Talk) -> None:
    with pytest.raises(InvalidInput, match="model: there is no model 'default'; there are none"):
        await talk.replays.ground(model="default")


async def test_a_model_is_asked_again_and_its_tokens_are_compared(with_model: Talk, model_server: ModelServer) -> None:
    model_server.script([chosen("order")])
    await with_model.say("昨天那些事儿给我讲讲")
    model_server.script([chosen("order").but(input_tokens=50)])
    replay = await with_model.replay()
    assert kinds(replay) == [["tokens"]]
    assert replay["summary"]["changed"] == 0
    tokens = replay["turns"][0]["differences"][0]
    assert (tokens["recorded"]["input_tokens"], tokens["replayed"]["input_tokens"]) == (11, 50)
    assert "Tokens: 1 model calls, 11 + 7 tokens -> 1 model calls, 50 + 7 tokens." in replay["text"]["en"]


async def test_a_model_that_decides_otherwise(with_model: Talk, model_server: ModelServer) -> None:
    model_server.script([chosen("order")])
    await with_model.say("昨天那些事儿给我讲讲")
    model_server.script([chosen("dashboard.course")])
    replay = await with_model.replay(model="default")
    assert replay["model"] == "default"
    assert kinds(replay) == [["intents", "plan", "call", "call", "reply"]]
    (turn,) = replay["turns"]
    assert turn["replayed"]["calls"][0]["status"] == "not_executed"
    runs = await with_model.runs.turns_of(UUID(replay["replay_thread_id"]), ME.tenant, ME.user)
    assert runs[0][0].context["model"] == "default"


async def test_a_turn_that_fails_in_its_replay_has_failed_there_alone(
    with_model: Talk, model_server: ModelServer, house: House, models: Models
) -> None:
    model_server.script([chosen("order"), text("好的。")])
    await with_model.say("昨天那些事儿给我讲讲", "你好")
    model_server.script([hang()])
    with_model.replays = replays_of(house, models=models, turn_timeout_s=0.2)
    replay = await with_model.replay()
    first, second = replay["turns"]
    assert first["differences"][0] == {"what": "status", "recorded": "completed", "replayed": "failed"}
    assert first["replayed"]["reply"].startswith("抱歉，这个请求用时过长")
    assert second["differences"] == []
    (run,), _ = await with_model.runs.turns_of(UUID(replay["replay_thread_id"]), ME.tenant, ME.user)
    assert (run.status, (run.error or {})["error"]) == ("timeout", "TimeoutError")


async def test_a_turn_that_was_stopped_changes_nothing_about_those_after_it(
    with_model: Talk, model_server: ModelServer
) -> None:
    await with_model.say("你好")
    model_server.script([hang()])
    stopped = asyncio.create_task(with_model.say("昨天那些事儿给我讲讲"))
    await model_server.until_busy()
    _, (run,) = await with_model.turns()
    await with_model.runner.cancel(run.run_id, run.thread_id, ME, action="interrupt", wait_s=5)
    assert (await stopped)["status"] == "failed"
    unknown = [text("什么？"), text("不明白。")]
    model_server.script(unknown)
    assert (await with_model.say("前3个"))["intents"] == ["unknown"]
    model_server.script([chosen("order"), *unknown])
    replay = await with_model.replay()
    first, second, third = replay["turns"]
    assert (first["differences"], third["differences"]) == ([], [])
    assert second["differences"][0] == {"what": "status", "recorded": "failed", "replayed": "completed"}
    assert second["replayed"]["calls"][0]["status"] == "not_executed"
