"""Our models against a real llama-server with a very small model: what goes over the wire, never how good it is."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.messages.tool import tool_call

from models.answer import Answer
from models.client import open_client
from models.factory import wire_model
from models.guard import ChatModel
from models.registry import Models, build_models
from tests.models.setting import CHOOSE, LIST_ORDERS, QUESTION, Clock, config, endpoint_at, settings

pytestmark = [pytest.mark.llm, pytest.mark.timeout(1800)]

# What a weak model may do; anything else is a fault of the wire.
WEAK = {"prose", "empty", "cut_off", "odd_shape", "bad_json", "bad_arguments", "unknown_tool", "timeout"}
SHORT = {"max_tokens": 64}


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with open_client() as client:
        yield client


def models(url: str, http: httpx.AsyncClient, **entry: Any) -> Models:
    given = config(timeout_s=120, models={"default": {**SHORT, "vendor": "llama_cpp", **entry}})
    return build_models(given, settings(model_base_url=url, model_name="smollm2"), http, clock=Clock())


def serving(url: str, http: httpx.AsyncClient, **entry: Any) -> ChatModel:
    model = models(url, http, **entry).serving("plan")
    assert model
    return model


def usable(answer: Answer) -> bool:
    """The answer is there, or abstained in a way that is the model's and not the wire's."""
    return answer.message is not None or answer.abstained in WEAK


async def test_words_come_in_pieces_with_usage_at_the_end(llm_url: str, http: httpx.AsyncClient) -> None:
    vendor = {"tool_choice": "required", "stream_usage": True}
    wire = wire_model(endpoint_at(llm_url, vendor), http, timeout_s=120, max_tokens=32, temperature=0)
    pieces: list[AIMessageChunk] = [piece async for piece in wire.astream([HumanMessage("Count from 1 to 20.")])]
    assert len([piece for piece in pieces if piece.text]) > 3
    usages = [piece.usage_metadata for piece in pieces if piece.usage_metadata]
    assert len(usages) == 1
    assert usages[0]["input_tokens"] > 0
    assert usages[0]["output_tokens"] > 0
    assert [r for p in pieces if (r := p.response_metadata.get("finish_reason"))] in (["stop"], ["length"])


async def test_saying_is_guarded(llm_url: str, http: httpx.AsyncClient) -> None:
    answer = await serving(llm_url, http, max_tokens=512).say([HumanMessage("Say hello.")])
    assert usable(answer)
    assert answer.usage["model_calls"] == 1
    assert answer.usage["output_tokens"] > 0


@pytest.mark.parametrize("vendor", ["llama_cpp", "vllm", "generic"])
async def test_a_forced_call_is_a_call_or_an_abstention(llm_url: str, http: httpx.AsyncClient, vendor: str) -> None:
    answer = await serving(llm_url, http, vendor=vendor).choose(QUESTION, CHOOSE)
    assert usable(answer), answer
    if answer.message:
        assert answer.message.tool_calls[0]["name"] == "choose"
        assert answer.message.tool_calls[0]["args"]["intent"] in ("user", "order", "order.trend")


async def test_a_call_and_its_result_are_taken_back(llm_url: str, http: httpx.AsyncClient) -> None:
    asked = AIMessage("", tool_calls=[tool_call(name="list_orders", args={"limit": 3}, id="call_1")])
    history = [HumanMessage("List three orders."), asked, ToolMessage("3 orders", tool_call_id="call_1")]
    answer = await serving(llm_url, http).call(history, [LIST_ORDERS], must_call=False)
    assert usable(answer), answer


async def test_a_schema_is_obeyed(llm_url: str, http: httpx.AsyncClient) -> None:
    schema = {"type": "object", "properties": {"intent": {"enum": ["order", "user"]}}, "required": ["intent"]}
    form = {"type": "json_schema", "json_schema": {"name": "choose", "schema": schema, "strict": True}}
    body = {"model": "m", "messages": [{"role": "user", "content": "orders, please"}], "max_tokens": 64}
    response = await http.post(f"{llm_url}/chat/completions", json={**body, "response_format": form})
    assert response.status_code == 200
    said = response.json()["choices"][0]
    if said["finish_reason"] == "stop":
        assert json.loads(said["message"]["content"])["intent"] in ("order", "user")


async def test_a_conversation_that_is_too_long_is_refused_and_no_failure(llm_url: str, http: httpx.AsyncClient) -> None:
    made = models(llm_url, http)
    model = made.serving("reply")
    assert model
    answer = await model.say([HumanMessage("order " * 20_000)])
    assert answer.abstained == "status_400"
    assert made.health() == {"default": "closed"}


async def test_the_limit_of_an_answer_is_a_cut(llm_url: str, http: httpx.AsyncClient) -> None:
    answer = await serving(llm_url, http, max_tokens=16).say([HumanMessage("Write a long story about the sea.")])
    assert answer.abstained == "cut_off"
