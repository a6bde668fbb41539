"""Checks what the agents say of their tools: names, groups, arguments, and the fields that chains read."""

from collections.abc import Iterator, Mapping
from typing import Protocol

from pydantic import BaseModel

from config.catalogue import Agent, Catalogue, Chain, Intent
from config.schemas import members, missing_step
from config.strict_yaml import did_you_mean


class ToolFacts(Protocol):
    """What the configuration has to know of a tool. `result`: the model of its data; None means undeclared."""

    @property
    def name(self) -> str: ...
    @property
    def group(self) -> str: ...
    @property
    def permission(self) -> str: ...
    @property
    def arguments(self) -> type[BaseModel]: ...
    @property
    def result(self) -> type[BaseModel] | None: ...


Tools = Mapping[str, ToolFacts]


def against_tools(
    agent: Agent, catalogue: Catalogue, tools: Tools, elsewhere: Mapping[str, str] | None = None
) -> Iterator[str]:
    """Problems of one agent, each `<key path>: <what is wrong>`.

    `elsewhere`: name -> group of tools that may come later, of which no more is known.
    """
    elsewhere = elsewhere or {}
    groups = sorted({*(tool.group for tool in tools.values()), *elsewhere.values()})
    for index, group in enumerate(agent.tool_groups):
        if group not in groups:
            yield f"tool_groups.{index}: no tool is in a group {group!r}{did_you_mean(group, groups)}"
    for intent in agent.intents.values():
        where = f"intents.{intent.name}"
        if intent.tool is not None and intent.tool not in tools and intent.tool in elsewhere:
            if elsewhere[intent.tool] not in agent.tool_groups:
                yield f"{where}.tool: the group of {intent.tool!r} is not one of this agent's tool_groups"
        elif intent.tool is not None:
            yield from (f"{where}.{problem}" for problem in _intent(intent, agent, catalogue, tools))
    for index, chain in enumerate(agent.chains):
        yield from (f"chains.{index}.{problem}" for problem in _chain(chain, catalogue, tools))


def _intent(intent: Intent, agent: Agent, catalogue: Catalogue, tools: Tools) -> Iterator[str]:
    tool = tools.get(str(intent.tool))
    if tool is None:
        yield f"tool: no tool {intent.tool!r}{did_you_mean(intent.tool, list(tools))}"
        return
    if tool.group not in agent.tool_groups:
        yield f"tool: {tool.name!r} is in the group {tool.group!r}, which is not one of this agent's tool_groups"
    for name in intent.arguments:
        if name not in (known := tool.arguments.model_fields):
            yield f"arguments.{name}: {tool.name!r} has no parameter {name!r}{did_you_mean(name, list(known))}"
    yield from _values(intent, catalogue, tool)
    chained = {p for a in catalogue.agents.values() for c in a.chains if c.to == intent.name for p in c.bind}
    for name, info in tool.arguments.model_fields.items():
        if info.is_required() and name not in intent.arguments and name not in chained:
            yield f"arguments: {tool.name!r} requires {name!r}, which nothing fills"
    if intent.empty == "unknown" and tool.result is not None and missing_step(tool.result, "found"):
        yield f"empty: the result of {tool.name!r} has no field 'found' that could be 0"


def _values(intent: Intent, catalogue: Catalogue, tool: ToolFacts) -> Iterator[str]:
    """Values of the lexicon that a parameter bound to them would refuse."""
    for name, binding in intent.arguments.items():
        values = catalogue.lexicon.values.get(binding.source or "", {})
        taken = members(tool.arguments, name) if values and name in tool.arguments.model_fields else None
        for value in values:
            if taken is not None and value not in taken:
                near = did_you_mean(value, sorted(map(str, taken)))
                yield f"arguments.{name}: {tool.name!r} does not take {value!r} of the lexicon{near}"


def _chain(chain: Chain, catalogue: Catalogue, tools: Tools) -> Iterator[str]:
    source, target = _tool_of(chain.source, catalogue, tools), _tool_of(chain.to, catalogue, tools)
    for parameter, path in chain.bind.items():
        if target is not None and parameter not in (known := target.arguments.model_fields):
            near = did_you_mean(parameter, list(known))
            yield f"bind.{parameter}: {target.name!r} has no parameter {parameter!r}{near}"
        if source is not None and source.result is not None and (problem := missing_step(source.result, path)):
            yield f"bind.{parameter}: {path!r} leads nowhere in {source.name!r}: {problem}"


def _tool_of(intent: str, catalogue: Catalogue, tools: Tools) -> ToolFacts | None:
    found = catalogue.intents.get(intent)
    return tools.get(found.tool) if found and found.tool else None


def undeclared(catalogue: Catalogue, tools: Tools) -> Iterator[str]:
    """Chains that cannot be checked, because the tool of their source declares no result."""
    for agent in catalogue.agents.values():
        for index, chain in enumerate(agent.chains):
            source = _tool_of(chain.source, catalogue, tools)
            if source is not None and source.result is None:
                file = catalogue.files.get(agent.name, agent.name)
                yield f"{file}: chains.{index}.bind: {source.name!r} declares no result to check against"
