"""LangGraph's own clients, as they come, against a desk behind a real socket."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph.pregel.remote import RemoteGraph
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from server import create_app
from tests.api.desk import on_a_socket, settings

SLOW = Path(__file__).parent / "slow"


@pytest.fixture(scope="module")
async def address(database_url: str) -> AsyncIterator[str]:
    more: dict[str, Any] = {"tool_dirs": (SLOW / "tools",), "agent_dirs": (SLOW / "agents",)}
    async with on_a_socket(create_app(settings(database_url, **more))) as opened:
        yield opened


@pytest.fixture
async def client(address: str) -> AsyncIterator[LangGraphClient]:
    async with get_client(url=address, api_key=None) as opened:
        yield opened


@pytest.fixture
async def thread_id(address: str) -> str:
    """Of a conversation of two turns."""
    async with httpx.AsyncClient(base_url=address, trust_env=False, timeout=20) as http:
        first = (await http.post("/invoke", json={"message": "查一下今天的订单"})).json()
        await http.post("/invoke", json={"message": "谢谢", "thread_id": first["thread_id"]})
    return str(first["thread_id"])


async def test_threads_and_their_states_by_the_client(client: LangGraphClient, thread_id: str) -> None:
    assert (await client.threads.get(thread_id))["thread_id"] == thread_id
    found = await client.threads.search(metadata={"graph_id": "frontdesk"}, limit=100, sort_by="updated_at")
    assert thread_id in [row["thread_id"] for row in found]
    state: Any = await client.threads.get_state(thread_id)
    history: Any = await client.threads.get_history(thread_id, limit=50)
    assert history[0] == state
    older = history[1]
    assert await client.threads.get_state(thread_id, checkpoint_id=older["checkpoint_id"]) == older
    assert await client.threads.get_state(thread_id, checkpoint=older["checkpoint"], subgraphs=True) == older
    assert await client.threads.get_history(thread_id, limit=50, before=older["checkpoint"]) == history[2:]
    assert await client.threads.get_history(thread_id, metadata={"source": "input"}) == [
        entry for entry in history if entry["metadata"]["source"] == "input"
    ]
    assert await client.threads.get_history(thread_id, checkpoint=older["checkpoint"]) == [older]


async def test_copies_and_deletion_by_the_client(client: LangGraphClient, thread_id: str) -> None:
    copied: Any = await client.threads.copy(thread_id)  # type: ignore[func-returns-value]  # it does, for all it says
    state: Any = await client.threads.get_state(copied["thread_id"])
    assert [message["type"] for message in state["values"]["messages"]] == ["human", "ai", "tool", "ai", "human", "ai"]
    await client.threads.delete(copied["thread_id"])
    with pytest.raises(Exception, match="not found"):
        await client.threads.get(copied["thread_id"])


async def test_runs_by_the_client(client: LangGraphClient, address: str, thread_id: str) -> None:
    runs = await client.runs.list(thread_id, limit=10)
    assert [run["status"] for run in runs] == ["success", "success"]
    assert await client.runs.get(thread_id, runs[0]["run_id"]) == runs[0]
    async with httpx.AsyncClient(base_url=address, trust_env=False, timeout=20) as http:
        asking = asyncio.create_task(http.post("/invoke", json={"message": "patientia", "thread_id": thread_id}))
        while not (running := await client.runs.list(thread_id, status="running")):  # noqa: ASYNC110 - it tells it in no other way
            await asyncio.sleep(0.02)
        await client.runs.cancel(thread_id, running[0]["run_id"], wait=True)
        assert (await client.runs.get(thread_id, running[0]["run_id"]))["status"] == "interrupted"
        assert (await asking).json()["status"] == "failed"


async def test_a_remote_graph_reads_states(client: LangGraphClient, thread_id: str) -> None:
    remote = RemoteGraph("frontdesk", client=client)
    config: Any = {"configurable": {"thread_id": thread_id}}
    state = await remote.aget_state(config)
    assert [message["type"] for message in state.values["messages"]] == ["human", "ai", "tool", "ai", "human", "ai"]
    history = [entry async for entry in remote.aget_state_history(config, limit=50)]
    assert history[0] == state
    assert await remote.aget_state(history[3].config) == history[3]
    older = [entry async for entry in remote.aget_state_history(config, limit=50, before=history[3].config)]
    assert older == history[4:]
