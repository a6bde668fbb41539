"""One HTTP client for a test's models."""

from collections.abc import AsyncIterator

import httpx
import pytest

from models.client import open_client
from tests.fakes.fixtures import model_server, running_model_server

__all__ = ["http", "model_server", "running_model_server"]


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with open_client() as client:
        yield client
