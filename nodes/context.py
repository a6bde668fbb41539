"""What one request brings along and nothing keeps: plain data, made by the server."""

from dataclasses import dataclass, field, make_dataclass
from datetime import datetime
from typing import Any, Literal

from typing_extensions import TypedDict

from auth.principal import Principal


class Recording(TypedDict, total=False):
    """What the calls of a turn came to when it was live; keys are `tools.ledger.canonical` of a call.

    `outcomes`: by the arguments that the call was made with, the artifact of its message. `decisions`: by the arguments
    that were asked about, a person's answer.
    """

    outcomes: dict[str, dict[str, Any]]
    decisions: dict[str, dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Context:
    """The server builds it; a client gives `agent`, `model`, `locale` and `extra` alone.

    `agent`: an agent that the caller chose, which skips the route. `model`: a name of config/models.yaml. `locale`:
    None means the language of the message. `clock`: None means now; else an aware time, in the tenant's zone.
    `ends_at`: when the turn's tools have to be done, by the loop's clock; None: nothing but their own limits counts.
    `waited_s`: how far the clock lies back when the run is played. `dropped`: what waited for a yes when something else
    was said, in the words of its question, so that it is not done. `mode`: `replay` never runs a tool and takes what it
    needs from `recorded`.
    """

    principal: Principal = field(default_factory=Principal)
    run_id: str = ""
    agent: str | None = None
    model: str | None = None
    locale: Literal["zh", "en"] | None = None
    clock: datetime | None = None
    ends_at: float | None = None
    waited_s: float = 0.0
    dropped: tuple[str, ...] = ()
    time_zone: str = "Asia/Shanghai"
    extra: dict[str, Any] = field(default_factory=dict)
    mode: Literal["live", "replay"] = "live"
    recorded: Recording = field(default_factory=Recording)


def context_of_default(principal: Principal) -> type[Context]:
    """The same context for requests that bring no principal, as Studio's do: this one calls then."""
    known = [("principal", Principal, field(default_factory=lambda: principal))]
    return make_dataclass("Context", known, bases=(Context,), frozen=True, kw_only=True)
