"""What this caller may ask for: the whitelist that every level of the funnel checks against."""

from auth.principal import Principal
from config.catalogue import Catalogue
from tools.permission import agents_for, allowed
from tools.registry import Registry
from tools.tool import Tool


def usable_intents(
    principal: Principal, catalogue: Catalogue, registry: Registry, *, only: str | None = None
) -> frozenset[str]:
    """The intents whose tool the caller may use; `only` is the agent that the caller chose, if any."""
    found: set[str] = set()
    for agent in agents_for(principal, catalogue.agents.values()):
        if only not in (None, agent.name):
            continue
        tools = {tool.name for tool in allowed(principal, agent, registry)}
        found |= {i.name for i in agent.intents.values() if i.tool is None or i.tool in tools}
    return frozenset(found)


def usable_tools(principal: Principal, catalogue: Catalogue, registry: Registry, agent: str) -> dict[str, Tool]:
    """The tools that the caller may use through one agent, by name; none where it may not talk to the agent."""
    agents = {a.name: a for a in agents_for(principal, catalogue.agents.values())}
    return {tool.name: tool for tool in allowed(principal, agents[agent], registry)} if agent in agents else {}
