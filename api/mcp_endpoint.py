"""Our own MCP server: who is served with a session and who without one, and for how long."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, cast

import anyio
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import McpError
from mcp.types import (
    INTERNAL_ERROR,
    CallToolRequest,
    ClientCapabilities,
    ErrorData,
    ListToolsRequest,
    ListToolsResult,
    ServerResult,
)
from starlette.types import Receive, Scope, Send
from structlog.contextvars import bound_contextvars

from api.body import MAX_BODY_BYTES
from api.errors import INTERNAL, refusal
from api.mcp_tools import McpTools
from auth.principal import Principal
from tools.tool import Locale

logger = logging.getLogger(__name__)
VISIT = "frontdesk.visit"
SESSION_ID = "mcp-session-id"
MAX_SESSIONS, IDLE_S = 1_000, 15 * 60.0
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
INSTRUCTIONS = (
    "The tools of a front desk for business systems, as far as this caller may use them. Dates, counts and names may "
    "be given as people write them; what does not fit is refused with a sentence that says how to put it right."
)
CONFIRM: dict[Locale, tuple[str, str]] = {
    "zh": ("确认执行", "选“是”才会执行"),
    "en": ("Carry it out", "It is carried out only if you say yes"),
}


@dataclass(frozen=True, kw_only=True)
class Visit:
    """Who sent a request. `request_id`: of that HTTP request, for the log."""

    principal: Principal
    request_id: str | None = None


class McpEndpoint:
    """Serves `/mcp`; `running` has to be open.

    A client that can put questions to its person (it declares elicitation) gets a session, which lives in this process
    and belongs to the caller who opened it: a question and its answer are two requests. All others are served without
    one, each request by itself, so that any process can answer. `hosts`: names, beside loopback, under which the desk
    is reached; a request to any other name is refused, as it comes from a page that had its own name rebound to us.
    `confirm_s`: how long a question waits for its answer.
    """

    def __init__(
        self,
        tools: McpTools,
        *,
        version: str,
        hosts: Sequence[str],
        origins: Sequence[str],
        confirm_s: float,
        max_sessions: int = MAX_SESSIONS,
        idle_s: float = IDLE_S,
    ) -> None:
        self._tools = tools
        self._confirm_s = confirm_s
        self._any_origin = "*" in origins
        self._server: Server[Any, Any] = Server("frontdesk", version=version, instructions=INSTRUCTIONS)
        # Not by the SDK's decorators: they check arguments before we can read them, against whatever was listed last,
        # be it another caller's.
        self._server.request_handlers[ListToolsRequest] = self._list
        self._server.request_handlers[CallToolRequest] = self._call
        guard = security([*LOOPBACK, *hosts], origins)
        self._plain = StreamableHTTPSessionManager(
            self._server,
            stateless=True,
            json_response=True,
            security_settings=guard,
            max_request_body_size=MAX_BODY_BYTES,
        )
        self._sessions = StreamableHTTPSessionManager(
            self._server,
            security_settings=guard,
            max_request_body_size=MAX_BODY_BYTES,
            max_sessions=max_sessions,
            session_idle_timeout=idle_s,
        )

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Open while requests come; at its end calls with an effect are brought to theirs.

        The SDK's task groups must be left by the task that entered them, and whoever opens this may not be the one that
        closes it; so they live in a task of their own.
        """
        opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        over = asyncio.Event()

        async def keep() -> None:
            async with self._plain.run(), self._sessions.run():
                opened.set_result(None)
                await over.wait()

        keeping = asyncio.create_task(keep())
        await asyncio.wait({keeping, opened}, return_when=asyncio.FIRST_COMPLETED)
        try:
            yield
        finally:
            over.set()
            await keeping

    async def serve(self, scope: Scope, receive: Receive, send: Send, visit: Visit, message: Any) -> None:
        """One HTTP request. `message`: the JSON of its body, None where it has none."""
        headers = [pair for pair in scope["headers"] if not (self._any_origin and pair[0] == b"origin")]
        named = any(name == SESSION_ID.encode() for name, _ in headers)
        manager = self._sessions if named or opens_session(message) else self._plain
        caller = {"user": _owner(visit.principal), VISIT: visit, "headers": headers}
        await manager.handle_request({**scope, **caller}, receive, send)

    async def _list(self, _: ListToolsRequest) -> ServerResult:
        async def listed(visit: Visit) -> ListToolsResult:
            return ListToolsResult(tools=self._tools.listed(visit.principal, can_ask=self._can_ask()))

        return await self._answered(listed)

    async def _call(self, request: CallToolRequest) -> ServerResult:
        async def called(visit: Visit) -> Any:
            ask = self._ask if self._can_ask() else None
            asked = request.params
            return await self._tools.call(asked.name, asked.arguments or {}, visit.principal, ask)

        return await self._answered(called)

    async def _answered(self, work: Callable[[Visit], Awaitable[Any]]) -> ServerResult:
        """The SDK would send the text of any exception to the client."""
        visit = cast("Visit", cast("Any", self._server.request_context.request).scope[VISIT])
        with bound_contextvars(request_id=visit.request_id):
            try:
                return ServerResult(await work(visit))
            except Exception as error:
                _, detail = refusal(error)
                if detail == INTERNAL:
                    logger.exception("unexpected")
                raise McpError(ErrorData(code=INTERNAL_ERROR, message=detail)) from error

    def _can_ask(self) -> bool:
        params = self._server.request_context.session.client_params
        return params is not None and asks_by_form(params.capabilities)

    async def _ask(self, message: str, locale: Locale) -> dict[str, Any] | None:
        """Only a plain yes is one: whoever closes the question or leaves its box empty has not agreed."""
        title, description = CONFIRM[locale]
        schema = {
            "type": "object",
            "properties": {"confirm": {"type": "boolean", "title": title, "description": description}},
            "required": ["confirm"],
        }
        context = self._server.request_context
        try:
            with anyio.fail_after(self._confirm_s):
                said = await context.session.elicit_form(message, schema, related_request_id=context.request_id)
        except TimeoutError:
            return {"type": "reject", "expired": True}
        except McpError as error:
            logger.warning("a client that declares elicitation did not ask: %s", error.error.message[:200])
            return None
        agreed = said.action == "accept" and (said.content or {}).get("confirm") is True
        return {"type": "approve" if agreed else "reject"}


def asks_by_form(capabilities: ClientCapabilities) -> bool:
    """Whether the client can ask its person a question of ours."""
    declared = capabilities.elicitation
    return declared is not None and _by_form(declared.form, declared.url)


def opens_session(message: Any) -> bool:
    """Whether this is the first message of a client that can ask."""
    if not isinstance(message, dict) or message.get("method") != "initialize":
        return False
    params = message.get("params")
    capabilities = params.get("capabilities") if isinstance(params, dict) else None
    declared = capabilities.get("elicitation") if isinstance(capabilities, dict) else None
    return isinstance(declared, dict) and _by_form(declared.get("form"), declared.get("url"))


def security(hosts: Iterable[str], origins: Sequence[str]) -> TransportSecuritySettings:
    """The names that a request may be sent to, and the pages that it may come from: ours, and those of `origins`."""
    names = tuple(dict.fromkeys(hosts))
    own = [f"{scheme}://{name}{port}" for scheme in ("http", "https") for name in names for port in ("", ":*")]
    return TransportSecuritySettings(
        allowed_hosts=[f"{name}{port}" for name in names for port in ("", ":*")],
        allowed_origins=[*own, *(origin for origin in origins if origin != "*")],
    )


def _by_form(form: object, url: object) -> bool:
    """An empty declaration means by a form."""
    return form is not None or url is None


def _owner(principal: Principal) -> AuthenticatedUser:
    """By which the SDK tells whose session it is."""
    token = AccessToken(token="", client_id=principal.tenant, subject=principal.user, scopes=[])
    return AuthenticatedUser(token)
