"""MCP servers as a source of tools: what they list becomes tools on the operator's terms, what they answer results."""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import psycopg
from mcp import McpError
from mcp.types import (
    INVALID_PARAMS,
    AudioContent,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)
from mcp.types import Tool as Listed
from psycopg_pool import PoolTimeout
from pydantic import ValidationError

from config.mcp import FILE, McpServer, McpToolRule, our_name
from config.strict_yaml import did_you_mean
from errors import ConfigurationError
from tools.faults import Fault
from tools.providers.json_tools import InexpressibleError, json_tool
from tools.providers.lists import Lists
from tools.providers.mcp_connection import Broken, Connection, Open, over_http, over_stdio
from tools.providers.mcp_wire import Trouble
from tools.registry import Registry
from tools.tool import Card, Tool, ToolContext, ToolResult

logger = logging.getLogger(__name__)
ASK_AGAIN_S = 0.5
KEY = "frontdesk/idempotency-key"
ERROR_CHARACTERS = 500
SAID: dict[Trouble, tuple[str, str]] = {
    "down": ("{name} 服务现在连接不上，请稍后再试", "the server {name} cannot be reached now; please try again later"),
    "lost": ("与 {name} 服务的连接中断了", "the connection to the server {name} broke off"),
    "gone": ("{name} 服务现在连接不上，请稍后再试", "the server {name} cannot be reached now; please try again later"),
    "status": ("{name} 服务出错了，请稍后再试", "the server {name} reported an error; please try again later"),
    "rejected": ("{name} 服务没有接受这次调用", "the server {name} did not accept this call"),
    "rubbish": ("{name} 服务的应答无法识别", "the answer of the server {name} cannot be used"),
    "too_much": ("{name} 服务的应答过大", "the answer of the server {name} is too large"),
    "slow": ("{name} 服务没有在规定时间内应答", "the server {name} did not answer in time"),
}  # fmt: skip
AGAIN: frozenset[Trouble] = frozenset({"down", "gone", "lost", "slow", "status"})
NOT_DONE: frozenset[Trouble] = frozenset({"down", "gone", "rejected"})


@dataclass(frozen=True, kw_only=True)
class Offer:
    """`tools`: what can be used. `left_out`: what the operator wants and cannot have, each in a line."""

    tools: tuple[Tool, ...] = ()
    left_out: tuple[str, ...] = ()


class Source:
    """One server: its terms, its connection, and what it listed last. `wires`: how it is reached."""

    def __init__(self, name: str, terms: McpServer, wires: Open, *, registry: Registry, lists: Lists) -> None:
        self.name = name
        self.connection = Connection(name, wires, self.listed)
        self._terms, self._registry, self._lists = terms, registry, lists
        self._listed: tuple[Listed, ...] | None = None
        self._placed: tuple[Listed, ...] | None = None
        self._begun = False

    @property
    def source(self) -> str:
        return f"mcp:{self.name}"

    @property
    def key(self) -> str:
        """Under which its list is kept: of a server at another address nothing is known."""
        return f"{self.source} {self._terms.url or ' '.join(self._terms.command)}"

    async def listed(self, tools: list[Listed]) -> None:
        """Of the server, the tools that the operator wants."""
        self._listed = tuple(tool for tool in tools if tool.name in self._terms.tools)
        if self._begun:
            await self._refresh(self._listed)

    async def begin(self, within_s: float) -> None:
        """Raises ConfigurationError where a tool of it has the name of another one."""
        try:
            async with asyncio.timeout(within_s):
                await self.connection.settled()
        except TimeoutError:
            logger.warning("MCP server %s: no connection within %g s", self.name, within_s)
        kept = None if self._listed is not None else _read(await self._lists.last(self.key))
        # It may have answered while we looked.
        tools, self._begun = self._listed if self._listed is not None else kept, True
        if tools is None:
            logger.error(
                "MCP server %s does not answer, and has never listed its tools: there are none of it", self.name
            )
            return
        if self._listed is None:
            logger.warning("MCP server %s does not answer: its tools are those that it listed last", self.name)
        self._place(tools)
        if self._listed is not None:
            await self._lists.keep(self.key, _written(tools))

    async def _refresh(self, tools: tuple[Listed, ...]) -> None:
        if tools == self._placed:
            return
        try:
            self._place(tools)
            await self._lists.keep(self.key, _written(tools))
        except ConfigurationError as error:
            self._placed = tools  # said once, not every time
            logger.error("the tools of MCP server %s stay as they were: %s", self.name, error)
        except (psycopg.Error, PoolTimeout) as error:
            logger.warning("the tools of MCP server %s could not be kept: %s", self.name, type(error).__name__)

    def _place(self, tools: tuple[Listed, ...]) -> None:
        offer = self.offer(tools)
        for problem in offer.left_out:
            logger.warning("left out: %s", problem)
        self._registry.replace(self.source, offer.tools)
        self._placed = tools
        logger.info("MCP server %s: %s", self.name, ", ".join(tool.name for tool in offer.tools) or "no tools")

    def offer(self, tools: Sequence[Listed]) -> Offer:
        """Whatever the server lists, this does not raise."""
        found = {tool.name: tool for tool in tools}
        made: list[Tool] = []
        left_out: list[str] = []
        for name, rule in self._terms.tools.items():
            if name not in found:
                near = did_you_mean(name, list(found))
                left_out.append(f"{FILE}: servers.{self.name}.tools.{name}: the server has no such tool{near}")
                continue
            try:
                made.append(self._tool(found[name], rule))
            except InexpressibleError as error:
                left_out.append(str(error))
        return Offer(tools=tuple(made), left_out=tuple(left_out))

    def _tool(self, listed: Listed, rule: McpToolRule) -> Tool:
        """Raises InexpressibleError."""
        name = our_name(self.name, listed.name, rule)
        return json_tool(
            name=name,
            description=rule.description or listed.description or listed.title or name.replace("_", " "),
            schema=listed.inputSchema,
            call=partial(self._call, listed.name, rule),
            group=rule.group or self._terms.group,
            permission=self._terms.permission_of(self.name, rule),
            source=self.source,
            effect=rule.effect,
            confirm=rule.needs_yes,
            confirm_text=rule.confirm_text,
            idempotent=rule.idempotent,
            retries=rule.retries,
            timeout_s=rule.timeout_s or self._terms.timeout_s,
            direct=rule.direct,
            cards=(rule.card,) if rule.card else (),
        )

    async def _call(self, tool: str, rule: McpToolRule, ctx: ToolContext, arguments: dict[str, Any]) -> ToolResult:
        """Raises Fault, by which the executor knows whether the call may have been carried out."""
        try:
            answer = await self.connection.call(tool, arguments, {KEY: ctx.idempotency_key}, ctx.deadline_s)
        except Broken as error:
            zh, en = (text.format(name=self.name) for text in SAID[error.trouble])
            raise Fault(
                f"MCP server {self.name}: {error}",
                reason=f"mcp_{error.trouble}",
                said={"zh": zh, "en": en},
                again=error.trouble in AGAIN,
                done=error.trouble not in NOT_DONE,
            ) from error
        except McpError as error:
            said = error.error.message[:ERROR_CHARACTERS] or f"error {error.error.code}"
            return ToolResult(content=said, outcome="refused" if error.error.code == INVALID_PARAMS else "failed")
        return result_of(answer, rule)


@asynccontextmanager
async def open_servers(
    servers: Mapping[str, McpServer], secrets: Mapping[str, str], registry: Registry, lists: Lists, *, within_s: float
) -> AsyncGenerator[None]:
    """Their tools are in `registry` once this is open, if they answer within `within_s` or did so before; they are
    kept there as they change. Raises ConfigurationError for a tool that has the name of another one."""
    sources = [
        Source(name, terms, _wires(terms, secrets), registry=registry, lists=lists) for name, terms in servers.items()
    ]
    tasks = [asyncio.create_task(source.connection.keep(), name=f"mcp {source.name}") for source in sources]
    try:
        ends = asyncio.get_running_loop().time() + within_s
        for source in sources:
            await source.begin(max(ends - asyncio.get_running_loop().time(), 0))
        yield
    finally:
        await _end(tasks)


async def _end(tasks: Sequence[asyncio.Task[None]]) -> None:
    """A connection that fails while it is told to end uses the cancellation up, and has to be told again."""
    while running := [task for task in tasks if not task.done()]:
        for task in running:
            task.cancel()
        await asyncio.wait(running, timeout=ASK_AGAIN_S)


def _wires(terms: McpServer, secrets: Mapping[str, str]) -> Open:
    if terms.url is None:
        return over_stdio(terms.command, {name: secrets[key] for name, key in terms.environment.items()})
    longest_s = max(rule.timeout_s or terms.timeout_s for rule in terms.tools.values())
    return over_http(terms.url, {name: secrets[key] for name, key in terms.headers.items()}, longest_s)


def result_of(answer: CallToolResult, rule: McpToolRule) -> ToolResult:
    """`structuredContent` is the data, and fills the card that the operator named; text is the content."""
    content = "\n".join(filter(None, (_said(block) for block in answer.content)))
    data = answer.structuredContent or {}
    if answer.isError:
        return ToolResult(content=content, data=data, outcome="failed")
    card = Card(type=rule.card, data=data) if rule.card and data else None
    return ToolResult(content=content or (json.dumps(data, ensure_ascii=False) if data else ""), data=data, card=card)


def _said(block: ContentBlock) -> str:
    """What is no text is named, not carried along."""
    match block:
        case TextContent():
            return block.text
        case EmbeddedResource(resource=TextResourceContents() as resource):
            return resource.text
        case EmbeddedResource():
            return f"[{block.resource.mimeType or 'data'}: {block.resource.uri}]"
        case ResourceLink():
            return f"[{block.title or block.name}: {block.uri}]"
        case ImageContent() | AudioContent():
            return f"[{block.mimeType}]"


def _written(tools: Sequence[Listed]) -> list[Any]:
    return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]


def _read(kept: list[Any] | None) -> tuple[Listed, ...] | None:
    try:
        return None if kept is None else tuple(Listed.model_validate(one) for one in kept)
    except ValidationError:
        return None
