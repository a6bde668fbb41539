"""What the audit is told of questions for a yes: that they were asked, passed over, or answered too late."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from auth.principal import Principal
from graphs.live import Live
from tools.audit import AuditEntry
from tools.tool import Status

Json = dict[str, Any]


def asked(live: Live) -> list[AuditEntry]:
    """The calls for which a run leaves a question open."""
    until = (live.progress.interrupt or {}).get("value", {}).get("expires_at")
    return list(_of(live, live.progress.values, "awaiting", "", {"expires_at": until}))


def passed_over(live: Live, values: Mapping[str, Any], *, expired: bool) -> list[AuditEntry]:
    """The calls of an open question that something else was said to. `values`: of the thread, before that."""
    answer = "expired" if expired else "passed_over"
    given = {"answer": answer, "by": live.context.principal.user}
    return list(_of(live, values, "rejected", answer, given))


def too_late(principal: Principal, thread_id: str, values: Mapping[str, Any], *, run_id: str = "") -> list[AuditEntry]:
    """The calls of a question that was answered when it had run out. `values`: a thread's, also as plain JSON."""
    given = {"answer": "expired", "by": principal.user}
    where = {"principal": principal, "thread_id": thread_id, "run_id": run_id}
    return list(_entries(values, outcome="rejected", reason="expired", given=given, **where))


def _of(live: Live, values: Mapping[str, Any], outcome: Status, reason: str, given: Json) -> Iterator[AuditEntry]:
    where = {"principal": live.context.principal, "thread_id": live.thread_id, "run_id": live.run_id}
    return _entries(values, outcome=outcome, reason=reason, given=given, **where)


def _entries(values: Mapping[str, Any], *, given: Json, **columns: Any) -> Iterator[AuditEntry]:
    turn = values.get("turn") or {}
    for call in _calls(values.get("messages") or []):
        planned = turn.get("planned", {}).get(str(call["id"]))
        if planned and planned["confirm"]:
            yield AuditEntry(
                agent=planned["agent"],
                tool=call["name"],
                arguments=call["args"],
                source=planned["source"],
                confirmation={"asked": call["args"], **given},
                turn_id=turn.get("id", ""),
                call_id=str(call["id"]),
                **columns,
            )


def _calls(messages: Sequence[Any]) -> Sequence[Mapping[str, Any]]:
    """Of the newest message, which nobody has answered."""
    last = messages[-1] if messages else {}
    calls: Sequence[Mapping[str, Any]] | None
    calls = last.get("tool_calls") if isinstance(last, Mapping) else getattr(last, "tool_calls", None)
    return calls or ()
