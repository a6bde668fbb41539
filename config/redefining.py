"""A catalogue in which one agent is defined otherwise, for a replay: read and checked like the operator's own files."""

from collections.abc import Collection
from dataclasses import replace

from config.bindings import Tools
from config.catalogue import Agent, Catalogue
from config.check import check
from config.loading import Loaded
from config.strict_yaml import did_you_mean, parse_record

GIVEN = "agent"  # how messages name the text that was given


def redefined(catalogue: Catalogue, text: str, tools: Tools, models: Collection[str]) -> Loaded:
    """`text`: the definition as YAML, of which JSON is a part. The agent that it names must be one of the catalogue.

    Each problem names the key. `models`: the names of config/models.yaml. Blocks while it reads.
    """
    read = parse_record(text, Agent, GIVEN)
    agent = read.record
    if agent is None:
        return Loaded(catalogue=None, problems=read.problems)
    if agent.name not in catalogue.agents:
        known = list(catalogue.agents)
        problem = f"{GIVEN}: name: there is no agent {agent.name!r} to replace; there are {', '.join(known)}"
        return Loaded(catalogue=None, problems=(problem + did_you_mean(agent.name, known),))
    made = replace(
        catalogue,
        agents={**catalogue.agents, agent.name: _named(agent)},
        files={**catalogue.files, agent.name: GIVEN},
    )
    problems = check(made, tools, models)
    return Loaded(catalogue=None if problems else made, problems=tuple(problems))


def _named(agent: Agent) -> Agent:
    """Each intent knows its own name and its agent's."""
    intents = {n: i.model_copy(update={"name": n, "agent": agent.name}) for n, i in agent.intents.items()}
    return agent.model_copy(update={"intents": intents})
