"""What the audit is told of calls, with all that a test does not care about filled in."""

from typing import Any

from checkpoints.run import Run


class Entry:
    """A call of alex's that was done."""

    def __init__(self, **columns: Any) -> None:
        self._columns = {
            "tenant_id": "acme",
            "user_id": "alex",
            "roles": ["operator"],
            "thread_id": None,
            "turn_id": None,
            "run_id": None,
            "call_id": "c1",
            "undoes": None,
            "agent": "business",
            "tool": "list_orders",
            "arguments": {"limit": 3},
            "result": "3 orders",
            "source": "keyword",
            "outcome": "done",
            "reason": "",
            "confirmation": None,
            "elapsed_ms": 1.5,
            **columns,
        }

    def columns(self) -> dict[str, Any]:
        return self._columns


def of_run(run: Run, **columns: Any) -> Entry:
    where = {"thread_id": str(run.thread_id), "run_id": str(run.run_id), "turn_id": run.turn_id}
    return Entry(**where, **columns)
