"""Tools of MCP servers: real processes of the SDK, over HTTP and over pipes, that answer, die, hang and lie."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from auth.principal import Principal
from config.mcp import McpServer
from errors import ConfigurationError
from tests.fakes.ledger import MemoryLedger
from tests.fakes.lists import MemoryLists
from tests.fakes.mcp_process import McpProcess, done, program
from tests.tools.samples import agent, answering, caller
from tools.call import Call, Outcome
from tools.executor import Executor
from tools.providers.mcp_servers import open_servers
from tools.registry import Registry
from tools.tool import Tool

READS = {"effect": False}
WRITES = {"confirm": False}
TOOLS: dict[str, Any] = {
    "get_forecast": READS,
    "order_umbrella": WRITES,
    "fall_over": READS,
    "hang": {**WRITES, "timeout_s": 0.5},
    "die": WRITES,
    "much": {**READS, "timeout_s": 10},
    "pictures": READS,
    "learn": {**READS, "permission": "weather:read"},
    "later": READS,
}
STYLES = {
    "sessions": (),
    "stateless": ("--stateless",),
    "json": ("--json",),
    "stateless json": ("--stateless", "--json"),
}


@dataclass(frozen=True, kw_only=True)
class Design:
    design: Mapping[str, Any] = field(default_factory=lambda: {"title": "Weather"})
    fields: Mapping[str, Any] = field(default_factory=lambda: {"city": {"type": "string"}})


@dataclass(frozen=True, kw_only=True)
class Weather:
    """The tools of one server, in a registry, behind an executor."""

    registry: Registry
    executor: Executor
    ledger: MemoryLedger

    async def ask(self, tool: str, within_s: float = 20, turn: str = "t1", **arguments: Any) -> Outcome:
        by = replace(caller(agent=agent("weather", tool_groups=("weather",))), turn_id=turn, principal=Principal())
        call = Call(id="c1", name=f"weather_{tool}", arguments=arguments)
        return await self.executor.run(call, by, confirmation=None, deadline_s=within_s)


@asynccontextmanager
async def weather(
    *others: Tool,
    lists: MemoryLists | None = None,
    secrets: Mapping[str, str] | None = None,
    within_s: float = 10,
    **terms: Any,
) -> AsyncIterator[Weather]:
    server = McpServer.model_validate({"group": "weather", "tools": TOOLS, **terms})
    registry, ledger = Registry(others), MemoryLedger()
    executor = Executor(registry, {}, {"forecast": Design()}, ledger=ledger)
    async with open_servers({"weather": server}, secrets or {}, registry, lists or MemoryLists(), within_s=within_s):
        yield Weather(registry=registry, executor=executor, ledger=ledger)


async def until(condition: Callable[[], bool], within_s: float = 10) -> None:
    async with asyncio.timeout(within_s):
        while not condition():  # noqa: ASYNC110 - another process tells it by what it does
            await asyncio.sleep(0.02)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with McpProcess(tmp_path_factory.mktemp("weather")) as server:
        yield server


@pytest.mark.parametrize("options", STYLES.values(), ids=STYLES)
async def test_a_server_over_http_is_listed_and_called(tmp_path: Path, options: tuple[str, ...]) -> None:
    with McpProcess(tmp_path, *options) as server:
        async with weather(url=server.url) as desk:
            outcome = await desk.ask("get_forecast", city="Harbin", Days="三")
            assert (outcome.status, outcome.data) == ("done", {"city": "Harbin", "days": 3, "sky": "clear"})
            assert "Harbin" in outcome.content
            assert server.done == ["forecast Harbin 3"]


async def test_a_server_over_pipes_is_started_listed_called_and_stopped(tmp_path: Path) -> None:
    async with weather(command=program(tmp_path)) as desk:
        outcome = await desk.ask("get_forecast", city="Harbin")
        assert (outcome.status, outcome.data["days"]) == ("done", 1)
        assert done(tmp_path) == ["forecast Harbin 1"]


async def test_only_what_the_operator_names_becomes_a_tool_on_his_terms(running: McpProcess) -> None:
    tools = {
        "get_forecast": {"effect": False, "name": "forecast", "timeout_s": 3, "permission": "sky:read"},
        "order_umbrella": {},
    }
    async with weather(url=running.url, tools=tools) as desk:
        forecast, umbrella = desk.registry["forecast"], desk.registry["weather_order_umbrella"]
        assert list(desk.registry) == ["forecast", "weather_order_umbrella"]
    assert (forecast.effect, forecast.confirm, forecast.permission, forecast.timeout_s) == (False, False, "sky:read", 3)
    assert (umbrella.effect, umbrella.confirm, umbrella.permission) == (True, True, "weather:write")
    assert (umbrella.source, umbrella.group, umbrella.description) == ("mcp:weather", "weather", "Order an umbrella.")
    assert desk.registry.schema(umbrella)["parameters"]["properties"]["colour"]["enum"] == ["red", "blue"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({}, "missing_arguments"),
        ({"city": "Harbin", "days": "many"}, "bad_arguments"),
        ({"city": "Harbin", "days": 99}, "bad_arguments"),
        ({"city": "Harbin", "days": True}, "bad_arguments"),
        ({"city": "Harbin", "wind": 3}, "bad_arguments"),
        ({"city": ["Harbin", "Dalian"]}, "bad_arguments"),
    ],
)
async def test_arguments_are_checked_before_the_server_sees_them(
    tmp_path: Path, running: McpProcess, arguments: dict[str, Any], reason: str
) -> None:
    before = running.done
    async with weather(url=running.url) as desk:
        outcome = await desk.ask("get_forecast", **arguments)
    assert (outcome.status, outcome.reason) == ("refused", reason)
    assert running.done == before


async def test_a_card_is_shown_only_where_the_operator_names_its_template(running: McpProcess) -> None:
    tools = {"get_forecast": {**READS, "card": "forecast"}}
    async with weather(url=running.url, tools=tools) as desk:
        outcome = await desk.ask("get_forecast", city="Harbin")
    assert outcome.card == {"type": "forecast", "design": {"title": "Weather"}, "data": outcome.data}
    async with weather(url=running.url) as desk:
        assert (await desk.ask("get_forecast", city="Harbin")).card is None


async def test_an_error_of_the_tool_is_a_failure_with_its_text(running: McpProcess) -> None:
    async with weather(url=running.url) as desk:
        outcome = await desk.ask("fall_over")
    assert outcome.status == "failed"
    assert "no barometer" in outcome.content


async def test_what_is_no_text_is_named_and_not_carried_along(running: McpProcess) -> None:
    async with weather(url=running.url) as desk:
        assert (await desk.ask("pictures")).content == "a cloud\n[image/png]"


async def test_a_long_answer_is_shortened_and_a_far_too_long_one_is_not_read(running: McpProcess) -> None:
    async with weather(url=running.url) as desk:
        long, longer = await desk.ask("much", megabytes=1), await desk.ask("much", megabytes=10)
        assert (long.status, long.reason) == ("done", "too_much")
        assert len(long.content) < 10_000
        assert (longer.status, longer.reason) == ("failed", "mcp_too_much")
        assert (await desk.ask("get_forecast", city="Harbin")).status == "done"


async def test_an_effect_is_made_once_and_its_server_is_told_the_key(running: McpProcess) -> None:
    before = len(running.done)
    async with weather(url=running.url) as desk:
        outcomes = [await desk.ask("order_umbrella", turn="t7", colour="red") for _ in range(2)]
    assert [outcome.status for outcome in outcomes] == ["done", "done"]
    assert outcomes[1].reason == "recorded"
    assert running.done[before:] == ["umbrella red True"]


async def test_a_tool_that_hangs_is_left_after_its_time_and_its_end_is_unknown(running: McpProcess) -> None:
    async with weather(url=running.url) as desk:
        outcome = await desk.ask("hang", note="h1")
        assert (outcome.status, outcome.reason) == ("unknown", "timeout")
        again = await desk.ask("hang", note="h1")
        assert (again.status, again.reason) == ("unknown", "unsettled")
        assert running.done.count("hang h1") == 1
        assert (await desk.ask("get_forecast", city="Harbin")).status == "done"


@pytest.mark.parametrize("style", ["http", "pipes"])
async def test_a_server_that_dies_in_the_middle_leaves_an_answer_and_is_never_asked_twice(
    tmp_path: Path, style: str
) -> None:
    with McpProcess(tmp_path) as server:
        terms = {"url": server.url} if style == "http" else {"command": program(tmp_path)}
        async with weather(**terms) as desk:
            asked = asyncio.gather(desk.ask("die", note="d1"), desk.ask("hang", note="beside"))
            died, beside = await asked
            assert (died.status, died.reason) == ("unknown", "mcp_lost")
            assert "weather" in desk.ledger.rows[0].tool
            assert beside.status == "unknown"
            if style == "http":
                server.start()
            await until_there(desk)
            again = await desk.ask("die", note="d1")
            assert (again.status, again.reason) == ("unknown", "unsettled")
            assert done(tmp_path).count("die d1") == 1


async def until_there(desk: Weather) -> None:
    async with asyncio.timeout(15):
        while (await desk.ask("get_forecast", city="Harbin")).status != "done":  # noqa: ASYNC110
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("options", [(), ("--stateless",)], ids=["sessions", "stateless"])
async def test_a_server_that_was_started_anew_is_used_as_if_nothing_had_been(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    with McpProcess(tmp_path, *options) as server:
        async with weather(url=server.url) as desk:
            server.kill()
            server.start()
            outcomes = await asyncio.gather(
                *(desk.ask("order_umbrella", turn=f"t{n}", colour="blue") for n in range(5))
            )
            assert [outcome.status for outcome in outcomes] == ["done"] * 5
            assert server.done == ["umbrella blue True"] * 5


async def test_a_server_that_is_down_is_a_failure_that_says_so_and_nothing_is_unknown(tmp_path: Path) -> None:
    with McpProcess(tmp_path) as server:
        async with weather(url=server.url) as desk:
            server.kill()
            outcomes = [await desk.ask("order_umbrella", turn=f"t{n}", colour="red") for n in range(3)]
            assert {(outcome.status, outcome.reason) for outcome in outcomes} == {("failed", "mcp_down")}
            assert "weather" in outcomes[0].content
            server.start()
            await until_there(desk)
            assert (await desk.ask("order_umbrella", turn="t0", colour="red")).status == "done"
            assert server.done.count("umbrella red True") == 1


async def test_a_tool_that_comes_later_is_taken_in(tmp_path: Path) -> None:
    with McpProcess(tmp_path) as server:
        async with weather(url=server.url) as desk:
            assert "weather_later" not in desk.registry
            assert (await desk.ask("learn", name="later")).status == "done"
            await until(lambda: "weather_later" in desk.registry)
            assert (await desk.ask("later")).content == "learnt"
            server.kill()
            server.start()
            await until_there(desk)
            await until(lambda: "weather_later" not in desk.registry)


async def test_a_desk_starts_while_the_server_is_down_with_what_it_listed_last(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    lists = MemoryLists()
    with McpProcess(tmp_path) as server:
        async with weather(url=server.url, lists=lists):
            pass
        server.kill()
        async with weather(url=server.url, lists=lists) as desk:
            assert "weather_get_forecast" in desk.registry
            assert (await desk.ask("get_forecast", city="Harbin")).reason == "mcp_down"
            server.start()
            await until_there(desk)
    assert "listed last" in caplog.text


async def test_a_desk_starts_though_a_server_has_never_been_there(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server = McpProcess(tmp_path)
    async with weather(url=server.url) as desk:
        assert list(desk.registry) == []
        assert (await desk.ask("get_forecast", city="Harbin")).reason == "unknown_tool"
        with server:
            await until(lambda: "weather_get_forecast" in desk.registry)
    assert "has never listed its tools" in caplog.text


async def test_a_program_that_is_not_there_is_said(caplog: pytest.LogCaptureFixture) -> None:
    async with weather(command=("/no/such/program",)) as desk:
        assert list(desk.registry) == []
    assert "FileNotFoundError" in caplog.text


async def test_a_secret_is_sent_and_not_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    terms: dict[str, Any] = {"headers": {"Authorization": "weather_token"}}
    with McpProcess(tmp_path, "--token", "Bearer s3cret") as server:
        async with weather(url=server.url, secrets={"weather_token": "Bearer s3cret"}, **terms) as desk:
            assert (await desk.ask("get_forecast", city="Harbin")).status == "done"
        async with weather(url=server.url, secrets={"weather_token": "Bearer wrong"}, **terms) as desk:
            assert list(desk.registry) == []
    assert "status 401" in caplog.text
    assert "s3cret" not in "\n".join(
        record.getMessage() for record in caplog.records if record.name.startswith("tools")
    )


async def test_a_name_that_is_taken_stops_the_start(running: McpProcess) -> None:
    other = replace(answering(None), name="weather_get_forecast")
    with pytest.raises(ConfigurationError, match="two tools are named 'weather_get_forecast'"):
        async with weather(other, url=running.url):
            pass


async def test_a_tool_that_the_server_does_not_have_is_left_out_and_named(
    running: McpProcess, caplog: pytest.LogCaptureFixture
) -> None:
    async with weather(url=running.url, tools={"get_forcast": READS, "pictures": READS}) as desk:
        assert list(desk.registry) == ["weather_pictures"]
    assert "servers.weather.tools.get_forcast: the server has no such tool" in caplog.text


async def test_many_calls_at_once_each_get_their_own_answer(running: McpProcess) -> None:
    async with weather(url=running.url) as desk:
        asked = [desk.ask("get_forecast", city=f"city {n}") for n in range(20)]
        assert [outcome.data["city"] for outcome in await asyncio.gather(*asked)] == [f"city {n}" for n in range(20)]
