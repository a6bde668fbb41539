"""What one request brings along and nothing keeps: plain data, made by the server."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from auth.principal import Principal


@dataclass(frozen=True, kw_only=True)
class Context:
    """The server builds it; a client gives `agent`, `model`, `locale` and `extra` alone.

    `agent`: an agent that the caller chose, which skips the route. `model`: a name of config/models.yaml. `locale`:
    None means the language of the message. `clock`: None means now; else an aware time, in the tenant's zone. `mode`:
    `replay` never runs a tool.
    """

    principal: Principal = field(default_factory=Principal)
    agent: str | None = None
    model: str | None = None
    locale: Literal["zh", "en"] | None = None
    clock: datetime | None = None
    time_zone: str = "Asia/Shanghai"
    extra: dict[str, Any] = field(default_factory=dict)
    mode: Literal["live", "replay"] = "live"
