"""The shared HTTP client: an answer may weigh so much and no more."""

import httpx
import pytest

from models.client import BoundedClient, TooLong
from tests.fakes.openai_replies import endless, raw
from tests.fakes.openai_server import ModelServer
from tests.models.setting import CHOOSE, QUESTION, models_at


async def test_a_body_over_the_bound_is_not_read_to_its_end(model_server: ModelServer) -> None:
    async with BoundedClient(max_bytes=1000) as client:
        url = f"{model_server.url}/chat/completions"
        model_server.script([raw("x" * 1000), raw("x" * 1001)])
        assert len((await client.post(url, json={"messages": []})).content) == 1000
        with pytest.raises(TooLong):
            await client.post(url, json={"messages": []})


async def test_a_model_that_never_stops_abstains_before_its_time(model_server: ModelServer) -> None:
    async with BoundedClient(max_bytes=100_000) as client:
        model = models_at(model_server.url, client).serving("classify")
        assert model
        model_server.script([endless()])
        answer = await model.choose(QUESTION, CHOOSE)
        assert (answer.abstained, answer.usage["model_calls"]) == ("too_long", 1)
    await model_server.until_busy(busy=False)


async def test_an_ordinary_client_serves_as_well(model_server: ModelServer) -> None:
    async with httpx.AsyncClient() as client:
        model = models_at(model_server.url, client).serving("classify")
        assert model
        assert (await model.choose(QUESTION, CHOOSE)).message
