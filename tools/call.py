"""One call of a tool: what was planned, for whom it is made, and what became of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from auth.principal import Principal
from config.catalogue import Agent
from tools.tool import Locale, Status


@dataclass(frozen=True, kw_only=True)
class Call:
    """What was planned; `arguments` as a model or the rules wrote them."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Done:
    """A call that was made and may have to be undone. `arguments`: as its tool got them. `data`: what it gave back."""

    id: str
    tool: str
    arguments: Mapping[str, Any]
    data: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Caller:
    """Who calls, under which agent and in which turn. `now`: aware, in the tenant's zone. `source`: who decided it.

    `undoes`: the call that this one undoes, of the desk's own accord: under that one's permission and its yes.

    `recorded`: for a replay, what calls came to when they were live: `ledger.canonical` of a call -> `Outcome.record`.
    """

    principal: Principal
    agent: Agent
    locale: Locale
    now: datetime
    turn_id: str
    source: str
    thread_id: str = ""
    run_id: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    mode: Literal["live", "replay"] = "live"
    recorded: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    undoes: Done | None = None


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of one call. `content`: for the model and for template replies, in the caller's language.

    `card`: {"type", "design", "data"}. `direct`: card or content is the answer, without a model. `arguments`: coerced;
    as given where that failed. `reason`: a short stable word where the status alone does not tell, else "".
    """

    status: Status
    content: str
    data: dict[str, Any] = field(default_factory=dict)
    card: dict[str, Any] | None = None
    direct: bool = False
    arguments: dict[str, Any] = field(default_factory=dict)
    elapsed_ms: float = 0.0
    reason: str = ""

    def record(self) -> dict[str, Any]:
        """As JSON values: what a message carries, what the ledger keeps, and what a replay is given."""
        return {
            "status": self.status,
            "arguments": self.arguments,
            "summary": self.content,
            "data": self.data,
            "card": self.card,
            "direct": self.direct,
            "elapsed_ms": self.elapsed_ms,
            "reason": self.reason,
        }

    @classmethod
    def recorded(cls, record: Mapping[str, Any]) -> "Outcome":
        """The outcome of a call that was made before; to a planner the same as a fresh one."""
        return cls(
            status=record.get("status", "done"),
            content=str(record.get("summary") or ""),
            data=dict(record.get("data") or {}),
            card=record.get("card"),
            direct=bool(record.get("direct")),
            arguments=dict(record.get("arguments") or {}),
            reason="recorded",
        )
