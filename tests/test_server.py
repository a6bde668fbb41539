"""The composition root: what it refuses to start with, what it opens and what it leaves behind."""

import asyncio
import shutil
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import ValidationError

from config.settings import HERE as CONFIG
from config.settings import Settings
from errors import ConfigurationError
from server import create_app
from tests.api.desk import in_process, settings

CLOCK = datetime.fromisoformat("2026-11-30T10:00:00+08:00")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "desk.example", ""])
def test_nothing_but_loopback_is_bound(host: str) -> None:
    with pytest.raises(ValidationError, match="not loopback"):
        Settings(host=host)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "::1", "localhost"])
def test_loopback_has_several_names(host: str) -> None:
    create_app(Settings(host=host))


async def test_the_first_start_on_an_empty_folder_and_a_second_one(tmp_path: Path) -> None:
    """With its own PostgreSQL: the data of the first start are there at the second."""
    chosen = Settings(data_dir=tmp_path / "desk", clock=CLOCK)
    async with in_process(chosen) as desk:
        first = await desk.ask("查一下今天的订单")
        assert first["entities"]["period"]["start"] == "2026-11-30"
    async with in_process(chosen) as desk:
        again = await desk.ask("查一下今天的订单", thread_id=first["thread_id"])
        assert again["reply"] == first["reply"]
        row = (await desk.http.get(f"/threads/{first['thread_id']}")).json()
        assert len(row["values"]["messages"]) == 8


async def test_a_restart_keeps_a_question_for_a_yes_open(fresh_database_url: str) -> None:
    chosen = settings(fresh_database_url)
    async with in_process(chosen) as desk:
        async with desk.opened["pool"].connection() as connection:
            query = "select order_no from demo.orders where tenant_id = 'acme' and status = 'to_ship' limit 1"
            row = await (await connection.execute(query)).fetchone()
        assert row is not None
        waiting = await desk.ask(f"把订单 {row['order_no']} 改成已发货")
    async with in_process(chosen) as desk:
        done = (await desk.resume(waiting, {"type": "approve"})).json()
        assert (done["status"], done["tool_calls"][0]["status"]) == ("completed", "done")


async def test_a_pinned_clock_is_what_the_desk_calls_today(fresh_database_url: str) -> None:
    pinned = datetime.fromisoformat("2026-12-31T23:30:00+08:00")
    async with in_process(settings(fresh_database_url, demo=True, clock=pinned)) as desk:
        result = await desk.ask("下个月的订单")
        assert result["entities"]["period"] == {"name": "nextMonth", "start": "2027-01-01", "end": "2027-01-31"}
        globex = {"X-Dev-Tenant": "globex"}
        answer = await desk.http.post("/invoke", json={"message": "orders of today"}, headers=globex)
        assert answer.json()["entities"]["period"]["start"] == "2026-12-31"


def test_production_takes_no_pinned_clock() -> None:
    with pytest.raises(ValidationError, match="in development only"):
        settings("postgresql://localhost/desk", environment="production", clock=CLOCK)


def _without(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def _with(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        text = (folder / name).read_text(encoding="utf-8")
        assert old in text
        (folder / name).write_text(text.replace(old, new), encoding="utf-8")

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_with("agents/business.yaml", "tool: order_trend", "tool: no_such_tool"), "business.yaml.*no_such_tool"),
        (_without("lexicon.yaml"), "lexicon.yaml"),
        (_without("models.yaml"), "models.yaml"),
        (_with("tenants.yaml", "acme:", "other:"), "acme"),
        (_with("tenants.yaml", "Asia/Shanghai", "Asia/Nowhere"), "Nowhere"),
    ],
)
async def test_a_wrong_configuration_stops_the_start_naming_file_and_key(
    tmp_path: Path, change: Callable[[Path], None], said: str
) -> None:
    """Before any database is asked: there is none."""
    folder = tmp_path / "config"
    shutil.copytree(CONFIG, folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    change(folder)
    chosen = settings("postgresql://nobody@127.0.0.1:1/nothing", config_dir=folder)
    with pytest.raises(ConfigurationError, match=said):
        async with in_process(chosen):
            pass


async def test_closing_waits_for_the_turns_that_run(fresh_database_url: str) -> None:
    slow = Path(__file__).parent / "api" / "slow"
    more: dict[str, Any] = {"tool_dirs": (slow / "tools",), "agent_dirs": (slow / "agents",)}
    chosen = settings(fresh_database_url, demo=False, **more)
    async with in_process(chosen) as desk:
        asking = asyncio.create_task(desk.http.post("/invoke", json={"message": "patientia"}))
        await asyncio.sleep(0.3)
        assert not asking.done()
        runner = desk.opened["runner"]
        await runner.close()
        answer: httpx.Response = await asking
        assert answer.json()["tool_calls"][0]["summary"] == "waited for alex"
        assert (await desk.http.post("/invoke", json={"message": "你好"})).status_code == 503


async def test_several_processes_may_start_at_once_on_one_empty_database(empty_database_url: str) -> None:
    async def start() -> str:
        async with in_process(settings(empty_database_url)) as desk:
            return str((await desk.ask("你好"))["status"])

    assert await asyncio.gather(*[start() for _ in range(3)]) == ["completed"] * 3
