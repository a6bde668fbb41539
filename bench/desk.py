"""The layers that are compared: the bare graph, the graph with its saver, the runner, and HTTP."""

import asyncio
import re
import socket
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.utils.uuid import uuid7

from bench.measure import Layer, Turn
from bench.wire import Connection
from checkpoints.saver import TurnSaver
from config.settings import Settings
from graphs.assistant import Desk, build_graph
from graphs.runner import Asked, Runner
from nodes.context import Context
from nodes.state import Input
from server import create_app, open_house

ROOT = Path(__file__).parent.parent
START_S, STOP_S = 60.0, 20.0
STEPS = 60


@asynccontextmanager
async def in_process(settings: Settings) -> AsyncIterator[list[Layer]]:
    app = create_app(settings)
    async with open_house(settings) as house, app.router.lifespan_context(app) as opened:
        services, saver = house.services, house.saver
        yield [
            Layer(name="graph", turn=_bare(build_graph(services).compile())),
            Layer(name="saver", turn=_saved(build_graph(services).compile(checkpointer=saver), saver)),
            Layer(name="runner", turn=_run((opened or {})["runner"])),
        ]


@asynccontextmanager
async def over_http(port: int, workers: int) -> AsyncIterator[list[Layer]]:
    """Each worker keeps a connection of its own."""
    connections = [Connection(port) for _ in range(workers)]
    yield [
        Layer(name="/invoke", turn=lambda worker, message: connections[worker].invoke(message)),
        Layer(name="/stream, first event", turn=lambda worker, message: connections[worker].stream(message)),
    ]
    for connection in connections:
        await connection.close()


@asynccontextmanager
async def process(*command: str) -> AsyncIterator[asyncio.StreamReader]:
    """A process of its own until the block ends; yields what it prints."""
    running = await asyncio.create_subprocess_exec(
        *command, cwd=ROOT, stdout=asyncio.subprocess.PIPE, stdin=asyncio.subprocess.DEVNULL
    )
    assert running.stdout is not None  # noqa: S101 - asked for above
    try:
        yield running.stdout
    finally:
        if running.returncode is None:
            running.terminate()
        async with asyncio.timeout(STOP_S):
            await running.wait()


async def port_told(printed: asyncio.StreamReader) -> int:
    """The port of the address in the first line that has one."""
    async with asyncio.timeout(START_S):
        while line := (await printed.readline()).decode():
            if found := re.search(r"http://127\.0\.0\.1:(\d+)", line):
                return int(found[1])
    raise RuntimeError("the server ended before it was ready")


async def model_calls(port: int, message: str) -> int:
    """How often a model is asked in this turn."""
    connection = Connection(port)
    _, answer = await connection.ask(message)
    await connection.close()
    return int(answer["usage"]["model_calls"])


async def port_answers(port: int) -> None:
    async with asyncio.timeout(START_S):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except ConnectionError:
                await asyncio.sleep(0.05)
                continue
            writer.close()
            return


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


def serving(settings: Settings) -> tuple[str, ...]:
    """The command that serves the same database and model."""
    variables = (
        f"MODEL_BASE_URL={settings.model_base_url}",
        f"MODEL_NAME={settings.model_name}",
        "LOG_LEVEL=warning",
        "SIMILARITY=0",
    )
    command = (sys.executable, "cli.py", "serve", "--port", "0", "--data-dir", str(settings.data_dir))
    return ("env", *variables, *command)


def _config() -> RunnableConfig:
    thread_id, run_id = str(uuid7()), str(uuid7())
    return {"configurable": {"thread_id": thread_id}, "recursion_limit": STEPS, "metadata": {"run_id": run_id}}


def _given(message: str) -> Input:
    return Input(messages=[HumanMessage(message, id=str(uuid7()))])


def _bare(graph: Desk) -> Turn:
    async def turn(_: int, message: str) -> float:
        began = time.perf_counter()
        await graph.ainvoke(_given(message), _config(), context=Context())
        return time.perf_counter() - began

    return turn


def _saved(graph: Desk, saver: TurnSaver) -> Turn:
    async def turn(_: int, message: str) -> float:
        began = time.perf_counter()
        async with saver.turn():
            await graph.ainvoke(_given(message), _config(), context=Context(), durability="sync")
        return time.perf_counter() - began

    return turn


def _run(runner: Runner) -> Turn:
    async def turn(_: int, message: str) -> float:
        began = time.perf_counter()
        run = await runner.start(Asked(context=Context(), message=message))
        result = await run.result()
        if result["status"] != "completed":
            raise RuntimeError(f"not completed: {result}")
        return time.perf_counter() - began

    return turn
