"""What a caller may use: asked by classify, plan, the executor, `/agents` and `/tools` alike."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from auth.principal import Principal
from config.catalogue import Agent
from config.roles import permits
from tools.registry import Registry
from tools.tool import Tool


@dataclass(frozen=True, kw_only=True)
class Denied:
    """Why a caller may not make a call, and what it would need.

    `permission`: it lacks this code. `role`: the agent is for these roles. `nothing`: there is no such thing for it,
    which it is not told more of.
    """

    lacks: Literal["permission", "role", "nothing"]
    needs: tuple[str, ...] = ()


def allowed(principal: Principal, agent: Agent, registry: Registry) -> tuple[Tool, ...]:
    """The tools that `principal` may call through `agent`, in the order of its tool groups."""
    if not may_talk_to(principal, agent):
        return ()
    return tuple(registry.usable(agent.tool_groups, principal.permissions).values())


def denied(principal: Principal, agent: Agent, tool: Tool, registry: Registry) -> Denied | None:
    """None: the caller may call `tool` through `agent`."""
    if may_talk_to(principal, agent) and registry.usable(agent.tool_groups, principal.permissions).get(tool.name):
        return None
    if not exists_for(principal, agent) or tool.group not in agent.tool_groups:
        return Denied(lacks="nothing")
    if not may_talk_to(principal, agent):
        return Denied(lacks="role", needs=agent.roles)
    return Denied(lacks="permission", needs=(tool.permission,))


def holds(principal: Principal, code: str) -> bool:
    """Whether the caller has a permission, be it a tool's (`order:write`) or one of the desk's own (`audit`)."""
    return permits(principal.permissions, code)


def agents_for(principal: Principal, agents: Iterable[Agent]) -> tuple[Agent, ...]:
    """The agents that `principal` may talk to, in the order given."""
    return tuple(agent for agent in agents if may_talk_to(principal, agent))


def may_talk_to(principal: Principal, agent: Agent) -> bool:
    """Whether there is such an agent for the caller, and one of its roles is among the agent's, if that names any."""
    return exists_for(principal, agent) and (not agent.roles or not set(agent.roles).isdisjoint(principal.roles))


def exists_for(principal: Principal, agent: Agent) -> bool:
    """An agent that names tenants is theirs alone; any other is everybody's if public, else nobody's."""
    return principal.tenant in agent.tenants if agent.tenants else agent.public
