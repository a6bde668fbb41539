"""What became of the calls that a stopped run left without an answer, as far as the ledger knows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from langchain_core.messages import ToolMessage
from langchain_core.messages.tool import ToolCall

from checkpoints.ledger import Effect, LedgerStore
from graphs.live import Live
from nodes.clock import now_of
from nodes.conversation import calls, results
from nodes.execute import answer
from nodes.state import Locale, State, Turn
from nodes.texts import text as said_by_the_desk
from nodes.undoing import MADE, same, undone
from tools.call import Outcome
from tools.coercion import coerce
from tools.ledger import effect_key
from tools.registry import Registry
from tools.texts import attempted, text
from tools.tool import Tool


@dataclass(frozen=True, kw_only=True)
class Unanswered:
    """A sound call of a turn that has no answer. `arguments`: as the tool got them, if it got any. `undoes`: the id of
    the call that it is to undo, if it is one that undoes."""

    call: ToolCall
    agent: str
    tool: Tool
    arguments: dict[str, Any]
    key: str
    undoes: str | None


class Unfinished:
    """Asked only where a run ends before its graph does."""

    def __init__(self, ledger: LedgerStore, registry: Registry) -> None:
        self._ledger, self._registry = ledger, registry

    async def answers(self, live: Live) -> list[ToolMessage]:
        """An answer for each call of the turn whose end can be told: from the ledger, or because it never began.

        What is not committed is not seen. A call of which nothing can be told with certainty gets none.
        """
        state = live.progress.state
        turn = state.get("turn", Turn())
        open_calls = self._open(live, state, turn)
        if not open_calls:
            return []
        rows = await self._ledger.of_run(live.run_id, live.thread_id, [one.key for one in open_calls])
        known = {row.effect_key: row for row in rows}
        strange = self._strange(rows, open_calls, state, turn)
        locale = turn.get("locale") or "en"
        found: list[ToolMessage] = []
        for one in open_calls:
            outcome = _outcome(one, known.get(one.key), locale)
            began = str(one.call["id"]) in live.progress.started
            if one.key in known or (began and one.tool.name not in strange):
                found += _answers(one, outcome, state, turn)
        return found

    def words(self, live: Live) -> list[str]:
        """What the turn's calls with an effect came to: whoever reads that it was stopped must not miss them."""
        state = live.progress.state
        locale = state.get("turn", Turn()).get("locale") or "en"
        made = [(m.text, (m.artifact or {}).get("status")) for m in results(state.get("messages", [])) if self._acts(m)]
        done = [said for said, status in made if status in ("done", "accepted")]
        head = [said_by_the_desk("done_so_far", locale, what="; ".join(done))] if done else []
        return [*head, *(said for said, status in made if status in ("unknown", "undone"))]

    def _acts(self, message: ToolMessage) -> bool:
        tool = self._registry.get(message.name or "")
        return tool is not None and tool.effect

    def _open(self, live: Live, state: State, turn: Turn) -> list[Unanswered]:
        messages = state.get("messages", [])
        answered = {message.tool_call_id for message in results(messages)}
        unanswered = [call for call in calls(messages) if str(call["id"]) not in answered]
        made = (self._made(call, live, turn) for call in unanswered)
        return [one for one in made if one is not None]

    def _made(self, call: ToolCall, live: Live, turn: Turn) -> Unanswered | None:
        tool, planned = self._registry.get(call["name"]), turn.get("planned", {}).get(str(call["id"]))
        if tool is None or planned is None:
            return None
        fitted = coerce(tool, call["args"], now=now_of(live.context), locale=turn["locale"])
        if fitted.values is None:
            return None
        undoes = turn.get("undoing", {}).get(str(call["id"]))
        key = effect_key(turn["id"], tool.name, fitted.arguments, undoes or "")
        return Unanswered(
            call=call, agent=planned["agent"], tool=tool, arguments=fitted.arguments, key=key, undoes=undoes
        )

    def _strange(self, rows: Sequence[Effect], open_calls: Sequence[Unanswered], state: State, turn: Turn) -> set[str]:
        """The tools of rows that belong to none of the calls as they are read here: one of these may be meant."""
        told = [(str(m.name), m.artifact or {}) for m in results(state.get("messages", []))]
        keys = {effect_key(turn["id"], name, a.get("arguments", {}), a.get("undoes") or "") for name, a in told}
        keys |= {one.key for one in open_calls}
        return {row.tool for row in rows if row.effect_key not in keys}


def _answers(one: Unanswered, outcome: Outcome, state: State, turn: Turn) -> list[ToolMessage]:
    """The call's answer, and with it the changed one of the call that it has undone."""
    found = [answer(str(one.call["id"]), one.call["name"], one.agent, outcome, undoes=one.undoes)]
    if one.undoes is not None and outcome.status in MADE:
        before = next(m for m in results(state["messages"]) if m.tool_call_id == one.undoes)
        found += [undone(m, turn) for m in same(state["messages"], before)]
    return found


def _outcome(one: Unanswered, row: Effect | None, locale: Locale) -> Outcome:
    if row is None:
        return Outcome(
            status="not_executed", reason="cancelled", content=text("cancelled", locale), arguments=one.arguments
        )
    if row.status == "started":
        content = text("unknown", locale, what=attempted(one.tool, one.arguments, locale))
        noted = {"ledger_id": row.id}
        return Outcome(status="unknown", reason="cancelled", content=content, data=noted, arguments=one.arguments)
    return _recorded(row.result, one.arguments, row) if row.result else _by_hand(one, row, locale)


def _recorded(record: Mapping[str, Any], arguments: dict[str, Any], row: Effect) -> Outcome:
    """As the call itself ended, a moment too late for its turn."""
    took = row.finished_at - row.started_at if row.finished_at else timedelta()
    return Outcome(
        status=record.get("status", "done"),
        content=str(record.get("summary") or ""),
        data=dict(record.get("data") or {}),
        card=record.get("card"),
        direct=bool(record.get("direct")),
        arguments=dict(record.get("arguments") or arguments),
        elapsed_ms=round(took / timedelta(milliseconds=1), 3),
        reason=str(record.get("reason") or ""),
    )


def _by_hand(one: Unanswered, row: Effect, locale: Locale) -> Outcome:
    """An operator settled it meanwhile, and there is no result to show."""
    done = row.status == "done"
    content = text("settled" if done else "not_done", locale)
    return Outcome(status="done" if done else "failed", reason="recorded", content=content, arguments=one.arguments)
