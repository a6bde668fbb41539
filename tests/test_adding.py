"""The two pages on adding a tool and an agent, done: two new files outside the tree, and the desk can do it."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from config.loading import load_catalogue
from config.settings import Settings
from nodes.reading import reader_of
from nodes.understanding import understand
from tests.api.desk import Desk, in_process, settings

DOCS = Path(__file__).parent.parent / "docs"
CLOCK = datetime.fromisoformat("2026-11-30T10:00:00+08:00")
# Words that other agents use as well for what they make.
MORE = {
    "parking.find": ("哪些车位是空的", "free parking"),
    "parking.book": ("订个车位", "预约一个车位", "帮我预订一个车位", "帮我订个明天的车位", "book me a parking space"),
}


def block(page: str, language: str) -> str:
    """The one block of a language that a page holds."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```", (DOCS / page).read_text(), re.MULTILINE | re.DOTALL)
    return str(found)


def setting(page: str, name: str) -> str:
    lines = (line.partition("=") for _, text in _shell(page) for line in text.splitlines())
    return next(value for key, _, value in lines if key == name)


def _shell(page: str) -> list[tuple[str, str]]:
    return [
        ("sh", text) for text in re.findall(r"^```sh\n(.*?)^```", (DOCS / page).read_text(), re.MULTILINE | re.DOTALL)
    ]


@dataclass
class CarPark:
    """The business side, a real HTTP server."""

    url: str = ""
    bookings: list[dict[str, Any]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)


@contextmanager
def car_park() -> Iterator[CarPark]:
    park = CarPark()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            park.asked.append(self.path)
            self._answer(200, {"found": 2, "spaces": [3, 7]})

        def do_POST(self) -> None:
            booking = json.loads(self.rfile.read(int(self.headers["content-length"])))
            taken = any(one["space"] == booking["space"] and one["date"] == booking["date"] for one in park.bookings)
            if not taken:
                park.bookings.append(booking)
            self._answer(409 if taken else 200, {})

        def log_message(self, *_: object) -> None: ...

        def _answer(self, status: int, body: object) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    park.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield park
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def park() -> Iterator[CarPark]:
    with car_park() as open_park:
        yield open_park


@pytest.fixture
def with_parking(park: CarPark, tmp_path: Path, database_url: str) -> Settings:
    """The two files as the pages have them, in the folders that the pages name, under a folder outside the tree."""
    tools, agents = (
        tmp_path / setting("adding-a-tool.md", "TOOL_DIRS"),
        tmp_path / setting("adding-an-agent.md", "AGENT_DIRS"),
    )
    for folder in (tools, agents):
        folder.mkdir(parents=True)
    (tools / "parking.py").write_text(block("adding-a-tool.md", "python"))
    (agents / "parking.yaml").write_text(block("adding-an-agent.md", "yaml"))
    resources = json.loads(setting("adding-a-tool.md", "RESOURCES"))
    assert resources["parking"].keys() == {"url"}
    return settings(
        database_url, tool_dirs=(tools,), agent_dirs=(agents,), resources={"parking": {"url": park.url}}, clock=CLOCK
    )


async def test_two_new_files_and_the_desk_can_park(with_parking: Settings, park: CarPark) -> None:
    async with in_process(with_parking) as desk:
        found = await desk.ask("明天有空车位吗")
        assert (found["agent"], found["intents"]) == ("parking", ["parking.find"])
        assert found["reply"] == "2026-12-01 有 2 个空车位：3, 7"
        assert park.asked == ["/spaces?date=2026-12-01"]
        await _books_once(desk, park)
        english = await desk.ask("is there parking tomorrow?")
        assert english["reply"] == "2 free on 2026-12-01: 3, 7"
        tools = (await desk.http.get("/tools")).json()
        assert {"list_spaces", "book_space"} <= {one["name"] for one in tools}


async def _books_once(desk: Desk, park: CarPark) -> None:
    waiting = await desk.ask("预订明天的车位7")
    assert (waiting["status"], waiting["intents"]) == ("interrupted", ["parking.book"])
    (asked,) = waiting["interrupt"]["action_requests"]
    assert asked["args"] == {"space_no": 7, "day": "2026-12-01"}
    assert asked["description"] == "预订 2026-12-01 的 7 号车位吗？"
    done = (await desk.resume(waiting, {"type": "approve"})).json()
    assert done["reply"] == "已预订 2026-12-01 的 7 号车位"
    again = await desk.resume(waiting, {"type": "approve"})
    assert again.status_code == 409
    assert park.bookings == [{"space": 7, "date": "2026-12-01", "user": "alex"}]
    taken = await desk.ask("预订明天的车位7")
    refused = (await desk.resume(taken, {"type": "approve"})).json()
    assert refused["tool_calls"][0]["status"] == "refused"
    assert refused["reply"] == "7 号车位 2026-12-01 已被预订"


async def test_what_is_not_said_is_asked_back(with_parking: Settings, park: CarPark) -> None:
    async with in_process(with_parking) as desk:
        asked = await desk.ask("book a parking space")
        assert asked["question"]["text"] == "Which space, by its number?"
        day = await desk.ask("7", thread_id=asked["thread_id"])
        assert day["question"]["text"] == "For which day?"
        waiting = await desk.ask("tomorrow", thread_id=asked["thread_id"])
        assert waiting["interrupt"]["action_requests"][0]["args"] == {"space_no": 7, "day": "2026-12-01"}
        assert park.bookings == []


async def test_who_only_reads_books_nothing(with_parking: Settings, park: CarPark) -> None:
    async with in_process(with_parking) as desk:
        body, viewer = {"message": "预订明天的车位7"}, {"X-Dev-Roles": "viewer"}
        refused = (await desk.http.post("/invoke", json=body, headers=viewer)).json()
        assert refused["status"] == "completed"
        assert "parking:write" in refused["reply"]
        tools = (await desk.http.get("/tools", headers=viewer)).json()
        assert "book_space" not in {one["name"] for one in tools}
        assert park.bookings == []


async def test_every_example_of_the_new_agent_is_understood(with_parking: Settings) -> None:
    catalogue = load_catalogue(with_parking.config_dir, with_parking.agent_dirs)
    reader = reader_of(catalogue)
    for intent in catalogue.agents["parking"].intents.values():
        for said in (*intent.examples.zh, *intent.examples.en, *MORE[intent.name]):
            assert understand(said, catalogue, reader, now=CLOCK)["intents"] == [intent.name], said
