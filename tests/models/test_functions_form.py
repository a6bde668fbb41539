"""The older functions form, in both directions, over a real server."""

import httpx
import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.messages.tool import tool_call

from models import functions_form
from models.factory import wire_model
from models.registry import Models
from models.schema import on_the_wire
from tests.fakes.openai_replies import call, text
from tests.fakes.openai_server import ModelServer
from tests.models.setting import CHOOSE, FIND_USERS, LIST_ORDERS, QUESTION, config, endpoint_at, models_at

OLD = {"tools": "functions"}


@pytest.fixture
def models(model_server: ModelServer, http: httpx.AsyncClient) -> Models:
    return models_at(model_server.url, http, given=config(vendor=OLD))


async def test_a_forced_call_goes_out_and_comes_back_in_the_older_form(
    models: Models, model_server: ModelServer
) -> None:
    model = models.serving("classify")
    assert model
    model_server.script([call("choose", {"intent": "order"})])
    answer = await model.choose(QUESTION, CHOOSE)
    assert answer.message
    assert answer.message.tool_calls[0]["args"] == {"intent": "order"}
    assert answer.message.tool_calls[0]["id"]
    assert "function_call" not in answer.message.additional_kwargs
    seen = model_server.requests[0]
    assert seen["function_call"] == {"name": "choose"}
    assert [f["name"] for f in seen["functions"]] == ["choose"]
    assert not {"tools", "tool_choice"} & set(seen)


@pytest.mark.parametrize(("arguments", "reason"), [("{", "bad_arguments"), ("", "bad_arguments")])
async def test_the_same_guard_stands_around_it(
    models: Models, model_server: ModelServer, arguments: str, reason: str
) -> None:
    model = models.serving("classify")
    assert model
    model_server.script([call("choose", arguments)])
    assert (await model.choose(QUESTION, CHOOSE)).abstained == reason


async def test_calls_and_results_of_earlier_rounds_become_pairs(models: Models, model_server: ModelServer) -> None:
    asked = AIMessage(
        "我看看",
        tool_calls=[
            tool_call(name="list_orders", args={"limit": 3}, id="a"),
            tool_call(name="find_users", args={}, id="b"),
        ],
    )
    results = [ToolMessage("3 个订单", tool_call_id="a"), ToolMessage("2 个用户", tool_call_id="b")]
    model = models.serving("plan")
    assert model
    model_server.script([text("好的。")])
    await model.call([HumanMessage("查"), asked, *results], [LIST_ORDERS, FIND_USERS], must_call=False)
    said = model_server.requests[0]["messages"]
    assert [m["role"] for m in said] == ["user", "assistant", "function", "assistant", "function"]
    assert said[1]["content"] == "我看看"
    assert said[1]["function_call"]["name"] == said[2]["name"] == "list_orders"
    assert said[3]["function_call"]["name"] == said[4]["name"] == "find_users"
    assert [said[2]["content"], said[4]["content"]] == ["3 个订单", "2 个用户"]
    assert "function_call" not in model_server.requests[0], "the model is free to answer in words"


async def test_a_stream_of_the_older_form_becomes_tool_calls(
    model_server: ModelServer, http: httpx.AsyncClient
) -> None:
    wire = wire_model(endpoint_at(model_server.url, OLD), http, timeout_s=5, max_tokens=100, temperature=0)
    wire.disable_streaming = False
    model_server.script([call("list_orders", {"limit": 3, "customer": "张三"}, piece_chars=2)])
    whole: AIMessageChunk | None = None
    async for piece in wire.astream(QUESTION, tools=[on_the_wire(LIST_ORDERS)]):
        whole = piece if whole is None else whole + piece
    assert whole
    assert [(c["name"], c["args"]) for c in whole.tool_calls] == [("list_orders", {"limit": 3, "customer": "张三"})]
    assert whole.tool_calls[0]["id"]


def test_some_call_of_one_function_is_that_function_and_of_several_is_left_open() -> None:
    one = {"messages": [], "tools": [on_the_wire(CHOOSE)], "tool_choice": "required", "extra_body": {"a": 1}}
    assert functions_form.request(one)["extra_body"]["function_call"] == {"name": "choose"}
    assert functions_form.request(one)["extra_body"]["a"] == 1
    several = {**one, "tools": [on_the_wire(CHOOSE), on_the_wire(LIST_ORDERS)]}
    assert "function_call" not in functions_form.request(several)["extra_body"]


def test_messages_of_todays_form_stay_as_they_are() -> None:
    today = {"content": None, "tool_calls": [{"id": "a"}]}
    assert functions_form.message(today) is today
    assert functions_form.delta({"content": "x"}) == {"content": "x"}
