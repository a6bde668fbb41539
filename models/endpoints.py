"""Joins what models.yaml says of a model with the address, key and name that the settings hold."""

from dataclasses import dataclass, field
from typing import Any

from pydantic import SecretStr

from config.models import ModelEntry, ModelsConfig, Vendor, checked_address
from config.settings import Settings
from errors import ConfigurationError


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """One model that can be asked. `name`: in models.yaml; `model`: what its server calls it.

    `temperature`, `max_tokens`: None means the vendor's way, or what the purpose says.
    """

    name: str
    model: str
    base_url: str
    api_key: SecretStr | None
    vendor: Vendor
    temperature: float | None = None
    max_tokens: int | None = None
    extra_body: dict[str, Any] = field(default_factory=dict)


def endpoints(config: ModelsConfig, settings: Settings) -> dict[str, Endpoint]:
    """The models that have an address; none of them is asked. ConfigurationError names the setting that is wrong."""
    found = {name: _endpoint(name, entry, config, settings) for name, entry in config.models.items()}
    return {name: endpoint for name, endpoint in found.items() if endpoint is not None}


def _endpoint(name: str, entry: ModelEntry, config: ModelsConfig, settings: Settings) -> Endpoint | None:
    base_url, api_key = entry.base_url, settings.model_keys.get(name)
    if base_url is None:
        if not settings.model_base_url:
            return None
        base_url, api_key = _address(settings.model_base_url), api_key or settings.model_api_key
    model = entry.name or settings.model_name
    if not model:
        raise ConfigurationError(f"MODEL_NAME is not set, and models.yaml gives model {name!r} no name")
    vendor = _vendor(entry, config, settings, base_url)
    temperature = vendor.temperature if entry.temperature is None else entry.temperature
    thinking = {} if entry.thinking else vendor.thinking_off
    return Endpoint(
        name=name,
        model=model,
        base_url=base_url,
        api_key=api_key,
        vendor=vendor,
        temperature=temperature,
        max_tokens=entry.max_tokens,
        extra_body={**thinking, **entry.extra_body},
    )


def _address(base_url: str) -> str:
    try:
        return checked_address(base_url)
    except ValueError as error:
        raise ConfigurationError(f"MODEL_BASE_URL: {error}") from error


def _vendor(entry: ModelEntry, config: ModelsConfig, settings: Settings, base_url: str) -> Vendor:
    named = settings.model_vendor if entry.vendor is None and entry.base_url is None else None
    if named is None:
        return config.vendor_of(entry, base_url)
    if named not in config.vendors:
        raise ConfigurationError(f"MODEL_VENDOR: {named!r} is not one of {', '.join(config.vendors)}")
    return config.vendors[named]
