"""Fixtures over the fakes that any test may ask for."""

from collections.abc import Iterator

import pytest

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
