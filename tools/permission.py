"""What a caller may use: asked by classify, plan, the executor, `/agents` and `/tools` alike."""

from collections.abc import Iterable

from auth.principal import Principal
from config.catalogue import Agent
from tools.registry import Registry
from tools.tool import Tool


def allowed(principal: Principal, agent: Agent, registry: Registry) -> tuple[Tool, ...]:
    """The tools that `principal` may call through `agent`, in the order of its tool groups."""
    if not may_talk_to(principal, agent):
        return ()
    return tuple(tool for group in dict.fromkeys(agent.tool_groups) for tool in registry.group(group))


def agents_for(principal: Principal, agents: Iterable[Agent]) -> tuple[Agent, ...]:
    """The agents that `principal` may talk to, in the order given."""
    return tuple(agent for agent in agents if may_talk_to(principal, agent))


def may_talk_to(principal: Principal, agent: Agent) -> bool:
    """An agent that names tenants is theirs alone; any other is everybody's if public, else nobody's."""
    return principal.tenant in agent.tenants if agent.tenants else agent.public
