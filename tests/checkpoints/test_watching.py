"""A killed embedded server comes back while somebody watches it."""

import asyncio
import os
import signal
from contextlib import suppress
from functools import partial
from pathlib import Path

import psycopg
import pytest

from checkpoints.watching import watch
from tests.checkpoints.test_embedded import ask, eventually, lives, postmaster, server


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


async def test_a_killed_server_is_started_again_as_often_as_it_is_killed(home: Path) -> None:
    with server(home) as running:
        task = asyncio.create_task(watch(running, every_s=0.05))
        for _ in range(2):
            pid = postmaster(home)
            os.kill(pid, signal.SIGKILL)
            assert await asyncio.to_thread(eventually, partial(_is_back, home, running.url, pid), 30)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        last = postmaster(home)
    assert eventually(lambda: not lives(last))


async def test_a_server_that_is_there_is_left_alone_and_a_stopped_one_stays_stopped(home: Path) -> None:
    running = server(home)
    running.start()
    pid = postmaster(home)
    assert not running.revive()
    assert postmaster(home) == pid
    running.stop()
    assert eventually(lambda: not lives(pid))
    assert not running.revive()
    assert not lives(pid)


async def test_a_watch_that_is_cancelled_in_a_look_waits_for_its_end(home: Path) -> None:
    with server(home) as running:
        os.kill(postmaster(home), signal.SIGKILL)
        task = asyncio.create_task(watch(running, every_s=0))
        await asyncio.sleep(0.05)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        assert task.cancelled()
        running.ensure()
        assert ask(running.url, "select 1") == 1


def _is_back(home: Path, url: str, killed: int) -> bool:
    with suppress(FileNotFoundError, ValueError, psycopg.OperationalError):
        return postmaster(home) != killed and ask(url, "select 1") == 1
    return False
