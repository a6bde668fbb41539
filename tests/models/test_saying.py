"""Streams: what is said piece by piece, what a graph's message stream shows of it, and every way in which it breaks."""

import logging
from collections.abc import AsyncIterator
from typing import Annotated, Any

import httpx
import pytest
from langchain_core.messages import AIMessageChunk, AnyMessage
from langgraph.errors import GraphInterrupt
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from models.answer import Answer
from models.guard import ChatModel
from models.registry import Models
from tests.fakes.openai_replies import Reply, call, cut, endless, hang, raw, status, text
from tests.fakes.openai_server import ModelServer
from tests.models.setting import LIST_ORDERS, QUESTION, config, models_at

LONG = "今天共有 12 个订单，其中 3 个待发货，其余已完成。"


@pytest.fixture
def models(model_server: ModelServer, http: httpx.AsyncClient) -> Models:
    return models_at(model_server.url, http, given=config(vendor={"stream_usage": True}))


@pytest.fixture
def hasty(model_server: ModelServer, http: httpx.AsyncClient) -> ChatModel:
    return serving(models_at(model_server.url, http, given=config(timeout_s=0.8)))


def serving(models: Models) -> ChatModel:
    model = models.serving("reply")
    assert model is not None
    return model


async def test_what_is_said_comes_back_whole_with_usage_once(models: Models, model_server: ModelServer) -> None:
    model_server.script([text(LONG)])
    answer = await serving(models).say(QUESTION)
    assert answer.message
    assert answer.message.text == LONG
    assert answer.message.id
    assert answer.usage == {"model_calls": 1, "input_tokens": 11, "output_tokens": 7}
    assert model_server.requests[0]["stream_options"] == {"include_usage": True}


async def test_usage_that_comes_as_a_sum_with_every_piece_counts_once(
    models: Models, model_server: ModelServer
) -> None:
    model_server.script([text(LONG, usage="each", piece_chars=1)])
    answer = await serving(models).say(QUESTION)
    assert answer.usage == {"model_calls": 1, "input_tokens": 11, "output_tokens": 7}
    assert answer.message
    assert answer.message.usage_metadata
    assert answer.message.usage_metadata["total_tokens"] == 18


async def test_a_vendor_that_does_not_know_stream_options_is_not_sent_any(
    model_server: ModelServer, http: httpx.AsyncClient
) -> None:
    model_server.script([text(LONG)])
    answer = await serving(models_at(model_server.url, http)).say(QUESTION)
    assert answer.message
    assert "stream_options" not in model_server.requests[0]
    assert answer.usage["input_tokens"] == 0


BROKEN: list[tuple[str, Reply, str]] = [
    ("no end", endless(piece_chars=600), "too_long"),
    ("an end that never comes", endless(piece_s=0.1), "timeout"),
    ("nothing at all", hang(), "timeout"),
    ("pieces that come too slowly", text("很慢" * 20, piece_s=0.3, piece_chars=1), "timeout"),
    ("a stream that just ends", cut("今天共有"), "cut_off"),
    ("a connection that breaks", cut("今天共有", abrupt=True), "connection"),
    ("the limit", text("今天共有", finish="length"), "cut_off"),
    ("a filter", text("今天", finish="content_filter"), "refused"),
    ("a refusal", Reply(refusal="no"), "refused"),
    ("nothing said", text(""), "empty"),
    ("only thoughts", text("<think>let me see"), "empty"),
    ("a call", call("list_orders"), "empty"),
    ("no events", raw("", "text/event-stream"), "cut_off"),
    ("events without a choice", raw('data: {"choices": []}\n\ndata: [DONE]\n\n', "text/event-stream"), "cut_off"),
    ("half an event", raw('data: {"choices": [{"del\n\n', "text/event-stream"), "bad_json"),
    ("an error inside", raw('data: {"error": {"message": "busy"}}\n\n', "text/event-stream"), "bad_answer"),
    ("a page", raw("<html></html>", "text/html"), "cut_off"),
]


@pytest.mark.parametrize(("reply", "reason"), [b[1:] for b in BROKEN], ids=[b[0] for b in BROKEN])
async def test_a_stream_that_breaks_abstains_in_time(
    hasty: ChatModel, model_server: ModelServer, reply: Reply, reason: str
) -> None:
    model_server.script([reply])
    answer = await hasty.say(QUESTION)
    assert (answer.abstained, answer.message) == (reason, None), answer
    await model_server.until_busy(busy=False)


async def test_nothing_is_said_twice(models: Models, model_server: ModelServer) -> None:
    model_server.script([cut("今天共有 12 个订单", abrupt=True), text("again")])
    answer = await serving(models).say(QUESTION)
    assert (answer.abstained, len(model_server.requests)) == ("connection", 1)


async def test_a_stream_that_fails_before_its_first_word_is_tried_again(
    models: Models, model_server: ModelServer
) -> None:
    model_server.script([status(503), text("好的。")])
    answer = await serving(models).say(QUESTION)
    assert answer.message
    assert answer.usage["model_calls"] == 2


class State(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


async def streamed(node: Any) -> AsyncIterator[tuple[str, bool]]:
    """Per streamed message: its text, and whether it is a piece."""
    graph: Any = StateGraph(State).add_node("node", node).add_edge(START, "node").add_edge("node", END).compile()
    given: Any = {"messages": QUESTION}
    async for part in graph.astream(given, stream_mode="messages", version="v2"):
        message = part["data"][0]
        yield str(message.text), isinstance(message, AIMessageChunk)


async def test_a_graph_shows_the_words_as_they_come_and_no_thoughts(models: Models, model_server: ModelServer) -> None:
    model_server.script([text(f"<think>订单…</think>\n\n{LONG}", piece_chars=3)])

    async def node(_: State) -> State:
        answer = await serving(models).say(QUESTION)
        assert answer.message
        return {"messages": [answer.message]}

    pieces = [piece async for piece in streamed(node)]
    assert "".join(said for said, _ in pieces) == LONG
    assert len([said for said, _ in pieces if said]) > 5
    assert all(piece for _, piece in pieces), "the whole message is not sent again"


async def test_a_graph_shows_a_planned_call_once_and_as_a_whole(models: Models, model_server: ModelServer) -> None:
    model_server.script([call("list_orders", {"limit": 3})])

    async def node(_: State) -> State:
        answer = await serving(models).call(QUESTION, [LIST_ORDERS], must_call=True)
        assert answer.message
        return {"messages": [answer.message]}

    assert [piece async for piece in streamed(node)] == [("", False)]
    assert model_server.requests[0]["stream"] is False


@pytest.mark.parametrize("tools", [[LIST_ORDERS], []])
async def test_a_graph_shows_nothing_of_an_answer_that_abstains(
    models: Models, model_server: ModelServer, tools: list[dict[str, Any]]
) -> None:
    model_server.script([text("好的，我现在为您查询", finish="length")])

    async def node(_: State) -> State:
        answer = await serving(models).call(QUESTION, tools, must_call=False)
        assert answer.abstained == "cut_off"
        return {"messages": []}

    assert [piece async for piece in streamed(node)] == []


async def test_an_interrupt_passes_through_the_guard(models: Models, model_server: ModelServer) -> None:
    async def interrupting(request: httpx.Request) -> None:
        raise GraphInterrupt

    client = httpx.AsyncClient(event_hooks={"request": [interrupting]})
    with pytest.raises(GraphInterrupt):
        await serving(models_at(model_server.url, client)).say(QUESTION)
    await client.aclose()


async def test_the_raw_answer_is_in_the_log_at_debug_level(
    models: Models, model_server: ModelServer, caplog: pytest.LogCaptureFixture
) -> None:
    model_server.script([text("<think>嗯</think>好的。"), call("list_orders", '{"limit": 3')])
    with caplog.at_level(logging.DEBUG, "models"):
        said: Answer = await serving(models).say(QUESTION)
        await serving(models).call(QUESTION, [LIST_ORDERS], must_call=True)
    assert said.message
    assert "<think>嗯</think>好的。" in caplog.text
    assert '{\\"limit\\": 3' in caplog.text
    assert "sk-test" not in caplog.text
