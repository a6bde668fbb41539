"""One desk for all tests of the API, with the demo business and no model."""

from collections.abc import AsyncIterator

import pytest

from checkpoints.embedded import EmbeddedPostgres
from tests.api.desk import Desk, in_process, settings
from tests.conftest import _clone
from tests.fakes.fixtures import model_server, running_model_server

__all__ = ["model_server", "running_model_server"]


@pytest.fixture(scope="session")
async def desk(postgres: EmbeddedPostgres, migrated_template: str) -> AsyncIterator[Desk]:
    with _clone(postgres, migrated_template) as url:
        async with in_process(settings(url)) as opened:
            yield opened
