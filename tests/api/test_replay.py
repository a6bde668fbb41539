"""POST /threads/{id}/replay: the differences as data and as text, and nothing that cannot be meant."""

from typing import Any
from uuid import uuid4

import httpx
import pytest
import yaml

from config.settings import HERE
from graphs.replay import MOST_TURNS
from tests.api.desk import Desk

Json = dict[str, Any]


async def talked(desk: Desk, *messages: str) -> str:
    """The id of a thread with these turns."""
    thread_id = None
    for message in messages:
        thread_id = (await desk.ask(message, thread_id=thread_id))["thread_id"]
    assert thread_id is not None
    return str(thread_id)


async def replay(desk: Desk, thread_id: str, **wanted: Any) -> Json:
    answer = await desk.http.post(f"/threads/{thread_id}/replay", json=wanted)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def refused(desk: Desk, thread_id: str, wanted: Any, **headers: str) -> httpx.Response:
    answer = await desk.http.post(f"/threads/{thread_id}/replay", json=wanted, headers=headers)
    assert isinstance(answer.json()["detail"], str)
    return answer


def business() -> Json:
    agent = yaml.safe_load((HERE / "agents" / "business.yaml").read_text(encoding="utf-8"))
    agent["intents"]["order"]["arguments"]["limit"] = {"value": 3}
    return dict(agent)


async def test_a_long_conversation_from_its_fifth_turn(desk: Desk) -> None:
    said = [
        "今天的订单",
        "前3个",
        "你好",
        "查张三的订单",
        "昨天的呢",
        "谢谢",
        "this month's sales",
        "我的待办",
        "他的评价",
        "给我写首诗",
    ]
    thread_id = await talked(desk, *said * 3)
    answer = await replay(desk, thread_id, turn=5)
    assert set(answer) == {
        "thread_id", "replay_thread_id", "model", "agent", "turns", "left_out", "next_turn", "summary", "text",
    }  # fmt: skip
    assert (answer["thread_id"], answer["model"], answer["agent"], answer["next_turn"]) == (thread_id, None, None, None)
    assert [turn["turn"] for turn in answer["turns"]] == list(range(5, 31))
    assert [turn["question"] for turn in answer["turns"]] == (said * 3)[4:]
    assert answer["summary"] == {
        "turns": 26,
        "changed": 0,
        "by_kind": {},
        "tokens": {
            side: {"model_calls": 0, "input_tokens": 0, "output_tokens": 0} for side in ("recorded", "replayed")
        },
    }
    assert answer["text"]["zh"].splitlines()[:2] == ["共回放 26 轮，0 轮有变化。", "第 5 轮「昨天的呢」：无变化"]
    assert answer["text"]["en"].splitlines()[0] == "Replayed turns: 26, changed: 0."
    state = (await desk.http.get(f"/threads/{answer['replay_thread_id']}/state")).json()
    assert state["values"]["messages"][-1]["type"] == "ai"
    turns = (await desk.http.get(f"/threads/{answer['replay_thread_id']}/turns?limit=100")).json()
    assert [turn["question"] for turn in turns] == (said * 3)[4:]


async def test_without_a_body_everything_is_replayed(desk: Desk) -> None:
    thread_id = await talked(desk, "你好", "谢谢")
    bodies: list[Json] = [{}, {"json": {}}, {"json": None}]
    for body in bodies:
        answer = await desk.http.post(f"/threads/{thread_id}/replay", **body)
        assert [turn["turn"] for turn in answer.json()["turns"]] == [1, 2]


@pytest.mark.parametrize("form", ["json", "yaml"])
async def test_another_definition_of_an_agent(desk: Desk, form: str) -> None:
    thread_id = await talked(desk, "今天的订单", "你好")
    agent = business() if form == "json" else yaml.safe_dump(business(), allow_unicode=True)
    answer = await replay(desk, thread_id, agent=agent)
    assert answer["agent"] == "business"
    first, second = answer["turns"]
    assert (first["changed"], second["changed"]) == (True, False)
    assert [difference["what"] for difference in first["differences"]] == ["call", "reply"]
    assert first["differences"][0]["tool"] == "list_orders"
    assert first["differences"][0]["replayed"]["status"] == "not_executed"
    assert first["replayed"]["calls"][0]["arguments"]["limit"] == 3
    assert first["text"]["en"].startswith('turn 1 "今天的订单": 2 different\n  arguments of list_orders: ')
    assert first["text"]["zh"].startswith("第 1 轮「今天的订单」：2 处不同\n  调用参数 list_orders：")
    assert answer["summary"]["by_kind"] == {"call": 1, "reply": 1}


async def test_from_a_checkpoint_and_from_a_message(desk: Desk) -> None:
    thread_id = await talked(desk, "今天的订单", "你好", "谢谢")
    history = (await desk.http.get(f"/threads/{thread_id}/history?limit=100")).json()
    (plan, *_) = [state["checkpoint_id"] for state in reversed(history) if state["next"] == ["plan"]]
    answer = await replay(desk, thread_id, checkpoint_id=plan, until=2)
    assert [(turn["turn"], turn["changed"]) for turn in answer["turns"]] == [(1, False), (2, False)]
    assert answer["next_turn"] == 3
    turns = (await desk.http.get(f"/threads/{thread_id}/turns")).json()
    answer = await replay(desk, thread_id, turn=turns[2]["turn_id"])
    assert [turn["turn_id"] for turn in answer["turns"]] == [turns[2]["turn_id"]]


@pytest.mark.parametrize(
    ("wanted", "status", "detail"),
    [
        ({"turn": 3}, 404, "the thread has no turn 3"),
        ({"turn": 0}, 422, "turn"),
        ({"turn": -1}, 422, "turn"),
        ({"turn": 2**40}, 422, "turn"),
        ({"turn": 1.5}, 422, "turn"),
        ({"turn": True}, 422, "turn"),
        ({"turn": ""}, 422, "turn"),
        ({"until": 0}, 422, "until"),
        ({"turn": 2, "until": 1}, 422, "until: turn 1 comes before turn 2"),
        (
            {"turn": 1, "until": MOST_TURNS + 1},
            422,
            f"until: at most {MOST_TURNS} turns a call, which is turn {MOST_TURNS}",
        ),
        ({"turn": "nobody's"}, 404, 'the thread has no turn "nobody\'s"'),
        ({"turn": 1, "checkpoint_id": "x"}, 422, "give either 'turn' or 'checkpoint_id'"),
        ({"checkpoint_id": "x"}, 404, "Checkpoint x not found"),
        ({"checkpoint_id": ""}, 422, "checkpoint_id"),
        ({"model": "fast"}, 422, "model: there is no model 'fast'; there are none"),
        ({"agent": {**business(), "colour": "red"}}, 422, "agent: unknown key 'colour'"),
        ({"agent": {}}, 422, "agent: name: is missing"),
        ({"agent": ""}, 422, "agent: the file is empty"),
        ({"agent": []}, 422, "agent"),
        ({"from": 5}, 422, "from"),
        ([], 422, ""),
    ],
)
async def test_a_replay_of_no_sense_is_refused(desk: Desk, wanted: Any, status: int, detail: str) -> None:
    thread_id = await talked(desk, "你好", "谢谢")
    answer = await refused(desk, thread_id, wanted)
    assert (answer.status_code, answer.json()["detail"][: len(detail)]) == (status, detail)


async def test_every_problem_of_a_definition_is_told_by_its_key(desk: Desk) -> None:
    thread_id = await talked(desk, "你好")
    agent = business()
    agent["intents"]["order"]["tool"] = "list_order"
    agent["tool_groups"] = ["busines"]
    answer = await refused(desk, thread_id, {"agent": agent})
    assert answer.status_code == 422
    assert "agent: intents.order.tool: no tool 'list_order'; did you mean 'list_orders'?" in answer.json()["detail"]
    assert "agent: tool_groups.0: no tool is in a group 'busines'; did you mean 'business'?" in answer.json()["detail"]


async def test_a_thread_of_somebody_else_is_not_replayed(desk: Desk) -> None:
    mine = await talked(desk, "你好")
    for thread_id, headers in ((mine, {"X-Dev-User": "eve"}), (mine, {"X-Dev-Tenant": "globex"}), (str(uuid4()), {})):
        answer = await refused(desk, thread_id, {}, **headers)
        assert (answer.status_code, answer.json()["detail"]) == (404, f"Thread with ID {thread_id} not found")
    assert (await refused(desk, "xyz", {})).status_code == 422


async def test_a_checkpoint_of_another_thread_is_not_found(desk: Desk) -> None:
    mine, other = await talked(desk, "你好"), await talked(desk, "你好")
    (newest, *_) = (await desk.http.get(f"/threads/{other}/history")).json()
    answer = await refused(desk, mine, {"checkpoint_id": newest["checkpoint_id"]})
    assert (answer.status_code, answer.json()["detail"]) == (404, f"Checkpoint {newest['checkpoint_id']} not found")


async def test_a_thread_in_the_middle_of_a_run_is_a_conflict(desk: Desk) -> None:
    thread_id = await talked(desk, "你好")
    async with desk.opened["pool"].connection() as connection:
        await connection.execute("UPDATE frontdesk.threads SET status = 'busy' WHERE thread_id = %s", (thread_id,))
    answer = await refused(desk, thread_id, {})
    assert answer.status_code == 409
    assert answer.json()["detail"].startswith("this thread is in the middle of a run")


async def test_a_replay_is_described(desk: Desk) -> None:
    described = (await desk.http.get("/openapi.json")).json()
    operation = described["paths"]["/threads/{thread_id}/replay"]["post"]
    assert set(operation["responses"]) >= {"200", "404", "409", "422"}
    examples = operation["requestBody"]["content"]["application/json"]["examples"]
    assert examples["from a turn"]["value"] == {"turn": 5}
