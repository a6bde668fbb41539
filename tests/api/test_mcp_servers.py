"""A desk that uses an MCP server in a real process: in chat, in its lists, and offered again at its own `/mcp`."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from server import create_app
from tests.api.desk import Desk, in_process, on_a_socket, settings
from tests.api.mcp_client import beside, identity, mcp_client, names, saying, text
from tests.config.written import SHIPPED
from tests.fakes.mcp_process import McpProcess

AGENT: dict[str, Any] = {
    "name": "weather",
    "title": {"zh": "天气", "en": "Weather"},
    "description": {"zh": "查天气", "en": "Looks up the weather."},
    "tool_groups": ["weather"],
    "keywords": [],
    "intents": {
        "weather.forecast": {
            "description": {"zh": "查天气", "en": "Look up the weather"},
            "synonyms": ["caelum"],
            "examples": {"zh": ["caelum"], "en": ["caelum"]},
            "plan": "rules",
            "tool": "weather_get_forecast",
            "arguments": {"city": {"value": "Harbin"}, "days": "limit"},
        },
        "weather.umbrella": {
            "description": {"zh": "订雨伞", "en": "Order an umbrella"},
            "synonyms": ["umbella"],
            "examples": {"zh": ["umbella"], "en": ["umbella"]},
            "plan": "rules",
            "tool": "weather_order_umbrella",
            "arguments": {"colour": {"value": "red"}},
        },
    },
}
CARD = {"type": "forecast", "design": {"title": "Weather"}, "fields": {"city": {"type": "string"}}}
TOOLS = {"get_forecast": {"effect": False, "card": "forecast"}, "order_umbrella": {}}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with McpProcess(tmp_path_factory.mktemp("weather"), "--token", "Bearer s3cret") as process:
        yield process


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory, server: McpProcess) -> Path:
    folder = tmp_path_factory.mktemp("desk") / "config"
    shutil.copytree(SHIPPED, folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    terms = {"url": server.url, "headers": {"Authorization": "token"}, "group": "weather", "tools": TOOLS}
    (folder / "mcp.yaml").write_text(yaml.safe_dump({"servers": {"weather": terms}}))
    (folder / "agents" / "weather.yaml").write_text(yaml.safe_dump(AGENT, allow_unicode=True))
    (folder / "cards" / "forecast.yaml").write_text(yaml.safe_dump(CARD))
    return folder


def chosen(url: str, config: Path) -> Any:
    return settings(url, demo=False, config_dir=config, mcp_secrets={"token": "Bearer s3cret"})


@pytest.fixture
async def desk(fresh_database_url: str, config: Path) -> AsyncIterator[Desk]:
    async with in_process(chosen(fresh_database_url, config)) as opened:
        yield opened


async def test_its_tools_are_the_desks_tools(desk: Desk) -> None:
    shown = {tool["name"]: tool for tool in (await desk.http.get("/tools")).json()}
    forecast, umbrella = shown["weather_get_forecast"], shown["weather_order_umbrella"]
    assert (forecast["source"], forecast["permission"], forecast["confirm"]) == ("mcp:weather", "weather:read", False)
    assert (umbrella["permission"], umbrella["confirm"], umbrella["agents"]) == ("weather:write", True, ["weather"])
    seen = (await desk.http.get("/tools", headers={"X-Dev-Roles": "viewer"})).json()
    assert "weather_order_umbrella" not in {tool["name"] for tool in seen}


async def test_it_is_asked_in_chat_and_its_data_fills_a_card(desk: Desk) -> None:
    answer = await desk.ask("caelum")
    assert answer["tool_calls"][0]["status"] == "done"
    assert answer["cards"] == [
        {"type": "forecast", "design": {"title": "Weather"}, "data": {"city": "Harbin", "days": 1, "sky": "clear"}}
    ]


async def test_what_changes_something_is_confirmed_and_made_once(desk: Desk, server: McpProcess) -> None:
    before = len(server.done)
    waiting = await desk.ask("umbella")
    assert waiting["status"] == "interrupted"
    assert server.done[before:] == []
    done = (await desk.resume(waiting, {"type": "approve"})).json()
    assert done["tool_calls"][0]["status"] == "done"
    assert server.done[before:] == ["umbrella red True"]


async def test_a_server_that_goes_is_told_and_the_thread_goes_on(desk: Desk, server: McpProcess) -> None:
    first = await desk.ask("caelum")
    server.kill()
    gone = await desk.ask("caelum", thread_id=first["thread_id"])
    assert (gone["status"], gone["tool_calls"][0]["status"]) == ("completed", "failed")
    assert "weather" in gone["reply"]
    server.start()
    assert (await desk.ask("你好", thread_id=first["thread_id"]))["status"] == "completed"


async def test_a_desk_starts_while_it_is_down_and_says_plainly_what_it_cannot_do(
    fresh_database_url: str, config: Path, server: McpProcess
) -> None:
    server.kill()
    async with in_process(chosen(fresh_database_url, config)) as desk:
        assert (await desk.ask("caelum"))["tool_calls"][0]["status"] == "refused"
        assert (await desk.ask("你好"))["status"] == "completed"
    server.start()


async def test_it_is_offered_again_at_our_own_endpoint(
    fresh_database_url: str, config: Path, server: McpProcess
) -> None:
    asked: list[str] = []
    before = len(server.done)
    async with (
        on_a_socket(create_app(chosen(fresh_database_url, config))) as address,
        mcp_client(address, identity(), saying(asked, confirm=True)) as session,
    ):
        assert {"weather_get_forecast", "weather_order_umbrella"} <= await names(session)
        forecast = await session.call_tool("weather_get_forecast", {"city": "Dalian", "days": "两"})
        assert forecast.structuredContent == {"city": "Dalian", "days": 2, "sky": "clear"}
        umbrella = await session.call_tool("weather_order_umbrella", {"colour": "blue"})
        assert (beside(umbrella, "status"), len(asked)) == ("done", 1)
        assert "blue" in text(umbrella)
    assert server.done[before:] == ["forecast Dalian 2", "umbrella blue True"]
