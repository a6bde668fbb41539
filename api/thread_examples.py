"""Examples of requests about threads and of their answers, for the OpenAPI page."""

from typing import Any

from api.schemas import RESULT_EXAMPLE, THREAD_ID

RUN_ID = "0199c0de-7a01-7000-8000-000000000002"
MESSAGE_ID = "0199c0de-7a01-7000-8000-000000000001"
CHECKPOINT_ID = "1f1ecb4d-dbaa-6a0f-8001-da831e8c78e3"
EARLIER_ID = "1f1ecb4d-db5e-6409-8000-cfa6a395c76c"
BEGAN, ENDED = "2026-11-30T11:54:57.361455+00:00", "2026-11-30T11:54:57.386021+00:00"

HISTORY_EXAMPLES: dict[str, Any] = {
    "newest": {"summary": "The newest states", "value": {"limit": 10}},
    "older": {"summary": "What is older than a checkpoint", "value": {"limit": 10, "before": CHECKPOINT_ID}},
    "inputs": {"summary": "Where turns began", "value": {"metadata": {"source": "input"}}},
}
SEARCH_EXAMPLES: dict[str, Any] = {
    "newest": {"summary": "The threads that moved last", "value": {"limit": 10}},
    "waiting": {"summary": "Threads that wait for a yes", "value": {"status": "interrupted"}},
    "page": {
        "summary": "The second page, by name alone",
        "value": {"limit": 20, "offset": 20, "sort_by": "created_at", "select": ["thread_id", "metadata"]},
    },
    "client": {"summary": "As a chat client asks", "value": {"metadata": {"graph_id": "frontdesk"}, "limit": 100}},
}
STATE_EXAMPLES: dict[str, Any] = {
    "newest": {"summary": "The newest state", "value": {"checkpoint": {"thread_id": THREAD_ID}}},
    "earlier": {"summary": "An earlier one", "value": {"checkpoint": {"checkpoint_id": CHECKPOINT_ID}}},
}
COPY_EXAMPLES: dict[str, Any] = {
    "now": {"summary": "As it stands", "value": {}},
    "earlier": {"summary": "As it stood at a checkpoint", "value": {"checkpoint_id": CHECKPOINT_ID}},
}

_LABELS = {"graph_id": "frontdesk", "assistant_id": "bc32790d-9438-5ac2-af8d-9172f09223c2"}
_MESSAGE = {"type": "human", "content": "查一下今天的订单", "id": MESSAGE_ID, "name": None}
_VALUES: dict[str, Any] = {"messages": [{**_MESSAGE, "additional_kwargs": {}, "response_metadata": {}}]}
THREAD_EXAMPLE: dict[str, Any] = {
    "thread_id": THREAD_ID,
    "created_at": BEGAN,
    "updated_at": ENDED,
    "state_updated_at": ENDED,
    "metadata": {**_LABELS, "title": "查一下今天的订单"},
    "status": "idle",
    "config": {},
    "values": _VALUES,
    "error": None,
    "interrupts": {},
}
STATE_EXAMPLE: dict[str, Any] = {
    "values": _VALUES,
    "next": [],
    "tasks": [],
    "metadata": {**_LABELS, "source": "loop", "step": 6, "parents": {}, "run_id": RUN_ID, "thread_id": THREAD_ID},
    "created_at": ENDED,
    "checkpoint": {"checkpoint_id": CHECKPOINT_ID, "thread_id": THREAD_ID, "checkpoint_ns": ""},
    "parent_checkpoint": {"checkpoint_id": EARLIER_ID, "thread_id": THREAD_ID, "checkpoint_ns": ""},
    "interrupts": [],
    "checkpoint_id": CHECKPOINT_ID,
    "parent_checkpoint_id": EARLIER_ID,
}
RUN_EXAMPLE: dict[str, Any] = {
    "run_id": RUN_ID,
    "thread_id": THREAD_ID,
    "assistant_id": _LABELS["assistant_id"],
    "metadata": {"created_by": "system", **_LABELS},
    "status": "success",
    "kwargs": {
        "input": {"messages": [{"role": "user", "content": "查一下今天的订单", "id": MESSAGE_ID}]},
        "command": None,
        "durability": "sync",
    },
    "multitask_strategy": "enqueue",
    "created_at": BEGAN,
    "updated_at": ENDED,
    "langsmith_session_name": None,
}
TURN_EXAMPLE: dict[str, Any] = {
    "turn_id": MESSAGE_ID,
    "status": "completed",
    "question": "查一下今天的订单",
    "answer": RESULT_EXAMPLE["reply"],
    "locale": "zh",
    "requests": RESULT_EXAMPLE["requests"],
    "decisions": RESULT_EXAMPLE["decisions"],
    "calls": [
        {
            "id": f"{MESSAGE_ID}-0-0-0",
            "tool": "list_orders",
            "agent": "business",
            "arguments": {"start_date": "2026-11-30", "end_date": "2026-11-30"},
            "status": "done",
            "content": RESULT_EXAMPLE["reply"],
            "data": {"total": 12},
            "card": None,
            "direct": False,
            "elapsed_ms": 3.1,
            "confirmation": None,
            "undoes": None,
            "settled_by": None,
        }
    ],
    "interrupt": None,
    "usage": RESULT_EXAMPLE["usage"],
    "model": None,
    "agents": {"business": "3f6c0d2ab1"},
    "clock": "2026-11-30T19:54:57.361455+08:00",
    "time_zone": "Asia/Shanghai",
    "runs": [
        {
            "run_id": RUN_ID,
            "status": "success",
            "message": "查一下今天的订单",
            "resume": None,
            "error": None,
            "attempt": 1,
            "created_at": BEGAN,
            "started_at": BEGAN,
            "finished_at": ENDED,
        }
    ],
    "created_at": BEGAN,
    "finished_at": ENDED,
    "elapsed_ms": 9.7,
}


def answered(example: Any, description: str = "Found") -> dict[int | str, dict[str, Any]]:
    """What a route says of its 200."""
    return {200: {"description": description, "content": {"application/json": {"example": example}}}}
