"""One desk for all tests of the API, with the demo business and no model."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from checkpoints.embedded import EmbeddedPostgres
from tests.api.desk import Desk, in_process, settings
from tests.conftest import clone
from tests.fakes.fixtures import model_server, running_model_server

SLOW = Path(__file__).parent / "slow"
__all__ = ["model_server", "running_model_server"]


@pytest.fixture(scope="session")
async def desk(postgres: EmbeddedPostgres, migrated_template: str) -> AsyncIterator[Desk]:
    with clone(postgres, migrated_template) as url:
        async with in_process(settings(url)) as opened:
            yield opened


@pytest.fixture(scope="session")
async def slow_desk(postgres: EmbeddedPostgres, migrated_template: str) -> AsyncIterator[Desk]:
    """A desk with one agent more, whose tool takes a second."""
    more = {"tool_dirs": (SLOW / "tools",), "agent_dirs": (SLOW / "agents",)}
    with clone(postgres, migrated_template) as url:
        async with in_process(settings(url, demo=False, **more)) as opened:
            yield opened
