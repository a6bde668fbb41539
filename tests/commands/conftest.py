"""Commands over a database of the module's."""

import pytest

from checkpoints.database import Pool
from tests.commands.said import Frontdesk


@pytest.fixture
def frontdesk(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], database_url: str, pool: Pool
) -> Frontdesk:
    monkeypatch.setenv("DATABASE_URL", database_url)
    return Frontdesk(pool, capsys)
