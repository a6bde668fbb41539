"""LangGraph's development server over our graph and our checkpoints, used as Studio and RemoteGraph use it."""

import asyncio
import socket
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from langgraph.pregel.remote import RemoteGraph
from langgraph.types import Command
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from tests.api.desk import Desk, in_process, settings

pytestmark = [pytest.mark.studio, pytest.mark.timeout(240)]

ROOT = Path(__file__).parent.parent.parent
PROGRAM = ROOT / ".venv-studio" / "bin" / "langgraph"
NODES = {"pre_route", "chitchat", "classify", "extract", "plan", "confirm", "execute", "undo", "reply"}
START_S = 90


@pytest.fixture(scope="module")
def server(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    assert PROGRAM.exists(), "run it with `make test-studio`, which installs the development server"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home = tmp_path_factory.mktemp("studio")
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        "DATABASE_URL": database_url,
        "DEMO": "1",
    }
    with (home / "log").open("wb") as log:
        command = [str(PROGRAM), "dev", "--no-browser", "--no-reload", "--port", str(port)]
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT)
        yield f"http://127.0.0.1:{port}"
        process.terminate()
        process.wait(30)


@pytest.fixture
async def studio(server: str) -> AsyncIterator[LangGraphClient]:
    async with httpx.AsyncClient(base_url=server, trust_env=False) as http, asyncio.timeout(START_S):
        while True:
            try:
                if (await http.get("/ok")).status_code == 200:
                    break
            except httpx.TransportError:
                await asyncio.sleep(0.5)
    async with get_client(url=server, api_key=None) as client:
        yield client


@pytest.fixture
async def desk(database_url: str) -> AsyncIterator[Desk]:
    async with in_process(settings(database_url)) as opened:
        yield opened


def remote(studio: LangGraphClient) -> RemoteGraph:
    return RemoteGraph("frontdesk", client=studio)


async def order_to_ship(desk: Desk) -> str:
    async with desk.opened["pool"].connection() as connection:
        query = "select order_no from demo.orders where tenant_id = 'acme' and status = 'to_ship' limit 1"
        row = await (await connection.execute(query)).fetchone()
    assert row is not None
    return str(row["order_no"])


async def test_all_nine_nodes_are_drawn_with_their_edges(studio: LangGraphClient) -> None:
    drawn = await remote(studio).aget_graph()
    assert set(drawn.nodes) >= NODES
    edges = {(edge.source, edge.target) for edge in drawn.edges}
    for edge in (
        ("plan", "confirm"),
        ("plan", "execute"),
        ("confirm", "execute"),
        ("execute", "plan"),
        ("plan", "reply"),
    ):
        assert edge in edges
    (assistant,) = await studio.assistants.search(graph_id="frontdesk")
    schemas = cast("dict[str, Any]", await studio.assistants.get_schemas(assistant["assistant_id"]))
    assert list(schemas["input_schema"]["properties"]) == ["messages"]
    assert "principal" in schemas["context_schema"]["properties"]


async def test_a_run_there_lands_in_our_database(studio: LangGraphClient, desk: Desk) -> None:
    thread = await studio.threads.create()
    config: Any = {"configurable": {"thread_id": thread["thread_id"]}}
    given = {"messages": [{"role": "user", "content": "查一下今天的订单"}]}
    values = await remote(studio).ainvoke(given, config)
    assert [message["type"] for message in values["messages"]] == ["human", "ai", "tool", "ai"]
    state = await desk.opened["graph"].aget_state(config)
    assert state.values["messages"][-1].text == values["messages"][-1]["content"]


async def test_a_thread_of_ours_opens_there_once_it_has_a_row_of_its_id(studio: LangGraphClient, desk: Desk) -> None:
    waiting = await desk.ask(f"把订单 {await order_to_ship(desk)} 改成已发货")
    thread_id = waiting["thread_id"]
    await studio.threads.create(thread_id=thread_id, if_exists="do_nothing", metadata={"graph_id": "frontdesk"})
    theirs = cast("list[dict[str, Any]]", await studio.threads.get_history(thread_id, limit=50))
    ours = (await desk.http.post(f"/threads/{thread_id}/history", json={"limit": 50})).json()
    assert theirs == ours
    answer: Command[Any] = Command(resume={waiting["interrupt"]["id"]: {"decisions": [{"type": "approve"}]}})
    config: Any = {"configurable": {"thread_id": thread_id}}
    values = await remote(studio).ainvoke(answer, config)
    assert values["messages"][-2]["artifact"]["status"] == "done"
    went_on = await desk.ask("你好", thread_id=thread_id)
    assert went_on["status"] == "completed"
