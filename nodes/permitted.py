"""What this caller may ask for: the whitelist that every level of the funnel checks against."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from auth.principal import Principal
from config.catalogue import Catalogue
from nodes.context import Recording
from nodes.state import Locale
from tools.coercion import coerce
from tools.ledger import canonical
from tools.permission import agents_for, denied, exists_for, may_talk_to
from tools.registry import Registry
from tools.switches import Stops, Switches
from tools.tool import Tool


def known_intents(principal: Principal, catalogue: Catalogue, *, only: str | None = None) -> frozenset[str]:
    """The intents that rules may recognise: of every agent that there is for this caller, so that one who may not use
    it is told what is missing. `only` is the agent that the caller chose, if any."""
    agents = (agent for agent in catalogue.agents.values() if only in (None, agent.name))
    return frozenset(name for agent in agents if exists_for(principal, agent) for name in agent.intents)


def usable_intents(
    principal: Principal, catalogue: Catalogue, registry: Registry, *, only: str | None = None
) -> frozenset[str]:
    """The intents whose tool the caller may use: what a model is told of, and what examples show."""
    found: set[str] = set()
    for agent in catalogue.agents.values():
        if only not in (None, agent.name) or not may_talk_to(principal, agent):
            continue
        tools = registry.usable(agent.tool_groups, principal.permissions)
        found.update(name for name, intent in agent.intents.items() if intent.tool is None or intent.tool in tools)
    return frozenset(found)


def usable_tools(principal: Principal, catalogue: Catalogue, registry: Registry, agent: str) -> dict[str, Tool]:
    """The tools that the caller may use through one agent, by name; none where it may not talk to the agent."""
    agents = {a.name: a for a in agents_for(principal, catalogue.agents.values())}
    return dict(registry.usable(agents[agent].tool_groups, principal.permissions)) if agent in agents else {}


@dataclass(frozen=True, kw_only=True)
class Refusing:
    """Which calls the executor is going to refuse, whatever a person says: nobody is asked for a yes to those.

    `stops`: what is stopped now. `recorded`: of a replay; what was refused then without a question is so again.
    `now`, `locale`: of the turn, under which its arguments are read.
    """

    principal: Principal
    catalogue: Catalogue
    registry: Registry
    stops: Stops
    recorded: Recording
    now: datetime
    locale: Locale

    def __call__(self, tool: Tool, agent: str, arguments: Mapping[str, Any]) -> bool:
        if self.bars(tool, agent) or self.stops.stopping(tool) is not None or self._was_refused(tool, arguments):
            return True
        return coerce(tool, arguments, now=self.now, locale=self.locale).values is None

    def bars(self, tool: Tool, agent: str) -> bool:
        """Whether the caller lacks what this tool needs."""
        return denied(self.principal, self.catalogue.agents[agent], tool, self.registry) is not None

    def _was_refused(self, tool: Tool, arguments: Mapping[str, Any]) -> bool:
        if not self.recorded:
            return False
        key = canonical(tool.name, arguments)
        outcome = self.recorded.get("outcomes", {}).get(key, {})
        return outcome.get("status") == "refused" and key not in self.recorded.get("decisions", {})


async def stops_for(names: Collection[str], registry: Registry, switches: Switches) -> Stops:
    """What is stopped, where one of these calls would need a yes; nothing is looked at for the others."""
    asking = any(tool.confirm for name in names if (tool := registry.get(name)) is not None)
    return await switches.lately() if asking else Stops()
