"""What a desk does with the turns that run when it is told to stop: it finishes them, or the next start does."""

import json
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cli

ROOT = Path(cli.__file__).parent
SLOW = ROOT / "tests" / "api" / "slow"
SLOWLY = {"message": "patientia"}


@contextmanager
def serving(url: str, **variables: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The desk as a process of its own, with a tool that takes a second, and its address."""
    more = {"DATABASE_URL": url, "TOOL_DIRS": f"{SLOW}/tools", "AGENT_DIRS": f"{SLOW}/agents", **variables}
    command = ["env", *(f"{name}={value}" for name, value in more.items()), sys.executable, "cli.py", "serve"]
    with subprocess.Popen([*command, "--port", "0"], cwd=ROOT, stdout=subprocess.PIPE, text=True) as desk:
        try:
            assert desk.stdout is not None
            found = re.search(r"ready on (http://127\.0\.0\.1:\d+)", desk.stdout.readline())
            assert found
            yield desk, found[1]
        finally:
            desk.kill()


def asked(address: str, path: str, body: dict[str, Any] | None = None, **headers: str) -> tuple[int, Any]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"content-type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def asked_while_it_stops(desk: subprocess.Popen[str], address: str, key: str) -> tuple[int, Any]:
    """The answer to a request in whose middle the desk is told to stop."""
    answers: list[tuple[int, Any]] = []
    asking = threading.Thread(
        target=lambda: answers.append(asked(address, "/invoke", SLOWLY, **{"Idempotency-Key": key}))
    )
    asking.start()
    time.sleep(0.5)
    desk.send_signal(signal.SIGTERM)
    asking.join(20)
    desk.wait(20)
    return answers[0]


def test_a_turn_that_ends_in_time_is_answered(fresh_database_url: str) -> None:
    with serving(fresh_database_url) as (desk, address):
        status, result = asked_while_it_stops(desk, address, "k")
    assert (status, result["status"]) == (200, "completed")


def test_a_turn_that_does_not_is_a_503_and_is_finished_by_the_next_start(fresh_database_url: str) -> None:
    with serving(fresh_database_url, DRAIN_S="0") as (desk, address):
        status, refused = asked_while_it_stops(desk, address, "k")
    assert (status, "shutting down" in refused["detail"]) == (503, True)
    with serving(fresh_database_url) as (_, address):
        status, result = asked(address, "/invoke", SLOWLY, **{"Idempotency-Key": "k"})
        assert (status, result["status"]) == (200, "completed")
        assert result["tool_calls"][0]["summary"] == "waited for alex"
        _, turns = asked(address, f"/threads/{result['thread_id']}/turns")
    assert len(turns) == 1
