"""Which chat models there are, what their vendors understand, and which one serves what: config/models.yaml, typed."""

from pathlib import Path
from typing import Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from config.records import Record
from config.strict_yaml import load_record

Purpose = Literal["classify", "plan", "reply", "summary"]
DEFAULT, GENERIC = "default", "generic"


class Vendor(Record):
    """What one vendor's endpoint understands.

    `hosts`: a model without a vendor is of this one if its address has such a host (with its port where one is given).
    `tools`: how calls are asked for; `functions` is the older form, `json` puts the schema into the prompt.
    `tool_choice`: `name` forces one tool, `required` some call, `none` neither. `temperature`: None sends none.
    `thinking_off`: added to a request's body unless the model thinks.
    """

    hosts: tuple[str, ...] = ()
    tools: Literal["tools", "functions", "json", "none"] = "tools"
    tool_choice: Literal["name", "required", "none"] = "name"
    json_mode: bool = False
    stream_usage: bool = False
    max_tokens: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: float | None = 0.0
    thinking_off: dict[str, Any] = Field(default_factory=dict)


class Price(Record):
    """Of a million tokens, in whatever currency; evaluations show it."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)


class ModelEntry(Record):
    """One model. `base_url`, `name`: None means the settings'. `fallbacks`: models asked in turn if this one fails."""

    price: Price | None = None

    vendor: str | None = None
    base_url: str | None = None
    name: str | None = None
    fallbacks: tuple[str, ...] = ()
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=16)
    thinking: bool = False
    extra_body: dict[str, Any] = Field(default_factory=dict)

    @field_validator("base_url")
    @classmethod
    def _an_address(cls, value: str | None) -> str | None:
        return value if value is None else checked_address(value)


class Service(Record):
    """What serves one purpose. `timeout_s`: of a whole call, with its second try and its fallbacks."""

    model: str = DEFAULT
    timeout_s: float = Field(gt=0, le=120)
    max_tokens: int = Field(ge=16)


class BreakerRules(Record):
    """After `failures` in a row a model is not asked for `open_s` seconds; then one call tries."""

    failures: int = Field(default=3, ge=1)
    open_s: float = Field(default=30, gt=0)


class SimilarityRules(Record):
    """How sure the similarity tier has to be, as probabilities. `route`: to take a reading intent where a model could
    be asked, `route_alone`: where none is there or it abstained; `offer`: to be one of the likeliest to choose from."""

    route: float = Field(default=0.8, ge=0, le=1)
    route_alone: float = Field(default=0.6, ge=0, le=1)
    offer: float = Field(default=0.15, ge=0, le=1)


class ModelsConfig(Record):
    vendors: dict[str, Vendor]
    models: dict[str, ModelEntry]
    purposes: dict[Purpose, Service]
    breaker: BreakerRules = BreakerRules()
    similarity: SimilarityRules = SimilarityRules()

    @model_validator(mode="after")
    def _names_exist(self) -> Self:
        problems = [*self._strange_vendors(), *self._strange_models()]
        if GENERIC not in self.vendors:
            problems.append(f"vendors: {GENERIC!r} is missing")
        if DEFAULT not in self.models:
            problems.append(f"models: {DEFAULT!r} is missing")
        if problems:
            raise ValueError("; ".join(problems))
        return self

    def _strange_vendors(self) -> list[str]:
        return [
            f"models.{name}.vendor: {entry.vendor!r} is not one of {', '.join(self.vendors)}"
            for name, entry in self.models.items()
            if entry.vendor is not None and entry.vendor not in self.vendors
        ]

    def _strange_models(self) -> list[str]:
        named = [(f"models.{name}.fallbacks", other) for name, e in self.models.items() for other in e.fallbacks]
        named += [(f"purposes.{purpose}.model", service.model) for purpose, service in self.purposes.items()]
        wanted: tuple[Purpose, ...] = ("classify", "plan", "reply", "summary")
        missing = [f"purposes.{purpose}: is missing" for purpose in wanted if purpose not in self.purposes]
        return missing + [f"{where}: {name!r} is not a model" for where, name in named if name not in self.models]

    def vendor_of(self, entry: ModelEntry, base_url: str) -> Vendor:
        """The vendor that the entry names, else the one with this address's host, else `generic`."""
        if entry.vendor is not None:
            return self.vendors[entry.vendor]
        address = urlsplit(base_url)
        hosts = {address.netloc.rpartition("@")[2].lower(), (address.hostname or "").lower()}
        found = (vendor for vendor in self.vendors.values() if hosts & set(vendor.hosts))
        return next(found, self.vendors[GENERIC])


def checked_address(base_url: str) -> str:
    """The address of an endpoint without a slash at its end; ValueError if it is not one."""
    try:
        address = urlsplit(base_url)
        usable = address.scheme in {"http", "https"} and bool(address.hostname) and address.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ValueError(f"{base_url!r} is not an http or https address")
    return base_url.rstrip("/")


def load_models(path: Path) -> ModelsConfig:
    """Reads models.yaml; ConfigurationError names the file and every key that is wrong."""
    return load_record(path, ModelsConfig, path.name)
