"""Threads and runs as tests find them, and the keys that LangGraph's server gives each of its things."""

import asyncio
from typing import Any

import httpx

from tests.api.desk import Desk, Json

STATE = {
    "values", "next", "tasks", "metadata", "created_at", "checkpoint", "parent_checkpoint", "interrupts",
    "checkpoint_id", "parent_checkpoint_id",
}  # fmt: skip
TASK = {"id", "name", "path", "error", "interrupts", "checkpoint", "state", "result"}
ROW = {
    "thread_id", "created_at", "updated_at", "state_updated_at", "metadata", "status", "config", "values", "error",
    "interrupts",
}  # fmt: skip
RUN = {
    "run_id", "thread_id", "assistant_id", "metadata", "status", "kwargs", "multitask_strategy", "created_at",
    "updated_at", "langsmith_session_name",
}  # fmt: skip
KWARGS = {
    "input", "command", "config", "context", "stream_mode", "interrupt_before", "interrupt_after", "webhook",
    "feedback_keys", "temporary", "subgraphs", "resumable", "checkpoint_during", "durability",
}  # fmt: skip
EVE = {"X-Dev-User": "eve"}
SLOWLY = "patientia"
ASKING: set[asyncio.Task[httpx.Response]] = set()


async def get(desk: Desk, path: str) -> Any:
    return _json(await desk.http.get(path))


async def post(desk: Desk, path: str, body: Any = None) -> Any:
    return _json(await desk.http.post(path, json=body))


def _json(answer: httpx.Response) -> Any:
    assert answer.status_code == 200, answer.text
    return answer.json()


def refused(answer: httpx.Response) -> tuple[int, str]:
    """Status and reason."""
    assert list(answer.json()) == ["detail"]
    return answer.status_code, answer.json()["detail"]


async def waiting(desk: Desk) -> Json:
    """A turn that waits for a yes to a change of an order that is still to be shipped."""
    async with desk.opened["pool"].connection() as connection:
        query = "select order_no from demo.orders where tenant_id = 'acme' and status = 'to_ship' limit 1"
        row = await (await connection.execute(query)).fetchone()
    assert row is not None
    return await desk.ask(f"把订单 {row['order_no']} 改成已发货")


async def started(desk: Desk, thread_id: str | None = None, message: str = SLOWLY) -> Json:
    """The ids of a run on its way, for which somebody waits."""
    before = {run["run_id"] for run in await _in_flight(desk)}
    body = {"message": message} | ({"thread_id": thread_id} if thread_id else {})
    asking = asyncio.create_task(desk.http.post("/invoke", json=body))
    ASKING.add(asking)
    asking.add_done_callback(ASKING.discard)
    async with asyncio.timeout(5):
        while True:
            new = [run for run in await _in_flight(desk) if run["run_id"] not in before]
            if new:
                break
            await asyncio.sleep(0.02)
    return new[0]


async def _in_flight(desk: Desk) -> list[Json]:
    query = "SELECT run_id::text, thread_id::text FROM frontdesk.runs WHERE status IN ('pending', 'running')"
    async with desk.opened["pool"].connection() as connection:
        return await (await connection.execute(query)).fetchall()


async def settled(desk: Desk, thread_id: str) -> Json:
    """The thread, once nothing runs on it."""
    async with asyncio.timeout(10):
        while True:
            row: Json = await get(desk, f"/threads/{thread_id}")
            if row["status"] != "busy":
                return row
            await asyncio.sleep(0.05)
