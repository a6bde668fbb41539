"""Fixtures over the fakes that any test may ask for."""

from collections.abc import Iterator

import pytest

from tests.fakes.local_redis import LocalRedis
from tests.fakes.openai_server import ModelServer


@pytest.fixture(scope="session")
def running_model_server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def model_server(running_model_server: ModelServer) -> ModelServer:
    """A model server without a script, which has seen nothing yet."""
    running_model_server.reset()
    return running_model_server


@pytest.fixture(scope="session")
def redis_server() -> Iterator[LocalRedis]:
    """Shared: whoever uses it has keys of its own."""
    server = LocalRedis()
    server.start()
    yield server
    server.remove()
