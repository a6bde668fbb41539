"""What is known of a running turn: taken from the parts that LangGraph streams, told on as events."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from langchain_core.messages import AIMessageChunk, AnyMessage, ToolMessage
from langgraph.types import Interrupt, StateSnapshot, StreamMode

from graphs.events import Told, asked, decided, finished, said, started, token
from graphs.plain import plain_interrupt
from nodes.conversation import calls, planned_calls, results
from nodes.state import State, Turn
from tools.tool import Status

MODES: list[StreamMode] = ["tasks", "values"]  # with "messages" an answer is told token by token
SPEAKERS = {"chitchat", "plan", "reply"}
CALLING = {"execute", "undo"}


class Progress:
    """`turn_id`: the id of the message that the turn answers; None where a turn goes on that began before.

    `started`: the ids of the calls that were begun.
    """

    def __init__(self, turn_id: str | None) -> None:
        self._turn_id = turn_id
        self._values: State = {}
        self._streamed = ("", "")  # id and text of the message whose tokens came last
        self._answers: dict[str, ToolMessage] = {}
        self.started: set[str] = set()
        self.interrupt: dict[str, Any] | None = None
        self.interrupts: dict[str, list[dict[str, Any]]] = {}

    def take(self, part: Mapping[str, Any]) -> Iterator[Told]:
        """One part of `astream(..., version="v2")` over MODES, as the events that it stands for."""
        if part["type"] == "values":
            self._values = cast("State", part["data"])
        elif part["type"] == "messages":
            yield from self._chunk(*part["data"])
        elif "triggers" in part["data"]:
            yield from self._start(part["data"])
        else:
            yield from self._end(part["data"])

    @property
    def values(self) -> State:
        """The newest state, whatever turn it is of."""
        return self._values

    @property
    def state(self) -> State:
        """The state as far as it is of this turn: an older turn is left out, answers of an unfinished step are in."""
        state = self._values
        if self._turn_id and state.get("turn", Turn()).get("id") != self._turn_id:
            return {}
        newest: dict[str | None, AnyMessage] = {m.id: m for m in self._answers.values()}
        messages = [newest.pop(m.id, m) for m in state.get("messages", [])]
        return {**state, "messages": [*messages, *newest.values()]}

    def begin_with(self, state: StateSnapshot, *, interrupted: bool) -> None:
        """Know what an earlier attempt left; `interrupted`: its open questions are this run's too."""
        self._values = cast("State", state.values)
        if interrupted:
            self.interrupts = {t.id: [plain_interrupt(i) for i in t.interrupts] for t in state.tasks if t.interrupts}
            self.interrupt = next((found[0] for found in self.interrupts.values()), None)

    def unfinished(self, *, waiting: bool) -> dict[str, Status]:
        """What became of calls without an answer: they wait for a yes, or were begun and nobody knows the end."""
        if waiting:
            messages = self._values.get("messages", [])
            last = messages[-1] if messages else None
            return {str(call["id"]): "awaiting" for call in getattr(last, "tool_calls", [])}
        return dict.fromkeys(self.started - self._answers.keys(), "unknown")

    @property
    def is_open(self) -> bool:
        """Whether a call of the turn has no answer."""
        messages = self.state.get("messages", [])
        return len(calls(messages)) > len(results(messages))

    def settle(self, message: ToolMessage) -> Iterator[Told]:
        """Take in an answer that the graph did not give."""
        self._answers[message.tool_call_id] = message
        yield from finished(message)

    def _chunk(self, message: Any, metadata: Mapping[str, Any]) -> Iterator[Told]:
        if isinstance(message, AIMessageChunk) and metadata.get("langgraph_node") == "reply" and message.text:
            key = message.id or ""
            before = self._streamed[1] if self._streamed[0] == key else ""
            self._streamed = (key, before + message.text)
            yield token(message.text, message.id)

    def _start(self, task: Mapping[str, Any]) -> Iterator[Told]:
        if task["name"] == "execute":
            call = task["input"]["call"]
            self.started.add(str(call["id"]))
            yield started(call)
        elif task["name"] == "undo":
            for call in planned_calls(task["input"]["messages"]):
                self.started.add(str(call["id"]))
                yield started(call)

    def _end(self, task: Mapping[str, Any]) -> Iterator[Told]:
        if task["interrupts"]:
            self.interrupts[task["id"]] = [plain_interrupt(Interrupt(**told)) for told in task["interrupts"]]
            self.interrupt = self.interrupts[task["id"]][0]
            yield asked(self.interrupt)
        if task["error"] or not task["result"]:
            return
        yield from decided(task["result"].get("turn") or {})
        messages = task["result"].get("messages") or []
        if task["name"] in CALLING:
            for message in messages:
                self._answers[message.tool_call_id] = message
                yield from finished(message)
        elif task["name"] in SPEAKERS and (answer := said(messages)) and answer.text != self._streamed[1]:
            yield token(answer.text, answer.id)
