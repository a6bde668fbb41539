"""`frontdesk function-centre` and a desk as two processes on one database: talked to, killed, and started again."""

import asyncio
import re
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

import cli
from checkpoints.database import Pool

ROOT = Path(cli.__file__).parent
READY = re.compile(r"ready on (http://127\.0\.0\.1:\d+)")
START_S = 60.0
TOKEN = "s3cret-token"

pytestmark = pytest.mark.timeout(180)


@dataclass(kw_only=True)
class Program:
    """One process of ours. `log`: where all that it says goes."""

    process: asyncio.subprocess.Process
    url: str
    log: Path

    async def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        if self.process.returncode is None:
            self.process.send_signal(how)
        async with asyncio.timeout(START_S):
            await self.process.wait()


def said(log: Path, since: int = 0) -> str:
    return log.read_bytes()[since:].decode() if log.exists() else ""


async def started(log: Path, environment: dict[str, str], *arguments: str) -> Program:
    since = len(said(log).encode())
    with log.open("ab") as out:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, str(ROOT / "cli.py"), *arguments), cwd=log.parent, stdout=out, stderr=out, env=environment
        )
    async with asyncio.timeout(START_S):
        while not (found := READY.search(said(log, since))):
            assert process.returncode is None, said(log)
            await asyncio.sleep(0.02)
    return Program(process=process, url=found[1], log=log)


@dataclass(kw_only=True)
class Both:
    """The two processes. `environment`: what both see."""

    centre: Program
    desk: Program
    environment: dict[str, str]
    http: httpx.AsyncClient

    async def ask(self, message: str, **headers: str) -> dict[str, Any]:
        answer = await self.http.post(f"{self.desk.url}/invoke", json={"message": message}, headers=headers)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    async def centre_again(self) -> None:
        port = self.centre.url.rpartition(":")[2]
        self.centre = await started(self.centre.log, self.environment, "function-centre", "--port", port)


@asynccontextmanager
async def both_running(database_url: str, folder: Path) -> AsyncIterator[Both]:
    environment = {"DATABASE_URL": database_url, "DEMO": "1", "SIMILARITY": "0", "LOG_LEVEL": "debug"}
    environment["FUNCTION_CENTRE_TOKEN"] = TOKEN
    centre = await started(folder / "centre.log", environment, "function-centre", "--port", "0")
    desk_sees = {**environment, "FUNCTION_CENTRE_URL": centre.url}
    desk = await started(folder / "desk.log", desk_sees, "serve", "--port", "0")
    async with httpx.AsyncClient(timeout=60, trust_env=False) as http:
        both = Both(centre=centre, desk=desk, environment=environment, http=http)
        try:
            yield both
        finally:
            await both.desk.end()
            await both.centre.end()


def only_call(result: dict[str, Any]) -> tuple[str, str]:
    (call,) = result["tool_calls"]
    return call["tool"], call["status"]


async def todos(pool: Pool, content: str) -> int:
    async with pool.connection() as connection:
        query = "SELECT count(*) AS n FROM demo.todos WHERE content LIKE %s"
        row = await (await connection.execute(query, (f"%{content}%",))).fetchone()
    return int(row["n"]) if row else 0


async def waiting_for_a_lock(pool: Pool) -> bool:
    async with pool.connection() as connection:
        query = (
            "SELECT count(*) AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%demo.todos%'"
        )
        row = await (await connection.execute(query)).fetchone()
    return bool(row and row["n"])


async def test_a_conversation_goes_on_through_a_centre_that_is_killed_and_started_again(
    fresh_database_url: str, fresh_pool: Pool, tmp_path: Path
) -> None:
    async with both_running(fresh_database_url, tmp_path) as both:
        shown = (await both.http.get(f"{both.desk.url}/tools")).json()
        assert {one["name"] for one in shown if one["source"] == "function_centre"} >= {"add_todo", "list_events"}

        result = await both.ask("新建一个待办：明天交周报")
        assert (result["status"], only_call(result)) == ("completed", ("add_todo", "done"))
        assert [card["type"] for card in result["cards"]] == ["todo"]
        assert await todos(fresh_pool, "交周报") == 1
        async with fresh_pool.connection() as connection:
            row = await (await connection.execute("SELECT count(*) AS n FROM demo.function_calls")).fetchone()
        assert row is not None
        assert row["n"] == 1

        # Killed while it is at it: what became of it is unknown, and nothing was done.
        async with fresh_pool.connection() as connection, connection.transaction():
            await connection.execute("LOCK TABLE demo.todos IN ACCESS EXCLUSIVE MODE")
            asking = asyncio.create_task(both.ask("新建一个待办：明天交月报"))
            while not await waiting_for_a_lock(fresh_pool):  # noqa: ASYNC110  the database tells it in no other way
                await asyncio.sleep(0.02)
            await both.centre.end(signal.SIGKILL)
            result = await asking
        assert (result["status"], only_call(result)) == ("completed", ("add_todo", "unknown"))
        assert "结果未知" in result["reply"]
        assert await todos(fresh_pool, "交月报") == 0

        # Down: told at once, and the desk goes on with everything else.
        result = await both.ask("新建一个待办：明天交月报")
        assert only_call(result) == ("add_todo", "failed")
        assert "功能中心没有应答" in result["reply"]
        assert only_call(await both.ask("查一下今天的订单")) == ("list_orders", "done")

        await both.centre_again()
        assert only_call(await both.ask("新建一个待办：明天交月报")) == ("add_todo", "done")
        assert await todos(fresh_pool, "交月报") == 1
        result = await both.ask("add an event: visit the client tomorrow at 3pm")
        assert only_call(result) == ("add_event", "done")
        assert TOKEN not in said(both.desk.log) + said(both.centre.log)

        refused = await both.ask("新建一个待办：明天开会", **{"x-dev-roles": "viewer"})
        assert await todos(fresh_pool, "开会") == 0
        assert all(call["status"] == "refused" for call in refused["tool_calls"])


async def test_a_desk_starts_with_the_last_list_while_the_centre_is_down(
    fresh_database_url: str, fresh_pool: Pool, tmp_path: Path
) -> None:
    async with both_running(fresh_database_url, tmp_path) as both:
        await both.desk.end()
        await both.centre.end(signal.SIGKILL)
        sees = {**both.environment, "FUNCTION_CENTRE_URL": both.centre.url}
        both.desk = await started(both.desk.log, sees, "serve", "--port", "0")
        assert "its functions are those that it listed last" in said(both.desk.log)
        assert only_call(await both.ask("新建一个待办：明天交周报")) == ("add_todo", "failed")
        await both.centre_again()
        assert only_call(await both.ask("新建一个待办：明天交周报")) == ("add_todo", "done")
        assert await todos(fresh_pool, "交周报") == 1


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert cli.main(["function-centre", *arguments]) == cli.MISUSED
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "Traceback" not in shown.err
    return shown.err.strip()


def test_a_port_in_use_is_found_out_before_anything_is_started(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        said = refused(capsys, "--port", port, "--data-dir", str(tmp_path / "desk"))
    assert said == f"error: port {port} on 127.0.0.1 is in use; choose another with --port or FUNCTION_CENTRE_PORT"
    assert not (tmp_path / "desk").exists()


def test_a_database_of_your_own_is_not_filled_with_the_demo_unasked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://desk@localhost/desk")
    monkeypatch.delenv("DEMO", raising=False)
    assert "DEMO=1" in refused(capsys, "--port", "0")
