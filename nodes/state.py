"""What a thread keeps between steps; plain dicts, so that it reads back as it was written."""

from typing import Annotated, Any, Literal, NotRequired, Required

from langchain_core.messages import AnyMessage, ToolMessage
from langchain_core.messages.tool import ToolCall
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from models.answer import Usage

Level = Literal["route", "intent", "tools"]
Source = Literal["keyword", "chitchat", "fallback", "pending", "inherited", "similarity", "model", "none"]
Locale = Literal["zh", "en"]
UNKNOWN = "unknown"
INTENT = "intent"  # the slot of a question that offers what may have been meant


class Decision(TypedDict):
    """One answer of the funnel. `value`: an agent's name for the route, else a list of intents or of tools. `prompts`:
    of a model's decision, the prompts that it went by with their versions (`classify.md@1a2b3c4d`)."""

    level: Level
    value: str | list[str]
    source: Source
    confidence: float
    reason: str
    prompts: NotRequired[str]


class Request(TypedDict):
    """One thing that a sentence asks for, in spoken order.

    `entities`: slot name to value; identifier slots hold lists. `spans`: the parts of `Turn.text` that ask for it.
    `unresolved`: slots that it cannot go on without, however empty they may be elsewhere: a pronoun that stands for
    nobody (`person`, `order_no`), a date that there is not (`period`; `entities["impossible"]` is what was said), a
    value that is to be left out (`order_status`; `entities["not_order_status"]` lists it). Absent where there are none.
    """

    agent: str
    intent: str
    entities: dict[str, Any]
    spans: list[list[int]]
    unresolved: NotRequired[list[str]]


class Question(TypedDict):
    """A question of ours to the user.

    `slot`: what its answer fills in; `options`: answers offered, if any; `requests`: indices of the requests that wait.
    """

    slot: str
    text: str
    options: list[str]
    requests: list[int]


class Pending(TypedDict):
    """What waits for the answer to a question of ours."""

    requests: list[Request]
    slot: str
    options: list[str]


class Planned(TypedDict):
    """What is known of a planned call besides the call: its agent, who decided it, and whether it needs a yes.

    `stopped`: it is not made, because another step of the plan has failed; absent where it is.
    """

    agent: str
    source: Source
    confirm: bool
    stopped: NotRequired[bool]


class Confirmation(TypedDict, total=False):
    """A person's answer to one call, in the human-in-the-loop schema.

    `expired`: the answer came when the question had run out; only beside a reject.
    """

    type: Required[Literal["approve", "edit", "reject"]]
    edited_action: dict[str, Any]
    message: str
    expired: bool


class Answered(Confirmation, total=False):
    """`asked`: the arguments that the person was shown, to which alone a yes belongs."""

    asked: dict[str, Any]


class Answer(TypedDict):
    """What a resume brings: decisions in the order of the interrupt's `action_requests`; a missing one is a no."""

    decisions: list[Confirmation]


class Turn(TypedDict, total=False):
    """One message and its answer. `pre_route` makes it anew, so every key is there for the other nodes.

    `id`: the id of the human message. `text`: normalised, pronouns resolved. `carried`: slots that the model gave while
    classifying; they fill gaps only. `by_model`: indices of the requests that the model plans. `planned`: the calls of
    this round by id, and of those that are held; `confirmations`: a person's answers to those that need a yes, by id.
    `held`: planned calls that make the next round, because an earlier one does not wait for the yes that they need.
    `left_out`: how many calls were not made because a turn makes no more. `model_finished`: the model calls nothing
    more in this turn. `degraded`: where a model was asked and abstained, and why ("classify: timeout").
    `offered`: what a question about the intent offers, in its order. `requests_left_out`: how many requests of the
    sentence were too many. `entities`: the particulars of a sentence that asks for nothing. `undoing`: there where the
    plan has failed with something done; calls that undo others, by id: the id of the call that each undoes.
    """

    id: str
    text: str
    raw: str
    locale: Locale
    requests: list[Request]
    decisions: list[Decision]
    carried: dict[str, Any]
    by_model: list[int]
    question: Question | None
    suggestions: list[str]
    rounds: int
    capped: bool
    planned: dict[str, Planned]
    held: list[ToolCall]
    left_out: int
    model_finished: bool
    confirmations: dict[str, Answered]
    usage: Usage
    degraded: list[str]
    offered: list[Request]
    requests_left_out: int
    entities: dict[str, Any]
    undoing: dict[str, str]


class Memory(TypedDict, total=False):
    """What outlives a turn. `last_at`: ISO time of the last turn; `entities`: the latest value of each slot.

    `finished`: the last turn finished a write of an agent that starts afresh then, so that its messages do not go on.
    """

    questions: list[str]
    entities: dict[str, Any]
    requests: list[Request]
    pending: Pending | None
    last_at: str
    finished: bool


def turn_with(turn: Turn, change: Turn) -> Turn:
    """A change with an id opens a new turn; any other is laid over it: decisions and faults append, usage adds up."""
    if "id" in change:
        return change
    merged: Turn = {**turn, **change}
    if "decisions" in change:
        merged["decisions"] = [*turn.get("decisions", []), *change["decisions"]]
    if "degraded" in change:
        merged["degraded"] = [*turn.get("degraded", []), *change["degraded"]]
    if "usage" in change and (before := turn.get("usage")):
        merged["usage"] = add_usage(before, change["usage"])
    return merged


def intents_of(turn: Turn) -> list[str]:
    """The intents of a turn in spoken order, once each; a turn that asks for nothing we know is `unknown`."""
    return list(dict.fromkeys(request["intent"] for request in turn["requests"])) or [UNKNOWN]


def add_usage(a: Usage, b: Usage) -> Usage:
    return Usage(
        model_calls=a["model_calls"] + b["model_calls"],
        input_tokens=a["input_tokens"] + b["input_tokens"],
        output_tokens=a["output_tokens"] + b["output_tokens"],
    )


class Input(TypedDict):
    """All that a caller can put into a thread."""

    messages: Annotated[list[AnyMessage], add_messages]


class State(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    summary: str
    memory: Memory
    turn: Annotated[Turn, turn_with]


class Task(TypedDict):
    """What one `Send` carries to `execute`: all that the call needs, since a Send's input replaces the state.

    `agent`: under whose tools the call runs. `recorded`: the answer to the same call made earlier in this turn, given
    again instead of a second call. `stopped`: as in `Planned`. `turn_id` and `source` (of the decision behind the
    call): for records.
    """

    call: ToolCall
    agent: str
    confirmation: Answered | None
    recorded: ToolMessage | None
    stopped: bool
    locale: Locale
    turn_id: str
    source: Source
