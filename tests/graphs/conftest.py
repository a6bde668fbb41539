"""The real graph with its real services over a real PostgreSQL with the demo business in it."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from psycopg.rows import dict_row
from pydantic import SecretStr

from checkpoints.database import open_pool
from config.settings import Settings
from models.client import open_client
from models.registry import build_models
from server import House, open_house
from tests.fakes.openai_server import ModelServer
from tests.graphs.driver import Desk

NOW = datetime(2026, 11, 30, 10, 0, tzinfo=ZoneInfo("Asia/Shanghai"))


def settings(**changes: object) -> Settings:
    return Settings.model_validate({"environment": "development", "clock": NOW, "demo": True, **changes})


@pytest.fixture(scope="module")
async def house(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    """Everything open, no model set up, on 30 November 2026 at ten."""
    folder: Path = tmp_path_factory.mktemp("desk")
    async with open_house(settings(database_url=SecretStr(database_url), data_dir=folder)) as opened:
        yield opened


@pytest.fixture
def desk(house: House) -> Desk:
    """A new thread on a desk without a model."""
    return Desk(house.services, house.saver, NOW)


@pytest.fixture
async def with_model(house: House, model_server: ModelServer) -> AsyncIterator[Callable[[], Desk]]:
    """Makes desks whose model is the scripted server, with breakers of their own."""
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(open_client())

        def make() -> Desk:
            told = settings(model_base_url=model_server.url, model_name="scripted", model_api_key=SecretStr("none"))
            models = build_models(house.written.models, told, http)
            return Desk(house.services, house.saver, NOW, models=models)

        yield make


@pytest.fixture(scope="module")
async def orders(house: House, database_url: str) -> Callable[[str], object]:
    """Rows of a query over the demo business, as they stand in the database."""

    async def rows(query: str) -> list[dict[str, object]]:
        pool = await open_pool(database_url, 1)
        try:
            async with pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
                await cursor.execute(query.encode())
                return list(await cursor.fetchall())
        finally:
            await pool.close()

    return rows
