"""What a turn came to, as a caller reads it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, cast

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langchain_core.messages.tool import ToolCall
from typing_extensions import TypedDict

from graphs.plain import plain
from models.answer import Usage
from nodes.conversation import calls, results, this_turn
from nodes.state import Decision, State, Turn, intents_of
from nodes.understanding import shown_entities
from tools.tool import Status

TurnStatus = Literal["completed", "interrupted", "failed"]
NOTHING_USED = Usage(model_calls=0, input_tokens=0, output_tokens=0)


class ShownRequest(TypedDict):
    """One thing that was asked for; `entities` always has `period`, `limit` and `person`."""

    agent: str
    intent: str
    entities: dict[str, Any]


class ShownCard(TypedDict):
    """Something to show. `design`: how, from config/cards; `data`: what."""

    type: str
    design: dict[str, Any]
    data: dict[str, Any]


class ShownCall(TypedDict):
    """One tool call. `elapsed_ms`: 0 where nothing ran."""

    id: str
    tool: str
    arguments: dict[str, Any]
    summary: str
    elapsed_ms: float
    status: Status


class ShownQuestion(TypedDict):
    """A question back; the next message is read as its answer. `slot`: what it fills in."""

    slot: str
    text: str
    options: list[str]


class ShownInterrupt(TypedDict):
    """What waits for a yes: to be answered with a `resume`, one decision for each action, before `expires_at`."""

    id: str
    action_requests: list[dict[str, Any]]
    review_configs: list[dict[str, Any]]
    expires_at: str | None


class TurnResult(TypedDict):
    """`agent` and `entities` are the first request's."""

    thread_id: str
    run_id: str
    status: TurnStatus
    reply: str
    cards: list[ShownCard]
    agent: str | None
    intents: list[str]
    requests: list[ShownRequest]
    entities: dict[str, Any]
    decisions: list[Decision]
    tool_calls: list[ShownCall]
    question: ShownQuestion | None
    suggestions: list[str]
    task_id: str | None
    interrupt: ShownInterrupt | None
    usage: Usage
    elapsed_ms: float


def turn_result(
    state: State,
    *,
    thread_id: str,
    run_id: str,
    status: TurnStatus,
    interrupt: Mapping[str, Any] | None,
    reply: str | None,
    unfinished: Mapping[str, Status],
    elapsed_ms: float,
) -> TurnResult:
    """`state`: of this turn alone, without `turn` where it never opened. `reply`: instead of the graph's own answer.

    `unfinished`: what became of the calls, by id, that have no answer in `state`.
    """
    turn, messages = state.get("turn", Turn()), state.get("messages", [])
    requests = [_request(r) for r in turn.get("requests", [])]
    answers = {m.tool_call_id: m for m in results(messages)}
    made = calls(messages)
    return TurnResult(
        thread_id=thread_id,
        run_id=run_id,
        status=status,
        reply=plain(_reply(messages, interrupt) if reply is None else reply),
        cards=[card for m in answers.values() if (card := card_of(m))],
        agent=requests[0]["agent"] if requests else None,
        intents=intents_of(turn) if turn else [],
        requests=requests,
        entities=requests[0]["entities"] if requests else plain(shown_entities(_particulars(turn))),
        decisions=plain(turn.get("decisions", [])),
        tool_calls=[
            call_of(answers[key]) if (key := str(call["id"])) in answers else _open_call(call, unfinished)
            for call in made
        ],
        question=_question(turn),
        suggestions=plain(turn.get("suggestions", [])),
        task_id=task_of(answers.values()),
        interrupt=interrupt_of(interrupt) if interrupt else None,
        usage=turn.get("usage", NOTHING_USED),
        elapsed_ms=round(elapsed_ms, 1),
    )


def call_of(message: ToolMessage) -> ShownCall:
    """One call as its answer tells it."""
    told = message.artifact or {}
    return ShownCall(
        id=message.tool_call_id,
        tool=message.name or "",
        arguments=plain(told.get("arguments", {})),
        summary=plain(told.get("summary", message.text)),
        elapsed_ms=round(told.get("elapsed_ms", 0.0), 1),
        status=told.get("status", "done" if message.status == "success" else "failed"),
    )


def task_of(answers: Iterable[ToolMessage]) -> str | None:
    """The number of the background task that this turn put in; of several, the last one's."""
    told = [m.artifact or {} for m in answers]
    numbers = [one.get("data", {}).get("task_id") for one in told if one.get("status") == "accepted"]
    return str(numbers[-1]) if numbers else None


def card_of(message: ToolMessage) -> ShownCard | None:
    """What was undone is not shown."""
    told = message.artifact or {}
    card = told.get("card") if told.get("status") != "undone" else None
    return ShownCard(type=card["type"], design=plain(card["design"]), data=plain(card["data"])) if card else None


def interrupt_of(interrupt: Mapping[str, Any]) -> ShownInterrupt:
    """`interrupt`: {"id", "value"}, as LangGraph tells it."""
    value = plain(interrupt["value"])
    return ShownInterrupt(
        id=interrupt["id"],
        action_requests=value["action_requests"],
        review_configs=value["review_configs"],
        expires_at=value.get("expires_at"),
    )


def _open_call(call: ToolCall, unfinished: Mapping[str, Status]) -> ShownCall:
    key = str(call["id"])
    status = unfinished.get(key, "not_executed")
    return ShownCall(
        id=key, tool=call["name"], arguments=plain(call["args"]), summary="", elapsed_ms=0.0, status=status
    )


def _request(request: Mapping[str, Any]) -> ShownRequest:
    entities = plain(shown_entities(request["entities"]))
    return ShownRequest(agent=request["agent"], intent=request["intent"], entities=entities)


def _particulars(turn: Turn) -> dict[str, Any]:
    """What the rules read in a text that asks for nothing we know."""
    return cast("dict[str, Any]", turn).get("entities") or {}


def _question(turn: Turn) -> ShownQuestion | None:
    question = turn.get("question")
    if not question:
        return None
    return ShownQuestion(slot=question["slot"], text=question["text"], options=plain(question["options"]))


def _reply(messages: Sequence[AnyMessage], interrupt: Mapping[str, Any] | None) -> str:
    """The graph's last words of this turn; where it waits for a yes, what it asks."""
    if interrupt:
        return "\n".join(str(action.get("description") or "") for action in interrupt["value"]["action_requests"])
    said = (m.text for m in reversed(this_turn(messages)) if isinstance(m, AIMessage) and not m.tool_calls)
    return next(said, "")
