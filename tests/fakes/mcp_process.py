"""Starts the MCP server of `mcp_server` as a process, kills it and starts it again."""

import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Self

ROOT = Path(__file__).parents[2]


class McpProcess:
    """`with McpProcess(folder) as server`: listens on `server.url`, always at the same port."""

    def __init__(self, folder: Path, *options: str) -> None:
        self._folder, self._options = folder, options
        self._process: subprocess.Popen[bytes] | None = None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    @property
    def done(self) -> list[str]:
        """What the tools did, in order."""
        return done(self._folder)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self) -> None:
        self.kill()
        command = [sys.executable, "-m", "tests.fakes.mcp_server", "--folder", str(self._folder)]
        self._process = subprocess.Popen([*command, "--port", str(self.port), *self._options], cwd=ROOT)
        until = time.monotonic() + 20
        while not self._listens():
            if time.monotonic() > until or self._process.poll() is not None:
                raise TimeoutError("the MCP server did not start")
            time.sleep(0.02)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(10)

    def _listens(self) -> bool:
        with socket.socket() as asking:
            return asking.connect_ex(("127.0.0.1", self.port)) == 0


def program(folder: Path) -> tuple[str, ...]:
    """The command of the same server over standard input and output."""
    return (sys.executable, str(ROOT / "tests" / "fakes" / "mcp_stdio.py"), str(folder))


def done(folder: Path) -> list[str]:
    path = folder / "done.txt"
    return path.read_text().splitlines() if path.exists() else []
