"""Everything that the environment can say, read once by the composition root."""

import re
from contextlib import suppress
from datetime import datetime
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AwareDatetime, Field, SecretStr, ValidationInfo, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

HERE = Path(__file__).parent
Paths = Annotated[tuple[Path, ...], NoDecode]
Words = Annotated[tuple[str, ...], NoDecode]
SCHEMES = {
    "database_url": ("postgresql://", "postgres://"),
    "redis_url": ("redis://", "rediss://", "unix://"),
}
Age = Annotated[float, Field(ge=0, le=100_000)]


class Settings(BaseSettings):
    """Environment variables of the same names in capitals, or a `.env` file. Lists are separated by commas."""

    model_config = SettingsConfigDict(env_file=".env", extra="ignore", frozen=True)

    environment: Literal["development", "production"] = "development"
    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)
    data_dir: Path = Field(default=Path(".frontdesk"), description="where the embedded PostgreSQL lives")
    database_url: SecretStr | None = Field(default=None, description="a PostgreSQL of your own; none: the embedded one")
    database_pool_size: int = Field(default=8, ge=2, le=100)
    redis_url: SecretStr | None = Field(default=None, description="needed by several processes; none: one process")
    demo: bool | None = Field(default=None, description="seed the demo business; none: only with the embedded database")

    model_base_url: str | None = Field(default=None, description="an OpenAI-compatible endpoint; none: no model")
    model_api_key: SecretStr | None = None
    model_name: str | None = None
    model_vendor: str | None = Field(default=None, description="a vendor of models.yaml; none: by the endpoint's host")
    model_keys: dict[str, SecretStr] = Field(
        default_factory=dict, description="keys of further models of models.yaml by their name there, as JSON"
    )

    similarity: bool = Field(default=True, description="compare sentences with examples, where the tier is installed")

    config_dir: Path = Field(default=HERE, description="lexicon, models, roles, tenants, cards, prompts")
    agent_dirs: Paths = Field(default=(), description="more folders of agent files")
    tool_dirs: Paths = Field(default=(), description="more folders of tool adapters")
    resources: dict[str, Any] = Field(default_factory=dict, description="what tool adapters need, as JSON")

    function_centre_url: str | None = Field(default=None, description="serves functions of the business")
    function_centre_token: SecretStr | None = Field(default=None, description="what callers of the centre present")
    function_centre_connect_s: float = Field(default=10.0, gt=0, le=300, description="seconds for a connection to it")
    function_centre_read_s: float = Field(default=30.0, gt=0, le=3_600, description="seconds that it may be silent for")
    function_centre_max_bytes: int = Field(default=1_000_000, ge=1_000, le=100_000_000, description="of one answer")
    function_centre_every_s: float = Field(default=60.0, ge=1, le=86_400, description="how often it is asked for them")
    function_centre_port: int = Field(default=8010, ge=0, le=65535, description="of `frontdesk function-centre`")

    mcp_hosts: Words = Field(default=(), description="names, beside loopback, by which clients reach /mcp")
    mcp_secrets: dict[str, SecretStr] = Field(
        default_factory=dict, description="what mcp.yaml names and does not hold, such as headers with keys, as JSON"
    )

    cors_origins: Words = ("https://smith.langchain.com", "http://localhost:3000", "http://localhost:5173")
    clock: AwareDatetime | None = Field(default=None, description="pins the clock; development only")
    read_only: bool = Field(default=False, description="no tool that changes anything runs")
    disabled_tools: Words = Field(default=(), description="tools that do not run")
    max_tool_calls: int = Field(default=16, ge=1, le=1_000, description="calls of tools that one process makes at once")
    max_model_calls: int = Field(default=32, ge=1, le=1_000, description="calls of models that one process has open")
    turn_timeout_s: float = Field(default=30.0, gt=0, le=3_600)
    lease_s: float = Field(default=10.0, gt=0, le=300, description="how long a run stays with a process that is silent")
    renew_s: float = Field(default=3.0, gt=0, le=150, description="how often a process says that it is there")
    sweep_s: float = Field(default=5.0, gt=0, le=3_600, description="how often runs are looked for that nobody plays")
    drain_s: float = Field(default=8.0, ge=0, le=3_600, description="how long a stopping process waits for its turns")
    worker: bool = Field(default=True, description="this process does background tasks as well")
    task_concurrency: int = Field(default=2, ge=1, le=50, description="background tasks that one process does at once")
    task_stalled_s: float = Field(
        default=30.0, ge=0.2, le=3_600, description="how long a background task stays with a worker that is silent"
    )
    keep_events_minutes: float = Field(
        default=5.0, gt=0, le=1_440, description="how long a turn's events can be read again"
    )
    confirmation_minutes: float = Field(default=10.0, gt=0, le=1_440)
    keep_checkpoints_days: Age = Field(default=30.0, description="how long every step is kept; 0: for ever")
    keep_transcripts_days: Age = Field(default=365.0, description="questions, answers, results; 0: for ever")
    keep_audit_days: Age = Field(default=730.0, description="which calls were made; 0: for ever")
    keep_tasks_days: Age = Field(default=90.0, description="background tasks that are over; 0: for ever")
    keep_threads_days: Age = Field(default=0.0, description="threads that nobody used since; 0: for ever")
    prune_every_hours: Age = Field(default=24.0, description="how often the desk prunes by itself; 0: never")
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["console", "json"] = "console"

    @field_validator("agent_dirs", "tool_dirs", "cors_origins", "mcp_hosts", "disabled_tools", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @field_validator("host")
    @classmethod
    def _only_loopback(cls, host: str) -> str:
        """Until identity arrives, whoever can reach the port can be anybody."""
        with suppress(ValueError):
            if host == "localhost" or ip_address(host).is_loopback:
                return host
        raise ValueError(f"{host!r} is not loopback; use 127.0.0.1, requests are not identified yet")

    @field_validator("database_url", "redis_url")
    @classmethod
    def _url(cls, value: SecretStr | None, info: ValidationInfo) -> SecretStr | None:
        schemes = SCHEMES[str(info.field_name)]
        if value is not None and not value.get_secret_value().startswith(schemes):
            raise ValueError(f"must begin with {' or '.join(schemes)}")
        return value

    @field_validator("function_centre_url")
    @classmethod
    def _plain_address(cls, value: str | None) -> str | None:
        """Nothing in it but where it is: credentials are a setting of their own, which no log shows."""
        if value is None:
            return None
        with suppress(ValueError):
            parts = urlsplit(value)
            usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
            if usable and not (parts.query or parts.fragment or "@" in parts.netloc):
                return value.rstrip("/")
        raise ValueError("must be an http or https address without user, query and fragment")

    @field_validator("function_centre_token")
    @classmethod
    def _fit_for_a_header(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not re.fullmatch(r"[\x21-\x7e]+", value.get_secret_value()):
            raise ValueError("must be printable ASCII without blanks")
        return value

    @field_validator("clock")
    @classmethod
    def _pinned(cls, clock: datetime | None, info: ValidationInfo) -> datetime | None:
        if clock is not None and info.data.get("environment") == "production":
            raise ValueError("pins the clock in development only")
        return clock

    @model_validator(mode="after")
    def _in_time(self) -> Self:
        if self.renew_s * 2 > self.lease_s:
            raise ValueError("RENEW_S must be at most half of LEASE_S, or one late renewal loses every run")
        return self

    @property
    def kept_days(self) -> dict[str, float | None]:
        """How long each is kept, by what it is; None: for ever."""
        return {
            "checkpoints_days": self.keep_checkpoints_days or None,
            "transcripts_days": self.keep_transcripts_days or None,
            "audit_days": self.keep_audit_days or None,
            "tasks_days": self.keep_tasks_days or None,
            "threads_days": self.keep_threads_days or None,
        }

    @property
    def function_centre(self) -> dict[str, Any] | None:
        """Where it is and how it is asked; None: there is none."""
        token = self.function_centre_token
        if self.function_centre_url is None:
            return None
        return {
            "url": self.function_centre_url,
            "token": token.get_secret_value() if token else None,
            "connect_s": self.function_centre_connect_s,
            "read_s": self.function_centre_read_s,
            "max_bytes": self.function_centre_max_bytes,
            "every_s": self.function_centre_every_s,
        }

    @property
    def with_demo(self) -> bool:
        return self.database_url is None if self.demo is None else self.demo
