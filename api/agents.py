"""GET /agents: whom this caller may talk to, and what can be asked for."""

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from typing_extensions import TypedDict

from api.dependencies import Caller, House
from config.catalogue import Agent
from nodes.permitted import usable_intents
from tools.permission import agents_for, allowed

router = APIRouter(tags=["desk"])


class ShownIntent(TypedDict):
    """One thing that can be asked for. `description` and `examples` by language."""

    name: str
    description: dict[str, str]
    examples: dict[str, list[str]]
    tool: str | None


class ShownAgent(TypedDict):
    """One agent; `name` is what a request's `agent` may be."""

    name: str
    title: dict[str, str]
    description: dict[str, str]
    intents: list[ShownIntent]
    tools: list[str]


@router.get("/agents", summary="The agents that the caller may talk to", response_model=list[ShownAgent])
async def agents(house: House, caller: Caller) -> Response:
    catalogue, registry = house["catalogue"], house["registry"]
    usable = usable_intents(caller, catalogue, registry)
    shown = [
        _shown(agent, usable, [tool.name for tool in allowed(caller, agent, registry)])
        for agent in agents_for(caller, catalogue.agents.values())
        if not usable.isdisjoint(agent.intents)
    ]
    return JSONResponse(shown)


def _shown(agent: Agent, usable: frozenset[str], tools: list[str]) -> ShownAgent:
    intents = [
        ShownIntent(
            name=intent.name,
            description=intent.description.model_dump(),
            examples=intent.examples.model_dump(mode="json"),
            tool=intent.tool,
        )
        for intent in agent.intents.values()
        if intent.name in usable
    ]
    return ShownAgent(
        name=agent.name,
        title=agent.title.model_dump(),
        description=agent.description.model_dump(),
        intents=intents,
        tools=tools,
    )
