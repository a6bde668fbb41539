"""Builds models over the scripted server the way the composition root does, with short time limits."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import SecretStr

from config.models import ModelsConfig, Vendor, load_models
from config.settings import Settings
from models.endpoints import Endpoint
from models.registry import Models, build_models

MODELS_YAML = Path(__file__).parents[2] / "config" / "models.yaml"
QUESTION = [SystemMessage("Choose."), HumanMessage("查一下今天的订单 order")]
CHOOSE = {
    "name": "choose",
    "description": "Choose what is wanted.",
    "parameters": {
        "type": "object",
        "properties": {
            "intent": {"type": "string", "enum": ["user", "order", "order.trend"]},
            "limit": {"type": "integer", "minimum": 1, "maximum": 50},
        },
        "required": ["intent"],
    },
}
LIST_ORDERS = {
    "name": "list_orders",
    "description": "List orders.",
    "parameters": {"type": "object", "properties": {"limit": {"type": "integer", "maximum": 50}}},
}
FIND_USERS = {"name": "find_users", "description": "Find users.", "parameters": {"type": "object", "properties": {}}}


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def settings(**given: Any) -> Settings:
    """Settings that neither a file nor the machine's variables for models change."""
    blank: dict[str, Any] = {"model_base_url": None, "model_api_key": None, "model_name": None, "model_vendor": None}
    return Settings(_env_file=None, **{**blank, "model_keys": {}, **given})  # type: ignore[call-arg]  # pydantic-settings


def config(
    *, timeout_s: float = 5.0, models: dict[str, Any] | None = None, vendor: dict[str, Any] | None = None
) -> ModelsConfig:
    """models.yaml with one time limit for all, further models, and a changed generic vendor."""
    given = load_models(MODELS_YAML).model_dump()
    for service in given["purposes"].values():
        service["timeout_s"] = timeout_s
    given["models"] |= models or {}
    given["vendors"]["generic"] |= vendor or {}
    return ModelsConfig.model_validate(given)


def endpoint_at(url: str, vendor: dict[str, Any]) -> Endpoint:
    return Endpoint(name="default", model="fake-1", base_url=url, api_key=None, vendor=Vendor(**vendor))


def models_at(
    url: str, http: httpx.AsyncClient, *, clock: Callable[[], float] | None = None, given: ModelsConfig | None = None
) -> Models:
    chosen = settings(model_base_url=url, model_api_key=SecretStr("sk-test"), model_name="fake-1")
    return build_models(given or config(), chosen, http, clock=clock or Clock())
