"""Runs and leases over the test's database, and a way to it that can be cut."""

import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from checkpoints.database import Pool
from checkpoints.leases import Leases
from checkpoints.runs import Runs
from tests.fakes.cut_connection import CutConnection


@pytest.fixture
def runs(pool: Pool) -> Runs:
    return Runs(pool)


@pytest.fixture
def leases(pool: Pool) -> Leases:
    return Leases(pool, "here", 60)


@pytest.fixture
async def cut(database_url: str, tmp_path: Path) -> AsyncIterator[CutConnection]:
    folder = Path("/tmp") / f"cut-{uuid.uuid4().hex[:8]}"  # noqa: S108 - a socket's path must be short
    folder.mkdir(mode=0o700)
    proxy = CutConnection(database_url, folder)
    async with proxy.listening():
        yield proxy
    (folder / ".s.PGSQL.5432").unlink(missing_ok=True)
    folder.rmdir()
