"""The bodies that requests have."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from checkpoints.run import Strategy
from language.periods import PERIOD_NAMES

ORDER_NO = "20261130001"
THREAD_ID = "0199c0de-7a00-7000-8000-000000000001"
PERIODS = ", ".join(PERIOD_NAMES)


class Body(BaseModel):
    """Keys that it does not know are passed over."""

    model_config = ConfigDict(strict=True)


class Exact(Body):
    """A key that it does not know is a slip of the pen, and refused."""

    model_config = ConfigDict(extra="forbid")


class EditedAction(Exact):
    """The call as it should be made. `name` may be left out and must not change."""

    args: dict[str, Any]
    name: str | None = None


class Decision(Exact):
    """An answer to one action. `edited_action` belongs to an edit, `message` (why not) to a reject."""

    type: Literal["approve", "edit", "reject"]
    edited_action: EditedAction | None = None
    message: Annotated[str, Field(max_length=2000)] | None = None


class ResumeBody(Exact):
    """An answer to the question for a yes that `interrupt` showed: one decision for each of its `action_requests`."""

    interrupt_id: str
    decisions: list[Decision]


class AskBody(Exact):
    """What is wanted: either `message` or `resume`.

    Without `thread_id` a message begins a new thread; `current` goes on with the caller's newest one, or begins one
    where that has rested for too long. `agent`: skips the question which agent is meant. `locale`: of the answer;
    without it that of the message. `extra`: handed to the tools as it is. `on_busy`: where the thread is busy with an
    earlier message, wait behind it, be refused with 409, or stop it first, keeping what it did or taking it back.
    """

    message: str | None = Field(default=None, description="A plain sentence, at most 64 kB as UTF-8")
    resume: ResumeBody | None = None
    thread_id: str | None = Field(default=None, description="A UUID, or `current`; without it a new thread begins")
    agent: str | None = Field(default=None, description="A name of GET /agents")
    model: str | None = Field(default=None, description="A name of config/models.yaml")
    locale: Literal["zh", "en"] | None = None
    extra: dict[str, Any] = Field(default_factory=dict)
    on_busy: Strategy = "enqueue"


ASK_EXAMPLES: dict[str, Any] = {
    "orders of today": {"summary": "Ask in Chinese", "value": {"message": "查一下今天的订单"}},
    "top orders": {
        "summary": "Ask in English",
        "value": {"message": "top three orders from the last 7 days"},
    },
    "go on": {"summary": "Go on in a thread", "value": {"message": "他的订单呢", "thread_id": THREAD_ID}},
    "go on here": {"summary": "Go on where I was", "value": {"message": "他的订单呢", "thread_id": "current"}},
    "write": {"summary": "Ask for a change", "value": {"message": f"把订单 {ORDER_NO} 改成已发货"}},
    "approve": {
        "summary": "Say yes to a change",
        "value": {
            "thread_id": THREAD_ID,
            "resume": {"interrupt_id": "9f8b4c0de1", "decisions": [{"type": "approve"}]},
        },
    },
    "edit": {
        "summary": "Say yes with other arguments",
        "value": {
            "thread_id": THREAD_ID,
            "resume": {
                "interrupt_id": "9f8b4c0de1",
                "decisions": [
                    {
                        "type": "edit",
                        "edited_action": {
                            "name": "update_order_status",
                            "args": {"order_no": ORDER_NO, "status": "cancelled"},
                        },
                    }
                ],
            },
        },
    },
}
RESULT_EXAMPLE: dict[str, Any] = {
    "thread_id": THREAD_ID,
    "run_id": "0199c0de-7a01-7000-8000-000000000002",
    "status": "completed",
    "reply": "今天共有 12 个订单。",
    "cards": [],
    "agent": "business",
    "intents": ["order"],
    "requests": [
        {
            "agent": "business",
            "intent": "order",
            "entities": {
                "period": {"name": "today", "start": "2026-11-30", "end": "2026-11-30"},
                "limit": None,
                "person": None,
            },
        }
    ],
    "entities": {
        "period": {"name": "today", "start": "2026-11-30", "end": "2026-11-30"},
        "limit": None,
        "person": None,
    },
    "decisions": [
        {"level": "route", "value": "business", "source": "keyword", "confidence": 0.95, "reason": "订单"},
        {"level": "intent", "value": ["order"], "source": "keyword", "confidence": 0.9, "reason": "订单"},
        {"level": "tools", "value": ["list_orders"], "source": "keyword", "confidence": 0.9, "reason": "round 1"},
    ],
    "tool_calls": [
        {
            "id": "rules-1-0",
            "tool": "list_orders",
            "arguments": {"start_date": "2026-11-30", "end_date": "2026-11-30"},
            "summary": "今天共有 12 个订单。",
            "elapsed_ms": 3.1,
            "status": "done",
        }
    ],
    "question": None,
    "suggestions": [],
    "task_id": None,
    "interrupt": None,
    "usage": {"model_calls": 0, "input_tokens": 0, "output_tokens": 0},
    "elapsed_ms": 9.7,
}
