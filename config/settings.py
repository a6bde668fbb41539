"""Everything that the environment can say, read once by the composition root."""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

HERE = Path(__file__).parent
Paths = Annotated[tuple[Path, ...], NoDecode]
Words = Annotated[tuple[str, ...], NoDecode]


class Settings(BaseSettings):
    """Environment variables of the same names in capitals, or a `.env` file. Lists are separated by commas."""

    model_config = SettingsConfigDict(env_file=".env", extra="ignore", frozen=True)

    environment: Literal["development", "production"] = "development"
    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)
    data_dir: Path = Field(default=Path(".frontdesk"), description="where the embedded PostgreSQL lives")
    database_url: SecretStr | None = Field(default=None, description="a PostgreSQL of your own; none: the embedded one")
    database_pool_size: int = Field(default=8, ge=2, le=100)
    redis_url: SecretStr | None = None
    demo: bool | None = Field(default=None, description="seed the demo business; none: only with the embedded database")

    model_base_url: str | None = Field(default=None, description="an OpenAI-compatible endpoint; none: no model")
    model_api_key: SecretStr | None = None
    model_name: str | None = None
    model_vendor: str | None = Field(default=None, description="a vendor of models.yaml; none: by the endpoint's host")
    model_keys: dict[str, SecretStr] = Field(
        default_factory=dict, description="keys of further models of models.yaml by their name there, as JSON"
    )

    config_dir: Path = Field(default=HERE, description="lexicon, models, roles, tenants, cards, prompts")
    agent_dirs: Paths = Field(default=(), description="more folders of agent files")
    tool_dirs: Paths = Field(default=(), description="more folders of tool adapters")
    resources: dict[str, Any] = Field(default_factory=dict, description="what tool adapters need, as JSON")

    cors_origins: Words = ("https://smith.langchain.com", "http://localhost:3000", "http://localhost:5173")
    clock: AwareDatetime | None = Field(default=None, description="pins the clock; development only")
    turn_timeout_s: float = Field(default=30.0, gt=0)
    confirmation_minutes: float = Field(default=10.0, gt=0)
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["console", "json"] = "console"

    @field_validator("agent_dirs", "tool_dirs", "cors_origins", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @property
    def with_demo(self) -> bool:
        return self.database_url is None if self.demo is None else self.demo
