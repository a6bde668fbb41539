"""A real model server for the opt-in tests: the one that LLM_BASE_URL names, else a small one built here once."""

import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from pydantic_settings import BaseSettings

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".cache" / "llama"
CONTEXT = 2048


class LlmTests(BaseSettings):
    """`llm_base_url`: an OpenAI-compatible llama-server on this machine, with its `/v1`."""

    llm_base_url: str | None = None


@pytest.fixture(scope="session")
def llm_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a llama-server. Building one takes minutes, and needs cmake and a C++ compiler."""
    if given := LlmTests().llm_base_url:
        yield given
        return
    subprocess.run([ROOT / "scripts" / "llama-server.sh", CACHE], check=True)
    port = free_port()
    options = f"--host 127.0.0.1 --port {port} --jinja --ctx-size {CONTEXT} --parallel 1 --threads 2 --seed 1".split()
    log = tmp_path_factory.mktemp("llama") / "server.log"
    command: list[str | Path] = [CACHE / "llama-server", "--model", CACHE / "model.gguf", *options]
    with log.open("w") as out, subprocess.Popen(command, stdout=out, stderr=out) as process:
        try:
            wait_until_ready(f"http://127.0.0.1:{port}/health", process, log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_ready(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    until = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < until:
        try:
            if httpx.get(url).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.2)
    raise RuntimeError(f"llama-server did not start:\n{log.read_text()[-2000:]}")
