"""Real server processes over one database: started, killed without a word, and started again."""

import asyncio
import json
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import httpx

ROOT = Path(__file__).parent.parent.parent
READY = re.compile(r"ready on (http://127\.0\.0\.1:\d+)")
NURSERY_S, START_S, STOP_S = 90.0, 60.0, 40.0


@dataclass(frozen=True, kw_only=True)
class Program:
    """What a server runs: `module.main(arguments)`."""

    module: str = "cli"
    arguments: Sequence[str] = ("serve", "--port", "0")


class Nursery:
    """Starts server processes quickly. `folder`: for its log."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: asyncio.subprocess.Process | None = None
        self._lock = asyncio.Lock()

    async def __aenter__(self) -> Self:
        with (self._folder / "nursery.log").open("wb") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "tests.crash.nursery"),
                cwd=ROOT,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
            )
        assert await self._line(NURSERY_S) == "ready", (self._folder / "nursery.log").read_text()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            await self._process.wait()

    async def fork(self, program: Program, environment: Mapping[str, str], log: Path) -> int:
        """The number of a new process. `environment`: all that it sees of one."""
        assert self._process is not None
        assert self._process.stdin is not None
        order = {
            "module": program.module,
            "arguments": list(program.arguments),
            "environment": dict(environment),
            "log": str(log),
        }
        async with self._lock:
            self._process.stdin.write(json.dumps(order).encode() + b"\n")
            return int(await self._line(START_S))

    async def _line(self, within_s: float) -> str:
        assert self._process is not None
        assert self._process.stdout is not None
        async with asyncio.timeout(within_s):
            return (await self._process.stdout.readline()).decode().strip()


@dataclass(kw_only=True)
class Server:
    """One place for a process. `url`: where it is now, None while there is none. `killed`: numbers of the dead."""

    program: Program
    log: Path
    url: str | None = None
    pid: int = 0
    killed: list[int] = field(default_factory=list)


class Servers:
    """`number` processes, each in its place."""

    def __init__(
        self, nursery: Nursery, environment: Mapping[str, str], folder: Path, number: int, program: Program
    ) -> None:
        self._nursery, self._environment = nursery, dict(environment)
        self.all = [Server(program=program, log=folder / f"server-{n}.log") for n in range(number)]
        self.http = httpx.AsyncClient(timeout=60, limits=httpx.Limits(max_connections=None))

    @asynccontextmanager
    async def running(self, *, cold: bool = False) -> AsyncIterator[Self]:
        try:
            await asyncio.gather(*(self.start(server, cold=cold) for server in self.all))
            yield self
        finally:
            await asyncio.gather(*(self.stop(server) for server in self.all))
            await self.http.aclose()

    async def start(self, server: Server, *, cold: bool = False) -> None:
        """`cold`: as anybody would start it, by the command."""
        read = server.log.stat().st_size if server.log.exists() else 0
        if cold:
            server.pid = await self._cold(server)
        else:
            server.pid = await self._nursery.fork(server.program, self._environment, server.log)
        async with asyncio.timeout(START_S):
            while not (found := READY.search(_since(server.log, read))):
                assert is_alive(server.pid), _since(server.log, read)
                await asyncio.sleep(0.02)
        server.url = found[1]

    async def kill(self, server: Server) -> int:
        """The number of the process that is no more."""
        pid, server.url = server.pid, None
        server.killed.append(pid)
        await end(pid, signal.SIGKILL)
        return pid

    @contextmanager
    def paused(self, server: Server) -> Iterator[None]:
        """It stands still, with all that it has open."""
        os.kill(server.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(server.pid, signal.SIGCONT)

    async def stop(self, server: Server) -> None:
        server.url = None
        if server.pid:
            await end(server.pid, signal.SIGTERM)

    async def _cold(self, server: Server) -> int:
        with server.log.open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, str(ROOT / f"{server.program.module}.py"), *server.program.arguments),
                cwd=server.log.parent,
                env=self._environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        return process.pid

    def traces(self) -> list[str]:
        """What the servers logged of errors of their own."""
        logs = [server.log.read_text(errors="replace") for server in self.all if server.log.exists()]
        return [line for log in logs for line in log.splitlines() if "Traceback" in line]


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def end(pid: int, how: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, how)
    async with asyncio.timeout(STOP_S):
        while is_alive(pid):  # noqa: ASYNC110  it is no child of ours
            await asyncio.sleep(0.005)


def _since(log: Path, position: int) -> str:
    with suppress(FileNotFoundError), log.open("rb") as file:
        file.seek(position)
        return file.read().decode(errors="replace")
    return ""
