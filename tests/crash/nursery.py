"""Servers that start in a moment: everything is imported once, and each server is a process forked from that.

`python -m tests.crash.nursery` reads an order a line, as JSON {"module", "arguments", "environment", "log"}: it
runs `module.main(arguments)` in a new process whose output goes to the file `log`, and answers with its number. What
the processes share is only what `frontdesk serve` has in memory before it reads its settings.
"""

import contextlib
import gc
import importlib
import json
import os
import signal
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

PRELOADED = ("cli", "commands.serve", "commands.worker", "server", "tests.crash.unguarded", "uvloop", "httptools")


def main() -> None:
    for module in PRELOADED:
        importlib.import_module(module)
    if threading.active_count() > 1:
        raise RuntimeError("an import has started a thread, which a fork would lose")
    gc.freeze()
    # Children that were killed are not waited for.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    _say("ready")
    for line in sys.stdin:
        order = json.loads(line)
        if child := os.fork():
            _say(child)
        else:
            _become(order)


def _say(what: object) -> None:
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


def _become(order: dict[str, Any]) -> None:
    """Never comes back."""
    status = 70
    try:
        os.setsid()
        os.chdir(Path(order["log"]).parent)
        os.environ.clear()  # noqa: TID251  it becomes another process
        os.environ.update(order["environment"])  # noqa: TID251
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((nothing, 0), (log, 1), (log, 2)):
            os.dup2(source, target)
        status = importlib.import_module(order["module"]).main(order["arguments"])
    except BaseException:  # noqa: BLE001  the end of the process, told in its log
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    main()
