"""The command, run in this process against the module's database, and what it printed."""

import asyncio
from dataclasses import dataclass

import pytest

import cli
from checkpoints.database import Pool


@dataclass(frozen=True, kw_only=True)
class Said:
    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


class Frontdesk:
    """`pool`: over the same database as the command, for what a test puts there."""

    def __init__(self, pool: Pool, capsys: pytest.CaptureFixture[str]) -> None:
        self.pool = pool
        self._capsys = capsys

    async def __call__(self, *arguments: str) -> Said:
        # In a thread: a command has a loop of its own.
        status = await asyncio.to_thread(cli.main, arguments)
        out, err = self._capsys.readouterr()
        return Said(status=status, out=out, err=err)
