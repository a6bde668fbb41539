"""What every test needs that starts real servers."""

from collections.abc import AsyncIterator

import pytest

from tests.crash.servers import Nursery


@pytest.fixture(scope="session")
async def nursery(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Nursery]:
    """Forks servers; it costs seconds to start, so there is one."""
    async with Nursery(tmp_path_factory.mktemp("nursery")) as opened:
        yield opened
