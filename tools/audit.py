"""What the executor tells an audit of each call: who made it, what came of it, and nothing secret."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import psycopg

from auth.principal import Principal
from errors import Unavailable
from telemetry.masking import mask, mask_text
from tools.call import Call, Caller, Outcome
from tools.capping import capped, encoded, size
from tools.tool import Status

logger = logging.getLogger(__name__)

LONGEST_RESULT, LONGEST_TEXT, LONGEST_NAME = 300, 500, 120
MOST_ITEMS, DEEPEST, MOST_BYTES = 50, 6, 8_192
# Of a text that is cut, the last word goes with what was cut off: half a secret would not be known as one.
WORD = "".join(map(chr, range(0x21, 0x7F)))
LONGEST_WORD = 64


@dataclass(frozen=True, kw_only=True)
class AuditEntry:
    """One call. `principal`: in whose name. `source`: who decided it. `outcome`: `awaiting` where a yes is asked for.
    `undoes`: the id of the call that this one was made to undo.

    `confirmation`: "asked" (the arguments that a person was shown), "answer" (approve, edit, reject, expired,
    passed_over; absent while nobody answered), "by" (the user who answered), and what else is known of it; None where
    no yes was asked for. Texts are as they came: `columns` masks them.
    """

    principal: Principal
    agent: str
    tool: str
    arguments: Mapping[str, Any]
    source: str
    outcome: Status
    reason: str = ""
    result: str = ""
    confirmation: Mapping[str, Any] | None = None
    elapsed_ms: float = 0.0
    thread_id: str = ""
    turn_id: str = ""
    run_id: str = ""
    call_id: str = ""
    undoes: str = ""

    def columns(self) -> dict[str, Any]:
        """What is kept of it, in JSON's own types: masked, and small."""
        return {
            "tenant_id": self.principal.tenant,
            "user_id": self.principal.user,
            "roles": list(self.principal.roles),
            "thread_id": self.thread_id or None,
            "turn_id": self.turn_id or None,
            "run_id": self.run_id or None,
            "call_id": _text(self.call_id, LONGEST_NAME) or None,
            "undoes": _text(self.undoes, LONGEST_NAME) or None,
            "agent": self.agent,
            "tool": _text(self.tool, LONGEST_NAME),
            "arguments": _small(self.arguments),
            "result": _text(self.result, LONGEST_RESULT),
            "source": self.source,
            "outcome": self.outcome,
            "reason": self.reason,
            "confirmation": None if self.confirmation is None else _small(self.confirmation),
            "elapsed_ms": self.elapsed_ms,
        }


class Audit(Protocol):
    async def record(self, entry: AuditEntry) -> None:
        """Keep it, with the turn's next commit or at once where there is no turn, also where the turn is given up.

        Raises Unavailable where it has to be written at once and the database does not answer.
        """


async def audited(
    audit: Audit | None, call: Call, caller: Caller, confirmation: Mapping[str, Any] | None, outcome: Outcome
) -> None:
    """Record what became of a call. A replay calls nothing, so it has nothing to record.

    Where the database is away the call has ended all the same, and its outcome stands; the log keeps the entry then.
    """
    if audit is None or caller.mode == "replay":
        return
    entry = entry_of(call, caller, confirmation, outcome)
    try:
        await audit.record(entry)
    except (Unavailable, psycopg.Error) as error:
        logger.error("the audit could not be written: %s: %s", type(error).__name__, entry.columns())


def entry_of(call: Call, caller: Caller, confirmation: Mapping[str, Any] | None, outcome: Outcome) -> AuditEntry:
    return AuditEntry(
        principal=caller.principal,
        agent=caller.agent.name,
        tool=call.name,
        arguments=outcome.arguments,
        source=caller.source,
        outcome=outcome.status,
        reason=outcome.reason,
        result=outcome.content,
        confirmation=answered(call, caller, confirmation) if confirmation else None,
        elapsed_ms=outcome.elapsed_ms,
        thread_id=caller.thread_id,
        turn_id=caller.turn_id,
        run_id=caller.run_id,
        call_id=call.id,
        undoes=caller.undoes.id if caller.undoes else "",
    )


def answered(call: Call, caller: Caller, confirmation: Mapping[str, Any]) -> dict[str, Any]:
    """How a person answered. A thread's questions are answered by its owner alone, who is the caller."""
    asked = confirmation.get("asked")
    answer = "expired" if confirmation.get("expired") else str(confirmation.get("type") or "")
    said = {"message": confirmation["message"]} if confirmation.get("message") else {}
    shown = asked if isinstance(asked, Mapping) else call.arguments
    return {"asked": dict(shown), "answer": answer, "by": caller.principal.user, **said}


def _small(value: Mapping[str, Any]) -> dict[str, Any]:
    masked: dict[str, Any] = mask(_cut(value, 0))
    return masked if size(encoded(masked)) <= MOST_BYTES else capped(masked, MOST_BYTES)


def _cut(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return _beginning(value, LONGEST_TEXT)
    if isinstance(value, Mapping):
        items = list(value.items())[:MOST_ITEMS]
        return "…" if depth >= DEEPEST else {key: _cut(item, depth + 1) for key, item in items}
    if isinstance(value, list | tuple):
        return "…" if depth >= DEEPEST else [_cut(item, depth + 1) for item in value[:MOST_ITEMS]]
    return value


def _text(text: str, longest: int) -> str:
    return mask_text(_beginning(text, longest))


def _beginning(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    head, tail = text[: longest - LONGEST_WORD], text[longest - LONGEST_WORD : longest]
    return head + tail.rstrip(WORD).rstrip(" +-0123456789０１２３４５６７８９") + "…"
