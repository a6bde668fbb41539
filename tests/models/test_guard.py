"""The guard over a real server: every fault becomes an abstention with its reason, in time."""

import asyncio
import time
from typing import Any

import httpx
import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.messages.tool import tool_call

from models.answer import Answer
from models.guard import ChatModel
from models.registry import Models, build_models
from tests.fakes.openai_replies import Reply, call, calls, cut, endless, hang, raw, status, text
from tests.fakes.openai_server import ModelServer
from tests.models.setting import CHOOSE, FIND_USERS, LIST_ORDERS, QUESTION, Clock, config, models_at, settings

NO_USAGE = {"model_calls": 1, "input_tokens": 0, "output_tokens": 0}
SPENT = {"model_calls": 1, "input_tokens": 11, "output_tokens": 7}


@pytest.fixture
def models(model_server: ModelServer, http: httpx.AsyncClient) -> Models:
    return models_at(model_server.url, http)


@pytest.fixture
def hasty(model_server: ModelServer, http: httpx.AsyncClient) -> ChatModel:
    return serving(models_at(model_server.url, http, given=config(timeout_s=0.6)))


def serving(models: Models, **given: Any) -> ChatModel:
    model = models.serving("plan", **given)
    assert model is not None
    return model


async def choose(model: ChatModel) -> Answer:
    return await model.choose(QUESTION, CHOOSE, known={"choose"})


async def plan(model: ChatModel, *, must_call: bool = True) -> Answer:
    return await model.call(QUESTION, [LIST_ORDERS, FIND_USERS], must_call=must_call)


async def test_a_forced_call_comes_back_parsed_with_its_usage(models: Models, model_server: ModelServer) -> None:
    model_server.script([call("choose", {"intent": "order", "limit": 3})])
    answer = await choose(serving(models))
    assert answer.message
    assert answer.abstained is None
    assert answer.message.tool_calls == [tool_call(name="choose", args={"intent": "order", "limit": 3}, id="call_1")]
    assert answer.usage == SPENT
    assert answer.model == "default"
    seen = model_server.requests[0]
    assert seen["tool_choice"] == {"type": "function", "function": {"name": "choose"}}
    assert seen["stream"] is False
    assert seen["model"] == "fake-1"
    assert (seen["temperature"], seen["max_tokens"]) == (0.0, 2048)
    assert model_server.headers[0]["authorization"] == "Bearer sk-test"


FAULTS: list[tuple[str, Reply, str]] = [
    ("prose", text("好的，我现在为您查询"), "prose"),
    ("nothing", text(""), "empty"),
    ("white space", text("  \n "), "empty"),
    ("only thoughts", text("<think>hm, orders</think>"), "empty"),
    ("half a JSON as prose", text('{"intent": "ord'), "prose"),
    ("half arguments", call("choose", '{"intent": "ord'), "bad_arguments"),
    ("arguments cut at the limit", call("choose", '{"intent": "order"}', finish="length"), "cut_off"),
    ("a list as arguments", call("choose", "[1]"), "bad_arguments"),
    ("not a number", call("choose", '{"intent": "order", "limit": NaN}'), "bad_arguments"),
    ("an infinity", call("choose", '{"intent": "order", "limit": 1e999}'), "bad_arguments"),
    ("a NUL", call("choose", '{"intent": "order\\u0000"}'), "bad_arguments"),
    ("half a character", call("choose", '{"intent": "order\\ud800"}'), "bad_arguments"),
    ("arguments without a floor", call("choose", '{"a":' * 20_000), "bad_arguments"),
    ("another tool", call("delete_everything", {}), "unknown_tool"),
    ("a right and another tool", calls(("choose", {"intent": "order"}), ("rm", {})), "unknown_tool"),
    ("an odd shape", call("choose", {"skill": "order"}), "bad_arguments"),
    ("no arguments", call("choose", ""), "bad_arguments"),
    ("the limit", text("订单", finish="length"), "cut_off"),
    ("no finish reason", call("choose", {"intent": "order"}, finish=None), "cut_off"),
    ("a filter", text("", finish="content_filter"), "refused"),
    ("a refusal", Reply(refusal="I cannot help with that."), "refused"),
    ("no message", raw('{"choices": []}'), "empty"),
    ("null choices", raw('{"choices": null}'), "bad_answer"),
    ("an error with 200", raw('{"error": {"message": "overloaded"}}'), "bad_answer"),
    ("a list", raw("[]"), "bad_json"),
    ("half a body", raw('{"choices": [{"mess'), "bad_json"),
    ("a body without a floor", raw("[" * 100_000), "bad_json"),
    ("a page", raw("<html>busy</html>", "text/html"), "bad_json"),
    ("calls that are a string", Reply(message={"tool_calls": "choose"}), "bad_answer"),
    ("a call that is a string", Reply(message={"tool_calls": ["choose"]}), "odd_shape"),
    ("a call without a name", Reply(message={"tool_calls": [{"function": {}}]}), "unknown_tool"),
    ("a request refused", status(400), "status_400"),
    ("a wrong key", status(401), "status_401"),
    ("no such model", status(404), "status_404"),
]


@pytest.mark.parametrize(("reply", "reason"), [f[1:] for f in FAULTS], ids=[f[0] for f in FAULTS])
async def test_a_useless_answer_to_a_forced_call_abstains_with_one_request(
    models: Models, model_server: ModelServer, reply: Reply, reason: str
) -> None:
    model_server.script([reply])
    answer = await choose(serving(models))
    assert (answer.abstained, answer.message) == (reason, None), answer
    assert answer.usage["model_calls"] == len(model_server.requests) == 1


@pytest.mark.parametrize("code", [429, 500, 502, 503])
async def test_a_passing_fault_is_tried_once_more(models: Models, model_server: ModelServer, code: int) -> None:
    model_server.script([status(code), call("choose", {"intent": "order"})])
    answer = await choose(serving(models))
    assert answer.message
    assert answer.usage == {**SPENT, "model_calls": 2}


@pytest.mark.parametrize("code", [429, 500])
async def test_a_fault_that_stays_is_tried_twice_and_no_more(
    models: Models, model_server: ModelServer, code: int
) -> None:
    model_server.script([status(code)] * 5)
    answer = await choose(serving(models))
    assert answer.abstained == f"status_{code}"
    assert answer.usage["model_calls"] == len(model_server.requests) == 2


async def test_an_endpoint_that_asks_for_a_long_pause_is_not_tried_again(
    models: Models, model_server: ModelServer
) -> None:
    model_server.script([status(429, headers={"retry-after": "30"}), text("never read")])
    assert (await choose(serving(models))).abstained == "status_429"
    assert len(model_server.requests) == 1


SLOW: list[tuple[str, Reply]] = [
    ("nothing at all", hang()),
    ("a late first byte", call("choose", {"intent": "order"}, first_s=5)),
    ("a body without an end", endless(piece_s=0.01)),
]


@pytest.mark.parametrize("reply", [s[1] for s in SLOW], ids=[s[0] for s in SLOW])
async def test_no_answer_in_time_abstains_inside_the_limit(
    hasty: ChatModel, model_server: ModelServer, reply: Reply
) -> None:
    model_server.script([reply, text("never read")])
    began = time.monotonic()
    answer = await choose(hasty)
    assert answer.abstained == "timeout"
    assert time.monotonic() - began < 1.5
    assert answer.usage == NO_USAGE
    await model_server.until_busy(busy=False)


async def test_a_dead_port_abstains_without_a_request(http: httpx.AsyncClient) -> None:
    answer = await choose(serving(models_at("http://127.0.0.1:9/v1", http)))
    assert answer.abstained == "connection"
    assert answer.usage == {**NO_USAGE, "model_calls": 0}


async def test_a_broken_connection_is_tried_once_more(models: Models, model_server: ModelServer) -> None:
    model_server.script([cut("", abrupt=True), call("choose", {"intent": "order"})])
    answer = await choose(serving(models))
    assert answer.message
    assert answer.usage["model_calls"] == 2


@pytest.mark.parametrize("arguments", ["", "{}", "  "])
async def test_no_arguments_are_empty_arguments(models: Models, model_server: ModelServer, arguments: str) -> None:
    model_server.script([call("list_orders", arguments)])
    answer = await plan(serving(models))
    assert answer.message
    assert answer.message.tool_calls[0]["args"] == {}


async def test_the_names_that_a_choice_may_have_are_the_callers(models: Models, model_server: ModelServer) -> None:
    model_server.script([call("pick", {"intent": "order"})] * 2)
    assert (await serving(models).choose(QUESTION, CHOOSE)).abstained == "unknown_tool"
    assert (await serving(models).choose(QUESTION, CHOOSE, known={"choose", "pick"})).message


async def test_arguments_that_come_as_an_object_are_taken(models: Models, model_server: ModelServer) -> None:
    function = {"name": "list_orders", "arguments": {"limit": 3}}
    model_server.script([Reply(message={"tool_calls": [{"id": None, "function": function}]}, finish="tool_calls")])
    answer = await plan(serving(models))
    assert answer.message
    assert answer.message.tool_calls[0]["args"] == {"limit": 3}
    assert answer.message.tool_calls[0]["id"]


async def test_several_calls_are_planned_at_once(models: Models, model_server: ModelServer) -> None:
    model_server.script([calls(("list_orders", {"limit": 3}), ("find_users", {}))])
    answer = await plan(serving(models))
    assert answer.message
    assert [c["name"] for c in answer.message.tool_calls] == ["list_orders", "find_users"]
    assert model_server.requests[0]["tool_choice"] == "required"


async def test_of_several_forced_calls_the_first_counts(models: Models, model_server: ModelServer) -> None:
    model_server.script([calls(("choose", {"intent": "order"}), ("choose", {"intent": "user"}))])
    answer = await choose(serving(models))
    assert answer.message
    assert [c["args"] for c in answer.message.tool_calls] == [{"intent": "order"}]


async def test_prose_is_an_answer_where_no_call_is_due(models: Models, model_server: ModelServer) -> None:
    model_server.script([text("<think>done</think>\n\n今天共有 12 个订单。")])
    answer = await plan(serving(models), must_call=False)
    assert answer.message
    assert answer.message.text == "今天共有 12 个订单。"
    assert "tool_choice" not in model_server.requests[0]


@pytest.mark.parametrize(
    "odd",
    [
        '{"skill": "list_orders"}',
        '```json\n{"name": "list_orders", "arguments": {}}\n```',
        '<tool_call>\n{"name": "list_orders"}\n</tool_call>',
        "[TOOL_CALLS][]",
    ],
)
async def test_a_call_written_as_prose_is_never_shown(models: Models, model_server: ModelServer, odd: str) -> None:
    model_server.script([text(odd), text(odd)])
    assert (await plan(serving(models), must_call=False)).abstained == "odd_shape"
    assert (await serving(models).say(QUESTION)).abstained == "odd_shape"


async def test_an_id_that_was_used_before_is_replaced(models: Models, model_server: ModelServer) -> None:
    model_server.script([call("list_orders"), call("list_orders")])
    first = (await plan(serving(models))).message
    assert first
    messages = [*QUESTION, first]
    second = (await serving(models).call(messages, [LIST_ORDERS], must_call=True)).message
    assert second
    assert first.tool_calls[0]["id"] == "call_1" != second.tool_calls[0]["id"]


async def test_tools_are_never_an_empty_list(models: Models, model_server: ModelServer) -> None:
    model_server.script([text("好的。")])
    assert (await serving(models).call(QUESTION, [], must_call=False)).message
    assert "tools" not in model_server.requests[0]
    answer = await serving(models).call(QUESTION, [], must_call=True)
    assert (answer.abstained, answer.usage["model_calls"]) == ("unsupported", 0)


async def test_calls_that_nobody_answered_are_not_sent(models: Models, model_server: ModelServer) -> None:
    asked = AIMessage("", tool_calls=[tool_call(name="list_orders", args={}, id="lost")])
    model_server.script([text("好的。")])
    await serving(models).call([HumanMessage("订单"), asked, HumanMessage("你好")], [LIST_ORDERS], must_call=False)
    assert [m["content"] for m in model_server.requests[0]["messages"]] == ["订单", "你好"]


async def test_cancelling_the_caller_cancels_the_request_and_is_no_failure(
    models: Models, model_server: ModelServer
) -> None:
    for _ in range(4):
        model_server.script([hang()])
        task = asyncio.create_task(choose(serving(models)))
        await model_server.until_busy()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await model_server.until_busy(busy=False)
    assert models.health() == {"default": "closed"}


async def test_a_dead_model_costs_nothing_after_three_failures_and_is_probed_later(
    model_server: ModelServer, http: httpx.AsyncClient
) -> None:
    clock = Clock()
    models = models_at(model_server.url, http, clock=clock)
    model_server.policy = lambda _: status(500)
    reasons = [(await choose(serving(models))).abstained for _ in range(3)]
    assert reasons == ["status_500", "status_500", "breaker_open"]
    assert len(model_server.requests) == 3
    assert models.health() == {"default": "open"}
    answer = await choose(serving(models))
    assert (answer.abstained, answer.usage["model_calls"]) == ("breaker_open", 0)

    clock.now += 31
    assert (await choose(serving(models))).abstained == "status_500"
    assert len(model_server.requests) == 4, "one probe, not tried again"
    clock.now += 31
    model_server.script([call("choose", {"intent": "order"})])
    assert (await choose(serving(models))).message
    assert models.health() == {"default": "closed"}


async def test_the_breaker_is_shared_by_all_purposes(models: Models, model_server: ModelServer) -> None:
    model_server.policy = lambda _: status(503)
    await choose(serving(models))
    await choose(serving(models))
    reply = models.serving("reply", temperature=0.7)
    assert reply is not None
    assert (await reply.say(QUESTION)).abstained == "breaker_open"


async def test_a_model_that_only_talks_is_no_dead_model(models: Models, model_server: ModelServer) -> None:
    model_server.script([text("嗯"), call("other"), text("")] * 3)
    for _ in range(9):
        await choose(serving(models))
    assert models.health() == {"default": "closed"}


async def test_answers_that_break_off_open_the_breaker(models: Models, model_server: ModelServer) -> None:
    model_server.script([call("choose", {"intent": "order"}, finish=None)] * 3)
    for _ in range(3):
        assert (await choose(serving(models))).abstained == "cut_off"
    assert models.health() == {"default": "open"}


def with_one_slot(url: str, http: httpx.AsyncClient, *, timeout_s: float) -> Models:
    """One call at a time; a reply waits for long, everything else for `timeout_s`."""
    given = config(timeout_s=timeout_s)
    long = given.purposes["reply"].model_copy(update={"timeout_s": 60})
    given = given.model_copy(update={"purposes": {**given.purposes, "reply": long}})
    chosen = settings(model_base_url=url, model_name="fake-1", max_model_calls=1)
    return build_models(given, chosen, http, clock=Clock())


async def test_no_more_calls_are_open_than_allowed_and_the_next_one_has_its_turn(
    model_server: ModelServer, http: httpx.AsyncClient
) -> None:
    models = with_one_slot(model_server.url, http, timeout_s=30)
    model_server.script([call("choose", {"intent": "order"}).but(first_s=0.02)] * 3)
    answers = await asyncio.gather(*(choose(serving(models)) for _ in range(3)))
    assert all(answer.message for answer in answers)
    assert model_server.most_at_once == 1


async def test_waiting_for_our_own_limit_is_no_fault_of_a_model(
    model_server: ModelServer, http: httpx.AsyncClient
) -> None:
    models = with_one_slot(model_server.url, http, timeout_s=0.2)
    reply = models.serving("reply")
    assert reply is not None
    model_server.script([hang()])
    long = asyncio.create_task(reply.say(QUESTION))
    await model_server.until_busy()
    for _ in range(4):
        answer = await choose(serving(models))
        assert (answer.abstained, answer.usage["model_calls"]) == ("busy", 0)
    assert models.health() == {"default": "closed"}
    long.cancel()
    with pytest.raises(asyncio.CancelledError):
        await long
    await model_server.until_busy(busy=False)
    model_server.script([text("好的。")])
    assert (await reply.say(QUESTION)).message


async def test_usage_that_a_vendor_does_not_give_is_nothing(models: Models, model_server: ModelServer) -> None:
    model_server.script([call("choose", {"intent": "order"}, usage="none")])
    assert (await choose(serving(models))).usage == NO_USAGE


async def test_a_useless_answer_is_paid_for(models: Models, model_server: ModelServer) -> None:
    model_server.script([text("嗯"), call("choose", "{")])
    assert (await choose(serving(models))).usage == SPENT
    assert (await choose(serving(models))).usage == SPENT
