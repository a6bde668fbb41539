"""Fixtures of the tests of replays: conversations on one desk, with a model and without."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from pydantic import SecretStr

from graphs.runner import Runner
from models.client import open_client
from models.registry import Models, build_models
from server import House, open_runner
from tests.fakes.openai_server import ModelServer
from tests.graphs.conftest import NOW, settings
from tests.graphs.talk import Talk, replays_of

Rows = Callable[[str], Awaitable[list[dict[str, Any]]]]


@pytest.fixture(name="runner", scope="module")
async def a_runner(house: House) -> AsyncIterator[Runner]:
    async with open_runner(house, settings(), "desk-1") as opened:
        yield opened


@pytest.fixture(name="talk")
def a_talk(runner: Runner, house: House) -> Talk:
    return Talk(runner, replays_of(house), house.pool, NOW)


@pytest.fixture(name="to_ship")
async def orders_to_ship(orders: Rows) -> list[str]:
    """Numbers of orders that can be marked as shipped."""
    query = "SELECT order_no FROM demo.orders WHERE tenant_id = 'acme' AND status = 'to_ship' ORDER BY order_no"
    return [str(row["order_no"]) for row in await orders(query)]


@pytest.fixture(name="models")
async def scripted_models(house: House, model_server: ModelServer) -> AsyncIterator[Models]:
    """The scripted server as the model `default`, with breakers of its own."""
    told = settings(model_base_url=model_server.url, model_name="scripted", model_api_key=SecretStr("none"))
    async with open_client() as http:
        yield build_models(house.written.models, told, http)


@pytest.fixture(name="with_model")
async def a_talk_with_model(house: House, models: Models) -> AsyncIterator[Talk]:
    modelled = replace(house, services=replace(house.services, models=models))
    async with open_runner(modelled, settings(), f"desk-{uuid4().hex[:6]}") as runner:
        yield Talk(runner, replays_of(house, models=models), house.pool, NOW)
