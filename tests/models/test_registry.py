"""Which line of models serves what, and what happens when the first of a line fails."""

import time
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from config.models import ModelsConfig
from errors import ConfigurationError
from models.registry import Models, build_models
from tests.fakes.openai_replies import call, hang, status, text
from tests.fakes.openai_server import ModelServer
from tests.models.setting import CHOOSE, QUESTION, Clock, config, models_at, settings

GOOD = call("choose", {"intent": "order"})
SECOND = {"default": {"fallbacks": ["second"]}, "second": {"name": "fake-2"}}


def two(url: str, http: httpx.AsyncClient, **given: Any) -> Models:
    return models_at(url, http, given=config(models=SECOND, **given))


def test_without_an_address_there_is_no_model(http: httpx.AsyncClient) -> None:
    models = build_models(config(), settings(model_api_key=SecretStr("sk"), model_name="x"), http)
    assert models.names == ()
    assert models.serving("plan") is None
    assert models.health() == {}


def test_an_unknown_name_is_no_model(model_server: ModelServer, http: httpx.AsyncClient) -> None:
    models = models_at(model_server.url, http)
    assert models.serving("plan", "nobody") is None
    assert models.serving("plan", "default") is models.serving("plan")


async def test_an_agent_may_bring_a_model_and_a_temperature(model_server: ModelServer, http: httpx.AsyncClient) -> None:
    model = two(model_server.url, http).serving("reply", "second", 0.7)
    assert model
    answer = await model.say(QUESTION)
    assert answer.model == model.name == "second"
    assert (model_server.requests[0]["model"], model_server.requests[0]["temperature"]) == ("fake-2", 0.7)


async def test_a_purpose_has_its_own_model(model_server: ModelServer, http: httpx.AsyncClient) -> None:
    given = config(models=SECOND).model_dump()
    given["purposes"]["classify"]["model"] = "second"
    models = models_at(model_server.url, http, given=ModelsConfig.model_validate(given))
    classify, reply = models.serving("classify"), models.serving("reply")
    assert classify
    assert reply
    await classify.choose(QUESTION, CHOOSE)
    await reply.say(QUESTION)
    assert [(r["model"], r["max_tokens"]) for r in model_server.requests] == [("fake-2", 512), ("fake-1", 2048)]


@pytest.mark.parametrize("code", [500, 401, 400])
async def test_a_model_that_fails_is_followed_by_its_fallback(
    model_server: ModelServer, http: httpx.AsyncClient, code: int
) -> None:
    model_server.policy = lambda request: status(code) if request["model"] == "fake-1" else GOOD
    model = two(model_server.url, http).serving("classify")
    assert model
    answer = await model.choose(QUESTION, CHOOSE)
    assert answer.message
    assert answer.model == "second"
    assert answer.usage["model_calls"] == len(model_server.requests) == (3 if code == 500 else 2)


async def test_a_model_that_hangs_leaves_time_for_its_fallback(
    model_server: ModelServer, http: httpx.AsyncClient
) -> None:
    model_server.policy = lambda request: hang() if request["model"] == "fake-1" else GOOD
    model = two(model_server.url, http, timeout_s=1.0).serving("classify")
    assert model
    began = time.monotonic()
    answer = await model.choose(QUESTION, CHOOSE)
    assert answer.message
    assert time.monotonic() - began < 1.0


async def test_a_useless_answer_is_not_put_to_the_fallback(model_server: ModelServer, http: httpx.AsyncClient) -> None:
    model_server.script([text("嗯"), GOOD])
    model = two(model_server.url, http).serving("classify")
    assert model
    answer = await model.choose(QUESTION, CHOOSE)
    assert (answer.abstained, answer.model, len(model_server.requests)) == ("prose", "default", 1)


async def test_a_dead_model_is_skipped_and_each_has_its_own_breaker(
    model_server: ModelServer, http: httpx.AsyncClient
) -> None:
    model_server.policy = lambda request: status(500) if request["model"] == "fake-1" else GOOD
    models = two(model_server.url, http)
    model = models.serving("classify")
    assert model
    for _ in range(3):
        assert (await model.choose(QUESTION, CHOOSE)).message
    assert models.health() == {"default": "open", "second": "closed"}
    model_server.requests.clear()
    assert (await model.choose(QUESTION, CHOOSE)).usage["model_calls"] == 1
    assert [r["model"] for r in model_server.requests] == ["fake-2"]


async def test_a_fallback_stands_in_for_a_model_without_an_address(
    model_server: ModelServer, http: httpx.AsyncClient
) -> None:
    given = config(models={"default": {"fallbacks": ["local"]}, "local": {"base_url": model_server.url, "name": "l"}})
    models = build_models(given, settings(model_keys={"local": SecretStr("sk-l")}), http, clock=Clock())
    assert models.names == ("local",)
    model = models.serving("plan")
    assert model
    await model.say(QUESTION)
    assert model_server.headers[0]["authorization"] == "Bearer sk-l"


async def test_a_key_goes_only_to_the_address_that_it_belongs_to(
    model_server: ModelServer, http: httpx.AsyncClient
) -> None:
    given = config(models={"local": {"base_url": model_server.url, "name": "l"}})
    secret = settings(model_base_url="http://127.0.0.1:9/v1", model_name="m", model_api_key=SecretStr("sk-main"))
    model = build_models(given, secret, http).serving("reply", "local")
    assert model
    await model.say(QUESTION)
    assert "sk-main" not in str(model_server.headers)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"model_base_url": "localhost:8000", "model_name": "m"}, "MODEL_BASE_URL"),
        ({"model_base_url": "ftp://x/v1", "model_name": "m"}, "MODEL_BASE_URL"),
        ({"model_base_url": "http://x:99999/v1", "model_name": "m"}, "MODEL_BASE_URL"),
        ({"model_base_url": "http://x/v1"}, "MODEL_NAME"),
        ({"model_base_url": "http://x/v1", "model_name": "m", "model_vendor": "acme"}, "MODEL_VENDOR"),
    ],
)
def test_a_wrong_setting_is_named(http: httpx.AsyncClient, given: dict[str, Any], named: str) -> None:
    with pytest.raises(ConfigurationError, match=named):
        build_models(config(), settings(**given), http)
