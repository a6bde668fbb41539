"""`frontdesk worker`: takes tasks of any desk on the database, and hands back what it is at when it is stopped."""

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

import cli
from checkpoints.database import Pool
from checkpoints.task import Task
from demo.seeding import seed
from tests.checkpoints.asking import count
from tests.checkpoints.working import accept, again

ROOT = Path(cli.__file__).parent
WAIT_S = 40.0


@asynccontextmanager
async def running(url: str, folder: Path, **more: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """A worker that is ready."""
    environment = {
        "PATH": os.environ["PATH"],  # noqa: TID251
        "DATABASE_URL": url,
        "DATA_DIR": str(folder),
        "DEMO": "false",
        "SIMILARITY": "false",
        **more,
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(ROOT / "cli.py"), "worker", "--concurrency", "1"),
        cwd=folder,
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        line = (await asyncio.wait_for(process.stdout.readline(), WAIT_S)).decode()
        assert re.fullmatch(r"Frontdesk worker is ready: .*\n", line), line
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def coupons(pool: Pool) -> Task:
    await seed(pool, datetime.now(UTC))
    return await accept(pool, tool="send_coupons", agent="business", arguments={"count": 200}, title="coupons")


async def until(pool: Pool, task: Task, *statuses: str, done: int = 0) -> Task:
    async with asyncio.timeout(WAIT_S):
        while (now := await again(pool, task)).status not in statuses or (now.done or 0) < done:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    return now


async def test_it_works_until_it_is_stopped_and_another_one_goes_on(
    fresh_pool: Pool, fresh_database_url: str, tmp_path: Path
) -> None:
    task = await coupons(fresh_pool)
    async with running(fresh_database_url, tmp_path, RESOURCES='{"coupons": {"pause_s": 0.2}}') as worker:
        await until(fresh_pool, task, "running", done=25)
        worker.send_signal(signal.SIGTERM)
        assert worker.stderr is not None
        said = (await asyncio.wait_for(worker.stderr.read(), WAIT_S)).decode()
        assert await worker.wait() == 0
    assert "Traceback" not in said
    handed_back = await again(fresh_pool, task)
    assert (handed_back.status, handed_back.tries) == ("queued", 0)
    assert 0 < (handed_back.done or 0) < 200
    async with running(fresh_database_url, tmp_path, RESOURCES='{"coupons": {"pause_s": 0}}'):
        over = await until(fresh_pool, task, "done", "failed")
    assert (over.status, over.attempt, over.done) == ("done", 2, 200)
    assert await count(fresh_pool, f"demo.coupons WHERE campaign = '{task.effect_key}'") == 200


def test_a_number_that_cannot_be_meant_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["worker", "--concurrency", "0"]) == cli.MISUSED
    assert "TASK_CONCURRENCY" in capsys.readouterr().err
