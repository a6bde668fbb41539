"""Keeps one MCP server at hand: one task connects, lists its tools, watches, and does so anew when it must."""

import asyncio
import logging
import random
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import anyio
import httpx
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import ClientSession, McpError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from mcp.types import (
    CONNECTION_CLOSED,
    METHOD_NOT_FOUND,
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    ClientRequest,
    Implementation,
    PaginatedRequestParams,
    RequestParams,
    ServerNotification,
    Tool,
    ToolListChangedNotification,
)

from tools.providers.mcp_wire import Guard, Trouble, trouble_of

logger = logging.getLogger(__name__)
FIRST_PAUSE_S, LONGEST_PAUSE_S, STEADY_S = 0.2, 30.0, 10.0
OPEN_S, LIST_S, WAIT_S, LOOK_EVERY_S, LEAST_BETWEEN_S = 10.0, 10.0, 3.0, 60.0, 0.2
CONNECT_S, MARGIN_S = 5.0, 5.0
MAX_BYTES, MOST_TOOLS, MOST_PAGES = 4_000_000, 1_000, 50
CONNECTIONS, KEPT_ALIVE = 32, 8
CLIENT = Implementation(name="frontdesk", version="1")

Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]
Outgoing = MemoryObjectSendStream[SessionMessage]
Wires = AbstractAsyncContextManager[tuple[Incoming, Outgoing]]
Open = Callable[[Callable[[], None]], Wires]
"""Opens the wires to a server; is given what to call where they may be of no more use."""


class Broken(Exception):
    """The server could not be asked, or did not answer; see `trouble`."""

    def __init__(self, trouble: Trouble, message: str) -> None:
        super().__init__(message)
        self.trouble = trouble


@dataclass(frozen=True, kw_only=True)
class _Live:
    """An open session. `over`: set when nothing will come from the server any more. `gone`: set when the server does
    not know it any more."""

    session: ClientSession
    over: asyncio.Event
    gone: asyncio.Event = field(default_factory=asyncio.Event)


def over_http(url: str, headers: Mapping[str, str], longest_s: float) -> Open:
    """`longest_s`: what the longest call may take."""

    @asynccontextmanager
    async def wires(doubt: Callable[[], None]) -> AsyncGenerator[tuple[Incoming, Outgoing]]:
        limits = httpx.Limits(max_connections=CONNECTIONS, max_keepalive_connections=KEPT_ALIVE)
        inner = httpx.AsyncHTTPTransport(limits=limits, trust_env=False)
        guard = Guard(inner, max_bytes=MAX_BYTES, longest_s=longest_s + MARGIN_S, doubt=doubt)
        async with (
            httpx.AsyncClient(
                transport=guard,
                headers={**headers, "accept-encoding": "identity"},
                timeout=httpx.Timeout(longest_s + MARGIN_S, connect=CONNECT_S),
                trust_env=False,
            ) as client,
            streamable_http_client(url, http_client=client) as (read, write, _),
        ):
            yield read, write

    return wires


def over_stdio(command: tuple[str, ...], environment: Mapping[str, str]) -> Open:
    """The program is started for each connection, with only a few variables beside `environment`."""

    @asynccontextmanager
    async def wires(_: Callable[[], None]) -> AsyncGenerator[tuple[Incoming, Outgoing]]:
        program = StdioServerParameters(command=command[0], args=list(command[1:]), env=dict(environment))
        async with stdio_client(program, errlog=sys.stderr) as (read, write):
            yield read, write

    return wires


class Connection:
    """`listed`: awaited with the server's tools after each connection and whenever they may have changed."""

    def __init__(self, name: str, opened: Open, listed: Callable[[list[Tool]], Awaitable[None]]) -> None:
        self.name = name
        self._open, self._listed = opened, listed
        self._live: _Live | None = None
        self._settled = asyncio.Event()
        self._look = asyncio.Event()
        self._lived = False
        self._told = ""

    async def settled(self) -> bool:
        """Whether there is a connection, once an attempt has shown it."""
        await self._settled.wait()
        return self._live is not None

    async def keep(self) -> None:
        """For ever; all that is opened is entered and left in this task."""
        loop, pause_s = asyncio.get_running_loop(), FIRST_PAUSE_S
        while True:
            since, self._lived = loop.time(), False
            try:
                await self._visit()
            except Exception as error:  # noqa: BLE001  whatever another's server does, this task must go on
                self._say(error)
            if not self._lived:
                self._settled.set()
            pause_s = FIRST_PAUSE_S if loop.time() - since > STEADY_S else pause_s
            await asyncio.sleep(pause_s * random.uniform(0.8, 1.2))  # noqa: S311  only spreads the attempts
            pause_s = min(pause_s * 2, LONGEST_PAUSE_S)

    async def call(self, tool: str, arguments: dict[str, Any], meta: dict[str, Any], within_s: float) -> CallToolResult:
        """Asks once; a second time only where the first did not reach the server, because its session was over.

        Raises Broken, and McpError for an error that the server gave.
        """
        params = CallToolRequestParams(name=tool, arguments=arguments, _meta=RequestParams.Meta(**meta))
        request = ClientRequest(CallToolRequest(params=params))
        live = await self._at_hand(within_s)
        try:
            return await self._asked(live, request)
        except Broken as error:
            if error.trouble != "gone":
                raise
        again = await self._at_hand(within_s)
        if again is live:
            raise Broken("gone", "the session is over")
        return await self._asked(again, request)

    async def _visit(self) -> None:
        """One connection, from its beginning to its end."""
        async with self._opened() as live:
            await self._list(live)
            self._live, self._lived = live, True
            self._settled.set()
            if self._told:
                logger.info("MCP server %s: there again", self.name)
            self._told = ""
            try:
                await self._watch(live)
            finally:
                self._live = None
                self._settled.clear()

    @asynccontextmanager
    async def _opened(self) -> AsyncGenerator[_Live]:
        over = asyncio.Event()
        self._look.clear()
        async with self._open(self._doubt) as (read, write), anyio.create_task_group() as group:
            send, receive = anyio.create_memory_object_stream[SessionMessage | Exception](0)
            group.start_soon(self._pass_on, read, send, over)
            async with ClientSession(receive, write, message_handler=self._heard, client_info=CLIENT) as session:
                async with asyncio.timeout(OPEN_S):
                    await session.initialize()
                yield _Live(session=session, over=over)
            group.cancel_scope.cancel()

    async def _pass_on(
        self, read: Incoming, send: MemoryObjectSendStream[SessionMessage | Exception], over: asyncio.Event
    ) -> None:
        """The SDK's session does not tell that its stream has ended."""
        try:
            async for message in read:
                await send.send(message)
        finally:
            over.set()  # before the session hears of it, and wakes those who wait
            self._look.set()
            send.close()
            read.close()

    async def _watch(self, live: _Live) -> None:
        """Until the connection is over; raises where the server no longer answers."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_EVERY_S):
                    await self._look.wait()
            self._look.clear()
            if live.over.is_set() or live.gone.is_set():
                raise Broken("lost", "the connection or its session is over")
            await asyncio.sleep(LEAST_BETWEEN_S)
            await self._list(live)

    async def _list(self, live: _Live) -> None:
        tools: list[Tool] = []
        cursor: str | None = None
        async with asyncio.timeout(LIST_S):
            for _ in range(MOST_PAGES):
                try:
                    page = await live.session.list_tools(params=PaginatedRequestParams(cursor=cursor))
                except McpError as error:
                    if error.error.code != METHOD_NOT_FOUND:
                        raise
                    break
                tools += page.tools
                cursor = page.nextCursor
                if cursor is None or len(tools) >= MOST_TOOLS:
                    break
        await self._listed(tools[:MOST_TOOLS])

    async def _at_hand(self, within_s: float) -> _Live:
        """Waits for an attempt that is under way, for a while."""
        with suppress(TimeoutError):
            async with asyncio.timeout(min(WAIT_S, within_s / 2)):
                await self._settled.wait()
        if self._live is None:
            raise Broken("down", "there is no connection")
        return self._live

    async def _asked(self, live: _Live, request: ClientRequest) -> CallToolResult:
        """Not left waiting where the connection ends: the SDK wakes those who wait only if it ended by itself."""
        asking = asyncio.create_task(live.session.send_request(request, CallToolResult))
        ending = asyncio.create_task(live.over.wait())
        try:
            await asyncio.wait({asking, ending}, return_when=asyncio.FIRST_COMPLETED)
            if not asking.done():
                raise Broken("lost", "the connection broke off")
            return asking.result()
        except McpError as error:
            trouble = trouble_of(error.error)
            if error.error.code == CONNECTION_CLOSED and live.over.is_set():
                trouble = "lost"
            if trouble is None:
                raise
            if trouble == "gone":
                self._forget(live)
            raise Broken(trouble, error.error.message) from error
        except (anyio.ClosedResourceError, anyio.BrokenResourceError) as error:
            raise Broken("down", "the connection is closed") from error
        except ValueError as error:  # pydantic's among them
            raise Broken("rubbish", f"no result of a tool: {type(error).__name__}") from error
        finally:
            for task in (asking, ending):
                task.cancel()
            await asyncio.gather(asking, ending, return_exceptions=True)

    def _forget(self, live: _Live) -> None:
        """Calls that come now wait for another connection."""
        live.gone.set()
        self._look.set()
        if self._live is live:
            self._live = None
            self._settled.clear()

    async def _heard(self, message: Any) -> None:
        if isinstance(message, ServerNotification) and isinstance(message.root, ToolListChangedNotification):
            self._look.set()
        elif isinstance(message, Exception):
            logger.debug("MCP server %s: said something that is no message: %s", self.name, type(message).__name__)

    def _doubt(self) -> None:
        self._look.set()

    def _say(self, error: Exception) -> None:
        """Once for each trouble that follows another, not at every attempt."""
        told = "; ".join(dict.fromkeys(_reasons(error)))[:400]
        if told != self._told:
            logger.warning("MCP server %s: no connection: %s", self.name, told)
        self._told = told


def _reasons(error: BaseException) -> list[str]:
    if isinstance(error, BaseExceptionGroup):
        return [reason for one in error.exceptions for reason in _reasons(one)]
    return [f"{type(error).__name__}: {error}" if str(error) else type(error).__name__]
