"""config/mcp.yaml: what may stand in it, and what stops the start with file and key."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from config.mcp import McpConfig, McpToolRule, check_mcp, load_mcp
from errors import ConfigurationError
from tests.config.written import SHIPPED

SERVER = """
servers:
  weather:
    url: http://127.0.0.1:9000/mcp
    headers: {{Authorization: weather_token}}
    group: weather
    tools:
      get_forecast: {{effect: false, card: forecast}}
      order-umbrella: {{}}
{more}
"""


def written(folder: Path, more: str = "", text: str = SERVER) -> Path:
    (folder / "mcp.yaml").write_text(text.format(more=more))
    return folder


def test_what_is_shipped_names_no_server_and_no_file_is_none_either(tmp_path: Path) -> None:
    assert load_mcp(SHIPPED) == load_mcp(tmp_path) == McpConfig()


def test_a_tool_of_which_nothing_is_said_changes_something_and_needs_a_yes(tmp_path: Path) -> None:
    server = load_mcp(written(tmp_path)).servers["weather"]
    reads, writes = server.tools["get_forecast"], server.tools["order-umbrella"]
    assert (reads.effect, reads.needs_yes, server.permission_of("weather", reads)) == (False, False, "weather:read")
    assert (writes.effect, writes.needs_yes, server.permission_of("weather", writes)) == (True, True, "weather:write")


@pytest.mark.parametrize(
    ("server", "rule", "permission"),
    [
        ("", "{}", "weather:write"),
        ("permission: sky", "{effect: false}", "sky:read"),
        ("permission: sky", "{}", "sky:write"),
        ("permission: 'sky:look'", "{}", "sky:look"),
        ("permission: sky", "{permission: 'rain:make'}", "rain:make"),
    ],
)
def test_a_permission_comes_from_the_tool_the_server_or_its_name(
    tmp_path: Path, server: str, rule: str, permission: str
) -> None:
    terms = f"url: 'http://127.0.0.1/', group: g, {server or 'timeout_s: 1'}, tools: {{a: {rule}}}"
    (tmp_path / "mcp.yaml").write_text(f"servers: {{weather: {{{terms}}}}}")
    weather = load_mcp(tmp_path).servers["weather"]
    assert weather.permission_of("weather", weather.tools["a"]) == permission


def test_names_are_made_such_that_models_take_them(tmp_path: Path) -> None:
    assert load_mcp(written(tmp_path)).groups == {
        "weather_get_forecast": "weather",
        "weather_order_umbrella": "weather",
    }


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("    command: [weather]", "needs either `url` or `command`"),
        ("    environment: {A: b}", "`headers` go with `url`, `environment` with `command`"),
        ("    permission: 'a b'", "permission: 'a b' must be thing:act or a thing"),
        ("    timeout_s: 0", "servers.weather.timeout_s"),
        ("    colour: red", "servers.weather: unknown key 'colour'"),
        ("      order_umbrella: {}", "'weather_order_umbrella' is already the name of"),
        ("      a: {name: get forecast}", "'get forecast' is no name of a tool"),
        ("      a: {permission: everything}", "must be thing:act"),
        ("      a: {retries: 2}", "retries: on a tool with an effect need idempotent: true"),
        ("      a: {effect: false, confirm_text: {en: sure}}", "confirm_text: without confirm: true"),
        ("  Big: {url: 'http://127.0.0.1/', group: g, tools: {a: {}}}", "servers.Big: a name is lower-case"),
        ("  b: {url: 'ftp://127.0.0.1/', group: g, tools: {a: {}}}", "is not an http or https address"),
        ("  b: {url: 'http://u:p@127.0.0.1/', group: g, tools: {a: {}}}", "put them into MCP_SECRETS"),
        ("  b: {url: 'http://127.0.0.1/', group: g, tools: {}}", "servers.b.tools"),
        (
            "  b: {url: 'http://127.0.0.1/', group: g, tools: {a: {}}, headers: {Host: x}}",
            "headers.Host: cannot be set",
        ),
        ("  b: {command: [x], group: g, tools: {a: {}}, environment: {'A=B': x}}", "is no name of a variable"),
        ("  b: {group: g, tools: {a: {}}}", "needs either `url` or `command`"),
    ],
)
def test_what_is_wrong_stops_the_start_with_file_and_key(tmp_path: Path, more: str, told: str) -> None:
    with pytest.raises(ConfigurationError) as error:
        load_mcp(written(tmp_path, more))
    assert str(error.value).startswith("mcp.yaml: ")
    assert told in str(error.value)


def test_secrets_cards_and_names_are_checked_against_what_there_is(tmp_path: Path) -> None:
    config = load_mcp(written(tmp_path))
    assert check_mcp(config, secrets={"weather_token": "x"}, cards={"forecast": 1}, tools={}) == []
    near = "did you mean 'weather_tokn'?"
    assert check_mcp(config, secrets={"weather_tokn": "x"}, cards={}, tools={"weather_order_umbrella"}) == [
        "mcp.yaml: there is already a tool named 'weather_order_umbrella'",
        f"mcp.yaml: servers.weather.headers.Authorization: MCP_SECRETS holds no 'weather_token'; {near}",
        "mcp.yaml: servers.weather.tools.get_forecast.card: no card 'forecast'",
    ]


def test_a_rule_is_never_changed() -> None:
    with pytest.raises(ValidationError):
        McpToolRule().effect = False
