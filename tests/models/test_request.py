"""What each vendor of models.yaml is sent."""

from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from models.endpoints import endpoints
from models.registry import build_models
from models.request import for_vendor
from tests.fakes.openai_server import ModelServer
from tests.models.setting import CHOOSE, QUESTION, config, endpoint_at, settings

NAMED = {"type": "function", "function": {"name": "choose"}}


async def sent(server: ModelServer, http: httpx.AsyncClient, vendor: str) -> dict[str, Any]:
    """The requests of a forced call and of prose, one over the other."""
    given = settings(model_base_url=server.url, model_name="m", model_vendor=vendor, model_api_key=SecretStr("k"))
    model = build_models(config(), given, http).serving("classify")
    assert model
    assert (await model.choose(QUESTION, CHOOSE)).message or vendor in {"zhipu", "moonshot", "ollama"}
    assert (await model.say(QUESTION)).message
    first, second = server.requests
    assert first["tools"][0]["function"]["name"] == "choose"
    assert "maximum" not in str(first["tools"])
    assert "parallel_tool_calls" not in first
    return {**first, **{key: second.get(key) for key in ("stream", "stream_options")}}


EXPECTED: list[tuple[str, dict[str, Any]]] = [
    ("openai", {"tool_choice": NAMED, "max_completion_tokens": 512, "temperature": 0}),
    ("deepseek", {"tool_choice": NAMED, "max_tokens": 512, "thinking": {"type": "disabled"}}),
    ("qwen", {"tool_choice": NAMED, "max_tokens": 512, "enable_thinking": False}),
    ("zhipu", {"tool_choice": None, "stream_options": None, "thinking": {"type": "disabled"}}),
    ("moonshot", {"tool_choice": None, "temperature": None, "stream_options": None}),
    ("vllm", {"tool_choice": NAMED, "chat_template_kwargs": {"enable_thinking": False}}),
    ("ollama", {"tool_choice": None, "stream_options": {"include_usage": True}}),
    ("llama_cpp", {"tool_choice": "required", "chat_template_kwargs": {"enable_thinking": False}}),
    ("generic", {"tool_choice": NAMED, "stream_options": None, "max_tokens": 512}),
]


@pytest.mark.parametrize(("vendor", "expected"), EXPECTED, ids=[e[0] for e in EXPECTED])
async def test_a_vendor_is_sent_what_it_knows(
    model_server: ModelServer, http: httpx.AsyncClient, vendor: str, expected: dict[str, Any]
) -> None:
    seen = await sent(model_server, http, vendor)
    assert {key: seen.get(key) for key in expected} == expected
    assert ("max_tokens" in seen) is not ("max_completion_tokens" in seen)


@pytest.mark.parametrize(
    ("url", "tool_choice"),
    [
        ("https://api.openai.com/v1", "name"),
        ("https://API.DeepSeek.com/v1", "name"),
        ("http://localhost:11434/v1", "none"),
        ("https://open.bigmodel.cn/api/paas/v4", "none"),
        ("https://models.example.org/v1", "name"),
    ],
)
def test_a_vendor_is_known_by_its_host(url: str, tool_choice: str) -> None:
    found = endpoints(config(), settings(model_base_url=url, model_name="m"))["default"]
    assert found.vendor.tool_choice == tool_choice


def test_a_thinking_model_is_not_told_to_stop() -> None:
    given = config(models={"default": {"vendor": "qwen", "thinking": True, "extra_body": {"top_k": 1}}})
    found = endpoints(given, settings(model_base_url="http://x/v1", model_name="m"))["default"]
    assert found.extra_body == {"top_k": 1}


async def test_a_model_name_that_another_api_claims_still_goes_to_chat_completions(
    model_server: ModelServer, http: httpx.AsyncClient
) -> None:
    for name in ("gpt-6", "gpt-5.2-pro", "codex-mini", "o3"):
        model = build_models(config(), settings(model_base_url=model_server.url, model_name=name), http).serving("plan")
        assert model
        assert (await model.choose(QUESTION, CHOOSE)).message, name


def test_an_empty_list_of_tools_is_not_sent() -> None:
    vendor = endpoint_at("http://x", {}).vendor
    body = for_vendor({"messages": [], "tools": [], "tool_choice": "required"}, vendor)
    assert body == {"messages": []}
