"""GET /healthz: the process is alive. GET /readyz: it can serve."""

from typing import Literal

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from typing_extensions import TypedDict

from api.dependencies import House
from api.errors import Problem
from checkpoints.database import reachable
from errors import Unavailable

router = APIRouter(tags=["health"])


class Health(TypedDict):
    """`model`: whether one is configured, not whether it answers. `models`: what each one's breaker says.

    `similarity`: whether sentences are compared with examples where no word decides.
    """

    status: Literal["ok"]
    model: Literal["configured", "disabled"]
    models: dict[str, str]
    similarity: Literal["on", "off"]
    parts: dict[str, int]


class Readiness(TypedDict):
    """`read_only`: nothing is changed at present. `disabled_tools`: those that do not run."""

    status: Literal["ready"]
    read_only: bool
    disabled_tools: list[str]


@router.head("/healthz", include_in_schema=False)
@router.get("/healthz", summary="Whether the process is alive", response_model=Health)
async def healthz(house: House) -> Response:
    catalogue = house["catalogue"]
    parts = {
        "agents": len(catalogue.agents),
        "intents": len(catalogue.intents),
        "tools": len(house["registry"]),
        "tenants": len(catalogue.tenants),
    }
    models = house["models"].health()
    model: Literal["configured", "disabled"] = "configured" if models else "disabled"
    similarity: Literal["on", "off"] = "on" if house["similarity"] else "off"
    return JSONResponse(Health(status="ok", model=model, models=models, similarity=similarity, parts=parts))


@router.head("/readyz", include_in_schema=False)
@router.get(
    "/readyz",
    summary="Whether it can serve",
    response_model=Readiness,
    responses={503: {"model": Problem, "description": "Why it cannot"}},
)
async def readyz(house: House) -> Response:
    if reason := await reachable(house["pool"]):
        raise Unavailable(reason)
    stops = await house["switches"].lately()
    return JSONResponse(Readiness(status="ready", read_only=stops.read_only, disabled_tools=sorted(stops.disabled)))
