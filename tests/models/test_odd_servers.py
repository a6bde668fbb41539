"""Whatever a server says in whatever shape, a call answers or abstains; nothing else comes out."""

import json
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fakes.openai_replies import raw
from tests.fakes.openai_server import ModelServer
from tests.models.setting import CHOOSE, QUESTION, models_at

# The SDK builds records without validation, and pydantic then wonders at what it has to write out.
pytestmark = pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")

KEYS = ["choices", "message", "delta", "content", "tool_calls", "function", "name", "arguments", "finish_reason"]
scalars = st.none() | st.booleans() | st.integers() | st.sampled_from(["", "x", "stop", "{}", "\0", "\ud800"])
names = st.sampled_from([*KEYS, "usage", "prompt_tokens", "error", "function_call", "role", "index", "id", "refusal"])
values: st.SearchStrategy[Any] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(names, inner, max_size=4), max_leaves=12
)
deltas = values | st.fixed_dictionaries({}, optional={key: values for key in ("content", "tool_calls", "role", "id")})
choices = st.fixed_dictionaries({"message": deltas, "delta": deltas, "finish_reason": st.just("stop") | values})
bodies = values | st.fixed_dictionaries({"choices": st.lists(choices | values, max_size=2), "usage": values})
QUICK = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])

KNOWN: list[Any] = [
    [],
    "x",
    None,
    {"choices": "x"},
    {"choices": [None]},
    {"choices": [{"delta": None, "message": None, "finish_reason": "stop"}]},
    {"choices": [{"delta": "x", "message": "x"}]},
    {"choices": [{"delta": {"tool_calls": "x"}, "message": {"tool_calls": {"a": 1}}}]},
    {"choices": [{"delta": {"tool_calls": [{"function": None}]}, "message": {"tool_calls": [None]}}]},
    {"choices": [{"delta": {"content": ["x"]}, "message": {"content": [{"text": "x"}]}, "finish_reason": "stop"}]},
    {"choices": [{"delta": {"content": "x"}, "message": {"content": "x"}, "finish_reason": 5}]},
    {"choices": [{"delta": {"function_call": "x"}, "message": {"function_call": "x"}, "finish_reason": "stop"}]},
    {"choices": [], "usage": 5},
    {"choices": [{"delta": {}, "message": {}, "finish_reason": ["stop"]}], "usage": {"prompt_tokens": "many"}},
]


async def check(server: ModelServer, http: httpx.AsyncClient, body: Any) -> None:
    text = json.dumps(body)
    server.script([raw(text), raw(f"data: {text}\n\ndata: [DONE]\n\n", "text/event-stream")])
    model = models_at(server.url, http).serving("plan")
    assert model
    for answer in (await model.choose(QUESTION, CHOOSE), await model.say(QUESTION)):
        assert (answer.message is None) is not (answer.abstained is None)
        if answer.message:
            assert answer.message.model_dump_json()


@pytest.mark.parametrize("body", KNOWN, ids=json.dumps)
async def test_a_known_odd_shape_is_no_crash(model_server: ModelServer, http: httpx.AsyncClient, body: Any) -> None:
    await check(model_server, http, body)


@QUICK
@given(body=bodies)
async def test_no_shape_at_all_is_a_crash(model_server: ModelServer, http: httpx.AsyncClient, body: Any) -> None:
    await check(model_server, http, body)
