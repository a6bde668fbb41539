"""`frontdesk check`: says ok, or every problem with its file and key."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import cli
from demo.function_centre import FUNCTIONS
from tests.config.written import copied, replaced

AGENT = """
name: weather
title: {zh: 天气, en: Weather}
description: {zh: 查天气, en: Looks up the weather.}
tool_groups: [sky]
intents:
  weather.query:
    description: {zh: 查天气, en: look up the weather}
    synonyms: [天气, weather]
    tool: forecast_the_wether
"""


def test_the_configuration_of_the_tree_is_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("ok: 7 agents, ")
    assert " intents, " in out
    assert out.endswith(" tools\n")


def test_a_disabled_tool_that_there_is_not_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DISABLED_TOOLS", "list_order,add_todo")
    assert cli.main(["check"]) == 0
    said = "warning: DISABLED_TOOLS: there is no tool 'list_order'; did you mean 'list_orders'?\n"
    assert capsys.readouterr().err == said


def test_every_problem_is_told_with_file_and_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    agents, tools = tmp_path / "agents", tmp_path / "tools"
    agents.mkdir()
    tools.mkdir()
    (agents / "weather.yaml").write_text(AGENT, encoding="utf-8")
    (tools / "sky.py").write_text("import nothing_of_that_name\n")
    monkeypatch.setenv("AGENT_DIRS", str(agents))
    monkeypatch.setenv("TOOL_DIRS", str(tools))
    monkeypatch.setenv("MODEL_BASE_URL", "not an address")
    assert cli.main(["check"]) == cli.FAILED
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "sky.py" in shown.err
    assert "nothing_of_that_name" in shown.err
    assert "MODEL_BASE_URL" in shown.err
    assert all(line.startswith(("error: ", "warning: ")) for line in shown.err.splitlines())


BAD_TOOL = """
from tools.tool import ToolContext, ToolResult, tool


@tool(group="sky", permission="sky:read")
async def forecast(ctx: ToolContext, day: str) -> ToolResult:
    'Tell the weather.'
    return ToolResult(content="")
"""
TWICE = """
from typing import Annotated

from tools.tool import Arg, ToolContext, ToolResult, tool


@tool(group="sky", permission="sky:read")
async def list_orders(ctx: ToolContext) -> ToolResult:
    'Tell the weather.'
    return ToolResult(content="")
"""


@pytest.mark.parametrize(
    ("source", "says"), [(BAD_TOOL, "tool 'forecast', parameter 'day': must be annotated"), (TWICE, "'list_orders'")]
)
def test_a_bad_tool_is_told_by_its_file_and_not_by_a_name_of_ours(
    source: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "sky.py"
    file.write_text(source, encoding="utf-8")
    monkeypatch.setenv("TOOL_DIRS", str(tmp_path))
    assert cli.main(["check"]) == cli.FAILED
    said = capsys.readouterr().err
    (line,) = [line for line in said.splitlines() if says in line]
    assert line.startswith("error: ")
    assert str(file) in line
    assert "tool_adapter" not in said
    assert "ConfigurationError" not in said


def test_a_tool_that_does_not_exist_is_a_problem_of_the_intent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "weather.yaml").write_text(AGENT, encoding="utf-8")
    monkeypatch.setenv("AGENT_DIRS", str(tmp_path))
    assert cli.main(["check"]) == cli.FAILED
    (line,) = [line for line in capsys.readouterr().err.splitlines() if "forecast_the_wether" in line]
    assert "weather.yaml: intents.weather.query" in line


def test_a_development_identity_that_the_files_do_not_know_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config = copied(tmp_path)
    replaced(config, "roles.yaml", "  operator:", "  clerk:")
    replaced(config, "tenants.yaml", "  acme:", "  initech:")
    monkeypatch.setenv("CONFIG_DIR", str(config))
    assert cli.main(["check"]) == cli.FAILED
    told = capsys.readouterr().err
    assert "error: roles.yaml: roles: the development identity's role 'operator' is missing" in told
    assert "error: tenants.yaml: tenants: the development identity's tenant 'acme' is missing" in told


def test_a_folder_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("TOOL_DIRS", "/no/such/folder")
    assert cli.main(["check"]) == cli.FAILED
    assert "/no/such/folder" in capsys.readouterr().err


class Centre(ThreadingHTTPServer):
    """A function centre that lists what it was told."""

    def __init__(self, *functions: dict[str, Any]) -> None:
        super().__init__(("127.0.0.1", 0), CentreHandler)
        self.listed = json.dumps({"protocol": 1, "functions": functions}).encode()


class CentreHandler(BaseHTTPRequestHandler):
    server: Centre

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(self.server.listed)

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def centre(monkeypatch: pytest.MonkeyPatch, *functions: dict[str, Any]) -> Iterator[None]:
    with Centre(*functions) as server:
        monkeypatch.setenv("FUNCTION_CENTRE_URL", f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield
        server.shutdown()
        thread.join()


def test_the_functions_of_the_demo_fit_the_agents_as_the_built_in_adapters_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with centre(monkeypatch, *(one.described() for one in FUNCTIONS.values())):
        assert cli.main(["check"]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("ok: ")
    assert "left out" not in shown.err


def test_functions_that_do_not_fit_are_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = FUNCTIONS["add_todo"].described()
    with centre(
        monkeypatch, {**listed, "parameters": {}, "compensate": None}, {**listed, "name": "b", "cards": ["nowhere"]}
    ):
        assert cli.main(["check"]) == 1
    told = capsys.readouterr().err
    assert "no card 'nowhere'" in told
    assert "'add_todo' has no parameter 'content'" in told


def test_a_centre_that_is_down_is_a_warning(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    monkeypatch.setenv("FUNCTION_CENTRE_URL", f"http://127.0.0.1:{port}")
    assert cli.main(["check"]) == 0
    assert "warning: function centre: ConnectError" in capsys.readouterr().err
