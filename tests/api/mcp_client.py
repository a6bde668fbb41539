"""The official MCP client, as somebody."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
from mcp import ClientSession
from mcp.client.session import ElicitationFnT
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, ElicitRequestParams, ElicitResult, TextContent


def identity(user: str = "alex", tenant: str = "acme", roles: str = "operator") -> dict[str, str]:
    return {"X-Dev-User": user, "X-Dev-Tenant": tenant, "X-Dev-Roles": roles}


def saying(said: list[str], action: Any = "accept", **content: Any) -> ElicitationFnT:
    """A person who answers every question like this; `said`: the questions."""

    async def asked(context: Any, params: ElicitRequestParams) -> ElicitResult:
        said.append(params.message)
        return ElicitResult(action=action, content=content or None)

    return asked


@asynccontextmanager
async def mcp_client(
    address: str, headers: dict[str, str] | None = None, elicit: ElicitationFnT | None = None
) -> AsyncIterator[ClientSession]:
    async with (
        httpx.AsyncClient(headers=headers, trust_env=False, timeout=20) as http,
        streamable_http_client(f"{address}/mcp", http_client=http) as (read, write, _),
        ClientSession(read, write, elicitation_callback=elicit) as session,
    ):
        await session.initialize()
        yield session


async def names(session: ClientSession) -> set[str]:
    return {tool.name for tool in (await session.list_tools()).tools}


def text(result: CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


def beside(result: CallToolResult, key: str) -> Any:
    return (result.meta or {}).get(f"frontdesk/{key}")
