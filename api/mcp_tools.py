"""The caller's tools as MCP clients see and call them: what is listed, how a yes is asked for, how an outcome reads."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

from anyio import CancelScope
from anyio.lowlevel import checkpoint_if_cancelled
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from mcp.types import Tool as McpTool

from auth.principal import Principal
from config.catalogue import Agent, Catalogue
from graphs.plain import plain
from tools.coercion import coerce
from tools.executor import Call, Caller, Executor, Outcome
from tools.permission import agents_for, allowed, exists_for
from tools.texts import question
from tools.tool import Locale, Tool

Ask = Callable[[str, Locale], Awaitable[dict[str, Any] | None]]
"""Asks the person behind a client for a yes: {"type": approve | reject, ...}; None where it could not be asked."""

SOURCE = "mcp"  # who decided on a call that comes by here
META = "frontdesk/"  # before what a result carries beside its content


@dataclass(frozen=True, kw_only=True)
class Offered:
    """A tool, and the agent through which the caller gets it."""

    tool: Tool
    agent: Agent


@dataclass(frozen=True, kw_only=True)
class _Planned:
    """A call as it goes to the executor, with what the person said to it."""

    arguments: Mapping[str, Any]
    confirmation: dict[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class McpTools:
    """`clock`: pinned, None means now. `deadline_s`: for one call, without the time in which a person is asked."""

    catalogue: Catalogue
    executor: Executor
    deadline_s: float
    clock: datetime | None = None

    def offered(self, principal: Principal) -> dict[str, Offered]:
        """Every tool that the caller may use through any agent, each through the first agent that has it."""
        found: dict[str, Offered] = {}
        for agent in agents_for(principal, self.catalogue.agents.values()):
            for tool in allowed(principal, agent, self.executor.registry):
                found.setdefault(tool.name, Offered(tool=tool, agent=agent))
        return found

    def listed(self, principal: Principal, *, can_ask: bool) -> list[McpTool]:
        """`can_ask`: the client can put a question to its person; without that, what needs a yes is not there."""
        tools = (offered.tool for offered in self.offered(principal).values())
        return [self._shown(tool) for tool in tools if can_ask or not tool.confirm]

    async def call(
        self, name: str, arguments: Mapping[str, Any], principal: Principal, ask: Ask | None
    ) -> CallToolResult:
        """`ask`: None for a client that cannot; a call that needs a yes is refused then.

        A call with an effect is brought to its end though nobody waits for it any more. Raises what the executor does.
        """
        offered = self.offered(principal).get(name)
        caller = self._caller(principal, name, offered)
        planned = _Planned(arguments=arguments)
        if offered is not None and offered.tool.confirm and ask is not None:
            planned = await self._confirmed(offered.tool, arguments, caller, ask)
        with CancelScope(shield=offered is not None and offered.tool.effect):
            outcome = await self.executor.run(
                Call(id=caller.turn_id, name=name, arguments=planned.arguments),
                caller,
                confirmation=planned.confirmation,
                deadline_s=self.deadline_s,
            )
        await checkpoint_if_cancelled()  # here, and not where the SDK answers what it has answered already
        return answer(outcome)

    async def _confirmed(self, tool: Tool, arguments: Mapping[str, Any], caller: Caller, ask: Ask) -> _Planned:
        """What is shown is what is carried out; what will be refused anyhow is not asked about."""
        fitted = coerce(tool, arguments, now=caller.now, locale=caller.locale)
        if fitted.values is None or await self.executor.switches.stopping(tool) is not None:
            return _Planned(arguments=arguments)
        said = await ask(question(tool, fitted.arguments, caller.locale), caller.locale)
        if said is None:
            return _Planned(arguments=fitted.arguments)
        return _Planned(arguments=fitted.arguments, confirmation={**said, "asked": fitted.arguments})

    def _caller(self, principal: Principal, name: str, offered: Offered | None) -> Caller:
        """For a tool that is not the caller's too: the executor refuses it, and that is written down."""
        agent = offered.agent if offered else self._refusing(principal, name)
        tenant = self.catalogue.tenants[principal.tenant]
        zone = ZoneInfo(tenant.time_zone)
        return Caller(
            principal=principal,
            agent=agent,
            locale=tenant.locale,
            now=self.clock.astimezone(zone) if self.clock else datetime.now(zone),
            turn_id=f"mcp-{uuid4()}",
            source=SOURCE,
        )

    def _refusing(self, principal: Principal, name: str) -> Agent:
        """Through which a call is refused: one that has the tool, if the caller knows any, so that it is told what it
        lacks."""
        agents, tool = self.catalogue.agents.values(), self.executor.registry.get(name)
        usable = agents_for(principal, agents)
        known = [*usable, *(agent for agent in agents if agent not in usable and exists_for(principal, agent))]
        having = [agent for agent in known if tool is not None and tool.group in agent.tool_groups]
        return next(iter((*having, *known, *agents)))

    def _shown(self, tool: Tool) -> McpTool:
        return McpTool(
            name=tool.name,
            description=tool.description,
            inputSchema=plain(self.executor.registry.schema(tool)["parameters"]),
            annotations=ToolAnnotations(
                readOnlyHint=not tool.effect,
                destructiveHint=tool.confirm,
                idempotentHint=tool.idempotent or not tool.effect,
            ),
        )


def answer(outcome: Outcome) -> CallToolResult:
    """The summary as text, the data as structured content; status, reason and card beside them."""
    beside = {"status": outcome.status, "reason": outcome.reason, "card": outcome.card}
    return CallToolResult(
        content=[TextContent(type="text", text=outcome.content)],
        structuredContent=plain(outcome.data) or None,
        isError=outcome.status not in ("done", "accepted"),
        _meta={f"{META}{key}": plain(value) for key, value in beside.items() if value},
    )
