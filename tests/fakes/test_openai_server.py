"""The scripted model server: a bench and the other tests rely on it, so its own wire is checked too."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.fakes.fixtures import model_server, running_model_server
from tests.fakes.openai_policies import echo_classify
from tests.fakes.openai_replies import Reply, call, cut, text
from tests.fakes.openai_server import ModelServer

__all__ = ["model_server", "running_model_server"]

USER = {"role": "user", "content": "看看 order.trend"}
INTENT = {"type": "string", "enum": ["order", "user", "order.trend"]}
CHOOSE = {"name": "choose", "parameters": {"type": "object", "properties": {"intent": INTENT}, "required": ["intent"]}}
TOOLS = [{"type": "function", "function": CHOOSE}]
NAMED = {"type": "function", "function": {"name": "choose"}}


def post(server: ModelServer, **body: Any) -> Any:
    return httpx.post(f"{server.url}/chat/completions", json={"model": "m", "messages": [USER], **body}).json()


def events(server: ModelServer, **body: Any) -> list[Any]:
    given = {"model": "m", "messages": [USER], "stream": True, **body}
    lines = httpx.post(f"{server.url}/chat/completions", json=given).text.splitlines()
    found = [line.removeprefix("data: ") for line in lines if line]
    return [json.loads(line) if line != "[DONE]" else line for line in found]


def test_a_completion_has_the_wires_shape(model_server: ModelServer) -> None:
    model_server.script([text("好的。")])
    got = post(model_server, n=2)
    assert [c["message"]["content"] for c in got["choices"]] == ["好的。"] * 2
    assert got["choices"][0]["finish_reason"] == "stop"
    assert got["usage"] == {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    assert model_server.requests == [{"model": "m", "messages": [USER], "n": 2}]


def test_a_stream_ends_with_its_finish_reason_its_usage_and_done(model_server: ModelServer) -> None:
    model_server.script([call("choose", {"intent": "order"}, piece_chars=3)])
    *pieces, finish, usage, done = events(model_server, stream_options={"include_usage": True}, tools=TOOLS)
    calls = [part for p in pieces for part in p["choices"][0]["delta"].get("tool_calls", [])]
    assert calls[0]["function"]["name"] == "choose"
    assert json.loads("".join(part["function"]["arguments"] for part in calls)) == {"intent": "order"}
    assert finish["choices"][0]["finish_reason"] == "tool_calls"
    assert usage["usage"]["total_tokens"] == 18
    assert done == "[DONE]"


def test_a_cut_stream_has_neither(model_server: ModelServer) -> None:
    model_server.script([cut("好")])
    assert all(e != "[DONE]" and e["choices"][0]["finish_reason"] is None for e in events(model_server))


def test_a_script_that_has_run_out_says_so(model_server: ModelServer) -> None:
    model_server.script([])
    assert "error" in post(model_server)


FORMS: list[dict[str, Any]] = [
    {"tools": TOOLS, "tool_choice": NAMED},
    {"tools": TOOLS, "tool_choice": "required"},
    {"functions": [CHOOSE], "function_call": {"name": "choose"}},
]


@pytest.mark.parametrize("form", FORMS)
def test_the_policy_picks_the_member_that_the_user_names(model_server: ModelServer, form: dict[str, Any]) -> None:
    message = post(model_server, **form)["choices"][0]["message"]
    said = message["function_call"] if "functions" in form else message["tool_calls"][0]["function"]
    assert (said["name"], json.loads(said["arguments"])) == ("choose", {"intent": "order.trend"})


def test_the_policy_calls_once_and_then_speaks() -> None:
    asked = {"messages": [USER], "tools": TOOLS}
    assert echo_classify(asked).calls[0].name == "choose"
    messages = [USER, {"role": "tool", "tool_call_id": "1", "content": "12 个订单"}]
    answered = {**asked, "messages": messages}
    assert echo_classify(answered).text == "已完成：12 个订单"
    assert echo_classify({**asked, "messages": [*messages, USER]}).calls


def test_the_policy_may_be_any_function(model_server: ModelServer) -> None:
    model_server.policy = lambda request: Reply(text=request["model"])
    assert post(model_server)["choices"][0]["message"]["content"] == "m"


def test_it_runs_as_a_process_of_its_own(free_port: int) -> None:
    command = [sys.executable, "-m", "tests.fakes.openai_server", "--port", str(free_port), "--policy", "echo-classify"]
    with subprocess.Popen(command, cwd=Path(__file__).parents[2]) as process:
        try:
            assert answered(f"http://127.0.0.1:{free_port}/v1/chat/completions")["object"] == "chat.completion"
        finally:
            process.terminate()


def answered(url: str) -> Any:
    until = time.monotonic() + 30
    while True:
        try:
            return httpx.post(url, json={"model": "m", "messages": [USER]}).json()
        except httpx.ConnectError:
            assert time.monotonic() < until
            time.sleep(0.1)


@pytest.fixture
def free_port() -> int:
    with ModelServer() as server:
        return int(server.url.split(":")[2].split("/")[0])
