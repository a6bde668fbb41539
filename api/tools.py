"""GET /tools: what this caller may have done for it."""

from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from typing_extensions import TypedDict

from api.dependencies import Caller, House
from graphs.plain import plain
from tools.permission import agents_for, allowed
from tools.tool import Tool

router = APIRouter(tags=["desk"])


class ShownTool(TypedDict):
    """One tool. `parameters`: a JSON schema. `agents`: through which the caller may use it. `confirm`: needs a yes."""

    name: str
    description: str
    group: str
    agents: list[str]
    permission: str
    effect: bool
    confirm: bool
    idempotent: bool
    direct: bool
    timeout_s: float
    source: str
    parameters: dict[str, Any]


@router.get("/tools", summary="The tools that the caller may use", response_model=list[ShownTool])
async def tools(house: House, caller: Caller) -> Response:
    registry = house["registry"]
    through: dict[str, list[str]] = {}
    for agent in agents_for(caller, house["catalogue"].agents.values()):
        for tool in allowed(caller, agent, registry):
            through.setdefault(tool.name, []).append(agent.name)
    shown = [_shown(registry[name], agents, registry.schema(name)) for name, agents in through.items()]
    return JSONResponse(shown)


def _shown(tool: Tool, agents: list[str], schema: dict[str, Any]) -> ShownTool:
    return ShownTool(
        name=tool.name,
        description=tool.description,
        group=tool.group,
        agents=agents,
        permission=tool.permission,
        effect=tool.effect,
        confirm=tool.confirm,
        idempotent=tool.idempotent,
        direct=tool.direct,
        timeout_s=tool.timeout_s,
        source=tool.source,
        parameters=plain(schema["parameters"]),
    )
