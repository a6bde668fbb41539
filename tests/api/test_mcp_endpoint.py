"""The bounds of `/mcp`: how many sessions there are, when they end, and what the client declares."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from mcp.types import ClientCapabilities
from starlette.types import Receive, Scope, Send

from api.mcp_endpoint import McpEndpoint, Visit, asks_by_form, opens_session, security
from api.mcp_tools import McpTools
from auth.principal import Principal
from config.loading import load_catalogue
from tests.config.written import SHIPPED
from tools.executor import Executor
from tools.registry import Registry

HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


def initialize(capabilities: Any) -> dict[str, Any]:
    client = {"protocolVersion": "2025-06-18", "clientInfo": {"name": "t", "version": "1"}}
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {**client, "capabilities": capabilities}}


ASKS = initialize({"elicitation": {}})
PING = {"jsonrpc": "2.0", "id": 2, "method": "ping"}


@asynccontextmanager
async def serving(**bounds: Any) -> AsyncIterator[httpx.AsyncClient]:
    tools = McpTools(catalogue=load_catalogue(SHIPPED), executor=Executor(Registry([]), {}, {}), deadline_s=5)
    endpoint = McpEndpoint(tools, version="1", hosts=(), origins=("*",), confirm_s=5, **bounds)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        message = ASKS if (b"x-opens", b"1") in scope["headers"] else None
        await endpoint.serve(scope, receive, send, Visit(principal=Principal()), message)

    transport = httpx.ASGITransport(app)
    async with (
        endpoint.running(),
        httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000", headers=HEADERS) as http,
    ):
        yield http


async def opened(http: httpx.AsyncClient) -> httpx.Response:
    return await http.post("/mcp", json=ASKS, headers={"x-opens": "1"})


async def test_there_are_only_so_many_sessions_and_others_need_none() -> None:
    async with serving(max_sessions=2) as http:
        first, second, third = [await opened(http) for _ in range(3)]
        assert [one.status_code for one in (first, second, third)] == [200, 200, 503]
        assert (await http.post("/mcp", json=PING)).status_code == 200
        session = {"mcp-session-id": first.headers["mcp-session-id"]}
        assert (await http.request("DELETE", "/mcp", headers=session)).status_code == 200
        assert (await opened(http)).status_code == 200


async def test_a_session_that_nobody_uses_ends() -> None:
    async with serving(idle_s=0.2, max_sessions=1) as http:
        session = {"mcp-session-id": (await opened(http)).headers["mcp-session-id"]}
        async with asyncio.timeout(10):
            while (await opened(http)).status_code != 200:  # noqa: ASYNC110 - it frees its place as it ends
                await asyncio.sleep(0.02)
        assert (await http.post("/mcp", json=PING, headers=session)).status_code == 404


async def test_any_page_may_come_where_the_operator_says_so() -> None:
    async with serving() as http:
        assert (await http.post("/mcp", json=PING, headers={"origin": "http://anywhere.example"})).status_code == 200
        assert (await http.post("/mcp", json=PING, headers={"host": "anywhere.example"})).status_code == 421


async def test_opened_and_closed_by_different_tasks() -> None:
    endpoint = serving()
    http = await asyncio.create_task(endpoint.__aenter__())
    assert (await http.post("/mcp", json=PING)).status_code == 200
    await asyncio.create_task(endpoint.__aexit__(None, None, None))


@pytest.mark.parametrize(
    ("capabilities", "asks"),
    [
        ({}, False),
        ({"elicitation": None}, False),
        ({"elicitation": {}}, True),
        ({"elicitation": {"form": {}}}, True),
        ({"elicitation": {"form": {}, "url": {}}}, True),
        ({"elicitation": {"url": {}}}, False),
    ],
)
def test_a_client_can_ask_if_it_declares_forms(capabilities: dict[str, Any], asks: bool) -> None:
    assert opens_session(initialize(capabilities)) is asks
    assert asks_by_form(ClientCapabilities.model_validate(capabilities)) is asks


@pytest.mark.parametrize(
    "message", [None, [], 7, {}, {"method": "initialize"}, {"method": "initialize", "params": []}, initialize(7), PING]
)
def test_what_is_no_first_message_opens_nothing(message: Any) -> None:
    assert not opens_session(message)


def test_names_and_pages_are_those_of_the_desk_and_of_the_operator() -> None:
    guard = security(["127.0.0.1", "desk.example"], ["https://chat.example", "*"])
    assert {"127.0.0.1", "127.0.0.1:*", "desk.example", "desk.example:*"} == set(guard.allowed_hosts)
    assert {"https://desk.example", "http://127.0.0.1:*", "https://chat.example"} <= set(guard.allowed_origins)
    assert "*" not in guard.allowed_origins
