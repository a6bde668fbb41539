"""Calls for a server without tools: schema in the prompt, one JSON object back."""

import json

import httpx
import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import tool_call

from models.answer import Abstained
from models.json_form import call_in
from models.registry import Models
from tests.fakes.openai_replies import text
from tests.fakes.openai_server import ModelServer
from tests.models.setting import CHOOSE, FIND_USERS, LIST_ORDERS, QUESTION, config, models_at

GOOD = '{"name": "choose", "arguments": {"intent": "order"}}'


@pytest.fixture
def models(model_server: ModelServer, http: httpx.AsyncClient) -> Models:
    return models_at(model_server.url, http, given=config(vendor={"tools": "json", "json_mode": True}))


@pytest.mark.parametrize("said", [GOOD, f"```json\n{GOOD}\n```", f"```\n{GOOD}```", f"<think>嗯</think>\n{GOOD}\n"])
async def test_an_object_is_a_call_also_inside_a_code_fence(
    models: Models, model_server: ModelServer, said: str
) -> None:
    model = models.serving("classify")
    assert model
    model_server.script([text(said)])
    answer = await model.choose(QUESTION, CHOOSE)
    assert answer.message, answer
    assert answer.message.tool_calls[0]["args"] == {"intent": "order"}
    assert answer.message.content == ""


ODD = [
    ('{"skill": "order"}', "odd_shape"),
    ('{"name": "choose", "arguments": "order"}', "odd_shape"),
    ('{"name": "choose", "arguments": {}, "note": ""}', "odd_shape"),
    ('{"name": "choose", "arguments": {"intent": "or', "bad_json"),
    ('{"name": "rm", "arguments": {}}', "unknown_tool"),
    ('{"name": "choose", "arguments": {}}', "bad_arguments"),
    (f"Sure! {GOOD}", "prose"),
    (f"{GOOD} {GOOD}", "bad_json"),
    ("order", "prose"),
    ("", "empty"),
]


@pytest.mark.parametrize(("said", "reason"), ODD)
async def test_anything_else_abstains(models: Models, model_server: ModelServer, said: str, reason: str) -> None:
    model = models.serving("classify")
    assert model
    model_server.script([text(said)])
    answer = await model.choose(QUESTION, CHOOSE)
    assert answer.abstained == reason
    assert answer.usage["model_calls"] == 1


async def test_the_request_holds_the_schema_in_its_prompt_and_no_tools(
    models: Models, model_server: ModelServer
) -> None:
    model = models.serving("classify")
    assert model
    await model.choose(QUESTION, CHOOSE)
    seen = model_server.requests[0]
    assert not {"tools", "tool_choice", "functions"} & set(seen)
    assert seen["response_format"] == {"type": "json_object"}
    system = seen["messages"][0]
    assert system["role"] == "system"
    assert system["content"].startswith("Choose.")
    assert '"enum": ["user", "order", "order.trend"]' in system["content"]
    assert "maximum" not in system["content"]


async def test_words_are_an_answer_where_no_call_is_due(models: Models, model_server: ModelServer) -> None:
    model = models.serving("plan")
    assert model
    model_server.script([text("今天共有 12 个订单。")])
    answer = await model.call(QUESTION, [LIST_ORDERS], must_call=False)
    assert answer.message
    assert answer.message.text == "今天共有 12 个订单。"
    assert "response_format" not in model_server.requests[0]


async def test_earlier_calls_and_results_become_plain_messages(models: Models, model_server: ModelServer) -> None:
    model = models.serving("plan")
    assert model
    asked = AIMessage("", tool_calls=[tool_call(name="list_orders", args={"limit": 3}, id="a")])
    history = [HumanMessage("查订单"), asked, ToolMessage("3 个订单", tool_call_id="a")]
    answer = await model.call(history, [LIST_ORDERS, FIND_USERS], must_call=False)
    assert answer.message, answer
    system, user, said, result = model_server.requests[0]["messages"]
    assert system["role"] == "system"
    assert user["content"] == "查订单"
    assert json.loads(said["content"]) == {"name": "list_orders", "arguments": {"limit": 3}}
    assert (result["role"], result["content"]) == ("user", "Result of list_orders: 3 个订单")


async def test_a_server_without_any_way_to_call_is_asked_for_words_only(
    model_server: ModelServer, http: httpx.AsyncClient
) -> None:
    models = models_at(model_server.url, http, given=config(vendor={"tools": "none"}))
    model = models.serving("plan")
    assert model
    answer = await model.choose(QUESTION, CHOOSE)
    assert (answer.abstained, answer.usage["model_calls"]) == ("unsupported", 0)
    assert (await model.say(QUESTION)).message
    assert models.health() == {"default": "closed"}


def test_a_brace_where_words_are_allowed_must_still_be_a_whole_call() -> None:
    with pytest.raises(Abstained, match="bad_json"):
        call_in("{用户} 您好", must_call=False)
    assert call_in("您好 {用户}", must_call=False) is None
